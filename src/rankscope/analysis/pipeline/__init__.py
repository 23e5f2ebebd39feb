"""Pipelines: what becomes of each relevant item from stage to stage."""
