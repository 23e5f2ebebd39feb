"""Decisions that may be looked at after every query: limits of a mean that hold at all looks together."""
