"""The examples of many feedback sessions at once, one session as a method sees it, and cross-validation folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import SEED, Optional, WholeNumber, check
from rankscope.core.wording import how_many
from rankscope.inputs.problems import Problems
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
        if asked is not None:
            check_count(len(asked) == count, count, f"{how_many(count, 'names')} of topics", str(len(asked)))
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
            asked=None if asked is None else np.array(asked, dtype=np.str_),
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
            positives=_column_of(self.positives, session, "item"),
            negatives=_column_of(self.negatives, session, "item"),
            grades=_column_of(self.positives, session, "grade"),
            negative_grades=_column_of(self.negatives, session, "grade"),
            seed=int(self.seeds[session]),
            query=self.queries[session] if self.queries is not None and self.has_query[session] else None,
            start=None if self.start is None else np.atleast_2d(self.start)[session if self.start.ndim == 2 else 0],
            truth=None if self.truth is None else _column_of(self.truth, session, "item"),
            displays=() if self.displays is None else _shown(self.displays, session),
            log_rows=None if self.log_rows is None else _column_of(self.log_rows, session, "row"),
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


def _column_of(lists: Ragged, session: int, column: str) -> NDArray[Any]:
    return lists[column][lists.offsets[session] : lists.offsets[session + 1]]


def _shown(displays: Ragged, session: int) -> tuple[tuple[IntArray, BoolArray], ...]:
    item, number, picked = (_column_of(displays, session, name) for name in ("item", "display", "picked"))
    return tuple((item[number == each], picked[number == each]) for each in np.unique(number))


def check_count(right: bool, sessions: int, needed: str, given: str) -> None:
    """Raise unless there is as much as so many sessions need."""
    if not right:
        need = f"{how_many(sessions, 'session needs', 'sessions need')} {needed}"
        raise InputError.of("examples", [f"{need}, got {given}"])


def _rows(vectors: ArrayLike, count: int, what: str) -> FloatArray:
    rows = np.array(vectors, dtype=np.float64)
    check_count(
        rows.ndim == 2 and len(rows) == count, count, f"{how_many(count, 'rows')} of {what}", f"shape {rows.shape}"
    )
    return rows


def _start(scores: ArrayLike, count: int) -> FloatArray:
    table = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(table).all():
        raise InputError.of("examples", ["start scores must be finite"])
    return table if table.ndim == 1 else _rows(table, count, "start scores")


@dataclass(frozen=True, eq=False)
class Session:
    """Item numbers of the positive and the negative examples, ascending, each with its grade.

    `displays` are pairs (items shown, which of them were picked). `start` are the scores of the ranking before any
    feedback, `truth` the items of the target (for the controls), `log_rows` the rows of the log that may be used,
    `around` the rank about which RETIN asks.
    """

    positives: IntArray
    negatives: IntArray
    grades: FloatArray
    negative_grades: FloatArray
    seed: int = 0
    query: FloatArray | None = None
    start: FloatArray | None = None
    truth: IntArray | None = None
    displays: tuple[tuple[IntArray, BoolArray], ...] = ()
    log_rows: IntArray | None = None
    around: int | None = None

    @cached_property
    def examples(self) -> IntArray:
        """The positive examples, then the negative ones."""
        return np.concatenate([self.positives, self.negatives])

    @cached_property
    def labels(self) -> FloatArray:
        """+1 for each positive and -1 for each negative example."""
        return np.concatenate([np.ones(self.positives.size), -np.ones(self.negatives.size)])


# Lists of item numbers, grades and displays put into flat arrays, and checked, with every problem told at once.


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
    check_count(array.ndim == 0 or array.shape == (count,), count, f"{count} {what}", f"shape {array.shape}")
    return np.broadcast_to(array, count).copy()


DEFAULT_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold in which each item is tested, numbered from 0; `seed` None: items kept their order.

    >>> folds = Folds.of([0, 1, 0, 1])
    >>> folds.count, folds.tested
    (2, array([[ True, False,  True, False],
           [False,  True, False,  True]]))
    """

    fold: IntArray
    count: int
    seed: int | None = None

    @classmethod
    def of(cls, fold: ArrayLike) -> Folds:
        """Folds given explicitly, one number per item; none may be empty."""
        numbers = np.asarray(fold, dtype=np.int64)
        if (
            numbers.ndim != 1
            or numbers.size == 0
            or not np.array_equal(np.unique(numbers), np.arange(numbers.max() + 1))
        ):
            raise SettingError("folds are numbered from 0, one number per item, and none is empty")
        return cls(numbers, int(numbers.max()) + 1)

    def __len__(self) -> int:
        return self.fold.size

    @cached_property
    def tested(self) -> BoolArray:
        """Folds x items: which items each fold tests; it learns from the others."""
        return self.fold[None, :] == np.arange(self.count)[:, None]

    def sizes(self, chosen: BoolArray) -> IntArray:
        """How many of the chosen items each fold tests."""
        return np.bincount(self.fold[chosen], minlength=self.count).astype(np.int64)

    def training(self, target: BoolArray, left_out: BoolArray | None = None) -> Examples:
        """One session per fold: all items it does not test are examples, but for those left out (folds x items)."""
        learnt = ~self.tested if left_out is None else ~(self.tested | left_out)
        positives = [np.flatnonzero(row) for row in learnt & target]
        return Examples.of(positives, [np.flatnonzero(row) for row in learnt & ~target])


def most_folds(target: BoolArray, wanted: int = DEFAULT_FOLDS) -> int:
    """How many folds a topic can have, at most the wanted: each needs a relevant item, and one that is not.

    >>> most_folds(np.array([True, True, True, False, False, False, False])), most_folds(np.array([True, False]))
    (3, 1)
    """
    relevant = int(target.sum())
    return min(wanted, relevant, target.size - relevant)


def stratified_folds(target: ArrayLike, count: int = DEFAULT_FOLDS, *, seed: int | None = 0) -> Folds:
    """Folds with equal shares of relevant items, as near as whole numbers allow; `seed` None does not shuffle.

    A topic of c < `count` relevant items gets c folds. One relevant item cannot be learnt and tested: `SettingError`.
    >>> stratified_folds([True, True, False, False, False, True], 3, seed=None).fold
    array([0, 1, 0, 1, 2, 2])
    """
    relevant = checked_target(target)
    wanted, seed = check(locals(), count=WholeNumber(least=2), seed=Optional(SEED)).values()
    count = most_folds(relevant, wanted)
    if count < 2:
        raise SettingError(
            f"a topic of {int(relevant.sum())} relevant among {relevant.size} items has no folds: it takes two that "
            "are relevant and two that are not"
        )
    chance = None if seed is None else np.random.default_rng(seed)
    # the class that comes first has the first turns, the other goes on where it ended: folds differ by one at most
    fold, turn = np.empty(relevant.size, np.int64), 0
    for members in (np.flatnonzero(relevant == relevant[0]), np.flatnonzero(relevant != relevant[0])):
        turns = np.sort((turn + np.arange(members.size)) % count)
        fold[members] = turns if chance is None else chance.permutation(turns)
        turn += members.size
    return Folds(fold, count, seed)


def checked_target(target: ArrayLike) -> BoolArray:
    """Yes or no for each item; anything else is a `SettingError`."""
    given = np.asarray(target)
    if given.ndim != 1 or given.size == 0 or not np.isin(given, (0, 1)).all():
        raise SettingError("a target says of each item whether it is relevant: one True or False per item")
    return given.astype(np.bool_)
