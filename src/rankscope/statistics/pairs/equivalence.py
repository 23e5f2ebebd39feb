"""Equivalence: no difference was found is not the same as there is none. Two one-sided tests (Schuirmann 1987)."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from rankscope.statistics.pairs.pair_test import PairTest, known_differences
from rankscope.statistics.pairs.paired_t import paired_t
from rankscope.statistics.pairs.sign_flip import sign_flip
from rankscope.validation import SEED, SHARE, Number, OneOf, check

METHODS = ("sign-flip", "t")


@dataclass(frozen=True)
class Equivalence:
    """Whether the mean difference lies within plus or minus `margin`.

    `low` and `high` are the limits of the two one-sided tests: equivalent exactly if both lie within the margin.
    """

    margin: float
    estimate: float
    low: float
    high: float
    p: float  # that of the worse of the two one-sided tests
    p_different: float
    queries: int
    alpha: float = 0.05
    method: str = "sign-flip"

    @property
    def equivalent(self) -> bool:
        """Whether both tests reject a difference of the margin or more."""
        return self.p <= self.alpha

    @property
    def verdict(self) -> str:
        """`equivalent within ±m`, `different`, or `not shown`: too few queries to say either."""
        if self.equivalent:
            return f"equivalent within ±{self.margin:g}"
        return "different" if self.p_different <= self.alpha else "not shown"

    def rows(self) -> list[dict[str, object]]:
        """One row, in plain numbers."""
        return [
            {
                "mean difference": self.estimate,
                "low": self.low,
                "high": self.high,
                "margin": self.margin,
                "p (equivalence)": self.p,
                "p (difference)": self.p_different,
                "queries": self.queries,
                "verdict": self.verdict,
            }
        ]


def equivalence(
    differences: ArrayLike, margin: float, *, alpha: float = 0.05, method: str = "sign-flip", seed: int = 0
) -> Equivalence:
    """Test the differences against plus and minus the margin, the smallest effect that matters.

    A small difference that is surely there may be both; then it is called equivalent, which is what matters.
    >>> equivalence([0.01, -0.01, 0.0, 0.02, -0.01, 0.0, 0.01, -0.02], margin=0.02).verdict
    'equivalent within ±0.02'
    """
    rules = {"margin": Number(above=0), "alpha": SHARE, "method": OneOf(tuple(METHODS)), "seed": SEED}
    margin, alpha, method, seed = check(locals(), **rules).values()
    values, level = known_differences(differences), 1 - alpha

    def tested(moved: float, alternative: str) -> PairTest:
        if method == "t":
            return paired_t(values + moved, alternative, level=level)  # type: ignore[arg-type]
        return sign_flip(values + moved, alternative, level=level)  # type: ignore[arg-type]

    above, below, both = tested(margin, "greater"), tested(-margin, "less"), tested(0.0, "two-sided")
    p = max(above.p, below.p)
    low, high = above.low - margin, below.high + margin
    return Equivalence(
        margin=margin,
        estimate=both.estimate,
        low=low,
        high=high,
        p=p,
        p_different=both.p,
        queries=values.size,
        alpha=alpha,
        method=method,
    )
