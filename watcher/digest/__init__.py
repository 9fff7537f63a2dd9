"""What is found now and what was told before -> one digest, and its text for each medium."""
