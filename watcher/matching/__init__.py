"""How likely a change bites a user, and how well it answers a symptom. Pure."""
