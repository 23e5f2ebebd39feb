"""Growth model from ranks alone, one hit at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.curves.distributions import BetaBinomial
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import Fit, Future, HitModel


@dataclass(frozen=True)
class Jeffreys(HitModel):
    """A hit with b of e distractors above it has a rate with a Beta(b + 1/2, e - b + 1/2) distribution.

    Too pessimistic: most hits that nothing outranks today have a rate far below 1 / e. It is the floor of the others.
    """

    name: ClassVar[str] = "jeffreys"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.02

    def fit(self, evidence: Evidence) -> Fit:
        """Beta-binomial."""
        above, there = evidence.hits.above, evidence.distractors[evidence.hits.row]
        return lambda coming: Future(BetaBinomial(coming, above + 0.5, there - above + 0.5))
