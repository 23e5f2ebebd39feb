"""The seam for rankers that give one row of distances per query: rows and class labels in, exact ranks out.

The conventions are those of `nearest_ranks`; only the distances come from elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import InputError, SettingError
from rankscope.inputs.features import Features
from rankscope.ranks.from_scores import ranks_from_scores
from rankscope.ranks.provenance import versions
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import COUNT, FLAG, check

Rows: TypeAlias = Callable[[IntArray], FloatArray]
BLOCK = 64


def pairwise_ranks(
    distance_rows: Rows | FloatArray,
    labels: Iterable[Any],
    ids: Iterable[Any] | None = None,
    *,
    queries: Iterable[int] | None = None,
    higher_is_better: bool = False,
    block: int = BLOCK,
    keep_scores: bool = False,
    progress: Callable[[int, int], None] | None = None,
    system: str = "pairwise",
    settings: Mapping[str, Any] | None = None,
) -> RelevantRanks:
    """Exact ranks of all class mates of every item that has any, from a row of distances per query.

    `distance_rows` is a square matrix, or a function that takes positions of items and gives one row per position:
    its distances from all items. `higher_is_better` reads them as scores. The query itself is removed, so d = n - 1
    and c = m - 1 in a class of m; equal distances stand in the order of the items. `queries` names the positions of
    the items to ask; by default all are. Items without class mates are never queries. `settings` are the ranker's own
    choices, for the record of the run; the other options are those of `nearest_ranks`.

    Raises `InputError` for a distance that is not a number and for labels that cannot be used.
    >>> ranks = pairwise_ranks(np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]]), labels=["a", "a", ""])
    >>> ranks.queries, ranks.judged.lists("rank"), ranks.collection
    (('0', '1'), [[2], [1]], array([2, 2]))
    """
    items = _PairwiseItems.of(labels, ids)
    asked = _asked(items, queries)
    plain = check(locals(), block=COUNT, higher_is_better=FLAG, keep_scores=FLAG)
    block, higher_is_better, keep_scores = plain.values()
    parts: list[RelevantRanks] = []
    rows = distance_rows if callable(distance_rows) else _looked_up(distance_rows, len(items))
    for start in range(0, asked.size, block):
        some = asked[start : start + block]
        values = _checked(rows(some), some, items)
        parts.append(_ranked(items, some, values if higher_is_better else 0.0 - values, keep_scores))
        if progress is not None:
            progress(min(start + block, asked.size), asked.size)
    return replace(RelevantRanks.join(parts), system=system, provenance=_provenance(items, dict(settings or {})))


@dataclass(frozen=True, eq=False)
class _PairwiseItems:
    """Names and classes of the items, checked as `nearest_ranks` checks them."""

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    number: IntArray  # of the class, -1 for none

    @classmethod
    def of(cls, labels: Iterable[Any], ids: Iterable[Any] | None) -> _PairwiseItems:
        given = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        checked = Features.of(np.zeros((len(given), 1), dtype=np.uint8), given, ids)
        number_of: dict[str, int] = {"": -1}
        for label in checked.labels:
            number_of.setdefault(label, len(number_of) - 1)
        return cls(checked.ids, checked.labels, np.array([number_of[each] for each in checked.labels], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ids)


def _looked_up(matrix: FloatArray, count: int) -> Rows:
    if matrix.shape != (count, count):
        raise InputError.of("distances", [f"need one row and one column for each of {count} items, got {matrix.shape}"])
    return lambda queries: matrix[queries]


def _asked(items: _PairwiseItems, queries: Iterable[int] | None) -> IntArray:
    """The items to ask that have a class mate, in byte order of their ids."""
    number = items.number
    wanted = (
        np.arange(len(items)) if queries is None else np.unique(np.array([int(each) for each in queries], np.int64))
    )
    outside = wanted[(wanted < 0) | (wanted >= len(items))]
    if outside.size:
        raise SettingError(f"queries are positions from 0 to {len(items) - 1}, got {outside[0]}")
    sizes = np.bincount(number[number >= 0])
    with_mates = wanted[(number[wanted] >= 0) & (sizes[number[wanted]] > 1)]
    if with_mates.size == 0:
        raise SettingError("none of the queries has another item of its own class to find")
    return np.array(sorted(with_mates.tolist(), key=lambda row: items.ids[row].encode()), dtype=np.int64)


def _checked(values: FloatArray, queries: IntArray, items: _PairwiseItems) -> FloatArray:
    rows = np.array(values, dtype=np.float64)
    if rows.shape != (queries.size, len(items)):
        wanted = (queries.size, len(items))
        raise InputError.of("distances", [f"a ranker must give {wanted} distances, queries by items; got {rows.shape}"])
    wrong = np.flatnonzero(np.isnan(rows).any(axis=1))
    if wrong.size:
        names = [f"query {items.ids[queries[row]]}: a distance is not a number" for row in wrong.tolist()]
        raise InputError.of("distances", names)
    return rows


def _ranked(items: _PairwiseItems, queries: IntArray, scores: FloatArray, keep_scores: bool) -> RelevantRanks:
    """The class mates of a block of queries; a query is not in its own collection."""
    others = np.ones(scores.shape, dtype=np.bool_)
    others[np.arange(queries.size), queries] = False
    return ranks_from_scores(
        scores,
        items.number == items.number[queries, None],
        others,
        queries=[items.ids[row] for row in queries.tolist()],
        classes=[items.labels[row] for row in queries.tolist()],
        keep_scores=keep_scores,
    )


def _provenance(items: _PairwiseItems, settings: dict[str, Any]) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    result = hashlib.sha256("\n".join("\0".join(texts) for texts in (items.labels, items.ids)).encode())
    return {
        "items": {"sha256": result.hexdigest(), "rows": len(items)},
        "judgements": {"complete": True},
        "settings": {"ties": "position", "query_item": "removed", **settings},
        "versions": versions(),
    }
