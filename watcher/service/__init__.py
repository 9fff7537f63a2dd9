"""The service: the page and the jobs (sync, digest, delivery) in one process."""
