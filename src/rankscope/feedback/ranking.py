"""From scores to `RelevantRanks`: which items are in the list, and where the relevant ones among them stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples import Examples
from rankscope.feedback.items import Items
from rankscope.feedback.method import Method
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


def ranks_from_scores(
    values: ArrayLike,
    relevant: ArrayLike,
    counted: ArrayLike | None = None,
    *,
    system: str = "feedback",
    queries: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> RelevantRanks:
    """One query per row of scores; `relevant` and `counted` are one row for all, or one each.

    Items that are not counted (examples, training items) are not in the list: c and d are less by them. Equal scores
    stand in the order of the items. A row of NaN is a session that failed: it has no answer, and depth 0.
    >>> ranks = ranks_from_scores([[0.1, 0.9, 0.5, 0.7]], [True, False, True, False], [True, False, True, True])
    >>> ranks.judged.lists("rank"), ranks.relevant, ranks.collection
    ([[2, 3]], array([2]), array([3]))
    """
    scores = np.atleast_2d(np.asarray(values, dtype=np.float64))
    good = ~np.any(np.isnan(scores), axis=1, keepdims=True)[:, 0]
    inside = np.broadcast_to(True if counted is None else np.asarray(counted, np.bool_), scores.shape)
    wanted = np.broadcast_to(np.asarray(relevant, np.bool_), scores.shape) & inside
    hits, ties = _hits_and_ties(scores, inside, wanted & good[:, None])
    size, count = inside.sum(axis=1), len(scores)
    return RelevantRanks(
        queries=tuple(queries) if queries is not None else tuple(numbered("", count)),
        judged=hits.with_columns(grade=np.ones(hits.size)),
        pooled=hits.where(np.zeros(hits.size, np.bool_)).with_columns(grade=np.empty(0)),
        levels=_levels(wanted.sum(axis=1)),
        depth=np.where(good, size, 0),
        answered=good,
        collection=size.astype(np.int64),
        ties=ties,
        system=system,
        classes=None if classes is None else tuple(classes),
        provenance={} if provenance is None else provenance,
    )


def ranked(
    method: Method,
    items: Items,
    examples: Examples,
    target: BoolArray,
    counted: BoolArray,
    *,
    topic: str = "",
    classes: Sequence[str] | None = None,
    system: str = "",
) -> RelevantRanks:
    """The rankings a method makes of all sessions of one topic, so many at a time that memory suffices.

    `counted` is sessions x items. Queries are named after the topic; `classes` are topics unless given.
    """
    names = numbered(f"{topic}/" if topic else "", len(examples))
    kinds = [topic] * len(examples) if classes is None else classes
    step, parts = items.sessions_at_once, []
    for start, part in zip(range(0, len(examples), step), examples.batches(step), strict=True):
        rows = slice(start, start + len(part))
        scored = method.scores(items, part).values
        made = ranks_from_scores(scored, target, counted[rows], queries=names[rows], classes=kinds[rows])
        parts.append(replace(made, system=system or str(method)))
    return joined(parts)


def sized(method: Method, size: tuple[int, int]) -> str:
    """A method at one size of example sets, as its rankings are called: `svm, 4 + 4`."""
    return f"{method}, {size[0]} + {size[1]}"


def joined(parts: Sequence[RelevantRanks]) -> RelevantRanks:
    """The queries of several rankings of one system behind each other; all must have classes."""
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        queries=tuple(query for each in parts for query in each.queries),
        judged=_stacked([each.judged for each in parts]),
        pooled=_stacked([each.pooled for each in parts]),
        levels=_stacked([each.levels for each in parts]),
        ties=_stacked([each.ties for each in parts]),
        depth=np.concatenate([each.depth for each in parts]),
        answered=np.concatenate([each.answered for each in parts]),
        collection=np.concatenate([each.collection for each in parts]),
        classes=tuple(kind for each in parts for kind in each.classes or ()),
    )


def _stacked(parts: Sequence[Ragged]) -> Ragged:
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([each.lengths for each in parts]))]).astype(np.int64)
    return Ragged(offsets, {name: np.concatenate([each[name] for each in parts]) for name in parts[0].columns})


def list_ranks(values: FloatArray, inside: BoolArray) -> IntArray:
    """The rank of every item of each list, from 1; items that are not in it stand behind.

    >>> list_ranks(np.array([[0.1, 0.9, 0.9]]), np.array([[True, True, True]]))
    array([[3, 1, 2]])
    """
    order = np.argsort(np.where(inside, -values, np.inf), axis=1, kind="stable")
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return rank


def numbered(name: str, count: int) -> list[str]:
    """Names of so many sessions, in byte order.

    >>> numbered("dogs/", 10)[:2]
    ['dogs/01', 'dogs/02']
    """
    width = len(str(count))
    return [f"{name}{number:0{width}}" for number in range(1, count + 1)]


def _levels(relevant: IntArray) -> Ragged:
    some = np.flatnonzero(relevant)
    return Ragged.from_rows(some, relevant.size, grade=np.ones(some.size), count=relevant[some].astype(np.int64))


def _hits_and_ties(scores: FloatArray, inside: BoolArray, wanted: BoolArray) -> tuple[Ragged, Ragged]:
    """Ranks of the wanted items, ascending, and the groups of equal scores that hold one of them."""
    key = np.where(inside, -scores, np.inf)
    order = np.argsort(key, axis=1, kind="stable")
    row, place = np.nonzero(np.take_along_axis(wanted, order, axis=1))
    hits = Ragged.from_rows(row, len(scores), rank=place + 1)
    ordered = np.take_along_axis(key, order, axis=1)
    first, size = _groups(ordered, row, place)
    tied = size > 1
    group, once = np.unique(row[tied] * scores.shape[1] + first[tied], return_index=True)
    start = group % scores.shape[1] + 1
    return hits, Ragged.from_rows(group // scores.shape[1], len(scores), start=start, size=size[tied][once])


def _groups(ordered: FloatArray, row: IntArray, place: IntArray) -> tuple[IntArray, IntArray]:
    """For some places of sorted rows: the first place of equal value, and how many are equal."""
    places = np.arange(ordered.shape[1])
    new = np.concatenate([np.ones((len(ordered), 1), np.bool_), ordered[:, 1:] != ordered[:, :-1]], axis=1)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last_one = np.concatenate([new[:, 1:], np.ones((len(ordered), 1), np.bool_)], axis=1)
    last = np.minimum.accumulate(np.where(last_one, places, places[-1:] + 1)[:, ::-1], axis=1)[:, ::-1]
    return first[row, place], (last - first + 1)[row, place]
