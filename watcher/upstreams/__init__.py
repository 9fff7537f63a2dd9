"""What is peculiar to one upstream, as data: profiles and how they are read. Pure."""
