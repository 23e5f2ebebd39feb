"""Sessions of one study that begin in several ways, in turn: people do not all begin alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.draws import seed_of
from rankscope.feedback.users.starts import STARTS, Start
from rankscope.feedback.users.topics import Topics
from rankscope.notation import Written, split_list
from rankscope.ranks.ragged import Ragged


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
        starts = [STARTS.parse(each) for each in split_list(self.ways)]
        if len(starts) < 2 or any(isinstance(each, MixedStart) for each in starts):
            raise SettingError(
                f"mixed needs two ways to begin or more, as mixed(one_query, random_display): {self.ways}"
            )
        object.__setattr__(self, "ways", ",".join(map(str, starts)))
        super().__post_init__()

    @cached_property
    def starts(self) -> tuple[Start, ...]:
        """The ways to begin."""
        return tuple(STARTS.parse(each) for each in split_list(self.ways))

    def way(self, sessions: Sessions) -> IntArray:
        """The number of the way in which each session begins."""
        return (sessions.start - 1) % len(self.starts)

    def drawn(self, topics: Topics, count: int, seed: int = 0, allowed: BoolArray | None = None) -> Sessions:
        """As many sessions of each topic as asked for, unless a way has fewer of them."""
        ways = len(self.starts)
        parts = [
            _renumbered(start.drawn(topics, -(-(count - way) // ways), seed, allowed), topics, way, ways, seed)
            for way, start in enumerate(self.starts)
            if count > way
        ]
        return _joined(parts)

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


def _renumbered(sessions: Sessions, topics: Topics, way: int, ways: int, seed: int) -> Sessions:
    """Numbers that leave room for the other ways, and seeds to go with them."""
    start = (sessions.start - 1) * ways + way + 1
    pairs = zip(sessions.topic.tolist(), start.tolist(), strict=True)
    seeds = np.array([seed_of("session", topics.labels[row], number, seed) for row, number in pairs], dtype=np.int64)
    return Sessions(
        topic=sessions.topic,
        start=start,
        seed=seeds,
        query=sessions.query,
        given=sessions.given,
        scored=sessions.scored,
    )


def _joined(parts: list[Sessions]) -> Sessions:
    """All sessions, those of one topic together and in the order of their numbers."""
    plain: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in parts])
        for name in ("topic", "start", "seed", "query", "scored")
    }
    whole = Sessions(given=Ragged.join([each.given for each in parts]), **plain)
    return whole.take(np.lexsort((whole.start, whole.topic)))
