"""Judgements and runs to scores: ids, files and settings meet the measures here, which know ranks alone."""
