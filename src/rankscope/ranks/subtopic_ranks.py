"""From where the items of subtopics stand to ranks that know which subtopics each item serves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks, count_levels

if TYPE_CHECKING:
    from rankscope.inputs.subtopics import Subtopics


def with_subtopics(found: RelevantRanks, judged: Subtopics) -> RelevantRanks:
    """Ranks of the numbered items (`Subtopics.numbered`) with their own grades, and what each subtopic says of them.

    Items that the reduction left out (junk, the query itself) leave the judgements of subtopics too. The grade of an
    item is its highest for any subtopic.
    >>> from rankscope.inputs.subtopics import Subtopics
    >>> from rankscope.ranks.reduce import reduce
    >>> judged = Subtopics.of({"q": {"s1": {"b": 1, "a": 1}, "s2": {"b": 2}}})
    >>> ranks = with_subtopics(reduce(judged.numbered(), {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}), judged)
    >>> ranks.judged["rank"].tolist(), ranks.judged["item"].tolist(), ranks.judged["grade"].tolist()
    ([1, 3], [1, 0], [2.0, 1.0])
    """
    row_of = {query: row for row, query in enumerate(judged.queries)}
    pairs = Ragged.from_rows(
        judged.query_row,
        len(judged.queries),
        item=judged.item_number,
        subtopic=judged.subtopic,
        grade=judged.grade,
    ).take(np.array([row_of[query] for query in found.queries], dtype=np.int64))
    kept = pairs.where(_among(pairs, found.levels))
    first = _starts(kept)
    grade = np.maximum.reduceat(kept["grade"], first) if first.size else kept["grade"]
    of_items = Ragged.from_rows(kept.row[first], len(kept), item=kept["item"][first], grade=grade)
    number = found.judged["grade"].astype(np.int64)
    own = of_items["grade"][_places(of_items, found.judged.row, number)]
    items = found.judged.with_columns(item=number, grade=own)
    return replace(
        found,
        judged=items.where(own >= 0),
        pooled=items.where(own < 0),
        levels=count_levels(of_items.row, grade, np.ones(grade.size, dtype=np.int64), len(kept)),
        top_grade=float(grade.max(initial=0.0)),
        subtopics=kept,
    )


def _starts(pairs: Ragged) -> IntArray:
    """Where the judgements of each item begin."""
    change = np.diff(pairs["item"], prepend=-1) != 0
    return np.flatnonzero(change | (np.diff(pairs.row, prepend=-1) != 0))


def _among(pairs: Ragged, levels: Ragged) -> BoolArray:
    """Which judgements are of items that the reduction knows."""
    numbers = levels["grade"].astype(np.int64)
    span = int(max(pairs["item"].max(initial=0), numbers.max(initial=0))) + 1
    return np.isin(pairs.row * span + pairs["item"], levels.row * span + numbers)


def _places(items: Ragged, row: IntArray, number: IntArray) -> IntArray:
    """Where each (row, number) stands among items sorted by both."""
    span = int(max(items["item"].max(initial=0), number.max(initial=0))) + 1
    return np.searchsorted(items.row * span + items["item"], row * span + number)


def ranks_of_pairs(queries: RelevantRanks) -> FloatArray:
    """The rank of the item of each judgement of a subtopic; infinite where it was not found."""
    pairs, judged = queries.subtopics, queries.judged
    assert pairs is not None
    span = int(max(pairs["item"].max(initial=0), judged["item"].max(initial=0))) + 1
    keys = judged.row * span + judged["item"]
    order = np.argsort(keys, kind="stable")
    asked = pairs.row * span + pairs["item"]
    place = np.minimum(np.searchsorted(keys[order], asked), max(keys.size - 1, 0))
    if not keys.size:
        return np.full(asked.size, np.inf)
    return np.where(keys[order][place] == asked, judged["rank"][order][place], np.inf)
