"""Lots: what stays of an item's identity in a reduction, so that one item can be left out of all rankings at once.

A collection that grows brings the same items to all queries. To thin it the same way, the best distractors of each
query keep a number from 0 to 65,535 that depends on the item alone: 2 bytes each, where ids would take many more.
Different items that share a lot come and go together, which in a draw of thousands of lots makes no difference.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import IntArray
from rankscope.inputs.id_columns import IdColumn

LOTS = 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that neighbouring numbers get distant lots


def lots_of_names(items: IdColumn) -> IntArray:
    """The lots of items by their ids; the same id has the same lot in every query.

    >>> from rankscope.inputs.id_columns import TextIds
    >>> lots = lots_of_names(TextIds.of(["d1", "d2", "d1"]))
    >>> bool(lots[0] == lots[2]), bool((lots < LOTS).all())
    (True, True)
    """
    from rankscope.inputs.series_ids import as_series

    return (as_series(items).hash(0).to_numpy() >> np.uint64(48)).astype(np.int64)


def lots_of_numbers(items: IntArray) -> IntArray:
    """The lots of items by their positions in the collection; up to 65,536 items have hardly any in common.

    >>> lots_of_numbers(np.array([0, 1, 2, 1])).tolist()
    [0, 40503, 15470, 40503]
    """
    return ((items.astype(np.uint64) * _MIX) >> np.uint64(48)).astype(np.int64)
