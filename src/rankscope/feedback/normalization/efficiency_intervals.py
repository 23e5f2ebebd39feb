"""Intervals of mean efficiency: topics drawn anew, and where users err, the error rates drawn anew too.

Error rates of a user are estimates. Rates that could be the true ones are drawn several times, methods learn from
examples with such errors, and the spread between the draws is added to that between topics (Rubin 1987): T = W +
(1 + 1/m) B, with Satterthwaite's degrees of freedom: Rubin's own where topics are many, topics - 1 where rates are
known. Without errors the interval is that of every mean (`mean_intervals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray


@dataclass(frozen=True)
class MeanInterval:
    """A mean with its 95 % interval, and what it is made of: variance within draws and between them."""

    mean: float
    low: float
    high: float
    within: float
    between: float
    freedom: float


def interval_over_draws(
    values: FloatArray, level: float = 0.95, most: float = np.inf, units: Sequence[str] | None = None
) -> MeanInterval:
    """Of draws x topics: the mean over both; a single draw gives the t interval of its topics.

    Limits stay from 0 to `most`, what a method can reach (`Efficiency.most`). `units`: the sampling unit of each topic,
    where topics share labels.

    >>> made = interval_over_draws(np.array([[0.4, 0.6, 0.8]]))
    >>> round(made.mean, 6), round(made.low, 6), round(made.high, 6)
    (0.6, 0.103172, 1.096828)
    >>> round(interval_over_draws(np.array([[0.2, 0.6]])).low, 6)
    0.0
    """
    from scipy.special import stdtrit

    draws, topics = values.shape
    count = topics if units is None else len({*units})
    if count < 2:
        centre = float(values.mean()) if values.size else float("nan")
        return MeanInterval(mean=centre, low=np.nan, high=np.nan, within=np.nan, between=np.nan, freedom=0.0)
    means = values.mean(axis=1)
    within = float(np.mean([variance_of_mean(row, units) for row in values]))
    between = float(means.var(ddof=1)) if draws > 1 else 0.0
    total = within + (1 + 1 / draws) * between
    freedom = count - 1.0 if draws == 1 else combined_freedom(within, between, draws, count - 1.0)
    half = float(stdtrit(freedom, (1 + level) / 2)) * total**0.5 if total > 0 else float("nan")
    centre = float(means.mean())
    low, high = (float(np.clip(end, 0.0, most)) for end in (centre - half, centre + half))
    return MeanInterval(mean=centre, low=low, high=high, within=within, between=between, freedom=freedom)


def variance_of_mean(values: FloatArray, units: Sequence[str] | None = None) -> float:
    """The variance of a mean; of values in units as of a sample of units, by how far each pulls the mean.

    >>> round(variance_of_mean(np.array([1.0, 2.0, 6.0])), 6)  # 7 / 3
    2.333333
    >>> round(variance_of_mean(np.array([1.0, 1.0, 3.0, 3.0]), ["a", "a", "b", "b"]), 6)  # as 1 and 3
    1.0
    """
    _, number = np.unique(np.arange(values.size) if units is None else np.array(units), return_inverse=True)
    pulls = np.bincount(number, values - values.mean()) / values.size
    return float((pulls**2).sum()) * pulls.size / (pulls.size - 1) if pulls.size > 1 else float("nan")


def combined_freedom(within: float, between: float, draws: int, complete: float) -> float:
    """Degrees of freedom of W + (1 + 1/m) B, by Satterthwaite; `complete` are those of W.

    >>> round(combined_freedom(4.0, 4.0, 3, 1e12), 4)  # many topics, Rubin's: 2 (1 + 4 / 5.3333)^2
    6.125
    """
    added = (1 + 1 / draws) * between
    parts = within**2 / complete + added**2 / (draws - 1)
    return (within + added) ** 2 / parts if parts > 0 else complete
