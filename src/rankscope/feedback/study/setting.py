"""What all methods of an experiment share: items, topics, how sessions begin, who marks, and the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.folds import stratified_folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.study.marking import ByUser, Marker
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.draws import seed_of
from rankscope.feedback.users.starts import OneQuery, Start
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Consistent, User


@dataclass(frozen=True, eq=False)
class Experiment:
    """What all methods of an experiment share."""

    items: Items
    topics: Topics
    start: Start
    protocol: Protocol
    marker: Marker
    halves: BoolArray | None = None  # topics x items: what feedback may come from, where the list is split

    @classmethod
    def of(
        cls,
        items: Items,
        topics: Topics,
        user: User | None = None,
        start: Start | None = None,
        protocol: Protocol | None = None,
        *,
        marker: Marker | None = None,
        ids: Sequence[str] = (),
        seed: int = 0,
    ) -> Experiment:
        """A simulated user (consistent unless told) or another marker, beginning with one query unless told.

        `ids` name the items to users who see them; without them users see numbers.
        """
        if topics.items != len(items):
            raise SettingError(f"topics speak of {topics.items} items, but there are {len(items)}")
        how = Protocol() if protocol is None else protocol
        marks = ByUser(Consistent() if user is None else user, topics, how, ids) if marker is None else marker
        halves = feedback_halves(topics, seed) if how.scored == "split" else None
        return cls(
            items=items,
            topics=topics,
            start=OneQuery() if start is None else start,
            protocol=how,
            marker=marks,
            halves=halves,
        )

    def sessions(self, count: int, seed: int = 0) -> Sessions:
        """So many sessions of each topic, the same ones for every method."""
        return self.start.drawn(self.topics, count, seed, self.halves)

    @property
    def provenance(self) -> dict[str, Any]:
        """What every ranking tells about itself."""
        about = {**self.protocol.settings(), "start": str(self.start)}
        pooled = {} if self.topics.judged is None else {"unjudged": "count as irrelevant"}
        return {"judgements": {"complete": True, **pooled}, "settings": {"ties": "position"}, "feedback": about}


def feedback_halves(topics: Topics, seed: int = 0) -> BoolArray:
    """Topics x items: a random half of each target and of the rest, where feedback may come from."""
    folds = [
        stratified_folds(target, 2, seed=seed_of("halves", label, seed)).fold == 0
        for target, label in zip(topics.targets, topics.labels, strict=True)
    ]
    return np.array(folds)
