"""The sign-flip (paired randomisation) test of a mean difference: Fisher's, with no assumption but exchangeable labels.

If two systems do not differ, their labels could be swapped in any query, so each difference could as well have the
other sign. The p-value is the share of all signs whose sum lies as far out as the one seen; no signs are drawn, so it
is the same each time, and 2^(1-n) is its only floor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.number_texts import how_many
from rankscope.statistics.pairs.flip_limits import flip_limits
from rankscope.statistics.pairs.flips import COUNTED, EXACT, reaching_share, tie_slack
from rankscope.statistics.pairs.pair_test import (
    Alternative,
    PairTest,
    checked_alternative,
    known_differences,
    one_sided_interval,
    tail_of,
)


def sign_flip_p(differences: ArrayLike, alternative: Alternative = "two-sided") -> FloatArray:
    """One p-value per column; a row is a query, NaN a query that a pair does not have.

    A difference of 0 has no sign to flip, so only the others count: up to 20 are enumerated, up to 100 counted on a
    lattice, more approximated within 1 % (`flips`). A column without any number has no p-value: NaN.
    >>> sign_flip_p([[0.2, 0.1], [0.2, -0.1], [0.2, np.nan], [0.4, 0.0]]).tolist()
    [0.125, 1.0]
    """
    checked_alternative(alternative)
    columns = columns_of(differences)
    filled = np.where(np.isnan(columns), 0.0, columns)
    total = filled.sum(axis=0)
    if alternative == "two-sided":
        share = 2 * reaching_share(np.where(total < 0, -filled, filled))
        p = np.where(np.abs(total) <= tie_slack(filled), 1.0, np.minimum(share, 1.0))
    else:
        p = reaching_share(-filled if alternative == "less" else filled)
    p[np.isnan(columns).all(axis=0)] = np.nan
    return p


def columns_of(differences: ArrayLike) -> FloatArray:
    """Queries x pairs; differences of one pair are one column."""
    table = np.asarray(differences, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table


def sign_flip(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
) -> PairTest:
    """The test with its interval: all mean differences that the same test would not reject.

    Few queries cannot reject any: the interval is then infinite (fewer than 6 queries at 95 %, two-sided).
    >>> sign_flip([0.2, 0.2, 0.2, 0.4]).p
    0.125
    """
    values = known_differences(differences)
    tail = tail_of(level, alternative)
    if not values.size:
        return PairTest(
            test="sign-flip",
            estimate=np.nan,
            low=np.nan,
            high=np.nan,
            p=np.nan,
            queries=0,
            note="no query",
            alternative=alternative,
            level=level,
        )
    low, high = one_sided_interval(*flip_limits(values, tail), alternative)
    return PairTest(
        test="sign-flip",
        estimate=float(values.mean()),
        low=low,
        high=high,
        p=float(sign_flip_p(values, alternative)[0]),
        queries=values.size,
        note=_note(values),
        alternative=alternative,
        level=level,
    )


def _note(values: FloatArray) -> str:
    moving = int((values != 0).sum())
    equal = f"; {values.size - moving} of {how_many(values.size, 'queries')} equal" if moving < values.size else ""
    return flips_in_words(moving) + equal


def flips_in_words(moving: int) -> str:
    """How the signs of so many differences are looked at.

    >>> flips_in_words(15), flips_in_words(50), flips_in_words(500)
    ('all 32,768 signs', 'all signs of 50, counted on a lattice', 'all signs of 500, by saddlepoint')
    """
    if moving <= EXACT:
        return f"all {2**moving:,} signs"
    return f"all signs of {moving:,}, " + ("counted on a lattice" if moving <= COUNTED else "by saddlepoint")
