"""The examples of many feedback sessions at once, and what else the methods may be told about each session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import InputError
from rankscope.feedback.examples.gathering import checked_examples, display_rows, item_lists, one_each
from rankscope.feedback.examples.session import Session
from rankscope.number_texts import how_many
from rankscope.ranks.ragged import Ragged

Display = tuple[Sequence[int], Sequence[int]]  # the items shown, and those picked among them


@dataclass(frozen=True, eq=False)
class Examples:
    """Positive and negative items of each session, in the order of their numbers: the order of judging decides nothing.

    `queries` has one vector per session in the space of `Items.matrix` (a row of NaN: no query); put raw vectors there
    with `items.scaling(vectors)`. `start` is one score per item, or one row of scores per session.
    >>> examples = Examples.of([[3, 0], []], [[5], []])
    >>> len(examples), examples.positives.lists("item"), examples.without_positives
    (2, [[0, 3], []], array([False,  True]))
    """

    positives: Ragged  # item, grade (goodness)
    negatives: Ragged  # item, grade
    seeds: IntArray
    queries: FloatArray | None = None
    start: FloatArray | None = None
    truth: Ragged | None = None  # item: the whole target
    displays: Ragged | None = None  # item, display (number), picked
    log_rows: Ragged | None = None  # row: rows of the log this session may use; None: all
    around: IntArray | None = None  # rank about which RETIN asks
    asked: NDArray[np.str_] | None = None  # the name of the topic, for methods that know its words

    @classmethod
    def of(
        cls,
        positives: Sequence[ArrayLike],
        negatives: Sequence[ArrayLike] | None = None,
        *,
        grades: Sequence[ArrayLike] | None = None,
        negative_grades: Sequence[ArrayLike] | None = None,
        queries: ArrayLike | None = None,
        seeds: int | ArrayLike = 0,
        start: ArrayLike | None = None,
        truth: Sequence[ArrayLike] | None = None,
        displays: Sequence[Sequence[Display]] | None = None,
        log_rows: Sequence[ArrayLike] | None = None,
        around: int | ArrayLike | None = None,
        asked: Sequence[str] | None = None,
    ) -> Examples:
        """Checked examples from one list of item numbers per session; grades are 1 and -1 unless given.

        A single seed gives the sessions seed, seed + 1, and so on. An item twice in one session is an `InputError`.
        """
        count = len(positives)
        wanted = item_lists(positives, grades, 1.0)
        unwanted = item_lists(negatives if negatives is not None else [()] * count, negative_grades, -1.0)
        checked_examples(wanted, unwanted)
        seed = np.arange(count) + np.asarray(seeds) if np.ndim(seeds) == 0 else one_each(seeds, count, "seeds")
        return cls(
            positives=wanted,
            negatives=unwanted,
            seeds=seed.astype(np.int64),
            queries=None if queries is None else _rows(queries, count, "queries"),
            start=None if start is None else _start(start, count),
            truth=None if truth is None else item_lists(truth, None, 1.0),
            displays=None if displays is None else display_rows(displays),
            log_rows=None if log_rows is None else Ragged.of(log_rows, "row"),
            around=None if around is None else one_each(around, count, "around").astype(np.int64),
            asked=None if asked is None else _names(asked, count),
        )

    @classmethod
    def single(
        cls,
        positives: ArrayLike,
        negatives: ArrayLike = (),
        *,
        query: ArrayLike | None = None,
        grades: ArrayLike | None = None,
        displays: Sequence[Display] | None = None,
        **known: Any,
    ) -> Examples:
        """One session; `truth` and `log_rows` are plain lists, the rest as in `of`.

        >>> Examples.single([0, 1], [4], query=[0.5, 0.5])[0].examples
        array([0, 1, 4])
        """
        listed = {name: [known.pop(name)] for name in ("truth", "log_rows", "negative_grades") if name in known}
        return cls.of(
            [positives],
            [negatives],
            queries=None if query is None else np.atleast_2d(np.asarray(query, dtype=np.float64)),
            grades=None if grades is None else [grades],
            displays=None if displays is None else [displays],
            **listed,
            **known,
        )

    def __len__(self) -> int:
        return len(self.positives)

    def __getitem__(self, session: int) -> Session:
        return Session(
            positives=_part(self.positives, session, "item"),
            negatives=_part(self.negatives, session, "item"),
            grades=_part(self.positives, session, "grade"),
            negative_grades=_part(self.negatives, session, "grade"),
            seed=int(self.seeds[session]),
            query=self.queries[session] if self.queries is not None and self.has_query[session] else None,
            start=None if self.start is None else np.atleast_2d(self.start)[session if self.start.ndim == 2 else 0],
            truth=None if self.truth is None else _part(self.truth, session, "item"),
            displays=() if self.displays is None else _shown(self.displays, session),
            log_rows=None if self.log_rows is None else _part(self.log_rows, session, "row"),
            around=None if self.around is None else int(self.around[session]),
        )

    def __iter__(self) -> Iterator[Session]:
        return (self[session] for session in range(len(self)))

    @cached_property
    def without_positives(self) -> BoolArray:
        """Sessions in which nothing was found yet."""
        return self.positives.lengths == 0

    @cached_property
    def without_negatives(self) -> BoolArray:
        """Sessions in which nothing was rejected yet."""
        return self.negatives.lengths == 0

    @cached_property
    def has_query(self) -> BoolArray:
        """Sessions that have a query vector."""
        return np.zeros(len(self), np.bool_) if self.queries is None else np.isfinite(self.queries.sum(axis=1))

    def take(self, sessions: IntArray) -> Examples:
        """Some sessions, in the order given."""
        return Examples(
            positives=self.positives.take(sessions),
            negatives=self.negatives.take(sessions),
            seeds=self.seeds[sessions],
            queries=None if self.queries is None else self.queries[sessions],
            start=self.start if self.start is None or self.start.ndim == 1 else self.start[sessions],
            truth=None if self.truth is None else self.truth.take(sessions),
            displays=None if self.displays is None else self.displays.take(sessions),
            log_rows=None if self.log_rows is None else self.log_rows.take(sessions),
            around=None if self.around is None else self.around[sessions],
            asked=None if self.asked is None else self.asked[sessions],
        )

    def batches(self, size: int) -> Iterator[Examples]:
        """All sessions, at most `size` at a time; `items.sessions_at_once` is a good size."""
        for start in range(0, len(self), size):
            yield self.take(np.arange(start, min(start + size, len(self))))

    def with_negatives(self, negatives: Sequence[ArrayLike]) -> Examples:
        """The same sessions with other negative examples."""
        return replace(self, negatives=item_lists(negatives, None, -1.0))

    def with_queries(self, queries: FloatArray) -> Examples:
        """The same sessions with other queries."""
        return replace(self, queries=queries)

    def judged(self, items: int) -> BoolArray:
        """Sessions x items: which items were examples or were shown."""
        seen = np.zeros((len(self), items), np.bool_)
        for lists in (self.positives, self.negatives, self.displays):
            if lists is not None:
                seen[lists.row, lists["item"]] = True
        return seen


def _part(lists: Ragged, session: int, column: str) -> NDArray[Any]:
    return lists[column][lists.offsets[session] : lists.offsets[session + 1]]


def _shown(displays: Ragged, session: int) -> tuple[tuple[IntArray, BoolArray], ...]:
    item, number, picked = (_part(displays, session, name) for name in ("item", "display", "picked"))
    return tuple((item[number == each], picked[number == each]) for each in np.unique(number))


def _names(asked: Sequence[str], count: int) -> NDArray[np.str_]:
    if len(asked) != count:
        need = f"{how_many(count, 'session needs', 'sessions need')} {how_many(count, 'names')} of topics"
        raise InputError.of("examples", [f"{need}, got {len(asked)}"])
    return np.array(asked, dtype=np.str_)


def _rows(vectors: ArrayLike, count: int, what: str) -> FloatArray:
    rows = np.array(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != count:
        need = f"{how_many(count, 'session needs', 'sessions need')} {how_many(count, 'rows')} of {what}"
        raise InputError.of("examples", [f"{need}, got shape {rows.shape}"])
    return rows


def _start(scores: ArrayLike, count: int) -> FloatArray:
    table = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(table).all():
        raise InputError.of("examples", ["start scores must be finite"])
    return table if table.ndim == 1 else _rows(table, count, "start scores")
