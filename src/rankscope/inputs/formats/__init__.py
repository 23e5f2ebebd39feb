"""Formats of runs and judgements, read and written."""
