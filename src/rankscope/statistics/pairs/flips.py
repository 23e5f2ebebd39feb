"""How far a sum reaches when each of its terms takes either sign with equal chance.

Up to 20 terms all signs are enumerated. Up to 100 the sums are counted on a lattice: exactly where the terms have a
common step (tenths, say), else with terms rounded to 1/8,192 of what is flipped. Above, Lugannani and Rice's (1980)
saddlepoint approximation takes over, with Daniels' (1987) correction where there is a common step; where a few terms
outweigh all others it would fail, and the lattice goes on. No chance is drawn: shares down to 2^-n are distinguished.
"""

from __future__ import annotations

import math

import numpy as np

from rankscope.arrays import FloatArray, IntArray

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
    many = np.flatnonzero((moving > COUNTED) & (_sharing(terms) >= WEIGHTY))
    for column in np.setdiff1d(np.flatnonzero(moving), many).tolist():
        own = terms[terms[:, column] != 0, column]
        share[column] = _enumerated(own) if own.size <= EXACT else _counted(own)
    step = max(1, AT_ONCE // max(len(terms), 1))
    for start in range(0, many.size, step):
        share[many[start : start + step]] = _approximated(terms[:, many[start : start + step]])
    return share


def tie_slack(terms: FloatArray) -> FloatArray:
    """Sums that differ by less are equal but for rounding."""
    return np.asarray(SLACK * np.maximum(1.0, np.abs(terms).sum(axis=0)))


def _sharing(terms: FloatArray) -> FloatArray:
    """(sum t^2)^2 / sum t^4: how many terms share the weight of each column."""
    scaled = (terms / np.maximum(np.abs(terms).max(axis=0, initial=0.0), 1e-300)) ** 2
    return np.asarray(scaled.sum(axis=0) ** 2 / np.maximum((scaled**2).sum(axis=0), 1e-300))


def _enumerated(terms: FloatArray) -> float:
    return signs_reaching(terms, float(terms.sum() - tie_slack(terms))) / 2**terms.size


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
