"""How a session begins: a random display, somebody else's ranking, one query, examples brought along, or in turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import Later, later
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue, Written, split_list
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Sessions, seed_of, uniform
from rankscope.ranks.ragged import Ragged

if TYPE_CHECKING:
    from rankscope.feedback.methods.text import TextItems


class Start(Named, ABC):
    """Draws the sessions of all topics; what is drawn depends on topic, number and seed alone."""

    ranks: ClassVar[bool] = True  # whether there is a ranking before any feedback

    @abstractmethod
    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        """So many sessions of each topic; `allowed` (topics x items) says what may be given or asked with."""

    def scores(self, sessions: Sessions, items: int) -> FloatArray | None:
        """The ranking before any feedback; None, or a row of NaN: nearness to the query, or none at all."""
        return None

    def ranked(self, sessions: Sessions) -> BoolArray:
        """Which sessions have a ranking before any feedback."""
        return np.full(len(sessions), self.ranks)


@dataclass(frozen=True)
class OneQuery(Start):
    """One relevant item is the query; the first ranking is by nearness to it. It is in no display and no list.

    A topic has no more sessions than relevant items: no two begin alike.
    """

    name: ClassVar[str] = "one_query"

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        """A query each, without replacement."""
        rows, queries = [], []
        for row in range(len(topics)):
            possible = np.flatnonzero(topics.targets[row] if allowed is None else topics.targets[row] & allowed[row])
            own = np.full(possible.size, seed_of("query", topics.labels[row], seed))
            order = np.argsort(uniform(own, possible, "query"), kind="stable")
            queries.append(possible[order[:count]])
            rows.append(np.full(queries[-1].size, row))
        return _new_sessions(topics, rows, seed, query=np.concatenate(queries))


@dataclass(frozen=True)
class RandomDisplay(Start):
    """The first display shows random items."""

    name: ClassVar[str] = "random_display"

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        return _new_sessions(topics, [np.full(count, row) for row in range(len(topics))], seed)

    def scores(self, sessions: Sessions, items: int) -> FloatArray | None:
        """Random numbers, a session's own."""
        shape = (len(sessions), items)
        seeds, numbers = np.broadcast_to(sessions.seed[:, None], shape), np.broadcast_to(np.arange(items), shape)
        return uniform(seeds, numbers, "random display")


@dataclass(frozen=True)
class GivenExamples(Start):
    """The user brings `positives` relevant items along, and `negatives` others; they are in no display.

    There is no ranking before feedback: the first one is already the method's.
    """

    positives: int
    negatives: int = 0
    name: ClassVar[str] = "examples"
    ranks: ClassVar[bool] = False
    unnamed: ClassVar[tuple[str, ...]] = ("positives", "negatives")
    least: ClassVar[Mapping[str, float]] = {"positives": 1, "negatives": 0}

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        """Examples each, drawn from the target and from the rest."""
        rows = [np.full(count, row) for row in range(len(topics))]
        sessions = _new_sessions(topics, rows, seed)
        lists = [
            self._examples(topics, row, own, allowed) for row, own in zip(sessions.topic, sessions.seed, strict=True)
        ]
        given = Ragged.of(lists, "item")
        marks = np.tile(np.repeat([1, -1], [self.positives, self.negatives]), len(sessions))
        return replace(sessions, given=given.with_columns(mark=marks))

    def _examples(self, topics: Topics, row: int, seed: int, allowed: BoolArray | None) -> IntArray:
        may = np.ones(topics.items, np.bool_) if allowed is None else allowed[row]
        parts = []
        target = topics.targets[row]
        for side, size, left in ((target, self.positives, 1), (~target, self.negatives, 0)):
            possible = np.flatnonzero(side & may)
            if possible.size < size + left:
                raise SettingError(
                    f"{self} cannot be drawn for topic {topics.labels[row]}: too few items, or none left to find"
                )
            key = uniform(np.full(possible.size, seed), possible, "examples")
            parts.append(possible[np.argsort(key, kind="stable")[:size]])
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class ExternalRanking(Start):
    """The first ranking comes from elsewhere, a keyword search for instance: scores, one row for each topic or for all.

    Sessions of one topic differ in nothing but the errors of their users.
    """

    rows: FloatArray
    name: ClassVar[str] = "external_ranking"

    @classmethod
    def by_words(cls, items: TextItems, topics: Topics) -> ExternalRanking:
        """The ranking of a text engine for the words of each topic."""
        return cls(items.first_rows(topics.names))

    @classmethod
    def from_run(cls, run: Any, topics: Topics, items: Sequence[str]) -> ExternalRanking:
        """The ranking of a run, a keyword search for instance, whose queries are the names of the topics.

        Items by id, best first as in the run; those that it did not find follow in the order of the items.
        >>> topics = Topics.of({"cat": [True, False, True]})
        >>> ExternalRanking.from_run({"cat": {"b": 2.0, "c": 1.0}}, topics, ["a", "b", "c"]).rows
        array([[0., 3., 2.]])
        """
        rows = run_rows(run, items)
        lost = [name for name in dict.fromkeys(topics.names) if name not in rows]
        if lost:
            there = f"; its queries: {', '.join([*rows][:8]) or 'none'}" if rows else ": do ids agree?"
            raise SettingError(f"the run ranks nothing for {', '.join(map(repr, lost))}{there}")
        return cls(np.array([rows[name] for name in topics.names]))

    def __post_init__(self) -> None:
        table = np.asarray(self.rows, dtype=np.float64)
        if not np.isfinite(table).all():
            raise SettingError("an external ranking needs a finite score for every item")
        object.__setattr__(self, "rows", table)

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        if self.rows.shape not in ((topics.items,), (len(topics), topics.items)):
            raise SettingError(
                f"{len(topics)} topics of {topics.items} items do not fit scores of shape {self.rows.shape}"
            )
        return _new_sessions(topics, [np.full(count, row) for row in range(len(topics))], seed)

    def scores(self, sessions: Sessions, items: int) -> FloatArray | None:
        return self.rows[sessions.topic] if self.rows.ndim == 2 else self.rows

    def __str__(self) -> str:
        return self.name


ALL: dict[str, type[Start] | Later] = {  # a new start adds its name here
    **{each.name: each for each in (OneQuery, RandomDisplay, GivenExamples)},
    **later("rankscope.feedback.users", {"mixed": "starts:MixedStart"}),
}
STARTS: NamedCatalogue[Start] = NamedCatalogue("start", ALL, example="examples(3,3)")


def run_rows(run: Any, items: Sequence[str]) -> dict[str, FloatArray]:
    """For each query of a run a score of each item: the better its place the higher, 0 where it was not found.

    Equal scores of the run stand in the order of the ids.
    """
    import polars as pl

    from rankscope.inputs.run import Run

    places = pl.DataFrame({"item": pl.Series(items, dtype=pl.String)}).with_row_index("place")
    found = Run.of(run).table().join(places, on="item", how="inner")
    ordered = found.sort(["query", "score", "item"], descending=[False, True, False], maintain_order=True)
    rows: dict[str, FloatArray] = {}
    for (query,), part in ordered.group_by("query", maintain_order=True):
        row = np.zeros(len(items))
        row[part["place"].to_numpy()] = len(items) - np.arange(part.height)
        rows[str(query)] = row
    return rows


def _new_sessions(topics: Topics, rows: Sequence[IntArray], seed: int, query: IntArray | None = None) -> Sessions:
    topic = np.concatenate(rows).astype(np.int64)
    start = np.concatenate([np.arange(1, each.size + 1) for each in rows]).astype(np.int64)
    return Sessions(
        topic=topic,
        start=start,
        seed=_session_seeds(topics, topic, start, seed),
        query=np.full(topic.size, -1) if query is None else query,
        given=Ragged.empty(topic.size, "item", "mark"),
        scored=topic,
    )


def _session_seeds(topics: Topics, topic: IntArray, start: IntArray, seed: int) -> IntArray:
    labels = topics.labels
    shown = zip(topic.tolist(), start.tolist(), strict=True)
    return np.array([seed_of("session", labels[row], number, seed) for row, number in shown], dtype=np.int64)


@dataclass(frozen=True)
class MixedStart(Start):
    """Sessions take turns: the first of a topic begins in the first way, the second in the second, and so on.

    >>> str(STARTS.parse("mixed(one_query, examples(2, 2))"))
    'mixed(one_query,examples(2,2))'
    """

    ways: str
    name: ClassVar[str] = "mixed"
    unnamed: ClassVar[tuple[str, ...]] = ("ways",)

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """All between the brackets are ways to begin."""
        return cls(written.inner or "")

    def __post_init__(self) -> None:
        if len(self.starts) < 2 or any(isinstance(each, MixedStart) for each in self.starts):
            raise SettingError(
                f"mixed needs two ways to begin or more, as mixed(one_query, random_display): {self.ways}"
            )
        object.__setattr__(self, "ways", ",".join(map(str, self.starts)))
        super().__post_init__()

    @cached_property
    def starts(self) -> tuple[Start, ...]:
        return tuple(STARTS.parse(each) for each in split_list(self.ways))

    def way(self, sessions: Sessions) -> IntArray:
        """The number of the way in which each session begins."""
        return (sessions.start - 1) % len(self.starts)

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        """As many sessions of each topic as asked for, unless a way has fewer of them."""
        ways = len(self.starts)
        parts = []
        for way, one in enumerate(self.starts[:count]):
            own = one.drawn(topics, -(-(count - way) // ways), seed, allowed)
            start = (own.start - 1) * ways + way + 1  # leaves room for the other ways
            parts.append(replace(own, start=start, seed=_session_seeds(topics, own.topic, start, seed)))
        plain: dict[str, Any] = {
            name: np.concatenate([getattr(each, name) for each in parts])
            for name in ("topic", "start", "seed", "query", "scored")
        }
        whole = Sessions(given=Ragged.join([each.given for each in parts]), **plain)
        return whole.take(np.lexsort((whole.start, whole.topic)))

    def scores(self, sessions: Sessions, items: int) -> FloatArray | None:
        """Those of each session's own way; NaN where it goes by nearness to its query."""
        rows = np.full((len(sessions), items), np.nan)
        for way, start in enumerate(self.starts):
            own = np.flatnonzero(self.way(sessions) == way)
            found = start.scores(sessions.take(own), items)
            if found is not None:
                rows[own] = found
        return rows

    def ranked(self, sessions: Sessions) -> BoolArray:
        """By each session's own way."""
        return np.array([each.ranks for each in self.starts])[self.way(sessions)]
