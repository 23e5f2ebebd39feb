"""The ids of documents as a field of one term each, so that they are searched as all other fields are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, TermColumn

if TYPE_CHECKING:
    import polars as pl


def columns_of_ids(ids: pl.Series) -> FieldColumns:
    """The columns of a field that has nothing but the id of each document.

    >>> import polars as pl
    >>> columns = columns_of_ids(pl.Series(["b", "a"]))
    >>> columns.terms[0], columns.docs.tolist()
    ('a', [1, 0])
    """
    order = ids.arg_sort().to_numpy().astype(np.int32)
    column = TermColumn.of(ids.gather(order))
    count = len(ids)
    starts = np.arange(count + 1)
    return FieldColumns(
        text=column.text,
        offsets=column.offsets,
        starts=starts,
        docs=order,
        counts=np.ones(count, dtype=np.uint8),
        position_starts=starts,
        positions=np.zeros(count, dtype=np.uint8),
        lengths=np.ones(count, dtype=np.uint8),
    )
