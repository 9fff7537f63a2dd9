"""What the use cases need from outside: small protocols, named after the outside thing.

Pure declarations, no I/O. ``adapters`` and ``store`` implement them; ``app`` wires them.
"""
