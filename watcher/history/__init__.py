"""Git output and GitHub JSON -> what changes and issues say, and their links. Pure."""
