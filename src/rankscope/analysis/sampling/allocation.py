"""Which strata to judge more of, so that the interval of the class size shrinks most: Neyman's allocation.

The variance is the sum over strata of N^2 s^2 (1/n - 1/N). For so many judgements in all it is least where n is
proportional to N s, but no less than what is judged already and no more than N. A stratum where nothing relevant was
found may still hold something: half a relevant item is added to each before s is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.analysis.sampling.frame import Frame
from rankscope.analysis.sampling.strata import Strata
from rankscope.core.arrays import FloatArray, IntArray

HALVINGS = 100


@dataclass(frozen=True)
class BandOfStrata:
    """All strata of one name: their items, how many are judged and relevant, and what judging more of them brings."""

    name: str
    items: int
    judged: int
    relevant: int
    variance_share: float  # of the variance of the summed class size
    gain: float  # of one more judgement where it helps most, as a share of the variance
    more: int  # judgements of the plan

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        return {
            "stratum": self.name,
            "items": self.items,
            "judged": self.judged,
            "relevant": self.relevant,
            "share of variance": self.variance_share,
            "one more takes off": self.gain,
            "judge": self.more,
        }


@dataclass(frozen=True, eq=False)
class JudgingPlan:
    """Judgements to add, and what becomes of the standard error of the summed class size."""

    strata: Strata
    found: IntArray
    target: IntArray  # judged items of each stratum, in the end

    @property
    def more(self) -> int:
        return int((self.target - self.strata.judged).sum())

    @property
    def shrinks_to(self) -> float:
        """The new standard error over the present one."""
        before = _variance(self.strata, self.found, self.strata.judged)
        after = _variance(self.strata, self.found, self.target)
        return float(np.sqrt(after.sum() / before.sum())) if before.sum() > 0 else 1.0

    @cached_property
    def bands(self) -> tuple[BandOfStrata, ...]:
        """By the names of strata, the one that brings most first."""
        strata, spread = self.strata, _spread(self.strata, self.found)
        variance = _variance(strata, self.found, strata.judged)
        whole = float(variance.sum()) or 1.0
        left = strata.judged < strata.size
        gain = np.where(left, spread**2 * (1 / np.maximum(strata.judged, 1) - 1 / (strata.judged + 1.0)), 0.0) / whole
        names = np.array(strata.name)
        rows = []
        for name in dict.fromkeys(strata.name):
            own = names == name
            rows.append(
                BandOfStrata(
                    name=name,
                    items=int(strata.size[own].sum()),
                    judged=int(strata.judged[own].sum()),
                    relevant=int(self.found[own].sum()),
                    variance_share=float(variance[own].sum()) / whole,
                    gain=float(gain[own].max()),
                    more=int((self.target - strata.judged)[own].sum()),
                )
            )
        return tuple(sorted(rows, key=lambda each: -each.gain))

    def by_query(self, most: int = 5) -> list[tuple[int, str, int]]:
        """The strata to judge most of: number of the query, name, judgements."""
        added = self.target - self.strata.judged
        order = np.argsort(-added, kind="stable")[:most]
        return [
            (int(self.strata.query[each]), self.strata.name[each], int(added[each])) for each in order if added[each]
        ]


def plan_of_budget(frame: Frame, budget: int) -> JudgingPlan:
    """How to spend so many judgements more."""
    most = int((frame.strata.size - frame.strata.judged).sum())
    wanted = int(frame.strata.judged.sum()) + min(budget, most)
    factor = _least_factor(frame, lambda target: float(np.floor(target).sum()) > wanted)
    target = np.floor(_allocated(frame, factor * (1.0 - 1e-9)))
    left = wanted - int(target.sum())
    gain = np.where(
        target < frame.strata.size, _spread(frame.strata, frame.found) ** 2 / (target * (target + 1.0)), 0.0
    )
    chosen = np.argsort(-gain, kind="stable")[:left]
    target[chosen[gain[chosen] > 0]] += 1.0
    return _plan(frame, target)


def plan_of_shrinkage(frame: Frame, shrinks_to: float = 0.5) -> JudgingPlan:
    """The fewest judgements that shrink the standard error of the class size to such a part of what it is.

    >>> import polars as pl
    >>> cells = (("a", 90, 4, 18), ("b", 900, 2, 45))
    >>> rows = [("q", f"{band}{number}", band, grade) for band, size, found, judged in cells
    ...     for number in range(size) for grade in [1 if number < found else 0 if number < judged else -1]]
    >>> frame = Frame.of(pl.DataFrame(rows, schema=["query", "item", "stratum", "grade"], orient="row"))
    >>> plan = plan_of_shrinkage(frame)
    >>> [(each.name, each.more) for each in plan.bands], round(plan.shrinks_to, 3)
    ([('b', 121), ('a', 14)], 0.498)
    """
    wanted = shrinks_to**2 * float(_variance(frame.strata, frame.found, frame.strata.judged).sum())
    factor = _least_factor(frame, lambda target: float(_variance(frame.strata, frame.found, target).sum()) <= wanted)
    return _plan(frame, np.ceil(_allocated(frame, factor) - 1e-9))


def _plan(frame: Frame, target: FloatArray) -> JudgingPlan:
    return JudgingPlan(frame.strata, frame.found, np.maximum(target.astype(np.int64), frame.strata.judged))


def _least_factor(frame: Frame, is_enough: Callable[[FloatArray], bool]) -> float:
    """By halving: the least factor of N s that is enough."""
    spread = _spread(frame.strata, frame.found)
    low, high = 0.0, float((frame.strata.size / np.maximum(spread, 1e-12)).max(initial=1.0))
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if is_enough(_allocated(frame, middle)) else (middle, high)
    return high


def _allocated(frame: Frame, factor: float) -> FloatArray:
    spread = factor * _spread(frame.strata, frame.found)
    return np.minimum(np.maximum(spread, frame.strata.judged), frame.strata.size)


def _spread(strata: Strata, found: IntArray) -> FloatArray:
    """N s of each stratum, half a relevant item added."""
    share = (found + 0.5) / (strata.judged + 1.0)
    return strata.size.astype(np.float64) * np.sqrt(share * (1.0 - share))


def _variance(strata: Strata, found: IntArray, judged: FloatArray | IntArray) -> FloatArray:
    result: FloatArray = _spread(strata, found) ** 2 * (1.0 / np.maximum(judged, 1) - 1.0 / np.maximum(strata.size, 1))
    return np.maximum(result, 0.0)
