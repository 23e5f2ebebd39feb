"""Efficiency next to the stored reference: what a method reaches here over what it reached where the pack was made.

Both are shares of the best that can be learnt from the features, each of its own collection, so that they have one
scale. Topics of both are drawn anew: log(a/b) has the variance var(a)/a^2 + var(b)/b^2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.efficiency_intervals import variance_of_mean
from rankscope.feedback.packs.running import PackResult
from rankscope.feedback.users.topics import sampling_units

SAME = 1e-9
Units: TypeAlias = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class Relative:
    """MAE here and stored, their ratio with its 95 % interval, and how many topics each has."""

    method: str
    here: float
    stored: float
    ratio: float
    low: float
    high: float
    topics: tuple[int, int]

    def row(self) -> dict[str, object]:
        """In plain numbers."""
        return {
            "method": self.method,
            "MAE": self.here,
            "stored": self.stored,
            "relative": self.ratio,
            "low": self.low,
            "high": self.high,
            "topics": self.topics[0],
            "stored topics": self.topics[1],
        }


def relative_efficiencies(result: PackResult) -> list[Relative]:
    """Of every method that the stored reference has too; none where nothing is stored."""
    if result.stored is None:
        return []
    then = _values(result.stored.results)
    units = (result.learnt.units, sampling_units({name: result.pack.classes_of(name) for name in result.pack.topics}))
    return [
        ratio_of(name, [*own.values()], [*then[name].values()], units=_units_of(units, own, then[name]))
        for name, own in _values(result.learnt.results).items()
        if name in then
    ]


def _units_of(units: tuple[Mapping[str, str], Mapping[str, str]], *topics: Mapping[str, float]) -> Units:
    """The sampling unit of each topic, here and where the pack was made."""
    here, stored = ([of.get(name, name) for name in own] for of, own in zip(units, topics, strict=True))
    return here, stored


def reproduced(result: PackResult) -> bool:
    """Whether every efficiency came out as it is stored, where it must."""
    return all(abs(each.here - each.stored) <= SAME for each in relative_efficiencies(result))


def ratio_of(
    method: str, here: ArrayLike, stored: ArrayLike, level: float = 0.95, units: Units | None = None
) -> Relative:
    """The ratio of two means, its logarithm taken for normal; equal values on equal topics have the ratio 1.

    `units`: the sampling unit of each value, where topics share classes.

    >>> made = ratio_of("svm", [0.4, 0.6], [0.9, 1.1])
    >>> round(made.ratio, 6), round(made.low, 6), round(made.high, 6)
    (0.5, 0.125324, 1.994827)
    """
    from scipy.special import stdtrit

    a, b = (np.asarray(each, dtype=np.float64) for each in (here, stored))
    means = float(a.mean()), float(b.mean())
    same = a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=SAME))
    own = ([*map(str, range(a.size))], [*map(str, range(b.size))]) if units is None else units
    parts = [
        0.0 if same else variance_of_mean(each, of) / each.mean() ** 2 for each, of in zip((a, b), own, strict=True)
    ]
    total = sum(parts)
    freedom = (
        total**2 / sum(part**2 / (len({*of}) - 1) for part, of in zip(parts, own, strict=True)) if total > 0 else 1.0
    )
    half = float(stdtrit(freedom, (1 + level) / 2)) * total**0.5 if total else 0.0
    ratio = means[0] / means[1]
    return Relative(
        method=method,
        here=means[0],
        stored=means[1],
        ratio=ratio,
        low=ratio * float(np.exp(-half)),
        high=ratio * float(np.exp(half)),
        topics=(a.size, b.size),
    )


def _values(results: Sequence[Efficiency]) -> dict[str, dict[str, float]]:
    """MAE of feasible topics by method, in the order of the topics; the size of example sets is part of the name."""
    found: dict[str, dict[str, float]] = {}
    for each in sorted(results, key=lambda one: one.topic):
        if each.feasible and not np.isnan(each.mae):
            found.setdefault(each.method, {})[each.topic] = each.mae
    return found
