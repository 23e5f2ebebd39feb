"""What must hold of a reduction, in one table: a file that was edited or damaged must not give a number.

Each rule looks at all queries at once and says for which of them it is broken. A new column adds its rules here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.checks import KEPT, Problems, shorten_value
from rankscope.ranks.lots import LOTS
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, rank_counts

LARGEST = 1 << 40  # of ranks and counts: products with the number of queries stay exact
Broken = Callable[[RelevantRanks], BoolArray]
Wrong = Callable[[NDArray[Any]], BoolArray]


@dataclass(frozen=True)
class Invariant:
    """What must hold of a column of the file, and for which queries it does not."""

    column: str
    holds: str
    broken: Broken


def complain(ranks: RelevantRanks, problems: Problems) -> None:
    """Every query for which a rule does not hold is a problem.

    >>> problems = Problems("x")
    >>> complain(RelevantRanks.from_ranks([[1, 2], [3, 3]]), problems)
    >>> print(problems.report())
    x: 1 problem
      query q2: judged_rank must ascend, each rank once, got [3, 3]
    """
    for rule in RULES:
        rows = np.flatnonzero(rule.broken(ranks))
        for row in rows[:KEPT].tolist():
            what = f"{rule.column} must {rule.holds}, got {shorten_value(_cell(ranks, rule.column, row))}"
            problems.add(f"query {ranks.queries[row]}", what, order=row)
        problems.more(max(0, rows.size - KEPT))


def _cell(ranks: RelevantRanks, column: str, row: int) -> Any:
    """What stands in a column of the file for one query."""
    name, _, inner = column.partition("_")
    lists = getattr(ranks, name, None) if inner else None
    if isinstance(lists, Ragged):
        known = inner if inner in lists else next(iter(lists.columns))
        return lists[known][lists.offsets[row] : lists.offsets[row + 1]].tolist()
    values = ranks.queries if column == "query" else getattr(ranks, column)
    return values[row].item() if isinstance(values, np.ndarray) else values[row]


def _where(column: str, wrong: Wrong) -> Broken:
    """The queries of which a value, or an element of the list, is wrong; a column that is not there is not."""
    name, _, inner = column.partition("_")

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists = getattr(ranks, name, None)
        if isinstance(lists, Ragged):
            return _any(lists, wrong(lists[inner])) if inner in lists else _none(ranks)
        values = getattr(ranks, column, None)
        return _none(ranks) if values is None else wrong(values)

    return broken


def _none(ranks: RelevantRanks) -> BoolArray:
    return np.zeros(len(ranks), dtype=np.bool_)


def _any(lists: Ragged, wrong: BoolArray) -> BoolArray:
    return lists.count(wrong) > 0


def _beyond(least: int, most: int = LARGEST) -> Wrong:
    return lambda values: (values < least) | (values > most)


def _not_ascending(lists: Ragged, values: NDArray[Any], ends: NDArray[Any] | None = None) -> BoolArray:
    """The queries of which a value does not exceed the one before it (the end of that, where elements have one)."""
    if lists.size < 2:
        return np.zeros(len(lists), dtype=np.bool_)
    before = (values if ends is None else ends)[:-1]
    same = lists.row[1:] == lists.row[:-1]
    return _any(lists, np.concatenate([[False], same & ~(values[1:] > before)]))


def _order(column: str) -> Broken:
    name, _, inner = column.partition("_")
    return lambda ranks: _not_ascending(getattr(ranks, name), getattr(ranks, name)[inner])


def _ids_twice(ranks: RelevantRanks) -> BoolArray:
    first: dict[str, int] = {}
    return np.array([first.setdefault(each, row) != row for row, each in enumerate(ranks.queries)], dtype=np.bool_)


def _ids_empty(ranks: RelevantRanks) -> BoolArray:
    return np.array([not each for each in ranks.queries], dtype=np.bool_)


def _deep_without_answer(ranks: RelevantRanks) -> BoolArray:
    return ~ranks.answered & (ranks.depth != 0)


def _deeper_than_collection(ranks: RelevantRanks) -> BoolArray:
    return (ranks.collection >= 0) & (ranks.depth > ranks.collection)


def _judged_beyond_collection(ranks: RelevantRanks) -> BoolArray:
    judged = ranks.levels.total(np.where(ranks.levels["grade"] >= 0, ranks.levels["count"], 0))
    return (ranks.collection >= 0) & (judged > ranks.collection)


def _above_top(ranks: RelevantRanks) -> BoolArray:
    return _any(ranks.levels, ranks.levels["grade"] > ranks.top_grade)


def _outside(name: str) -> Broken:
    """Ranks before the list or behind its end."""

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists: Ragged = getattr(ranks, name)
        return _any(lists, (lists["rank"] < 1) | (lists["rank"] > ranks.depth[lists.row]))

    return broken


def _more_than_judged(name: str) -> Broken:
    """More items found at a grade than were judged with it."""

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists: Ragged = getattr(ranks, name)
        row = np.concatenate([ranks.levels.row, lists.row])
        grade = np.concatenate([ranks.levels["grade"], lists["grade"]])
        there = np.concatenate([ranks.levels["count"], np.full(lists.size, -1)])
        return _short_of(row, grade, there, len(ranks))

    return broken


def _short_of(row: IntArray, grade: FloatArray, there: IntArray, count: int) -> BoolArray:
    """The rows of which a grade sums to less than nothing."""
    broken = np.zeros(count, dtype=np.bool_)
    if row.size:
        order = np.lexsort((grade, row))
        row, grade, there = row[order], grade[order], there[order]
        starts = np.flatnonzero(np.concatenate([[True], (row[1:] != row[:-1]) | (grade[1:] != grade[:-1])]))
        broken[row[starts][np.add.reduceat(there, starts) < 0]] = True
    return broken


def _shared_ranks(ranks: RelevantRanks) -> BoolArray:
    judged, pooled = (
        each.with_columns(rank=np.clip(each["rank"], 0, LARGEST)) for each in (ranks.judged, ranks.pooled)
    )
    row, rank = pooled.row, pooled["rank"]
    return _any(pooled, rank_counts(judged, row, rank) > rank_counts(judged, row, rank - 1))


def _tie_ends(ties: Ragged) -> IntArray:
    return ties["start"] + np.clip(ties["size"], 0, LARGEST) - 1


def _ties_outside(ranks: RelevantRanks) -> BoolArray:
    start, depth = ranks.ties["start"], ranks.depth[ranks.ties.row]
    return _any(ranks.ties, (start < 1) | (start > depth) | (_tie_ends(ranks.ties) > depth))


def _ties_overlap(ranks: RelevantRanks) -> BoolArray:
    return _not_ascending(ranks.ties, ranks.ties["start"], _tie_ends(ranks.ties))


WITHIN = f"and {LARGEST:,}"
RULES: tuple[Invariant, ...] = (
    Invariant("query", "be there once", _ids_twice),
    Invariant("query", "be text", _ids_empty),
    Invariant("depth", f"lie within 0 {WITHIN}", _where("depth", _beyond(0))),
    Invariant("depth", "be 0 for a query that was not answered", _deep_without_answer),
    Invariant("collection", f"lie within 0 {WITHIN}, or be -1", _where("collection", _beyond(UNKNOWN))),
    Invariant("collection", "be at least the depth", _deeper_than_collection),
    Invariant("collection", "hold all items judged", _judged_beyond_collection),
    Invariant("left_out", f"lie within 0 {WITHIN}", _where("left_out", _beyond(0))),
    Invariant("levels_grade", "be finite", _where("levels_grade", lambda grade: ~np.isfinite(grade))),
    Invariant("levels_grade", "ascend", _order("levels_grade")),
    Invariant("levels_grade", "not exceed top_grade", _above_top),
    Invariant("levels_count", f"lie within 1 {WITHIN}", _where("levels_count", _beyond(1))),
    Invariant("judged_rank", "lie within 1 and the depth", _outside("judged")),
    Invariant("judged_rank", "ascend, each rank once", _order("judged_rank")),
    Invariant("judged_grade", "be 0 or more", _where("judged_grade", lambda grade: ~(grade >= 0))),
    Invariant("judged_grade", "be counted in levels_count", _more_than_judged("judged")),
    Invariant("judged_score", "be numbers", _where("judged_score", np.isnan)),
    Invariant("pooled_rank", "lie within 1 and the depth", _outside("pooled")),
    Invariant("pooled_rank", "ascend, each rank once", _order("pooled_rank")),
    Invariant("pooled_rank", "not be the rank of a judged item", _shared_ranks),
    Invariant("pooled_grade", "be below 0", _where("pooled_grade", lambda grade: ~(grade < 0))),
    Invariant("pooled_grade", "be counted in levels_count", _more_than_judged("pooled")),
    Invariant("pooled_score", "be numbers", _where("pooled_score", np.isnan)),
    Invariant("ties_size", f"lie within 2 {WITHIN}", _where("ties_size", _beyond(2))),
    Invariant("ties_start", "make groups within 1 and the depth", _ties_outside),
    Invariant("ties_start", "lie behind the group before", _ties_overlap),
    Invariant("distractors_score", "be numbers", _where("distractors_score", np.isnan)),
    Invariant("distractors_lot", f"lie within 0 and {LOTS - 1:,}", _where("distractors_lot", _beyond(0, LOTS - 1))),
)
