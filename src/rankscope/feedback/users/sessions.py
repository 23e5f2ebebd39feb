"""Which sessions are simulated: a topic, a start and a seed each; and the random numbers that users go by.

A random number depends on what it is for, not on the order in which numbers are drawn: the same user makes the same
mistake about the same item, and compared methods differ in nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
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
        return cls(
            topic=rows,
            start=np.arange(1, rows.size + 1),
            seed=seeds,
            query=np.full(rows.size, -1),
            given=Ragged.empty(rows.size, "item", "mark"),
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


# Random numbers that depend on what they are for, not on the order in which they are drawn.

Numbers = NDArray[np.uint64]
MIX_STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_FIRST, MIX_SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix_bits(numbers: Numbers) -> Numbers:
    """Whole numbers of 64 bits thrown about, each to another one (splitmix64, Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        result = numbers + MIX_STEP
        result = (result ^ (result >> np.uint64(30))) * MIX_FIRST
        result = (result ^ (result >> np.uint64(27))) * MIX_SECOND
        return result ^ (result >> np.uint64(31))


def uniform(seed: IntArray, item: IntArray, purpose: str) -> FloatArray:
    """Numbers from 0 up to 1, one for each seed and item; those of two purposes have nothing to do with each other.

    >>> uniform(np.array([1, 1, 2]), np.array([5, 6, 5]), "errors").round(3).tolist()
    [0.227, 0.44, 0.995]
    """
    apart = np.uint64(_hashed(purpose))
    key = mix_bits(mix_bits(seed.astype(np.uint64) ^ apart) ^ item.astype(np.uint64))
    return (key >> np.uint64(11)).astype(np.float64) * 2.0**-53


def seed_of(*parts: object) -> int:
    """A seed of 31 bits from words and numbers: the same on every machine.

    >>> seed_of("dogs", "", 1, 0) == seed_of("dogs", "", 1, 0) != seed_of("dogs", "", 2, 0)
    True
    """
    return _hashed("\0".join(map(str, parts))) >> 33


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
