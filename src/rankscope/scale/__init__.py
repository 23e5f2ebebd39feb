"""Runs beyond memory or beyond one machine: parts reduced anywhere, in any order, to the same bytes."""
