"""What a project pins: lock files, metadata, scripts, images -> readings -> pins. Pure."""
