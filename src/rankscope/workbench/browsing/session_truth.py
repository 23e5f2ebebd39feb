"""What is known to be relevant in a session: a class of the collection, or what people have said so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.workbench.browsing.session_ranking import target_class
from rankscope.workbench.browsing.sessions import FeedbackSession
from rankscope.workbench.project import Project

TruthName = Literal["class", "marks"]


@dataclass(frozen=True, eq=False)
class SessionTruth:
    """Which items are relevant, and of which that is known; the example of the session is none of them."""

    relevant: BoolArray
    known: BoolArray
    example: int | None
    name: TruthName
    label: str = ""

    @classmethod
    def by_class(cls, project: Project, session: FeedbackSession) -> SessionTruth | None:
        """The class of the example, or of the query; None where it has none."""
        label = target_class(project, session)
        if not label:
            return None
        relevant = np.array([each.class_ == label for each in project.items], dtype=np.bool_)
        known = np.ones(len(relevant), np.bool_)
        return cls(relevant=relevant, known=known, example=session.example, name="class", label=label)

    @classmethod
    def by_marks(cls, project: Project, session: FeedbackSession) -> SessionTruth:
        """What was marked in the session, and what the same person judged for its query."""
        count = len(project.items)
        relevant, known = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        if session.query is not None:
            with project.lock:
                answers = [(pair[1], said) for pair, said in project.state.answers.items() if pair[0] == session.query]
            for item, said in answers:
                own = said.get(session.assessor)
                if own is not None and own.grade is not None:
                    place = project.places[item]
                    known[place], relevant[place] = True, own.grade >= project.file.relevant
        for place, opinion in session.opinions.items():
            known[place], relevant[place] = True, opinion == "relevant"
        return cls(relevant=relevant, known=known, example=session.example, name="marks")

    @cached_property
    def _others(self) -> BoolArray:
        rest = np.ones(len(self.known), np.bool_)
        if self.example is not None:
            rest[self.example] = False
        return rest

    @property
    def is_complete(self) -> bool:
        """Whether it is known of every item."""
        return bool(self.known[self._others].all())

    @property
    def judged(self) -> int:
        """Of how many items it is known."""
        return int(self.known[self._others].sum())

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self._others.sum())

    @property
    def count(self) -> int:
        """How many relevant items are known."""
        return int(self.relevant[self._others].sum())

    def ranks(self, order: IntArray) -> IntArray:
        """Where the relevant items stand in an order, from 1 on."""
        return np.flatnonzero(self.relevant[order]) + 1

    def depth(self, order: IntArray) -> int:
        """How many of the first items are all known."""
        unknown = np.flatnonzero(~self.known[order])
        return int(unknown[0]) if unknown.size else len(order)

    def precision(self, order: IntArray) -> FloatArray:
        """At each scope as deep as it is known."""
        hits = np.cumsum(self.relevant[order[: self.depth(order)]])
        return hits / np.arange(1, hits.size + 1)

    def share(self, shown: tuple[int, ...]) -> float | None:
        """The share of relevant items of a display; None where some of it is not known."""
        places = list(shown)
        return float(self.relevant[places].mean()) if places and self.known[places].all() else None


def whole_list(session: FeedbackSession, order: IntArray) -> IntArray:
    """The session as one list: all that was shown in its order, then the rest as the last round ranks it.

    What was shown keeps its place, as in the laboratory: a method gains nothing by ranking its own examples first.
    """
    shown = np.array(session.shown, dtype=np.int64)
    return np.concatenate([shown, order[~np.isin(order, shown)]])
