"""Numbers as texts have them, all rows of a column at once, each the nearest double to what is written.

Digits are read eight at a time inside one machine word. A number M / 10^d is exact to the last bit where M is below
2^53 and d at most 22, for both are doubles then and a division is rounded once. Beyond that, up to 19 digits, M and
10^d are exact in the 64 bits that some processors compute with; the quotient is rounded to these, then to 53, which is
the same as being rounded once unless it lies exactly between two doubles. Zeros in front do not count as digits. Such
rows, those with an exponent, and all that is longer go through Python's own `float`, one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.id_columns import BEFORE, WORD, words_at

MINUS, POINT, ZERO = 45, 46, 48
WRITTEN = re.compile(rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MOST_DIGITS = 19  # of which every number is below 2^64
MOST_PLACES = 22  # behind the point of 0.0...: 10^22 is a double
MOST_ONE_BY_ONE = 1 / 8  # of the rows: beyond that another reader is quicker
_EXACT = 1 << 53
_WHOLE_POWERS = np.array([10**n if n <= MOST_DIGITS else 0 for n in range(MOST_PLACES + 1)], dtype=np.uint64)
_POWERS = 10.0 ** np.arange(MOST_PLACES + 1)
_WIDE_POWERS = np.cumprod(np.r_[1, np.full(27, 10)].astype(np.longdouble))
_WIDE = np.finfo(np.longdouble).nmant == 63
_LAST_BYTES = np.array([0] + [((1 << 64) - 1) ^ ((1 << 8 * (WORD - n)) - 1) for n in range(1, 9)], dtype=np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_BEYOND_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_JOINING = (  # what a word is multiplied by, shifted by and cut to
    (np.uint64(10 * 256 + 1), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100 * 65536 + 1), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10000 * 2**32 + 1), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)


def decimals(buffer: NDArray[np.uint8], start: IntArray, end: IntArray) -> FloatArray | None:
    """The numbers in these places of a padded text; None where some are none, or where too many are written oddly.

    >>> from rankscope.inputs.id_columns import padded
    >>> decimals(padded(b"12.5 -3 1e-3"), BEFORE + np.array([0, 5, 8]), BEFORE + np.array([4, 7, 12]))
    array([ 1.25e+01, -3.00e+00,  1.00e-03])
    """
    negative = buffer[start] == MINUS
    any_negative = bool(negative.any())
    first = start + negative if any_negative else start
    places = _places_behind_the_point(buffer, first, end)
    behind = np.maximum(places, 0)
    whole_end = end - behind - (places >= 0)
    before = whole_end - first
    digits = before + behind
    plain = (digits > 0) & (digits <= MOST_DIGITS)
    if not plain.all():
        plain |= (before == 1) & (buffer[first] == ZERO) & (behind <= MOST_PLACES)
        before, behind = np.where(plain, before, 0), np.where(plain, behind, 0)
    words = words_at(buffer)
    mantissa, good = _digits(words, whole_end, before)
    part, part_good = _digits(words, end, behind)
    mantissa *= _WHOLE_POWERS[behind]
    mantissa += part
    plain &= good
    plain &= part_good
    values = _quotients(mantissa, behind, plain)
    if any_negative:
        np.negative(values, out=values, where=negative)
    return values if plain.all() else _one_by_one(values, buffer, start, end, np.flatnonzero(~plain))


def _places_behind_the_point(buffer: NDArray[np.uint8], first: IntArray, end: IntArray) -> IntArray:
    """How many characters stand behind the last point of each, as one number if that is so for all; -1 without one."""
    if first.size == 0:
        return first
    length = end - first
    usual = buffer[first[0] : end[0]].tobytes()[::-1].find(b".")
    if 0 <= usual < int(length.min()) and bool((buffer[end - 1 - usual] == POINT).all()):
        return np.array(usual)
    places = np.full(first.size, -1)
    for place in range(min(int(length.max()), BEFORE) - 1, -1, -1):
        at = end - 1 - place
        places[(buffer[at] == POINT) & (at >= first)] = place
    return places


def _digits(words: NDArray[np.uint64], end: IntArray, count: IntArray) -> tuple[NDArray[np.uint64], BoolArray]:
    """The whole number in the last `count` characters before each end, at most 24, and whether it is one.

    All must be digits, of which those in front of the last 19 are zeros.
    """
    total, good = _eight_digits(words, end, np.minimum(count, WORD))
    for done in range(WORD, int(count.max(initial=0)), WORD):
        more, fine = _eight_digits(words, end - done, np.clip(count - done, 0, WORD))
        total += more * np.uint64(10**done)
        good &= fine & (more < 10 ** (MOST_DIGITS - done))
    return total, good


def _eight_digits(words: NDArray[np.uint64], end: IntArray, count: IntArray) -> tuple[NDArray[np.uint64], BoolArray]:
    """The same for up to 8 characters: pairs of digits, then of pairs, then of fours are joined within the word."""
    digits = words[end - WORD]
    digits ^= _ZEROS
    digits &= _LAST_BYTES[count]
    good = (((digits + _BEYOND_NINE) | digits) & _HIGH_BITS) == 0
    for times, shift, keep in _JOINING:
        digits *= times
        digits >>= shift
        digits &= keep
    return digits, good


def _quotients(mantissa: NDArray[np.uint64], places: IntArray, plain: BoolArray) -> FloatArray:
    """Mantissa / 10^places, rounded once; rows that must be looked at one by one are struck from `plain`."""
    values = mantissa.astype(np.float64)
    values /= _POWERS[places]
    if mantissa.size == 0 or int(mantissa.max()) <= _EXACT:
        return values
    rows = np.flatnonzero(plain & (mantissa > _EXACT))
    if _WIDE:
        exact = mantissa[rows].astype(np.longdouble) / np.broadcast_to(_WIDE_POWERS[places], mantissa.shape)[rows]
        values[rows] = exact.astype(np.float64)
        rows = rows[np.abs(exact - values[rows]) * 2 == np.spacing(values[rows])]
    plain[rows] = False
    return values


def _one_by_one(
    values: FloatArray, buffer: NDArray[np.uint8], start: IntArray, end: IntArray, rows: IntArray
) -> FloatArray | None:
    if rows.size > max(1, MOST_ONE_BY_ONE * values.size):
        return None
    texts = [buffer[first:last].tobytes() for first, last in zip(start[rows].tolist(), end[rows].tolist(), strict=True)]
    if not all(WRITTEN.fullmatch(text) for text in texts):
        return None
    values[rows] = [float(text) for text in texts]
    return values
