"""The seam for rankers that give one row of distances per query: rows and class labels in, exact ranks out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import COUNT, FLAG, check
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks, versions
from rankscope.ranks.score_tables import ranks_from_scores

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
    count = len(items)
    if not callable(distance_rows) and distance_rows.shape != (count, count):
        problem = f"need one row and one column for each of {count} items, got {distance_rows.shape}"
        raise InputError.of("distances", [problem])
    for start in range(0, asked.size, block):
        some = asked[start : start + block]
        values = _checked(distance_rows(some) if callable(distance_rows) else distance_rows[some], some, items)
        parts.append(_ranked(items, some, values if higher_is_better else 0.0 - values, keep_scores))
        if progress is not None:
            progress(min(start + block, asked.size), asked.size)
    # Where the numbers come from, without path or time: equal inputs give equal bytes.
    digest = hashlib.sha256("\n".join("\0".join(texts) for texts in (items.labels, items.ids)).encode())
    provenance = {
        "items": {"sha256": digest.hexdigest(), "rows": len(items)},
        "judgements": {"complete": True},
        "settings": {"ties": "position", "query_item": "removed", **dict(settings or {})},
        "versions": versions(),
    }
    return replace(RelevantRanks.join(parts), system=system, provenance=provenance)


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


# What becomes of the query itself: engines remove it from its own ranking; some published rules keep it.


def put_query_back(ranks: RelevantRanks) -> RelevantRanks:
    """The rankings of class mates with each query put back, first of all and relevant: d and c grow by one.

    The bull's-eye test of MPEG-7 and the score of UKBench count so. Scores are not kept.
    >>> kept = put_query_back(RelevantRanks.from_ranks([[1, 4]], collection=9))
    >>> kept.judged.lists("rank"), kept.relevant, kept.collection
    ([[1, 2, 5]], array([3]), array([10]))
    """
    count, judged = len(ranks), ranks.judged
    row = np.concatenate([np.arange(count), judged.row])
    order = np.argsort(row, kind="stable")
    rank = np.concatenate([np.ones(count, dtype=np.int64), judged["rank"] + 1])[order]
    grade = np.concatenate([np.ones(count), judged["grade"]])[order]
    levels = ranks.levels
    own = levels["grade"] == 1.0
    return replace(
        ranks,
        judged=Ragged.from_rows(row[order], count, rank=rank, grade=grade),
        pooled=ranks.pooled.with_columns(rank=ranks.pooled["rank"] + 1),
        levels=levels.with_columns(count=levels["count"] + own),
        depth=ranks.depth + 1,
        collection=np.where(ranks.collection >= 0, ranks.collection + 1, ranks.collection),
        ties=ranks.ties.with_columns(start=ranks.ties["start"] + 1),
        distractors=None,
        provenance={**ranks.provenance, "query_item": "kept"},
    )
