"""GitHub over HTTP: GraphQL by httpx, the rest by PyGithub, both under one set of limits."""
