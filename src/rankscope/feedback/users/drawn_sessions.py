"""Which sessions are simulated: a topic, a start and a seed each; the same ones for every method compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from rankscope.arrays import IntArray
from rankscope.feedback.users.topics import Topics
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True, eq=False)
class Sessions:
    """One entry per session; those of one topic stand together.

    `query` is the item the user begins with, -1 for none. `given` are examples brought along, with `mark` 1 or -1.
    `scored` is the row of topics by which rankings are scored: the user's own, unless adaptation is measured.
    """

    topic: IntArray
    start: IntArray  # numbered from 1 within a topic
    seed: IntArray
    query: IntArray
    given: Ragged  # item, mark
    scored: IntArray

    @classmethod
    def of_topic(cls, topic: int, seeds: IntArray) -> Sessions:
        """Sessions of one topic, by its row, that begin with nothing."""
        rows = np.full(seeds.size, topic)
        empty = Ragged(np.zeros(rows.size + 1, np.int64), {name: np.empty(0, np.int64) for name in ("item", "mark")})
        return cls(
            topic=rows,
            start=np.arange(1, rows.size + 1),
            seed=seeds,
            query=np.full(rows.size, -1),
            given=empty,
            scored=rows,
        )

    def __len__(self) -> int:
        return self.topic.size

    def take(self, rows: IntArray) -> Sessions:
        """Some sessions, in the order given."""
        chosen = {each.name: getattr(self, each.name) for each in fields(self)}
        return Sessions(**{name: value.take(rows) for name, value in chosen.items()})

    def blocks(self, size: int) -> Iterator[Sessions]:
        """All sessions, at most so many at a time."""
        for start in range(0, len(self), size):
            yield self.take(np.arange(start, min(start + size, len(self))))

    def names(self, topics: Topics) -> tuple[str, ...]:
        """Topic and start of each session, as its query is called in rankings."""
        labels = topics.labels
        return tuple(
            f"{labels[topic]}/{start}" for topic, start in zip(self.topic.tolist(), self.start.tolist(), strict=True)
        )
