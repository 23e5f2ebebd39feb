"""Every relevant item at every stage as one long table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.pipeline.fates import ends_of, steps_of
from rankscope.ranks.item_ranks import ABSENT

if TYPE_CHECKING:
    import polars as pl

    from rankscope.pipeline.ledger import Ledger


def item_table(ledger: Ledger) -> pl.DataFrame:
    """A row for each relevant item and stage: its rank there (null: not in the list), what the stage did with it, and
    in every row what became of it in the end, and at which stage."""
    import polars as pl

    items, stages = ledger.items, len(ledger.stages)
    fate, at = ends_of(ledger.states)
    each = np.arange(len(items.item)).repeat(stages)  # the item of each row
    query = items.query_row[each]
    rank = pl.Series(items.rank.reshape(-1))
    classes = {} if ledger.classes is None else {"class": _texts(ledger.classes).gather(query)}
    return pl.DataFrame(
        {
            "query": _texts(items.queries).gather(query),
            **classes,
            "item": _texts(items.item).gather(each),
            "grade": pl.Series(items.grade).gather(each),
            "stage": _texts(ledger.stages).gather(np.tile(np.arange(stages), len(items.item))),
            "rank": rank.set(rank == ABSENT, None),
            "step": _texts(steps_of(ledger.states).reshape(-1).tolist()),
            "fate": _texts(fate.tolist()).gather(each),
            "fate_stage": _texts(["", *ledger.stages]).gather((at + 1)[each]),
        }
    )


def _texts(values: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.Series(values, dtype=pl.String)
