"""The terminal face: parses the command line, calls one use case, renders its answer. No logic."""
