"""How far the place on the page decides: the same two lists, shown to the same person again with the sides swapped.

Somebody who looks at the lists names the other side the second time. Of the pairs that were answered twice with a side,
`follows` is the share that names the same side both times. Chance alone gives some of that too, left and right alike;
so `lean` is the share that names the left twice minus the share that names the right twice: 0 without a bias, the
share of answers that blindly take the left where that is all there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by
from rankscope.statistics.intervals.jackknife import jackknife_interval
from rankscope.statistics.pairs.sign_test import binomial_limits
from rankscope.statistics.preferences.answers import SIDE_BY_SIDE, SIDES, Preference


@dataclass(frozen=True)
class PositionBias:
    """What pairs that were shown twice say; NaN where there are none. `left_share`: of all answers that name a side."""

    twice: int  # pairs answered with a side both times
    follows: float
    follows_low: float
    follows_high: float
    lean: float
    lean_low: float
    lean_high: float
    sided: int  # answers that name a side
    left_share: float

    def rows(self) -> list[dict[str, object]]:
        """One row for each number."""
        return [
            {
                "": "same side twice",
                "value": self.follows,
                "low": self.follows_low,
                "high": self.follows_high,
                "of": self.twice,
            },
            {"": "leans left", "value": self.lean, "low": self.lean_low, "high": self.lean_high, "of": self.twice},
            {"": "left of all", "value": self.left_share, "low": None, "high": None, "of": self.sided},
        ]


def position_bias(answers: Sequence[Preference], *, level: float = 0.95) -> PositionBias:
    """From all answers of all people; lists that are interleaved have no sides.

    >>> shown = [Preference("q1", "ann", "A", "B", "left"), Preference("q1", "ann", "B", "A", "left")]
    >>> shown += [Preference("q2", "ann", "A", "B", "left"), Preference("q2", "ann", "B", "A", "right")]
    >>> found = position_bias(shown)
    >>> found.twice, found.follows, found.lean, found.left_share
    (2, 0.5, 0.5, 0.75)
    """
    sided = [each for each in answers if each.choice in SIDES and each.mode == SIDE_BY_SIDE]
    twice = _shown_twice(sided)
    lefts = np.array(
        [[one.choice == other.choice == "left", one.choice == other.choice == "right"] for one, other in twice]
    )
    sums = _sums_by_query([one.query for one, _ in twice], lefts.reshape(-1, 2).astype(np.float64))
    same = int(sums[:, :2].sum())
    low, high = binomial_limits(same, len(twice), (1 - level) / 2) if twice else (np.nan, np.nan)
    lean, lean_low, lean_high = jackknife_interval(sums, _lean, level=level)
    left = sum(each.choice == "left" for each in sided)
    return PositionBias(
        twice=len(twice),
        follows=float(divide(same, len(twice))),
        follows_low=low,
        follows_high=high,
        lean=lean,
        lean_low=lean_low,
        lean_high=lean_high,
        sided=len(sided),
        left_share=float(divide(left, len(sided))),
    )


def _shown_twice(sided: Sequence[Preference]) -> list[tuple[Preference, Preference]]:
    """The first two answers of one person to the same two systems and query that have the sides swapped."""
    first: dict[tuple[str, str, str, str], Preference] = {}
    found: dict[tuple[str, str, tuple[str, str]], tuple[Preference, Preference]] = {}
    for each in sided:
        mirrored = first.get((each.query, each.assessor, each.right, each.left))
        if mirrored is not None:
            found.setdefault((each.query, each.assessor, each.pair), (mirrored, each))
        first.setdefault((each.query, each.assessor, each.left, each.right), each)
    return list(found.values())


def _sums_by_query(queries: Sequence[str], lefts: FloatArray) -> FloatArray:
    """Of each query: both left, both right, and how many."""
    names = {name: place for place, name in enumerate(dict.fromkeys(queries))}
    number = np.array([names[each] for each in queries], dtype=np.int64)
    return column_sums_by(number, np.column_stack([lefts, np.ones(len(lefts))]), len(names))


def _lean(sums: FloatArray) -> FloatArray:
    return divide(sums[..., 0] - sums[..., 1], sums[..., 2])
