"""The outside world behind the ports: git, GitHub, files, mail, webhooks, the clock."""
