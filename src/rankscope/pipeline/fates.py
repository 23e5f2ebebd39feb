"""What becomes of a relevant item from one stage to the next, and in the end: within a scope, below it, or absent."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.ranks.item_ranks import ABSENT as NO_RANK


class ItemState(IntEnum):
    """Where an item stands: not in the list, in the list below the scope, or within it."""

    ABSENT = 0
    BELOW = 1
    WITHIN = 2


ItemStates = NDArray[np.int8]
WHOLE_LIST = np.iinfo(np.int64).max  # the scope that takes in every list
FIRST = np.array(["not found", "found below", "found"])  # by the state at the first stage
STEPS = np.array(  # by the state before (rows) and after (columns)
    [
        ["absent", "brought back below", "brought back"],
        ["lost below", "below", "promoted"],
        ["lost", "demoted", "kept"],
    ]
)
GROSS = {  # what makes the number within the scope fall and rise: by the states before and after
    "lost": (ItemState.WITHIN, ItemState.ABSENT),
    "demoted": (ItemState.WITHIN, ItemState.BELOW),
    "promoted": (ItemState.BELOW, ItemState.WITHIN),
    "brought back": (ItemState.ABSENT, ItemState.WITHIN),
}


def states_of(rank: IntArray, scope: IntArray) -> ItemStates:
    """The state of each item (row) at each stage (column); `scope` has one number an item.

    >>> states_of(np.array([[1, 5, 0]]), np.array([4])).tolist()
    [[2, 1, 0]]
    """
    within = (rank <= scope[:, None]).astype(np.int8)
    return np.where(rank == NO_RANK, np.int8(ItemState.ABSENT), within + np.int8(ItemState.BELOW))


def steps_of(states: ItemStates) -> NDArray[np.str_]:
    """In words what each stage (column) did with each item (row).

    >>> steps_of(np.array([[2, 2, 1, 0, 2]], dtype=np.int8)).tolist()
    [['found', 'kept', 'demoted', 'lost below', 'brought back']]
    """
    return np.column_stack([FIRST[states[:, 0]], STEPS[states[:, :-1], states[:, 1:]]])


def ends_of(states: ItemStates) -> tuple[NDArray[np.str_], IntArray]:
    """What became of each item in the end, and at which stage that was decided; -1 where at none.

    Not within the scope in the end: lost or demoted at the last stage that took it out of the scope, or never within.
    Within it: kept, or gained at the last stage that brought it in where the first stage did not have it there;
    recovered where it had.
    >>> table = [[2, 2, 2], [2, 0, 0], [2, 1, 0], [0, 0, 2], [2, 0, 2], [1, 1, 0]]
    >>> [each.tolist() for each in ends_of(np.array(table, dtype=np.int8))]
    [['kept', 'lost', 'demoted', 'gained', 'recovered', 'never within'], [-1, 1, 1, 2, 2, -1]]
    """
    within = states == ItemState.WITHIN
    at = _last_stage(within[:, 1:] != within[:, :-1])
    after = states[np.arange(len(states)), np.maximum(at, 0)]
    left = np.where(after == ItemState.ABSENT, "lost", "demoted")
    came = np.where(within[:, 0], "recovered", "gained")
    moved = np.where(within[:, -1], came, left)
    return np.where(at >= 0, moved, np.where(within[:, -1], "kept", "never within")), at


def _last_stage(changed: NDArray[np.bool_]) -> IntArray:
    """The last stage at which something changed, -1 where nothing did; column 0 is the second stage."""
    stages = changed.shape[1]
    if not stages:
        return np.full(len(changed), -1)
    last = stages - np.argmax(changed[:, ::-1], axis=1)
    return np.where(changed.any(axis=1), last, -1)
