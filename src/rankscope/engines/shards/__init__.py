"""Exact ranks of a collection in parts: the rank of an item is one more than the sum of what each part counts."""
