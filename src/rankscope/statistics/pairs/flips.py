"""Signs drawn at random, or all of them: what a sign-flip test compares the data with.

A row of `random_flips` says which queries are flipped (1) and which are not (0); one matrix product with the
differences then serves many pairs of systems. The rows depend on the seed alone, however many are drawn at once. For
one pair the bits are not even unpacked: eight queries are one look-up of the sum of those flipped.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray

FLIPS = 100_000
EXACT = 20  # so many differences have about a million signs: all are looked at
AT_ONCE = 250_000  # numbers in one batch: 2 MB, so that a product stays in the processor's cache
WORD = 64


def _random_bytes(queries: int, flips: int, seed: int, each: int) -> Iterator[NDArray[np.uint8]]:
    """Batches of random bits, eight to a byte, lowest first; `each` is how many numbers a row is turned into."""
    chance = np.random.default_rng(seed)
    words = -(-queries // WORD)
    step = max(1, AT_ONCE // max(each, 1))
    for start in range(0, flips, step):
        drawn = chance.integers(0, 2**WORD, (min(step, flips - start), words), dtype=np.uint64)
        yield drawn.astype("<u8").view(np.uint8)


def random_flips(queries: int, flips: int = FLIPS, seed: int = 0, columns: int = 1) -> Iterator[FloatArray]:
    """Batches of rows of 0 and 1, each with equal chance; `flips` rows in all.

    `columns`: so many sums are made from each row, so that a batch of sums stays small too.
    >>> sum(len(batch) for batch in random_flips(queries=70, flips=10_000))
    10000
    """
    for some in _random_bytes(queries, flips, seed, max(queries, columns)):
        yield np.unpackbits(some, axis=1, count=queries, bitorder="little").astype(np.float64)


def random_subset_sums(values: FloatArray, flips: int = FLIPS, seed: int = 0) -> FloatArray:
    """The sum of the values flipped in each row of `random_flips`, up to rounding.

    >>> values = np.arange(70.0)
    >>> slow = np.concatenate([rows @ values for rows in random_flips(70, 500)])
    >>> bool(np.allclose(random_subset_sums(values, 500), slow, rtol=1e-12))
    True
    """
    places = -(-values.size // WORD) * WORD // 8
    padded = np.zeros(places * 8)
    padded[: values.size] = values
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float64)
    sums = (padded.reshape(places, 8) @ patterns.T).ravel()  # 256 for each byte of a row
    first = np.arange(places) * 256
    return np.concatenate([sums[some + first].sum(axis=1) for some in _random_bytes(values.size, flips, seed, places)])


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
