"""Old results next to a better baseline: efficiency times p~ over the new p~, topic by topic (Huiskes & Lew, eq. 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.efficiency_curves import mean_curve
from rankscope.measures.fractions import divide


def recalibrated_values(values: ArrayLike, old: ArrayLike, new: ArrayLike) -> FloatArray:
    """Efficiencies of one topic against a new baseline; exact for means over its runs, wrong for means over topics.

    >>> recalibrated_values([1, 4 / 9], [1, 0.9], [1, 1]).round(6)
    array([1. , 0.4])
    """
    given, before = np.asarray(values, dtype=np.float64), np.asarray(old, dtype=np.float64)
    return divide(given * before, new)


def recalibrated(result: Efficiency, new: Baseline | ArrayLike, winner: str = "") -> Efficiency:
    """The same result against a new baseline of the same topic, or against its curve."""
    if not isinstance(new, Baseline):
        curve = np.asarray(new, dtype=np.float64)
        if curve.shape != result.baseline.shape:
            raise SettingError(f"the new baseline needs {result.at.size} values, one at each place, got {curve.size}")
        return replace(result, baseline=curve, winner=winner)
    if new.topic != result.topic:
        raise SettingError(f"a result of topic '{result.topic}' cannot be divided by the baseline of '{new.topic}'")
    if result.thinned:
        raise SettingError("a result that was thinned to another generality is computed anew, not re-calibrated")
    curve = mean_curve(new.ranks, result.over, result.at)
    return replace(result, baseline=curve, winner=new.winner, feasible=new.feasibility.feasible)


def recalibrated_all(results: Iterable[Efficiency], new: Mapping[str, Baseline]) -> tuple[Efficiency, ...]:
    """Every result against the new baseline of its topic; topics without a new one stay. Average after, not before."""
    return tuple(recalibrated(each, new[each.topic]) if each.topic in new else each for each in results)
