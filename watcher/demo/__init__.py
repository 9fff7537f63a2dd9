"""An embedded example: a small upstream with a story, and a user who pins it. Pure: text only."""
