"""What is left of a method's quality when users err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.study.rounds import simulate_rounds
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.users.starts import Start
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Noisy
from rankscope.measures import AP, Measure

RATES = (0.0, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Resilience:
    """Mean scores of the last round at each rate of errors, the rate without errors first."""

    method: str
    rates: tuple[float, ...]
    means: tuple[float, ...]
    worst: float = 0.0  # the value of a method that finds nothing: above 0 where lower is better

    @property
    def ratios(self) -> tuple[float, ...]:
        """AP(eps) / AP(0), each counted from the worst value; NaN where a method finds nothing even without errors.

        >>> [Resilience("svm", (0.0, 0.2), each, end).ratios for each, end in (((0.8, 0.4), 0.0), ((0.2, 0.6), 1.0))]
        [(1.0, 0.5), (1.0, 0.5)]
        """
        found = [self.worst - each if self.worst else each for each in self.means]
        return tuple(each / found[0] if found[0] > 0 else float("nan") for each in found)

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        shown = zip(self.rates[1:], self.ratios[1:], strict=True)
        return {"method": self.method, "without errors": self.means[0]} | {f"eps {r:g}": value for r, value in shown}


def resilience(
    methods: Sequence[Method],
    items: Items,
    topics: Topics,
    *,
    rates: Sequence[float] = RATES,
    start: Start | None = None,
    protocol: Protocol | None = None,
    starts: int = 10,
    measure: Measure | None = None,
    seed: int = 0,
) -> list[Resilience]:
    """Every method with users who take relevant for irrelevant, and the other way, at each rate; same sessions."""
    how = AP() if measure is None else measure
    levels = tuple(sorted({0.0, *rates}))
    settings = [Experiment.of(items, topics, Noisy(rate), start, protocol, seed=seed) for rate in levels]
    sessions = settings[0].sessions(starts, seed)
    worst = how.bounds()[1] if how.lower_is_better else 0.0
    results = []
    for method in methods:
        last = [simulate_rounds(method, each, sessions).rounds[-1].ranks for each in settings]
        values = [how.of(ranks) for ranks in last]
        results.append(Resilience(str(method), levels, tuple(_mean(each[~np.isnan(each)]) for each in values), worst))
    return results


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(values.mean()) if values.size else float("nan")
