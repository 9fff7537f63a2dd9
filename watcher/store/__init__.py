"""Facts, findings, decisions and deliveries in a database, behind the port ``Store``."""
