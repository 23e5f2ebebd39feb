"""What a verdict on two systems rests on: two tests that must agree, and what so few queries cannot show.

Sign flips are exact where the labels of the systems could be swapped. Where the mean difference is 0 but few queries
gain much they err, and `skew_t` does not; so both must show a difference, and the larger p decides. No test sees a gain
that is not among the queries at hand: below 60 queries the result says so.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.flips import FLIPS
from rankscope.statistics.pairs.sign_flip import columns_of, sign_flip_p
from rankscope.statistics.pairs.skew_t import skew_t_p
from rankscope.statistics.pairs.system_pairs import SystemPairs

DECIDING = "sign-flip and skew-t"  # the name of the test in output
RARE = 0.05  # share of queries that gain or lose much and may be missed
SEEN = 60  # units from which on all of them are missed in fewer than 5 % of samples


def decide_p(differences: ArrayLike | SystemPairs, *, flips: int = FLIPS, seed: int = 0) -> FloatArray:
    """The p-value that decides, one per column: the larger one of sign flips and skew t; a row is a query.

    NaN is a query that a pair does not have; a column without any number has no p-value. Where all queries of a column
    differ by the same amount, sign flips decide alone.
    >>> decide_p([[0.2, 0.1], [0.2, -0.1], [0.2, np.nan], [0.4, 0.0]]).round(4).tolist()
    [0.125, 1.0]
    """
    return np.maximum(sign_flip_p(differences, flips=flips, seed=seed), skew_t_p(columns_of(differences).T))


def missed_share(units: int) -> float:
    """How often so many units hold none of those that gain or lose much, were 1 in 20 such.

    >>> round(missed_share(15), 3), round(missed_share(60), 3)
    (0.463, 0.046)
    """
    return math.exp(units * math.log1p(-RARE))


def caution(units: int, unit: str = "queries") -> str:
    """What must be said with a verdict on few units; nothing from 60 on.

    >>> caution(15)
    'if 1 in 20 queries gains or loses much, a sample of 15 lacks all of these in 46 % of cases, and no test can see it'
    >>> caution(60)
    ''
    """
    if units >= SEEN:
        return ""
    return (
        f"if 1 in {1 / RARE:.0f} {unit} gains or loses much, a sample of {units} lacks all of these in "
        f"{100 * missed_share(units):.0f} % of cases, and no test can see it"
    )
