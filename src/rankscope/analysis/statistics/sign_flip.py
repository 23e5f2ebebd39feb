"""The sign-flip (paired randomisation) test of a mean difference with the differences that it does not reject, and
Wilcoxon's signed-rank test.

The sign-flip test is Fisher's, with no assumption but exchangeable labels. If two systems do not differ, their labels
could be swapped in any query, so each difference could as well have the other sign. The p-value is the share of all
signs whose sum lies as far out as the one seen; no signs are drawn, so it is the same each time, and 2^(1-n) is its
only floor.

Its interval holds the means that it does not reject: flipping the set F of units reaches the sum seen exactly if the
mean of F is on the other side of the mean tested (Hartigan 1969, "typical values"). So for up to 20 units one sorted
list of subset means holds the limits for every level; for more the limit is where the p-value of the moved
differences
meets the level.

How far a sum reaches when each of its terms takes either sign with equal chance: up to 20 terms all signs are
enumerated. Up to 100 the sums are counted on a lattice: exactly where the terms have a common step (tenths, say),
else
with terms rounded to 1/8,192 of what is flipped. Above, Lugannani and Rice's (1980) saddlepoint approximation takes
over, with Daniels' (1987) correction where there is a common step; where a few terms outweigh all others it would
fail,
and the lattice goes on. No chance is drawn: shares down to 2^-n are distinguished.

Wilcoxon's test takes ranks of the sizes of the differences, so that none weighs too much. Differences are rounded to
1e-9 first, because raw floats break true ties; zeros are dropped; tied sizes share the mean of their ranks. The
p-value
is the normal approximation with the variance of the tied ranks, without continuity correction; or exact, over the
signs
of those ranks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.paired_tests import (
    Alternative,
    PairTest,
    checked_alternative,
    known_differences,
    one_sided_interval,
    tail_of,
)
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.wording import how_many


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
    mean = low = high = p = math.nan
    note = "no query"
    if values.size:
        mean, p = float(values.mean()), float(sign_flip_p(values, alternative)[0])
        low, high = one_sided_interval(*flip_limits(values, tail), alternative)
        moving = int((values != 0).sum())
        equal = f"; {values.size - moving} of {how_many(values.size)} equal" if moving < values.size else ""
        note = flips_in_words(moving) + equal
    return PairTest(
        test="sign-flip",
        estimate=mean,
        low=low,
        high=high,
        p=p,
        queries=values.size,
        note=note,
        alternative=alternative,
        level=level,
    )


def flips_in_words(moving: int) -> str:
    """How the signs of so many differences are looked at.

    >>> flips_in_words(15), flips_in_words(50), flips_in_words(500)
    ('all 32,768 signs', 'all signs of 50, counted on a lattice', 'all signs of 500, by saddlepoint')
    """
    if moving <= EXACT:
        return f"all {2**moving:,} signs"
    return f"all signs of {moving:,}, " + ("counted on a lattice" if moving <= COUNTED else "by saddlepoint")


FINE = 1e-7  # of the width between the mean and the outermost unit


def flip_limits(differences: ArrayLike, tail: float, sizes: ArrayLike | None = None) -> tuple[float, float]:
    """The lowest and highest mean that leave more than `tail` on their side; infinite where no mean is rejected.

    `sizes`: a difference may be the sum over so many queries that are flipped together (a class).
    >>> flip_limits([0.1, 0.2, 0.3, 0.4, 0.5], 0.05), flip_limits([0.1, 0.2, 0.3, 0.4, 0.5], 0.01)
    ((0.1, 0.5), (-inf, inf))
    """
    values = np.asarray(differences, dtype=np.float64)
    weight = np.ones(values.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if 0.5**values.size > tail * (1 + 1e-9):
        return -np.inf, np.inf
    if values.size > EXACT:
        return -_highest(-values, weight, tail), _highest(values, weight, tail)
    sums, counts = all_subset_sums(values), all_subset_sums(weight)
    some = counts > 0
    means = np.sort(sums[some] / counts[some])
    place = int(np.floor(tail * sums.size + 1e-9)) - int(sums.size - some.sum())  # of no flip there is no mean
    return (float(means[place]), float(means[-1 - place])) if place >= 0 else (-np.inf, np.inf)


def _highest(values: FloatArray, weight: FloatArray, tail: float) -> float:
    """The highest mean not rejected: from the outermost unit on no sum reaches as low as the one seen."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    mean, outermost = values.sum() / weight.sum(), float((values / weight).max())
    if not outermost > mean:
        return float(mean)
    aim = float(ndtri(tail))

    def above(place: float) -> float:
        moved = (mean + place * (outermost - mean)) * weight - values
        return float(ndtri(min(reaching_share(moved[:, None])[0], 1 - 1e-16))) - aim

    found = brentq(above, 0.0, 1.0, xtol=FINE) if above(1.0) < 0 else 1.0
    return float(mean + found * (outermost - mean))


EXACT = 20  # so many terms have about a million signs: all are looked at
COUNTED = 100  # so many terms are counted on a lattice: less than a millisecond
CELLS = 8_192  # of a lattice without a common step
MOST_CELLS = 16_384  # of a lattice with one
SLACK = 1e-12  # sums that differ by less are tied; for sums above 1 in units of the sum of sizes
FRACTIONS = 5_819_814_000.0  # every fraction with a denominator up to 20, and 1/50, 1/100 and 1/1000, is a whole number
STEPS = 60
BEFORE_OVERFLOW = 512  # terms after which counts are halved as often
WEIGHTY = 10.0  # terms that must share the weight for the approximation to hold within 1 %
AT_ONCE = 500_000  # numbers in one batch of columns
CENTRAL = 1e-3  # so near its middle a sum is normal, and the approximation divides by 0


def reaching_share(terms: FloatArray) -> FloatArray:
    """The share of all signs for which the sum is at least the one seen, for each column.

    Zeros have no sign, nor has what is left of equal scores by rounding.
    >>> reaching_share(np.array([[1.0, 1.0], [2.0, -2.0], [3.0, 1e-16]])).tolist()
    [0.125, 0.75]
    """
    terms = np.where(2 * np.abs(terms) <= tie_slack(terms), 0.0, terms)
    moving = (terms != 0).sum(axis=0)
    share = np.ones(terms.shape[1])
    # (sum t^2)^2 / sum t^4: how many terms share the weight of each column.
    scaled = (terms / np.maximum(np.abs(terms).max(axis=0, initial=0.0), 1e-300)) ** 2
    sharing = np.asarray(scaled.sum(axis=0) ** 2 / np.maximum((scaled**2).sum(axis=0), 1e-300))
    many = np.flatnonzero((moving > COUNTED) & (sharing >= WEIGHTY))
    for column in np.setdiff1d(np.flatnonzero(moving), many).tolist():
        own = terms[terms[:, column] != 0, column]
        if own.size <= EXACT:
            share[column] = signs_reaching(own, float(own.sum() - tie_slack(own))) / 2**own.size
        else:
            share[column] = _counted(own)
    step = max(1, AT_ONCE // max(len(terms), 1))
    for start in range(0, many.size, step):
        share[many[start : start + step]] = _approximated(terms[:, many[start : start + step]])
    return share


def tie_slack(terms: FloatArray) -> FloatArray:
    """Sums that differ by less are equal but for rounding."""
    return np.asarray(SLACK * np.maximum(1.0, np.abs(terms).sum(axis=0)))


def _counted(terms: FloatArray) -> float:
    """Flipping terms takes twice their sizes from the largest sum: those flipped may sum to what was negative here."""
    sizes = np.abs(terms)
    negative = terms < 0
    flipped = float(sizes[negative].sum())
    if not flipped:
        return float(0.5**terms.size)
    step = float(common_steps(terms[:, None])[0])
    exact = step * MOST_CELLS >= flipped
    scaled = np.minimum(sizes, 2 * flipped) / (step if exact else flipped / CELLS)  # larger ones are never flipped
    if exact or sizes.size <= COUNTED:
        cells = np.rint(scaled).astype(np.int64)  # equal terms stay equal, and ties of sums tied
        return float(subset_shares(cells, int(cells[negative].sum())).sum())
    cells = np.diff(np.rint(np.cumsum(np.sort(scaled))), prepend=0.0).astype(np.int64)  # what is rounded off is carried
    shares = subset_shares(cells, CELLS)
    return float(shares.sum() - shares[-1] / 2)


def subset_shares(sizes: IntArray, most: int) -> FloatArray:
    """The share of all subsets that have each sum from 0 to `most`.

    >>> subset_shares(np.array([1, 1, 2, 5]), 3).tolist()
    [0.0625, 0.125, 0.125, 0.125]
    """
    shares = np.zeros(most + 1)
    shares[0] = 1.0
    ordered = np.sort(sizes)
    for start in range(0, sizes.size, BEFORE_OVERFLOW):
        some = ordered[start : start + BEFORE_OVERFLOW].tolist()
        for size in some:
            if size == 0:
                shares *= 2
            elif size <= most:
                shares[size:] += shares[:-size].copy()
        shares *= 0.5 ** len(some)
    return shares


def common_steps(terms: FloatArray) -> FloatArray:
    """The largest number of which all terms of a column are multiples; 0 where they are no simple fractions.

    >>> common_steps(np.array([[0.2, 0.5], [0.4, 1 / 3], [-0.6, 0.123456789]])).round(9).tolist()
    [0.2, 0.0]
    """
    scaled = np.abs(terms) * FRACTIONS
    whole = np.rint(scaled)
    simple = (np.abs(scaled - whole) <= 1e-3).all(axis=0) & (whole.max(axis=0, initial=0.0) < 2**53)
    steps = np.gcd.reduce(np.where(simple, whole, 0.0).astype(np.int64), axis=0)
    return np.asarray(steps / FRACTIONS)


def reaching_bound(terms: FloatArray) -> FloatArray:
    """Chernoff's bound: `reaching_share` is at most this; quick for many columns.

    >>> reaching_bound(np.array([[1.0, 1.0], [2.0, -2.0], [3.0, 0.0]])).round(4).tolist()
    [0.125, 1.0]
    """
    bound = np.ones(terms.shape[1])
    above = np.flatnonzero(terms.sum(axis=0) > 0)
    step = max(1, AT_ONCE // max(len(terms), 1))
    for start in range(0, above.size, step):
        some = above[start : start + step]
        sizes = np.abs(terms[:, some])
        target = np.minimum(terms[:, some].sum(axis=0), sizes.sum(axis=0) * (1 - 1e-12))
        root = _saddlepoint(sizes, target)
        bound[some] = np.exp(np.minimum(_log_cosh(root * sizes).sum(axis=0) - root * target, 0.0))
    return bound


def _log_cosh(values: FloatArray) -> FloatArray:
    return np.asarray(values + np.log1p(np.exp(-2 * values)) - math.log(2))


def _approximated(terms: FloatArray) -> FloatArray:
    """Lugannani and Rice's tail of the sum of signed terms, for columns of many terms."""
    from scipy.special import ndtr

    sizes, total = np.abs(terms), terms.sum(axis=0)
    most, half = sizes.sum(axis=0), common_steps(terms)
    aim = total - half  # half way to the next sum below
    target = np.minimum(np.abs(aim), most * (1 - 1e-12))
    root = _saddlepoint(sizes, target)
    bent = root * sizes
    slope = (sizes**2 / np.cosh(np.minimum(bent, 350.0)) ** 2).sum(axis=0)
    w = np.sqrt(2 * np.maximum(root * target - _log_cosh(bent).sum(axis=0), 0.0))
    stretched = np.where(half > 0, np.sinh(np.minimum(root * half, 350.0)) / np.where(half > 0, half, 1.0), root)
    u = stretched * np.sqrt(slope)
    central = w < CENTRAL
    safe_w, safe_u = np.where(central, 1.0, w), np.where(central, 1.0, u)
    added = np.exp(-(safe_w**2) / 2) / math.sqrt(2 * math.pi) * (1 / safe_u - 1 / safe_w)
    tail = np.clip(ndtr(-w) + np.where(central, 0.0, added), 0.0, 1.0)
    least = 0.5 ** (terms != 0).sum(axis=0)
    share = np.maximum(np.where(aim >= 0, tail, 1 - tail), least)
    return np.asarray(np.where((terms < 0).any(axis=0), share, least))


def _saddlepoint(sizes: FloatArray, target: FloatArray) -> FloatArray:
    """Where sum of sizes x tanh(root x sizes) is the target; what is missing falls like an exponential, so in logs."""
    most = sizes.sum(axis=0)
    goal = np.log(most - target)
    root = target / (sizes**2).sum(axis=0)
    for _ in range(STEPS):
        bent = np.minimum(root * sizes, 350.0)
        missing = (2 * sizes / (1 + np.exp(2 * bent))).sum(axis=0)
        slope = (sizes**2 / np.cosh(bent) ** 2).sum(axis=0)
        step = (np.log(missing) - goal) * missing / slope
        root = np.maximum(root + step, 0.0)
        if (np.abs(step) <= 1e-10 * np.maximum(root, 1e-300)).all():
            break
    return root


def all_subset_sums(values: FloatArray) -> FloatArray:
    """The sum of every subset, the empty one first; 2^n of them.

    >>> all_subset_sums(np.array([1.0, 10.0])).tolist()
    [0.0, 1.0, 10.0, 11.0]
    """
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums, sums + value])
    return sums


def signs_reaching(values: FloatArray, least: float) -> int:
    """For how many of the 2^n choices of signs the sum is `least` or more.

    Each half's sums are made and one half is sorted; the other half looks up how many of them reach.
    >>> signs_reaching(np.array([1.0, 2.0, 3.0]), 2.0)
    3
    """
    half = values.size // 2
    left, right = (np.sort(2 * all_subset_sums(part) - part.sum()) for part in (values[:half], values[half:]))
    return int(left.size * right.size - np.searchsorted(left, least - right, side="left").sum())


PLACES = 9
HALVINGS = 200
FEW = 1_000  # so many values have half a million pairs: all are made and sorted


def signed_ranks(differences: FloatArray) -> FloatArray:
    """The rank of each size with the sign of its difference; zeros are left out.

    >>> signed_ranks(np.array([0.5, -0.1, 0.0, 0.3, -0.3])).tolist()
    [4.0, -1.0, 2.5, -2.5]
    """
    rounded = differences.round(PLACES)
    moving = rounded[rounded != 0]
    _, place, count = np.unique(np.abs(moving), return_inverse=True, return_counts=True)
    return np.sign(moving) * (np.cumsum(count) - (count - 1) / 2)[place]


def wilcoxon(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
    exact: bool | None = None,
) -> PairTest:
    """The pseudo-median of the queries that differ (Hodges and Lehmann), with interval and p-value.

    `exact` None enumerates the signs of up to 20 ranks, where the normal approximation rejects too often, and uses the
    approximation above; True counts the signs above too. The note has the other p-value where both are known.
    >>> made = wilcoxon([0.06, 0.03, 0.08, 0.02, -0.01], exact=False)
    >>> round(made.estimate, 4), round(made.p, 4), made.note
    (0.035, 0.0796, 'W+ = 14, 5 of 5 queries differ; normal approximation; exact p = 0.1250')
    """
    values, tail = known_differences(differences), tail_of(level, alternative)
    ranks = signed_ranks(values)
    median, p = (0.0, 1.0) if values.size else (math.nan, math.nan)
    low = high = math.nan
    note = "no query differs"
    if ranks.size:
        few = ranks.size <= EXACT
        chosen = few if exact is None else exact
        normal = normal_p(ranks, alternative)
        by_signs = float(sign_flip_p(ranks, alternative)[0]) if few or chosen else math.nan
        p = by_signs if chosen else normal
        other = f"; normal p = {normal:.4f}" if chosen else f"; exact p = {by_signs:.4f}" if few else ""
        way = "normal approximation" if not chosen else "exact" if few else flips_in_words(ranks.size)
        note = f"W+ = {ranks[ranks > 0].sum():g}, {ranks.size} of {how_many(values.size)} differ; {way}{other}"
        moving = np.sort(values[values.round(PLACES) != 0])
        median = pseudo_median(moving)
        low, high = one_sided_interval(*_limits(moving, tail), alternative)
    return PairTest(
        test="Wilcoxon",
        estimate=median,
        low=low,
        high=high,
        p=p,
        queries=values.size,
        note=note,
        quantity="pseudo-median",
        alternative=alternative,
        level=level,
    )


def normal_p(ranks: FloatArray, alternative: Alternative = "two-sided") -> float:
    """The normal approximation; the variance of W+ is a quarter of the sum of squared ranks, ties or not.

    >>> round(normal_p(np.array([1.0, 2.5, 2.5, 4.0, -5.0])), 4)
    0.4982
    """
    from scipy.special import ndtr

    z = ranks.sum() / math.sqrt(float(ranks @ ranks))
    tails = {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}
    return float(tails[alternative])


def pseudo_median(ordered: FloatArray) -> float:
    """The median of the means of all pairs, each value with itself included.

    >>> pseudo_median(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    pairs = ordered.size * (ordered.size + 1) // 2
    low, high = walsh_averages(ordered, ((pairs - 1) // 2, pairs // 2))
    return (low + high) / 2


def _limits(ordered: FloatArray, tail: float) -> tuple[float, float]:
    """Walsh averages as far from each end as the normal approximation allows."""
    from scipy.special import ndtri

    count = ordered.size
    sd = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    place = math.floor(count * (count + 1) / 4 + float(ndtri(tail)) * sd)
    if place < 0:
        return -math.inf, math.inf
    low, high = walsh_averages(ordered, (place, count * (count + 1) // 2 - 1 - place))
    return low, high


def walsh_averages(ordered: FloatArray, places: Sequence[int]) -> list[float]:
    """The means of two values, or of one with itself, that stand at these places in their order, from 0.

    Of many values not all pairs are made: each place is found by halving.
    """
    if ordered.size > FEW:
        return [_found(ordered, place) for place in places]
    first, second = np.triu_indices(ordered.size)
    averages = np.sort((ordered[first] + ordered[second]) / 2)
    return averages[list(places)].tolist()


def _found(ordered: FloatArray, place: int) -> float:
    low, high = float(ordered[0]), float(ordered[-1])
    if _pairs_up_to(ordered, low) > place:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if _pairs_up_to(ordered, middle) > place else (middle, high)
    return high


def _pairs_up_to(ordered: FloatArray, mean: float) -> int:
    reached = np.searchsorted(ordered, 2 * mean - ordered, side="right").sum()
    return int(reached + np.searchsorted(ordered, mean, side="right")) // 2
