"""The use cases, a file each: gather by the ports, decide by the pure packages, apply."""
