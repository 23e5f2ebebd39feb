"""Locally optimised RANSAC of a similarity transform: a model that looks good is improved before it is counted.

Chum, Matas & Kittler (2003) and Lebeda, Matas & Chum (2012): two matches make a model; whenever one has more inliers
than all before it, it is fitted again by least squares to the inliers of a wider reach, which is narrowed step by step.
Points are complex numbers, so that a similarity is z -> a z + b.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray

Points: TypeAlias = NDArray[np.complex128]
WIDER, STEPS = 3.0, 4  # reach of the first fit, in reaches, and how many fits lead to one
LEAST_PAIRS = 2
CELLS = 1 << 22


def local_inliers(query: NDArray[Any], item: NDArray[Any], reach: float, tries: int, seed: int = 0) -> BoolArray:
    """Which matches (rows of x, y in both pictures) the best similarity explains within `reach` pixels."""
    here, there = (np.ascontiguousarray(each, np.float64).view(np.complex128)[:, 0] for each in (query, item))
    best = np.zeros(here.size, np.bool_)
    if here.size < LEAST_PAIRS:
        return best
    turn, shift = _models(here, there, tries, np.random.default_rng([seed, here.size]))
    counts = _counts(here, there, turn, shift, reach)
    record = np.maximum.accumulate(counts)
    for place in np.flatnonzero(np.append(True, record[1:] > record[:-1])).tolist():
        found = improved(here, there, turn[place], shift[place], reach)
        best = found if found.sum() > best.sum() else best
    return best


def improved(here: Points, there: Points, turn: complex, shift: complex, reach: float) -> BoolArray:
    """The inliers of a model, or of what least squares make of it, whichever are more."""
    best = np.abs(turn * here + shift - there) < reach
    for wide in np.linspace(WIDER, 1.0, STEPS) * reach:
        near = np.abs(turn * here + shift - there) < wide
        if near.sum() < LEAST_PAIRS:
            break
        turn, shift = fitted(here[near], there[near])
        now = np.abs(turn * here + shift - there) < reach
        best = now if now.sum() > best.sum() else best
    return best


def fitted(here: Points, there: Points) -> tuple[complex, complex]:
    """The similarity of least squares (Umeyama 1991 in the plane, without mirror).

    >>> turn, shift = fitted(np.array([0, 1, 1j]), 2j * np.array([0, 1, 1j]) + 3)
    >>> bool(np.allclose([turn, shift], [2j, 3]))
    True
    """
    mine, theirs = here - here.mean(), there - there.mean()
    length = float((mine.conj() * mine).real.sum())
    turn = complex((mine.conj() * theirs).sum() / length) if length > 0 else 1.0 + 0j
    return turn, complex(there.mean() - turn * here.mean())


def _models(here: Points, there: Points, tries: int, chance: np.random.Generator) -> tuple[Points, Points]:
    """Similarities through two matches each; two at the same point make none, and are drawn again as a shift."""
    first = chance.integers(0, here.size, tries)
    second = (first + chance.integers(1, here.size, tries)) % here.size
    across = here[second] - here[first]
    turn = np.where(across != 0, (there[second] - there[first]) / np.where(across != 0, across, 1), 1.0)
    return turn, there[first] - turn * here[first]


def _counts(here: Points, there: Points, turn: Points, shift: Points, reach: float) -> NDArray[np.int64]:
    step = max(1, CELLS // here.size)
    parts = [
        (np.abs(turn[start : start + step, None] * here + shift[start : start + step, None] - there) < reach).sum(
            axis=1
        )
        for start in range(0, turn.size, step)
    ]
    return np.concatenate(parts)
