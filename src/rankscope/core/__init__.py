"""What every room stands on: errors, settings and their notation, files, catalogues, and where work runs.

Nothing comes in but values; nothing here knows what a ranking is. Begin with `errors.py`, `settings.py` and `files.py`.
"""
