"""CSV and TSV with a header line."""

from __future__ import annotations

import polars as pl

from rankscope.inputs.sources import Source


def read_table(source: Source) -> pl.DataFrame:
    """All columns as text."""
    return pl.read_csv(source.whole(), infer_schema=False)
