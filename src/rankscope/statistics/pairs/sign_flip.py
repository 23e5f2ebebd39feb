"""The sign-flip (paired randomisation) test of a mean difference: Fisher's, with no assumption but exchangeable labels.

If two systems do not differ, their labels could be swapped in any query, so each difference could as well have the
other sign. The p-value is the share of all signs whose sum lies as far out as the one seen. Random signs count the
signs seen as one more, so p is never 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.statistics.pairs.flip_limits import subset_means
from rankscope.statistics.pairs.flips import EXACT, FLIPS, random_flips, random_subset_sums, signs_reaching
from rankscope.statistics.pairs.pair_test import (
    Alternative,
    PairTest,
    checked_alternative,
    known_differences,
    one_sided_interval,
    tail_of,
)
from rankscope.statistics.pairs.system_pairs import SystemPairs

SLACK = 1e-12  # sums that differ by less are tied; for sums above 1 in units of the sum of sizes


def sign_flip_p(
    differences: ArrayLike | SystemPairs, alternative: Alternative = "two-sided", *, flips: int = FLIPS, seed: int = 0
) -> FloatArray:
    """One p-value per column; a row is a query, NaN a query that a pair does not have.

    A difference of 0 has no sign to flip, so only the others count: up to 20 are enumerated, above that `flips` random
    signs are drawn, the same for all columns. A column without any number has no p-value: NaN. Many pairs of the same
    systems are quicker as `SystemPairs`.
    >>> sign_flip_p([[0.2, 0.1], [0.2, -0.1], [0.2, np.nan], [0.4, 0.0]]).tolist()
    [0.125, 1.0]
    """
    checked_alternative(alternative)
    columns = columns_of(differences)
    filled = np.where(np.isnan(columns), 0.0, columns) * (-1.0 if alternative == "less" else 1.0)
    moving = (filled != 0).sum(axis=0)
    p = np.ones(filled.shape[1])
    for column in np.flatnonzero((moving > 0) & (moving <= EXACT)).tolist():
        p[column] = _exact(filled[filled[:, column] != 0, column], alternative)
    many = np.flatnonzero(moving > EXACT)
    if many.size and isinstance(differences, SystemPairs) and differences.complete:
        p[many] = _random_pairs(differences, many, alternative, flips, seed)
    elif many.size:
        p[many] = _random(filled[:, many], alternative, flips, seed)
    p[np.isnan(columns).all(axis=0)] = np.nan
    return p


def columns_of(differences: ArrayLike | SystemPairs) -> FloatArray:
    """Queries x pairs; differences of one pair are one column."""
    if isinstance(differences, SystemPairs):
        return differences.differences
    table = np.asarray(differences, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table


def _slack(values: FloatArray) -> FloatArray:
    return SLACK * np.maximum(1.0, np.abs(values).sum(axis=0))


def _exact(values: FloatArray, alternative: Alternative) -> float:
    total, slack = values.sum(), _slack(values)
    if alternative != "two-sided":
        return signs_reaching(values, total - slack) / 2**values.size
    least = abs(total) - slack
    return 2 * signs_reaching(values, least) / 2**values.size if least > 0 else 1.0


def _random(values: FloatArray, alternative: Alternative, flips: int, seed: int) -> FloatArray:
    """Flipping a set of queries takes twice their sum from the total."""
    moving = values[(values != 0).any(axis=1)]
    total, slack = moving.sum(axis=0), _slack(moving)
    count = np.zeros(values.shape[1], dtype=np.int64)
    for flipped in _flipped_sums(moving, flips, seed):
        sums = total - 2 * flipped
        if alternative == "two-sided":
            count += (np.abs(sums) >= np.abs(total) - slack).sum(axis=0)
        else:
            count += (sums >= total - slack).sum(axis=0)
    return (count + 1) / (flips + 1)


def _random_pairs(pairs: SystemPairs, chosen: IntArray, alternative: Alternative, flips: int, seed: int) -> FloatArray:
    """The same from what is flipped of each system: a sum is minus twice the centred one."""
    differences = pairs.differences[:, chosen]
    moving = np.flatnonzero((differences != 0).any(axis=1))
    sign = -1.0 if alternative == "less" else 1.0
    total, slack = sign * differences[moving].sum(axis=0), _slack(differences[moving])
    least = ((np.abs(total) if alternative == "two-sided" else total) - slack) / 2
    count = np.zeros(chosen.size, dtype=np.int64)
    for numbers, centred in pairs.take(moving, chosen).centred_flips(flips, seed):
        sums = np.abs(centred, out=centred) if alternative == "two-sided" else np.multiply(centred, -sign, out=centred)
        count[numbers] += np.count_nonzero(sums >= least[numbers, None], axis=1)
    return (count + 1) / (flips + 1)


def _flipped_sums(values: FloatArray, flips: int, seed: int) -> Iterator[FloatArray]:
    """What is flipped in each column, batch by batch; the same signs for one column as for many."""
    if values.shape[1] == 1:
        yield random_subset_sums(values[:, 0], flips, seed)[:, None]
        return
    for chosen in random_flips(len(values), flips, seed, columns=values.shape[1]):
        yield chosen @ values


def sign_flip(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
    flips: int = FLIPS,
    seed: int = 0,
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
    p = float(sign_flip_p(values, alternative, flips=flips, seed=seed)[0])
    means = subset_means(values, flips=flips, seed=seed)
    low, high = one_sided_interval(means.lower(tail), means.upper(tail), alternative)
    note = _note(values, flips, seed)
    return PairTest(
        test="sign-flip",
        estimate=float(values.mean()),
        low=low,
        high=high,
        p=p,
        queries=values.size,
        note=note,
        alternative=alternative,
        level=level,
    )


def _note(values: FloatArray, flips: int, seed: int) -> str:
    moving = int((values != 0).sum())
    equal = f"; {values.size - moving} of {values.size} queries equal" if moving < values.size else ""
    return (f"all {2**moving:,} signs" if moving <= EXACT else f"{flips:,} random signs, seed {seed}") + equal
