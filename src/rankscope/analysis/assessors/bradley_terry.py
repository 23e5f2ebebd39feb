"""How strong each of several systems is, from which of two people prefer: Bradley & Terry's model.

A system of strength s is preferred to one of strength t with chance 1/(1 + exp(t - s)); strengths sum to 0. As in win
rates, ties count half, and several answers to one query about the same two systems count as their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from rankscope.analysis.assessors.preferences import Preference
from rankscope.core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Strength:
    """A system's strength in log odds, between limits over queries, and the mean chance that it is preferred to each
    of the others.
    """

    system: str
    strength: float
    low: float
    high: float
    chance: float

    def row(self) -> dict[str, object]:
        return asdict(self)


class Strengths(NamedTuple):
    """The strengths, best first; or none, and why."""

    systems: tuple[Strength, ...]
    missing: str = ""


def bradley_terry(answers: Sequence[Preference], level: float = 0.95) -> Strengths:
    """Strengths of greatest likelihood, with limits over queries: Student's t on Liang & Zeger's errors by query.

    There are none where some systems were never preferred to the rest or never compared with it: their strengths would
    be without end. Two of three systems that win three quarters against the next have odds of 9 : 3 : 1:
    >>> wins = {("A", "B"): "aaab", ("B", "C"): "aaab", ("A", "C"): "aaaaaaaaab"}
    >>> said = [
    ...     Preference(f"q{n}{left}{right}", "ann", left, right, "left" if each == "a" else "right")
    ...     for (left, right), letters in wins.items()
    ...     for n, each in enumerate(letters)
    ... ]
    >>> [(each.system, round(float(np.exp(each.strength)), 6)) for each in bradley_terry(said).systems]
    [('A', 3.0), ('B', 1.0), ('C', 0.333333)]
    """
    found = _comparisons(answers)
    wins = np.zeros((len(found.systems), len(found.systems)))
    np.add.at(wins, (found.first, found.second), found.gain)
    np.add.at(wins, (found.second, found.first), 1.0 - found.gain)
    missing = _without_end(wins > 0, found.systems)
    if missing:
        return Strengths((), missing)
    strength = _most_likely(wins)
    chance = expit(strength[:, None] - strength)
    half = _errors(found, chance) * stdtrit(found.query.max(), 0.5 + level / 2) if found.query.max() else np.nan
    others = (chance.sum(axis=1) - 0.5) / (len(strength) - 1)
    rows = zip(found.systems, *np.array([strength, strength - half, strength + half, others]).tolist(), strict=True)
    return Strengths(tuple(sorted((Strength(*row) for row in rows), key=lambda each: (-each.strength, each.system))))


class _Comparisons(NamedTuple):
    """One row for each query and two systems: the mean answer, 1 where all prefer the first."""

    systems: tuple[str, ...]
    query: IntArray
    first: IntArray
    second: IntArray
    gain: FloatArray


def _comparisons(answers: Sequence[Preference]) -> _Comparisons:
    gains: dict[tuple[str, str, str], list[float]] = {}
    for each in answers:
        gains.setdefault((each.query, *each.pair), []).append(each.gain(each.pair[0]))
    systems = sorted({name for _, *pair in gains for name in pair})
    numbers: dict[str, int] = {}
    place = {name: number for number, name in enumerate(systems)}
    rows = [(numbers.setdefault(query, len(numbers)), place[one], place[two]) for query, one, two in gains]
    query, first, second = np.array(rows, dtype=np.int64).T
    return _Comparisons(tuple(systems), query, first, second, np.array([np.mean(each) for each in gains.values()]))


def _without_end(beats: BoolArray, systems: Sequence[str]) -> str:
    """Why there is no greatest likelihood; nothing where everybody beats everybody else through others (Ford 1957)."""
    count, group = connected_components(beats, directed=True, connection="strong")
    size = np.bincount(group)
    for number in np.argsort(size, kind="stable").tolist() if count > 1 else ():  # the few are named
        inside = group == number
        names = ", ".join(name for name, here in zip(systems, inside.tolist(), strict=True) if here)
        won, lost = beats[np.ix_(inside, ~inside)].any(), beats[np.ix_(~inside, inside)].any()
        if not (won and lost):
            what = "always" if won else "never" if lost else ""
            return f"{names} {'was' if size[number] == 1 else 'were'} " + (
                f"{what} preferred to the others" if what else "not compared with the others"
            )
    return ""


def _most_likely(wins: FloatArray) -> FloatArray:
    """Newton's steps, halved where the likelihood would fall; it has one maximum (Zermelo 1929)."""
    count = wins + wins.T

    def likelihood(strength: FloatArray) -> float:
        return -float((wins * np.logaddexp(0.0, strength - strength[:, None])).sum())

    strength: FloatArray = np.zeros(len(wins))
    best = likelihood(strength)
    for _ in range(200):
        chance = expit(strength[:, None] - strength)
        slope = (wins - count * chance).sum(axis=1)
        step = np.linalg.pinv(_curvature(count * chance * (1.0 - chance)), hermitian=True) @ slope
        while (value := likelihood(strength + step)) < best - 1e-12 * abs(best):
            step /= 2.0
        strength, best = strength + step, value
        if np.abs(step).max() < 1e-12:
            break
    return np.asarray(strength - strength.mean())


def _curvature(weight: FloatArray) -> FloatArray:
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def _errors(found: _Comparisons, chance: FloatArray) -> FloatArray:
    """Standard errors, where answers to one query may be correlated: H^-1 (sum over queries of u u') H^-1 Q/(Q - 1).

    u is a query's part of the slope, H the curvature.
    """
    weight = np.zeros_like(chance)
    own = chance[found.first, found.second]
    np.add.at(weight, (found.first, found.second), own * (1.0 - own))
    inverse = np.linalg.pinv(_curvature(weight + weight.T), hermitian=True)
    queries = int(found.query.max()) + 1
    slopes = np.zeros((queries, len(chance)))
    np.add.at(slopes, (found.query, found.first), found.gain - own)
    np.add.at(slopes, (found.query, found.second), own - found.gain)
    spread: Any = slopes @ inverse
    return np.sqrt((spread**2).sum(axis=0) * queries / (queries - 1))
