"""Lists of item numbers, grades and displays put into flat arrays, and checked, with every problem told at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import IntArray
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.number_texts import how_many
from rankscope.ranks.ragged import Ragged


def item_lists(lists: Sequence[ArrayLike], grades: Sequence[ArrayLike] | None, usual: float) -> Ragged:
    """Columns `item` and `grade`, each session's items ascending.

    >>> item_lists([[4, 1], [2]], [[3, 1], [1]], 1.0).lists("grade")
    [[1.0, 3.0], [1.0]]
    """
    items = Ragged.of(lists, "item")
    if grades is None:
        graded = items.with_columns(grade=np.full(items.size, usual))
    else:
        given = Ragged.of(grades, "grade", np.float64)
        if not np.array_equal(given.lengths, items.lengths) or not np.isfinite(given["grade"]).all():
            raise InputError.of("examples", ["grades need one finite number for each example"])
        graded = items.with_columns(grade=given["grade"])
    return graded.sorted_by(graded["item"])


def checked_examples(positives: Ragged, negatives: Ragged) -> None:
    """Raise unless both have the same sessions and no item is twice in one session, on either side."""
    problems = Problems("examples")
    if len(positives) != len(negatives):
        problems.add("", f"{len(positives)} lists of positives, but {len(negatives)} of negatives")
        problems.raise_if_any()
    row = np.concatenate([positives.row, negatives.row])
    item = np.concatenate([positives["item"], negatives["item"]])
    side = np.repeat([1, -1], [positives.size, negatives.size])
    order = np.lexsort((item, row))
    row, item, side = row[order], item[order], side[order]
    twice = np.flatnonzero((row[1:] == row[:-1]) & (item[1:] == item[:-1]))
    for place in twice.tolist():
        both = side[place] != side[place + 1]
        what = "both a positive and a negative example" if both else "an example twice"
        problems.add(f"session {row[place]}", f"item {item[place]} is {what}", "Give each item once.")
    for place in np.flatnonzero(item < 0).tolist():
        problems.add(f"session {row[place]}", f"item numbers count from 0, got {item[place]}")
    problems.raise_if_any()


def display_rows(displays: Sequence[Sequence[tuple[Sequence[int], Sequence[int]]]]) -> Ragged:
    """Columns `item`, `display` and `picked`, one row for each item shown; what is picked must have been shown."""
    flat = [
        (session, number, item, item in set(picked))
        for session, shown_picked in enumerate(displays)
        for number, (shown, picked) in enumerate(shown_picked)
        for item in shown
    ]
    for session, shown_picked in enumerate(displays):
        for shown, picked in shown_picked:
            if lost := sorted(set(picked) - set(shown)):
                raise InputError.of("examples", [f"session {session}: item {lost[0]} was picked but not shown"])
    row, number, item = (np.array([each[place] for each in flat], np.int64) for place in range(3))
    picked_rows = np.array([each[3] for each in flat], np.bool_)
    return Ragged.from_rows(row, len(displays), item=item, display=number, picked=picked_rows)


def one_each(values: ArrayLike, count: int, what: str) -> NDArray[Any]:
    """One whole number per session; a single one serves all."""
    array: IntArray = np.asarray(values, dtype=np.int64)
    if array.ndim > 1 or (array.ndim == 1 and array.size != count):
        raise InputError.of(
            "examples", [f"{how_many(count, 'session needs', 'sessions need')} {count} {what}, got shape {array.shape}"]
        )
    return np.broadcast_to(array, count).copy()
