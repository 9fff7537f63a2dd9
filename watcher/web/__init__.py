"""The pages and the API: they ask the application and render what it answers. No logic."""
