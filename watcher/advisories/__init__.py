"""Known hazards that no commit range expresses: local causes, versions, contradicting settings.

Pure: a catalogue as TOML text in, matches with their reasons out.
"""
