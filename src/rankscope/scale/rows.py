"""Rows of whole queries in, ranks of the judged ones out: the reduction as a function of tables, for any engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.reduce import collect_rows, nothing_found
from rankscope.ranks.storage import ranks_to_frame
from rankscope.settings import Settings


def reduce_rows(run: pl.DataFrame, qrels: pl.DataFrame, settings: Settings | None = None, **more: Any) -> pl.DataFrame:
    """One row for each judged query among these rows, as a *.ranks.parquet file holds it; none where none is judged.

    All rows of a query must be there. `more`: `junk` and `keep_scores`, as in `ranks.reduce`.
    >>> run = pl.DataFrame({"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [2.0, 1.0, 1.0]})
    >>> qrels = pl.DataFrame({"query": ["a", "c"], "item": ["y", "y"], "grade": [1, 1]})
    >>> reduce_rows(run, qrels).select("query", "depth", "judged_rank").rows()
    [('a', 2, [2])]
    """
    judged, rows = Qrels.of(qrels), Run.of(run)
    found = collect_rows(nothing_found(judged, rows.place, settings or Settings(), **more), rows)
    found.problems.raise_if_any()
    there = np.sort(np.fromiter(found.rows_of_query, np.int64, len(found.rows_of_query)))
    return ranks_to_frame(found.assembled(rows, judged, there))
