"""Growth model with scores: generalised Pareto tails, whose chances are held against the data themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.curves.distributions import Binomial
from rankscope.forecast.calibration import calibrate
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import Fit, Future, HitModel
from rankscope.forecast.rates import outside, rate_by_count, share_near
from rankscope.forecast.tails import NODE_WEIGHTS, NODES, shared_by, tails_of


@dataclass(frozen=True)
class Pareto(HitModel):
    """Normalised spacings j (d_j - d_(j+1)) of the best K + 1 distractor scores tell the tail (Beirlant et al. 2004).

    In a generalised Pareto tail their mean is sigma (j / K)^-xi. The shape xi is the slope over all queries at once;
    sigma is a query's own mean spacing, drawn towards that of queries alike (in the level of their scores, and in how
    many hits stand out) as far as chance explains the difference, and what remains uncertain of it is averaged over. A
    new distractor lies above the threshold with chance (K + 1) / (e + 1), above a hit with that times the tail, times
    what leaving out each distractor in turn shows to be missing. A hit that more than K outrank has (b + 1/2) / e.
    """

    used: int
    name: ClassVar[str] = "pareto"
    unnamed: ClassVar[tuple[str, ...]] = ("used",)
    least: ClassVar[Mapping[str, float]] = {"used": 1}
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.0006

    def fit(self, evidence: Evidence) -> Fit:
        """Binomial with the chance of each hit, at five values of the uncertain scale; by count there is only one."""
        assert evidence.scored is not None
        best, there = evidence.scored.best, np.maximum(evidence.distractors, 1.0)
        shared = shared_by(best, self.used, share_near(evidence, self.used))
        tails = tails_of(best, self.used, shared)
        chosen = outside(evidence, tails.threshold, tails.used)
        row = evidence.hits.row[chosen]
        chances = tails.chances(there, row, evidence.scored.hits[chosen])
        calibration = calibrate(best, there, self.used, shared)
        chances = calibration.corrected(chances, (NODE_WEIGHTS @ chances) * there[row])
        by_count = np.flatnonzero(~chosen)
        hits = np.concatenate([by_count, np.tile(np.flatnonzero(chosen), NODES.size)])
        rates = np.concatenate([rate_by_count(evidence)[by_count], chances.ravel()])
        weight = np.concatenate([np.ones(by_count.size), np.repeat(NODE_WEIGHTS, row.size)])
        return lambda coming: Future(Binomial(coming[hits], rates), hits, weight)
