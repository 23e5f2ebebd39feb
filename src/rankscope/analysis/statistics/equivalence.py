"""Equivalence: no difference was found is not the same as there is none. Two one-sided tests (Schuirmann 1987).

The tests are those that decide everywhere (`deciding_test`), one-sided: a pair is equivalent where they reject both
that the mean difference is minus the margin or less, and that it is the margin or more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.deciding_test import DECIDING, decide_limits, decide_p
from rankscope.analysis.statistics.paired_tests import PairTest, known_differences, paired_t
from rankscope.analysis.statistics.sign_flip import sign_flip
from rankscope.core.arrays import FloatArray
from rankscope.core.validation import SEED, SHARE, Number, OneOf, check

METHODS = (DECIDING, "sign-flip", "t")


@dataclass(frozen=True)
class Equivalence:
    """Whether the mean difference, second system minus first, lies within plus or minus `margin`.

    `low` and `high` are the limits of the two one-sided tests: equivalent exactly if both lie within the margin.
    """

    margin: float
    estimate: float
    low: float
    high: float
    p: float  # that of the worse of the two one-sided tests
    p_different: float  # of the test of a difference; in a comparison, corrected over the family as everywhere
    queries: int
    alpha: float = 0.05
    method: str = DECIDING
    first: str = ""
    second: str = ""
    adjusted: float = np.nan  # p corrected over the family; NaN where there is none
    tail: float = 0.05  # which each limit leaves outside: the level at which the correction held the pair

    @property
    def equivalent(self) -> bool:
        """Whether both tests reject a difference of the margin or more."""
        return (self.p if np.isnan(self.adjusted) else self.adjusted) <= self.alpha

    @property
    def different(self) -> bool:
        """Whether the test of a difference shows one, which may lie within the margin."""
        return self.p_different <= self.alpha

    @property
    def outcome(self) -> str:
        """`equivalent`, though there may be a difference too; `different`; or `neither shown`: too few queries."""
        return "equivalent" if self.equivalent else "different" if self.different else "neither shown"

    @property
    def verdict(self) -> str:
        return f"equivalent within ±{self.margin:g}" if self.equivalent else self.outcome

    def rows(self) -> list[dict[str, object]]:
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

    def row(self, correction: str) -> dict[str, object]:
        """As one pair among others: with its systems, and p corrected."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.estimate,
            "margin": self.margin,
            "low": self.low,
            "high": self.high,
            "level": 1 - 2 * self.tail,
            "p": self.p,
            f"p ({correction})": self.adjusted,
            "outcome": self.outcome,
        }


def equivalence(
    differences: ArrayLike, margin: float, *, alpha: float = 0.05, method: str = DECIDING, seed: int = 0
) -> Equivalence:
    """Test the differences of one pair against plus and minus the margin, the smallest effect that matters.

    A small difference that is surely there may be both; then it is called equivalent, which is what matters. `method`
    is what decides everywhere, or one of its tests, or t. No test draws anything: `seed` is kept for calls that name
    it.
    >>> equivalence([0.01, -0.01, 0.0, 0.02, -0.01, 0.0, 0.01, -0.02], margin=0.02).verdict
    'equivalent within ±0.02'
    """
    rules = {"margin": Number(above=0), "alpha": SHARE, "method": OneOf(METHODS), "seed": SEED}
    margin, alpha, method, seed = check(locals(), **rules).values()
    values = known_differences(differences)
    column = values[:, None]
    if method == DECIDING:
        p, both = (float(each[0]) for each in (equivalence_p(column, margin), decide_p(column)))
        low, high = (float(each[0]) for each in decide_limits(column, 1 - 2 * alpha))
    else:
        test: Callable[..., PairTest] = paired_t if method == "t" else sign_flip
        above, below, two_sided = (
            test(values + moved, side, level=1 - alpha)
            for moved, side in ((margin, "greater"), (-margin, "less"), (0.0, "two-sided"))
        )
        p, both, low, high = max(above.p, below.p), two_sided.p, above.low - margin, below.high + margin
    return Equivalence(
        margin=margin,
        estimate=float(values.mean()) if values.size else np.nan,
        low=low,
        high=high,
        p=p,
        p_different=both,
        queries=values.size,
        alpha=alpha,
        method=method,
        tail=alpha,
    )


def equivalence_p(differences: ArrayLike, margin: ArrayLike, sizes: FloatArray | None = None) -> FloatArray:
    """The larger p of the two one-sided tests, one per column; a row is a query, NaN one that a pair does not have.

    `margin`: of all columns, or of each. `sizes`: a row may be the sum over so many queries, scaled so that the mean
    of the sizes is 1.
    >>> equivalence_p([[0.01], [-0.01], [0.0], [0.02], [-0.01], [0.0], [0.01], [-0.02]], 0.02).round(4).tolist()
    [0.0148]
    """
    columns = np.asarray(differences, dtype=np.float64)
    moved = np.asarray(margin, dtype=np.float64) * (1.0 if sizes is None else sizes[:, None])
    return np.maximum(decide_p(columns + moved, "greater"), decide_p(columns - moved, "less"))
