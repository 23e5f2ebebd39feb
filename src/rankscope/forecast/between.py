"""Growth model from ranks alone: halfway between the one that is too hopeful and the one that is too gloomy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.terms import Terms
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.jeffreys import Jeffreys
from rankscope.forecast.model import GrowthModel
from rankscope.forecast.trend import Trend

EDGE = 1e-9


@dataclass(frozen=True)
class Between(GrowthModel):
    """The mean of trend and jeffreys on the logit scale: far ahead the first mostly errs upwards, the second down."""

    name: ClassVar[str] = "between"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.01

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Halfway."""
        both = np.stack([model.means_at(evidence, terms, targets, weights) for model in (Trend(), Jeffreys())])
        both = np.clip(both, EDGE, 1.0 - EDGE)
        return 1.0 / (1.0 + np.exp(-np.log(both / (1.0 - both)).mean(axis=0)))
