"""Generalisation efficiency: how much of what can be learnt from the features a feedback method has learnt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.curves.curve import Curve
from rankscope.errors import SettingError
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency_curves import (
    LEVELS,
    SCOPES,
    Over,
    chance_curve,
    generality_of,
    kept_for,
    mean_curve,
    places,
    thinned_chance,
    thinned_curve,
)
from rankscope.measures.fractions import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

SMALL_EXCESS = 1.02  # above it at so many levels, the baseline is no optimum
MANY_LEVELS = 3
SAME_GENERALITY = 0.05
RECALIBRATE = "recalibrate"
BEATEN = "baseline beaten"


@dataclass(frozen=True, eq=False)
class Efficiency:
    """The mean curve of a method, the baseline's p~ it is divided by, and what chance gives; p~ is kept for later.

    >>> done = Efficiency.of([1, 1, 1/3, 2/5, 5/11], [1, 1, 1, .9, .75])
    >>> done.values.round(6), round(done.mae, 6)
    (array([1.      , 1.      , 0.333333, 0.444444, 0.606061]), 0.676768)
    """

    over: Over
    at: FloatArray
    reached: FloatArray
    baseline: FloatArray
    chance: FloatArray
    method: str = "method"
    topic: str = "topic"
    winner: str = ""  # who set the baseline
    feasible: bool = True
    runs: int = 0
    failed: int = 0  # runs left out
    generality: tuple[float, float] = (float("nan"), float("nan"))  # of the method's lists, and of the baseline's
    thinned: bool = False  # whether one of them was thinned to the generality of the other

    @classmethod
    def of(
        cls, reached: Iterable[float], baseline: Iterable[float], chance: Iterable[float] | None = None, **known: Any
    ) -> Efficiency:
        """From curves at recall levels 1/N, ..., 1, or at the places given as `at`."""
        method, best = (np.array(list(each), dtype=np.float64) for each in (reached, baseline))
        random = np.full(method.size, np.nan) if chance is None else np.array(list(chance), dtype=np.float64)
        over = known.pop("over", "recall")
        at = np.asarray(known.pop("at", places("recall", method.size)), dtype=np.float64)
        if not method.shape == best.shape == random.shape == at.shape:
            raise SettingError("method, baseline and chance need one value at each place")
        return cls(over=over, at=at, reached=method, baseline=best, chance=random, **known)

    @property
    def values(self) -> FloatArray:
        """p / p~; never clipped. NaN where both are 0, infinite where only the baseline is."""
        return np.where((self.baseline == 0) & (self.reached > 0), np.inf, divide(self.reached, self.baseline))

    @property
    def deviation(self) -> FloatArray:
        """1 - efficiency: what is lost against the baseline."""
        return 1.0 - self.values

    @property
    def corrected(self) -> FloatArray:
        """Chance-corrected: (p - p_0) / (p~ - p_0); NaN where the baseline is no better than chance."""
        better = self.baseline > self.chance
        return np.where(better, divide(self.reached - self.chance, self.baseline - self.chance), np.nan)

    @property
    def undefined(self) -> int:
        """At how many places neither curve has a hit yet, or none exists: they are left out of means."""
        return int(np.isnan(self.values).sum())

    @property
    def beaten(self) -> BoolArray:
        """Where the method has hits and the baseline has none."""
        return np.isinf(self.values)

    @property
    def mae(self) -> float:
        """Mean efficiency over the levels, the area under the efficiency graph; what is undefined is left out."""
        return _mean(self.values)

    @property
    def most(self) -> float:
        """The largest MAE there can be: precision 1 at every level; infinite where the baseline has no hit somewhere.

        >>> Efficiency.of([0.5, 0.1], [1.0, 0.5]).most
        1.5
        """
        return _mean(1.0 / self.baseline) if (self.baseline > 0).all() else np.inf

    @property
    def corrected_mae(self) -> float:
        """The mean of the chance-corrected efficiency."""
        return _mean(self.corrected)

    @property
    def recalibrate(self) -> bool:
        """Whether the method is a candidate for a new baseline: a small excess is the noise of folds."""
        return bool(self.mae > 1 or (self.values > SMALL_EXCESS).sum() >= MANY_LEVELS)

    @property
    def flags(self) -> tuple[str, ...]:
        """What to tell next to the numbers."""
        both = f"generality {self.generality[0]:.4f}, of the baseline {self.generality[1]:.4f}"
        told = {
            RECALIBRATE: self.recalibrate,
            BEATEN: bool(self.beaten.any()),
            f"{_some(self.undefined, 'place')} undefined": self.undefined > 0,
            f"{_some(self.failed, 'run')} failed": self.failed > 0,
            "infeasible topic": not self.feasible,
            f"{both}; thinned to the same": self.thinned,
        }
        return tuple(flag for flag, there in told.items() if there)

    def curve(self, corrected: bool = False) -> Curve:
        """Efficiency against its places; infinite values are not drawn."""
        values = self.corrected if corrected else self.values
        names = ("recall" if self.over == "recall" else "relevant scope", "efficiency")
        return Curve(self.at, np.where(np.isinf(values), np.nan, values), self.method, *names)

    def rows(self) -> list[dict[str, object]]:
        """One row per place, with the baseline it was divided by."""
        columns = (self.at, self.reached, self.baseline, self.chance, self.values, self.deviation, self.corrected)
        names = ("at", "reached", "baseline", "chance", "efficiency", "deviation", "corrected")
        shared = {"topic": self.topic, "method": self.method, "over": self.over, "winner": self.winner}
        return [
            {**shared, **dict(zip(names, row, strict=True))}
            for row in zip(*map(np.ndarray.tolist, columns), strict=True)
        ]


def efficiency(
    ranks: RelevantRanks,
    baseline: Baseline,
    over: Over = "recall",
    *,
    levels: int = LEVELS,
    scopes: tuple[float, ...] = SCOPES,
) -> Efficiency:
    """The efficiency of a method's runs of one topic: curves are averaged first, and then divided.

    Runs of the matched protocol have the baseline's generality. Where the lists were made in another way and g differs
    by more than 5 %, the larger lists are thinned to the generality of the smaller ones: an exact mean.
    """
    answered = ranks.take(np.flatnonzero(ranks.answered & (ranks.relevant > 0)))
    at = places(over, levels, scopes)
    both = (generality_of(answered), generality_of(baseline.ranks))
    differ = bool(abs(both[0] / both[1] - 1.0) > SAME_GENERALITY)
    high = max(both)
    reached, chance = _curves(answered, over, at, high if differ and both[0] < high else None)
    best, _ = _curves(baseline.ranks, over, at, high if differ and both[1] < high else None)
    return Efficiency(
        over=over,
        at=at,
        reached=reached,
        baseline=best,
        chance=chance,
        method=ranks.system,
        topic=baseline.topic,
        winner=baseline.winner,
        feasible=baseline.feasibility.feasible,
        runs=len(answered),
        failed=len(ranks) - len(answered),
        generality=both,
        thinned=differ,
    )


def _curves(ranks: RelevantRanks, over: Over, at: FloatArray, to: float | None) -> tuple[FloatArray, FloatArray]:
    """The mean curve and that of chance, thinned to a generality where one is given."""
    if to is None:
        return mean_curve(ranks, over, at), chance_curve(ranks, over, at)
    kept = kept_for(ranks, to)
    return thinned_curve(ranks, over, at, kept), thinned_chance(ranks, over, at, kept)


def mean_over_topics(results: Iterable[Efficiency], corrected: bool = False) -> float:
    """The mean of the topics' MAE; infeasible topics are not in it: report them apart."""
    values = [each.corrected_mae if corrected else each.mae for each in results if each.feasible]
    return _mean(np.array(values))


def infeasible(results: Iterable[Efficiency]) -> Mapping[str, float]:
    """The MAE of each topic that cannot be learnt, which means little: marked, never dropped."""
    return {each.topic: each.mae for each in results if not each.feasible}


def _some(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _mean(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")
