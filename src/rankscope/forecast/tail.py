"""Growth model with scores: an exponential tail for each query by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Binomial
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import Futures, HitModel, still_to_come
from rankscope.forecast.rates import outside, rate_by_count, rate_by_score, threshold


@dataclass(frozen=True)
class Tail(HitModel):
    """Scores of distractors above the (K + 1)-th fall off exponentially: theta = (K / e) exp(-(t - u) / sigma).

    u is that score and sigma the mean excess of the K above it. A hit that more than K outrank has (b + 1/2) / e.
    """

    used: int
    family: ClassVar[str] = "tail"
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.01

    def __str__(self) -> str:
        return f"{self.family}({self.used})"

    def futures(self, evidence: Evidence, target: FloatArray) -> Futures:
        """Binomial with the rate of each hit."""
        assert evidence.scored is not None
        yield 1.0, Binomial(still_to_come(evidence, target), self.rates(evidence))

    def rates(self, evidence: Evidence) -> FloatArray:
        """Theta of each hit."""
        assert evidence.scored is not None
        best = evidence.scored.best
        used = np.clip(evidence.scored.known - 1, 0, min(self.used, best.shape[1] - 1))
        chosen, beyond = outside(evidence, evidence.scored, used)
        mine = np.arange(best.shape[1]) < used[:, None]
        level = np.where(used > 0, threshold(evidence.scored, used), 0.0)
        excess = np.where(mine, best - level[:, None], 0.0).sum(axis=1) / np.maximum(used, 1)
        by_score = rate_by_score(evidence, np.where(chosen, beyond, 0.0), excess[evidence.hits.row], 0.0, used)
        return np.where(chosen, by_score, rate_by_count(evidence))
