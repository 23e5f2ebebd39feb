"""Growth model with scores: generalised Pareto tails, whose chances are held against the data themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Binomial
from rankscope.forecast.calibration import calibrate
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import Futures, HitModel, still_to_come
from rankscope.forecast.rates import outside, rate_by_count
from rankscope.forecast.tails import NODE_WEIGHTS, shared_by, tails_of


@dataclass(frozen=True)
class Pareto(HitModel):
    """Normalised spacings j (d_j - d_(j+1)) of the best K + 1 distractor scores tell the tail (Beirlant et al. 2004).

    In a generalised Pareto tail their mean is sigma (j / K)^-xi. The shape xi is the slope over all queries at once;
    sigma is a query's own mean spacing, drawn towards that of all queries as far as chance explains the difference, and
    what remains uncertain of it is averaged over. A new distractor lies above the threshold with chance (K + 1) /
    (e + 1), above a hit with that times the tail, times what leaving out each distractor in turn shows to be missing.
    A hit that more than K outrank has (b + 1/2) / e.
    """

    used: int
    name: ClassVar[str] = "pareto"
    unnamed: ClassVar[tuple[str, ...]] = ("used",)
    least: ClassVar[Mapping[str, float]] = {"used": 1}
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.002

    def futures(self, evidence: Evidence, target: FloatArray) -> Futures:
        """Binomial with the chance of each hit, at five values of the uncertain scale."""
        assert evidence.scored is not None
        best, there = evidence.scored.best, np.maximum(evidence.distractors, 1.0)
        shared, row = shared_by(best, self.used), evidence.hits.row
        tails = tails_of(best, self.used, shared)
        chosen = outside(evidence, tails.threshold, tails.used)
        chances = tails.chances(there, row, np.where(chosen, evidence.scored.hits, tails.threshold[row]))
        expected = (NODE_WEIGHTS @ chances) * there[row]
        chances = np.minimum(chances * calibrate(best, there, self.used, shared).corrected(expected), 1.0)
        coming, by_count = still_to_come(evidence, target), rate_by_count(evidence)
        for weight, chance in zip(NODE_WEIGHTS.tolist(), chances, strict=True):
            yield weight, Binomial(coming, np.where(chosen, chance, by_count))
