"""Growth model with scores: an exponential tail for each query by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Binomial
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import Fit, Future, HitModel
from rankscope.forecast.rates import NEVER, outside, rate_by_count
from rankscope.forecast.tails import used_scores


@dataclass(frozen=True)
class Tail(HitModel):
    """Scores of distractors above the (K + 1)-th fall off exponentially: theta = (K / e) exp(-(t - u) / sigma).

    u is that score and sigma the mean excess of the K above it. A hit that more than K outrank has (b + 1/2) / e.
    It is the simplest model with scores, and too hopeful: K of e is less than the chance to exceed the (K + 1)-th best,
    and sigma is taken for certain.
    """

    used: int
    name: ClassVar[str] = "tail"
    unnamed: ClassVar[tuple[str, ...]] = ("used",)
    least: ClassVar[Mapping[str, float]] = {"used": 1}
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.01

    def fit(self, evidence: Evidence) -> Fit:
        """Binomial with the rate of each hit."""
        rates = self.rates(evidence)
        return lambda coming: Future(Binomial(coming, rates))

    def rates(self, evidence: Evidence) -> FloatArray:
        """Theta of each hit."""
        assert evidence.scored is not None
        best, row = evidence.scored.best, evidence.hits.row
        used = used_scores(best, self.used)
        level = np.take_along_axis(best, used[:, None], axis=1)[:, 0]
        mine = np.arange(best.shape[1]) < used[:, None]
        scale = np.where(mine, best - np.where(used > 0, level, 0.0)[:, None], 0.0).sum(axis=1) / np.maximum(used, 1)
        chosen = outside(evidence, level, used)
        beyond = np.where(chosen, evidence.scored.hits, 0.0) - np.where(chosen, level[row], 0.0)
        base = used[row] / np.maximum(evidence.distractors[row], 1.0)
        by_score = np.clip(base * np.exp(-beyond / np.maximum(scale[row], NEVER)), NEVER, 1.0)
        return np.where(chosen, by_score, rate_by_count(evidence))
