"""The seam where a real person, a script or a simulated user marks what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankscope.errors import InputError
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Displays, User


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
        """The next answer."""
        self.asked.append((topic, tuple(shown)))
        return next(self.answers)


class SimulatedJudge:
    """A simulated user in the place of a person: one session at a time, of topics known by name."""

    def __init__(self, user: User, topics: Topics, ids: Sequence[str], seed: int = 0) -> None:
        self.user, self.topics, self.seed = user, topics, seed
        self.ids, self.number = ids, {name: number for number, name in enumerate(ids)}

    def mark(self, topic: str, shown: Sequence[str]) -> Marks:
        """What the user says of the items."""
        items = np.array([[self.number[each] for each in shown]], dtype=np.int64).reshape(1, len(shown))
        row = np.full(items.shape, self.topics.labels.index(topic))
        there = np.ones(items.shape, np.bool_)
        said = self.user.says(Displays(self.topics.gains(row, items), np.array([self.seed]), items, there))[0].tolist()
        return Marks(*(tuple(each for each, mark in zip(shown, said, strict=True) if mark == side) for side in (1, -1)))
