"""Several assessors of one topic: does feedback adapt to the one who gives it?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.rounds import simulate_rounds
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.topics import Topics
from rankscope.measures import AP, Measure


@dataclass(frozen=True, eq=False)
class Adaptation:
    """M(i, j): the mean score with feedback from assessor i, by the target of j; and how far targets overlap."""

    topic: str
    assessors: tuple[str, ...]
    matrix: FloatArray
    overlap: float
    method: str = ""

    @property
    def own(self) -> float:
        """Mean of M(i, i): feedback and score from the same assessor."""
        return float(np.diag(self.matrix).mean())

    @property
    def others(self) -> float:
        """Mean of M(i, j): the score by the target of another one."""
        return float(self.matrix[~np.eye(len(self.matrix), dtype=np.bool_)].mean())

    @property
    def value(self) -> float:
        """Mean of M(i, i) minus mean of M(i, j): what feedback does for its giver and not for others.

        >>> Adaptation("fun", ("ann", "ben"), np.array([[0.8, 0.5], [0.4, 0.6]]), 0.3).value.__round__(6)
        0.25
        """
        return self.own - self.others


def mean_overlap(topics: Topics) -> float:
    """Mean over pairs of rows of the Jaccard overlap: what both hold over what either holds.

    >>> mean_overlap(Topics.judged_by({"fun": {"ann": [True, True, False], "ben": [False, True, False]}}))
    0.5
    """
    first, second = np.triu_indices(len(topics), 1)
    both = topics.targets[first] & topics.targets[second]
    either = topics.targets[first] | topics.targets[second]
    return float((both.sum(axis=1) / either.sum(axis=1)).mean())


def adaptation(
    method: Method, setting: Experiment, topic: str, *, starts: int = 10, seed: int = 0, measure: Measure | None = None
) -> Adaptation:
    """Feedback from each assessor of a topic, scored by the target of each, in the last round."""
    rows = [row for row, name in enumerate(setting.topics.names) if name == topic]
    if len(rows) < 2:
        raise SettingError(f"adaptation needs two assessors of '{topic}', there is {'one' if rows else 'none'}")
    how = AP() if measure is None else measure
    every = setting.sessions(starts, seed)
    matrix = np.array([[_mean(method, setting, _of(every, giver), judge, how) for judge in rows] for giver in rows])
    who = tuple(setting.topics.assessors[row] for row in rows)
    overlap = mean_overlap(setting.topics.take(rows))
    return Adaptation(topic=topic, assessors=who, matrix=matrix, overlap=overlap, method=str(method))


def shared_topics(topics: Topics) -> tuple[str, ...]:
    """The topics that several assessors have judged.

    >>> shared_topics(Topics.judged_by({"fun": {"ann": [True, False], "ben": [False, True]}}))
    ('fun',)
    """
    return tuple(name for name in dict.fromkeys(topics.names) if topics.names.count(name) > 1)


def _of(sessions: Sessions, row: int) -> Sessions:
    return sessions.take(np.flatnonzero(sessions.topic == row))


def _mean(method: Method, setting: Experiment, sessions: Sessions, judge: int, measure: Measure) -> float:
    scored: IntArray = np.full(len(sessions), judge)
    values = measure.of(simulate_rounds(method, setting, replace(sessions, scored=scored)).rounds[-1].ranks)
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")
