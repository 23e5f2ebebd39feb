"""Hostile files and options by the million: each gives an answer that a plain reader confirms, or a clear error.

Files are made by the structure of their format first (columns of odd types, fields too many, headers that lie) and
wounded as bytes afterwards. `python -m benchmarks.fuzzing FORMAT SEED NUMBER` repeats one case.
"""
