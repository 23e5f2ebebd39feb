"""A collection and a query to a ranking."""
