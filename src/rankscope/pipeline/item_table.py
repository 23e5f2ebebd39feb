"""Every relevant item at every stage as one long table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankscope.pipeline.fates import ends_of, steps_of
from rankscope.ranks.item_ranks import ABSENT

if TYPE_CHECKING:
    from rankscope.pipeline.ledger import Ledger


def item_table(ledger: Ledger) -> pl.DataFrame:
    """A row for each relevant item and stage: its rank there (null: not in the list), what the stage did with it, and
    in every row what became of it in the end, and at which stage."""
    items, stages = ledger.items, len(ledger.stages)
    fate, at = ends_of(ledger.states)
    decided = np.array(["", *ledger.stages])[at + 1]
    rank = items.rank.reshape(-1)
    columns: dict[str, pl.Series] = {"query": _each(np.array(items.queries)[items.query_row], stages)}
    if ledger.classes is not None:
        columns["class"] = _each(np.array(ledger.classes)[items.query_row], stages)
    columns |= {
        "item": _each(np.array(items.item), stages),
        "grade": _each(items.grade, stages),
        "stage": pl.Series(list(ledger.stages) * len(items.item), dtype=pl.String),
        "rank": pl.Series(rank).set(pl.Series(rank == ABSENT), None),
        "step": _texts(steps_of(ledger.states).reshape(-1)),
        "fate": _each(fate, stages),
        "fate_stage": _each(decided, stages),
    }
    return pl.DataFrame(columns)


def _each(values: np.ndarray, times: int) -> pl.Series:
    """Every value so many times, one after the other."""
    repeated = np.repeat(values, times)
    return _texts(repeated) if repeated.dtype.kind == "U" else pl.Series(repeated)


def _texts(values: np.ndarray) -> pl.Series:
    return pl.Series(values.tolist(), dtype=pl.String)
