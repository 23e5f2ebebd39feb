"""The sign test: who wins more queries, by whatever margin."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.measures.direction import tally
from rankscope.statistics.pairs.pair_test import Alternative, PairTest, known_differences, one_sided_interval, tail_of


def sign_test(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
    lower_is_better: bool = False,
) -> PairTest:
    """The share of wins among the queries that differ, its exact binomial interval (Clopper and Pearson) and p-value.

    Differences up to 1e-9 are ties and left out. Where lower is better, a query is won that has less.
    >>> made = sign_test([0.1, 0.2, 0.3, -0.1, 0.0])
    >>> made.estimate, made.p, made.note, sign_test([0.1, 0.2, 0.3, -0.1, 0.0], lower_is_better=True).estimate
    (0.75, 0.625, '3 won, 1 lost, 1 equal', 0.25)
    """
    from scipy.special import bdtr

    values, tail = known_differences(differences), tail_of(level, alternative)
    won, lost, equal = tally(values, lower_is_better)
    count = won + lost
    note = f"{won} won, {lost} lost, {equal} equal"
    if not count:
        p = 1.0 if values.size else math.nan
        return PairTest(
            test="sign",
            estimate=math.nan,
            low=math.nan,
            high=math.nan,
            p=p,
            queries=values.size,
            note=note,
            quantity="share won",
            alternative=alternative,
            level=level,
        )
    tails = {
        "two-sided": min(1.0, 2 * float(bdtr(min(won, lost), count, 0.5))),
        "greater": float(bdtr(lost, count, 0.5)),
        "less": float(bdtr(won, count, 0.5)),
    }
    low, high = one_sided_interval(*binomial_limits(won, count, tail), alternative)
    share = won / count
    return PairTest(
        test="sign",
        estimate=share,
        low=max(low, 0.0),
        high=min(high, 1.0),
        p=tails[alternative],
        queries=values.size,
        note=note,
        quantity="share won",
        alternative=alternative,
        level=level,
    )


def binomial_limits(found: int, count: int, tail: float) -> tuple[float, float]:
    """Exact limits of a share (Clopper and Pearson), `tail` left outside on each side.

    >>> [round(each, 4) for each in binomial_limits(3, 10, 0.025)]
    [0.0667, 0.6525]
    """
    from scipy.special import betaincinv

    low = float(betaincinv(found, count - found + 1, tail)) if found else 0.0
    high = float(betaincinv(found + 1, count - found, 1 - tail)) if found < count else 1.0
    return low, high


def wilson_limits(found: float, count: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's limits of a share: close to right for any number of queries; NaN for none.

    >>> [round(each, 4) for each in wilson_limits(3, 10)]
    [0.1078, 0.6032]
    """
    from scipy.special import ndtri

    if not count:
        return math.nan, math.nan
    z = float(ndtri((1 + level) / 2))
    share, shrink = found / count, 1 + z * z / count
    middle = (share + z * z / (2 * count)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    low = 0.0 if found == 0 else middle - half
    return low, 1.0 if found == count else float(np.minimum(middle + half, 1.0))
