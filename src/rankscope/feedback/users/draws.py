"""Random numbers that depend on what they are for, not on the order in which they are drawn.

The number of a session and an item is the same whichever method is tried, in whatever block: the same user makes the
same mistake about the same item, and compared methods differ in nothing else.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

Numbers = NDArray[np.uint64]
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix_bits(numbers: Numbers) -> Numbers:
    """Whole numbers of 64 bits thrown about, each to another one (splitmix64, Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        result = numbers + STEP
        result = (result ^ (result >> np.uint64(30))) * FIRST
        result = (result ^ (result >> np.uint64(27))) * SECOND
        return result ^ (result >> np.uint64(31))


def uniform(seed: IntArray, item: IntArray, purpose: str) -> FloatArray:
    """Numbers from 0 up to 1, one for each seed and item; those of two purposes have nothing to do with each other.

    >>> uniform(np.array([1, 1, 2]), np.array([5, 6, 5]), "errors").round(3).tolist()
    [0.227, 0.44, 0.995]
    """
    apart = np.uint64(_number(purpose))
    key = mix_bits(mix_bits(seed.astype(np.uint64) ^ apart) ^ item.astype(np.uint64))
    return (key >> np.uint64(11)).astype(np.float64) * 2.0**-53


def seed_of(*parts: object) -> int:
    """A seed of 31 bits from words and numbers: the same on every machine.

    >>> seed_of("dogs", "", 1, 0) == seed_of("dogs", "", 1, 0) != seed_of("dogs", "", 2, 0)
    True
    """
    return _number("\0".join(map(str, parts))) >> 33


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
