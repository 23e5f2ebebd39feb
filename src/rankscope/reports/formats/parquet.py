"""The long table as Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rankscope.reports.formats.csv import summary_table

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> bytes:
    """System, query, class, measure, value, status; or one row per system and measure."""
    buffer = io.BytesIO()
    (scores.to_polars() if per_query else summary_table(scores)).write_parquet(buffer)
    return buffer.getvalue()
