"""Which queries a benchmark shows with their results: typical ones, the best and the worst classes, and disputes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.reports.formats.grid import number
from rankscope.statistics.table.score_table import ScoreTable

TINY, ENOUGH = 5, 6  # queries of a class that says something, and how many such classes there must be


@dataclass(frozen=True)
class ShownQuery:
    """A query and why it is shown."""

    query: str
    why: str


def choose_queries(table: ScoreTable, count: int, measure: str = "", seed: int = 0) -> list[ShownQuery]:
    """Some queries, in turn of each kind; a class that has been shown waits until the others have been.

    Typical ones are drawn with the seed from the middle half of all queries by their mean over descriptors.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.9, 0.4], "B": [0.1, 0.9, 0.9, 0.4]}, classes=["x", "x", "y", "y"])
    >>> choose_queries(table, 3)[1]
    ShownQuery(query='q3', why='easy class: y, mean AP 0.65')
    """
    whole = table.complete()
    name = measure or table.measure
    kinds = [_typical(whole, name, seed), _classes(whole, name, best=True), _classes(whole, name, best=False)]
    kinds += [_disputed(whole, name)] if len(whole.systems) > 1 else []
    found: dict[str, ShownQuery] = {}
    open_kinds = list(kinds)
    for kind in cycle(kinds):
        if len(found) >= min(count, len(whole)) or not open_kinds:
            break
        if kind not in open_kinds:
            continue
        for each in kind:
            if each.query not in found:
                found[each.query] = each
                break
        else:
            open_kinds.remove(kind)
    return _together(list(found.values()))


def _together(found: list[ShownQuery]) -> list[ShownQuery]:
    """Queries of one kind stand side by side."""
    kinds = list(dict.fromkeys(_kind(each) for each in found))
    return sorted(found, key=lambda each: kinds.index(_kind(each)))


def _kind(each: ShownQuery) -> str:
    return each.why.split(":")[0]


def _typical(table: ScoreTable, measure: str, seed: int) -> Iterator[ShownQuery]:
    means = table.values.mean(axis=1)
    low, high = np.quantile(means, [0.25, 0.75])
    middle = np.flatnonzero((means >= low) & (means <= high))
    order = np.random.default_rng(seed).permutation(middle)
    for row in _spread(order, table).tolist():
        yield ShownQuery(table.queries[row], f"typical query: mean {measure} {number(float(means[row]), places=2)}")


def _classes(table: ScoreTable, measure: str, best: bool) -> Iterator[ShownQuery]:
    """Classes from one end, of each the query in the middle; tiny classes only where there are few others."""
    if table.classes is None:
        return
    means = table.gains.mean(axis=1)
    labels = np.array(table.labels, dtype=object)
    of_class = {label: np.flatnonzero(labels == label) for label in table.class_names}
    large = {label: rows for label, rows in of_class.items() if rows.size >= TINY}
    of_class = large if len(large) >= ENOUGH else of_class
    order = sorted(of_class, key=lambda label: float(means[of_class[label]].mean()), reverse=best)
    for label in order:
        rows = of_class[label]
        middle = rows[np.argsort(means[rows], kind="stable")[rows.size // 2]]
        mean = number(float(table.values[rows].mean()), places=2)
        which = "easy class" if best else "hard class"
        yield ShownQuery(table.queries[int(middle)], f"{which}: {label}, mean {measure} {mean}")


def _disputed(table: ScoreTable, measure: str) -> Iterator[ShownQuery]:
    """Queries on which the best and the worst descriptor lie furthest apart."""
    order = np.argsort(-np.ptp(table.values, axis=1), kind="stable")
    for row in _spread(order, table).tolist():
        values: FloatArray = table.gains[row]
        high, low = int(values.argmax()), int(values.argmin())
        ends = (f"{table.systems[at]} {number(float(table.values[row, at]), places=2)}" for at in (high, low))
        yield ShownQuery(table.queries[row], f"descriptors disagree: {' against '.join(ends)}")


def _spread(order: IntArray, table: ScoreTable) -> IntArray:
    """The same rows, those of one class far from each other."""
    if table.classes is None:
        return order
    seen: dict[str, int] = {}
    turn = np.empty(order.size, dtype=np.int64)
    for place, row in enumerate(order.tolist()):
        label = table.classes[row]
        turn[place] = seen.get(label, 0)
        seen[label] = seen.get(label, 0) + 1
    return order[np.argsort(turn, kind="stable")]
