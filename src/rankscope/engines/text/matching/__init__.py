"""Which documents a query matches, and how they score: one file for each kind of node."""
