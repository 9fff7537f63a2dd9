"""Where every line came from -> whether a pin has the code that a change repairs. Pure."""
