"""The user's configuration, scripts and code -> what he runs. Pure."""
