"""The shapes of files that people have: each says what it is called, what it looks like, and how it is read."""
