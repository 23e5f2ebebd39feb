"""How much the result of a method depends on where the user begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.intervals.components import never_below_zero


@dataclass(frozen=True)
class Stability:
    """Over the starts of each topic: standard deviation and 10 % quantile, as means over topics; and variances.

    `start` is the variance among starts of one topic, `topic` that among topics, by one-way random effects; `note` says
    where that among topics came out below 0 and counts as 0.
    """

    sd: float
    p10: float
    start: float
    topic: float
    note: str = ""

    @property
    def share_of_start(self) -> float:
        """How much of the variance is due to the start; NaN where nothing varies."""
        total = self.start + self.topic
        return self.start / total if total > 0 else float("nan")


def stability(values: ArrayLike, topics: Sequence[str]) -> Stability:
    """From one value per session, and its topic; NaN values are left out.

    >>> made = stability([0.1, 0.3, 0.6, 0.8], ["a", "a", "b", "b"])
    >>> round(made.sd, 4), round(made.p10, 2), round(made.share_of_start, 4)
    (0.1414, 0.37, 0.1481)
    """
    given = np.asarray(values, dtype=np.float64)
    label = np.array(topics, dtype=str)[~np.isnan(given)]
    given = given[~np.isnan(given)]
    groups = [given[label == each] for each in np.unique(label)]
    several = [each for each in groups if each.size > 1]
    sd = [float(each.std(ddof=1)) for each in several]
    p10 = [float(np.quantile(each, 0.1)) for each in groups]
    start, topic = components(groups)
    parts, note = never_below_zero({"topics": topic})
    return Stability(sd=_mean(sd), p10=_mean(p10), start=start, topic=parts["topics"], note=note)


def components(groups: Sequence[FloatArray]) -> tuple[float, float]:
    """Variance within and among groups, by the analysis of variance of one-way random effects.

    The one among groups may come out below 0; it is NaN where there is one group. Both are NaN where no group has two
    values.
    """
    sizes = np.array([each.size for each in groups])
    total, count = int(sizes.sum()), len(groups)
    if total <= count:
        return float("nan"), float("nan")
    means = np.array([each.mean() for each in groups])
    within = float(sum(((each - mean) ** 2).sum() for each, mean in zip(groups, means, strict=True))) / (total - count)
    if count < 2:
        return within, float("nan")
    among = float((sizes * (means - (sizes * means).sum() / total) ** 2).sum()) / (count - 1)
    usual = (total - float((sizes**2).sum()) / total) / (count - 1)
    return within, (among - within) / usual


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
