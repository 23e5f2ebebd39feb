"""How much the result of each method depends on where users begin: the same sessions for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.rounds import simulate_rounds
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.study.stability import Stability, stability
from rankscope.measures import AP, Measure


@dataclass(frozen=True)
class MethodStability:
    """One method in the last round: its mean over sessions, and how far starts of one topic differ."""

    method: str
    mean: float
    sessions: int
    steady: Stability

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        return {
            "method": self.method,
            "mean": self.mean,
            "sd over starts": self.steady.sd,
            "p10 of starts": self.steady.p10,
            "share of start": self.steady.share_of_start,
            "sessions": self.sessions,
        }


def stability_of(
    methods: Sequence[Method], setting: Experiment, *, starts: int = 20, measure: Measure | None = None, seed: int = 0
) -> list[MethodStability]:
    """Every method in the same sessions, so many starts of each topic."""
    how, sessions = AP() if measure is None else measure, setting.sessions(starts, seed)
    topics = [setting.topics.labels[row] for row in sessions.topic.tolist()]
    results = []
    for method in methods:
        values = how.of(simulate_rounds(method, setting, sessions).rounds[-1].ranks)
        there = values[~np.isnan(values)]
        mean = float(there.mean()) if there.size else float("nan")
        results.append(MethodStability(str(method), mean, there.size, stability(values, topics)))
    return results
