"""Scores of runs: every measure of every query, summaries, and cautions."""
