"""Users: what each simulated one would say of the items on a display, and judges, who may be people.

A random number depends on what it is for, not on the order in which numbers are drawn: the same user makes the same
mistake about the same item, and compared methods differ in nothing else.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import Later, later
from rankscope.core.errors import InputError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.feedback.users.topics import Topics
from rankscope.ranks.ragged import Ragged

Said = NDArray[np.int8]  # 1 wanted, -1 not wanted, 0 nothing said


@dataclass(frozen=True, eq=False)
class Displays:
    """Displays of many sessions at once: what each item is worth to the user (1 is relevant), whose seed, which item.

    `there` is False in the empty places of a display. `wanted` is how many positives the user is asked for, None: all.
    Two looks of another `purpose` at the same item err apart. `topics` names what each session looks for, and `ids` the
    items by their numbers, for users who do not go by gains; where nobody named them they are numbers.
    """

    gains: FloatArray
    seeds: IntArray
    items: IntArray
    there: BoolArray
    wanted: int | None = None
    purpose: str = "look"
    topics: Sequence[str] = ()
    ids: Sequence[str] = ()

    def shown(self) -> Iterator[tuple[str, list[str]]]:
        """Topic and ids of each display, as somebody sees them who knows nothing of gains."""
        for row, (items, there) in enumerate(zip(self.items, self.there, strict=True)):
            numbers = items[there].tolist()
            topic = self.topics[row] if self.topics else str(row)
            yield topic, [self.ids[each] if self.ids else str(each) for each in numbers]

    def chance(self, of: str) -> FloatArray:
        """A random number for each item: the same user says the same of the same item, whatever method shows it."""
        return uniform(np.broadcast_to(self.seeds[:, None], self.items.shape), self.items, f"{self.purpose} {of}")


class User(Named, ABC):
    """Somebody who looks at displays."""

    def says(self, look: Displays) -> Said:
        """1, -1 or 0 for each item of each display."""
        return np.where(look.there, self.opinion(look), 0).astype(np.int8)

    @abstractmethod
    def opinion(self, look: Displays) -> NDArray[Any]:
        """The same, where empty places do not matter."""

    def worth(self, look: Displays) -> FloatArray:
        """How much the user holds an item to be worth that he picks: all, also where he errs."""
        return np.ones(look.items.shape)


@dataclass(frozen=True)
class Consistent(User):
    """Marks every item as the target has it."""

    name: ClassVar[str] = "consistent"

    def opinion(self, look: Displays) -> NDArray[Any]:
        return truth(look.gains)


@dataclass(frozen=True)
class Noisy(User):
    """Takes a relevant item for irrelevant with probability `eps_pos`, and the other way with `eps_neg`.

    >>> str(Noisy(0.1, 0.2)), str(Noisy(0.1))
    ('noisy(0.1,0.2)', 'noisy(0.1,0.1)')
    """

    eps_pos: float
    eps_neg: float | None = None  # None: as eps_pos
    name: ClassVar[str] = "noisy"
    unnamed: ClassVar[tuple[str, ...]] = ("eps_pos", "eps_neg")
    least: ClassVar[Mapping[str, float]] = {"eps_pos": 0, "eps_neg": 0}
    most: ClassVar[Mapping[str, float]] = {"eps_pos": 1, "eps_neg": 1}

    def __post_init__(self) -> None:
        if self.eps_neg is None:
            object.__setattr__(self, "eps_neg", self.eps_pos)
        super().__post_init__()

    def opinion(self, look: Displays) -> NDArray[Any]:
        """The truth, but for independent flips."""
        assert self.eps_neg is not None
        right = truth(look.gains)
        flips = look.chance("error") < np.where(right > 0, self.eps_pos, self.eps_neg)
        return np.where(flips, -right, right)


@dataclass(frozen=True)
class Lazy(User):
    """Judges a shown item with probability `q`, rightly, and says nothing of the others."""

    q: float
    name: ClassVar[str] = "lazy"
    unnamed: ClassVar[tuple[str, ...]] = ("q",)
    least: ClassVar[Mapping[str, float]] = {"q": 0}
    most: ClassVar[Mapping[str, float]] = {"q": 1}

    def opinion(self, look: Displays) -> NDArray[Any]:
        return np.where(look.chance("effort") < self.q, truth(look.gains), 0)


@dataclass(frozen=True)
class Partial(User):
    """Picks items of gain `theta` or more; where fewer qualify than asked for, those of the best gain visible.

    Asked for all, one is enough. Items worth nothing are rejected; of those between nothing is said.
    """

    theta: float
    name: ClassVar[str] = "partial"
    unnamed: ClassVar[tuple[str, ...]] = ("theta",)
    least: ClassVar[Mapping[str, float]] = {"theta": 0}
    most: ClassVar[Mapping[str, float]] = {"theta": 1}

    def opinion(self, look: Displays) -> NDArray[Any]:
        gains = np.where(look.there, look.gains, 0.0)
        enough = 1 if look.wanted is None else look.wanted
        few = ((gains >= self.theta) & (gains > 0)).sum(axis=1, keepdims=True) < enough
        limit = np.where(few, np.minimum(self.theta, gains.max(axis=1, keepdims=True, initial=0.0)), self.theta)
        return np.where((gains >= limit) & (gains > 0), 1, np.where(gains == 0, -1, 0))

    def worth(self, look: Displays) -> FloatArray:
        """The gain: such a user tells more from less."""
        return look.gains


ALL: dict[str, type[User] | Later] = {  # a new user adds its name here
    **{each.name: each for each in (Consistent, Noisy, Lazy, Partial)},
    **later("rankscope.feedback.users", {"command": "command_user:CommandUser"}),
}
USERS: NamedCatalogue[User] = NamedCatalogue("user", ALL, example="noisy(0.1,0.05)", group="rankscope.users")


def truth(gains: FloatArray) -> NDArray[Any]:
    """1 for full relevance, else -1."""
    return np.where(gains >= 1.0, 1, -1)


@dataclass(frozen=True)
class Marks:
    """Ids of items marked relevant and irrelevant, and of earlier examples taken back; of the rest nothing is said."""

    relevant: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def problems(self, shown: Sequence[str]) -> list[str]:
        """What is marked that was not shown, or in two ways."""
        marked, there = [*self.relevant, *self.irrelevant], set(shown)
        found = [f"'{each}' is marked but was not shown" for each in marked if each not in there]
        return found + [f"'{each}' is marked twice" for each in dict.fromkeys(marked) if marked.count(each) > 1]

    def check(self, shown: Sequence[str]) -> None:
        """Raise `InputError` where something is wrong."""
        problems = self.problems(shown)
        if problems:
            raise InputError.of("marks", problems)


class Judge(Protocol):
    """Somebody who marks a display."""

    def mark(self, topic: str, shown: Sequence[str]) -> Marks:
        """What is relevant to the topic among the items shown, best first."""


class ScriptedJudge:
    """Answers prepared beforehand, in order; `asked` remembers what was shown.

    >>> judge = ScriptedJudge(Marks(relevant=("a",)), Marks())
    >>> judge.mark("red", ["a", "b"]).relevant, judge.asked
    (('a',), [('red', ('a', 'b'))])
    """

    def __init__(self, *answers: Marks) -> None:
        self.answers = iter(answers)
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def mark(self, topic: str, shown: Sequence[str]) -> Marks:
        self.asked.append((topic, tuple(shown)))
        return next(self.answers)


class SimulatedJudge:
    """A simulated user in the place of a person: one session at a time, of topics known by name."""

    def __init__(self, user: User, topics: Topics, ids: Sequence[str], seed: int = 0) -> None:
        self.user, self.topics, self.seed = user, topics, seed
        self.ids, self.number = ids, {name: number for number, name in enumerate(ids)}

    def mark(self, topic: str, shown: Sequence[str]) -> Marks:
        items = np.array([[self.number[each] for each in shown]], dtype=np.int64).reshape(1, len(shown))
        row = np.full(items.shape, self.topics.labels.index(topic))
        there = np.ones(items.shape, np.bool_)
        said = self.user.says(Displays(self.topics.gains(row, items), np.array([self.seed]), items, there))[0].tolist()
        return Marks(*(tuple(each for each, mark in zip(shown, said, strict=True) if mark == side) for side in (1, -1)))


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
        chosen = {each.name: getattr(self, each.name) for each in fields(self)}
        return Sessions(**{name: value.take(rows) for name, value in chosen.items()})

    def blocks(self, size: int) -> Iterator[Sessions]:
        for start in range(0, len(self), size):
            yield self.take(np.arange(start, min(start + size, len(self))))

    def names(self, topics: Topics) -> tuple[str, ...]:
        """Topic and start of each session, as its query is called in rankings."""
        labels = topics.labels
        return tuple(
            f"{labels[topic]}/{start}" for topic, start in zip(self.topic.tolist(), self.start.tolist(), strict=True)
        )


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
