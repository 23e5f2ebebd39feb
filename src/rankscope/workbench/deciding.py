"""Judging until two runs are decided: which queries count, what they say so far, and when to stop.

Queries come in an order that was fixed beforehand, and only as many count as are judged in full from its beginning. So
neither what is judged sooner nor when somebody looks can move the result, and looking after every query costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Final

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.number_texts import how_many
from rankscope.sampling.pools.decide import Decide
from rankscope.statistics.sequential.betting import log_capital, log_capitals, lower_limit, still_needed, upper_limit
from rankscope.statistics.verdicts.gate_result import signed_text
from rankscope.workbench.lots import lot
from rankscope.workbench.pooled import ProjectPool
from rankscope.workbench.store.state import Pair

ALPHA: Final = 0.05  # of both sides together


@dataclass(frozen=True)
class PoolDecision:
    """Two runs by P@k, second minus first, on the queries that count so far."""

    k: int
    first: str
    second: str
    counted: int
    of: int
    change: float
    low: float
    high: float
    sign: int  # 1: the second is better, -1: the first, 0: not yet
    needed: float  # more queries in half of all cases, at the present effect

    @property
    def is_decided(self) -> bool:
        """Whether nothing more needs to be judged."""
        return self.sign != 0

    @property
    def sentence(self) -> str:
        """What is known, for those who may know which run is which."""
        change, low, high = map(signed_text, (self.change, self.low, self.high))
        what = f"P@{self.k} of {self.second} minus {self.first}"
        if not self.counted:
            return f"not yet: {what}: no query is judged in full"
        found = f"{what}: {change} [{low}, {high}] on {self.counted:,} of {how_many(self.of, 'queries')}"
        if self.is_decided:
            return f"decided: {self.second if self.sign > 0 else self.first} is better; {found}"
        more = "more like these never decide" if math.isinf(self.needed) else f"about {self.needed:,.0f} more decide"
        return f"not yet: {found}; at the present effect {more}"


@dataclass
class RunsCompared:
    """The comparison that a pool `decide(k)` is made for; `relevance` says of a pair yes, no, or None: not yet."""

    pool: ProjectPool
    part: Decide
    relevance: Callable[[Pair], bool | None]
    _differences: dict[str, float | None] = field(default_factory=dict)
    _sign: int | None = None

    @classmethod
    def of(cls, pool: ProjectPool | None, relevance: Callable[[Pair], bool | None]) -> RunsCompared | None:
        """The comparison of a pool; None where it has another purpose."""
        parts = [each for each in pool.plan.parts if isinstance(each, Decide)] if pool is not None else []
        return cls(pool, parts[0], relevance) if pool is not None and parts else None

    @cached_property
    def order(self) -> list[str]:
        """The queries in the order in which they count: the same for everybody, whatever is found."""
        return sorted(self.pool.by_query, key=lambda query: lot(self.pool.design.seed, "decide", query))

    @property
    def is_decided(self) -> bool:
        """Whether nothing more needs to be judged: asked for at every mark, so limits are left to `decision`."""
        if self._sign is None:
            self._sign = first_crossing(self._changes())[0]
        return self._sign != 0

    def forget(self, query: str) -> None:
        """Marks of a query came or went."""
        self._differences.pop(query, None)
        self._sign = None

    def difference(self, query: str) -> float | None:
        """P@k of the second run minus that of the first; None while an item that matters is not judged."""
        if query not in self._differences:
            self._differences[query] = self._difference(query)
        return self._differences[query]

    def _difference(self, query: str) -> float | None:
        total = 0
        for item, row in self.pool.by_query[query].items():
            side = self.part.side(row.origin)
            if not side:
                continue
            relevant = self.relevance((query, item))
            if relevant is None:
                return None
            total += side * relevant
        return total / self.part.k

    def _changes(self) -> FloatArray:
        """The differences of the queries that count: all from the beginning of the order that are judged in full."""
        found = takewhile(lambda each: each is not None, map(self.difference, self.order))
        return np.array(list(found), dtype=np.float64)

    def decision(self) -> PoolDecision:
        """What the marks say now."""
        changes = self._changes()
        first, second, *_ = self.pool.design.run_names
        sign, _ = first_crossing(changes)
        falls = changes.size > 0 and changes.mean() < 0
        return PoolDecision(
            k=self.part.k,
            first=first,
            second=second,
            counted=changes.size,
            of=len(self.order),
            change=float(changes.mean()) if changes.size else math.nan,
            low=lower_limit(changes, ALPHA / 2),
            high=upper_limit(changes, ALPHA / 2),
            sign=sign,
            needed=0.0 if sign else still_needed(changes if falls else -changes, 0.0, ALPHA / 2),
        )


def first_crossing(changes: FloatArray) -> tuple[int, int]:
    """The first look that shows something: 1 for a gain or -1 for a loss, and after how many queries.

    0 where no look does, and after all of them.
    >>> first_crossing(np.full(9, -0.5)), first_crossing(np.full(14, -0.5)), first_crossing(np.full(14, 0.5))
    ((0, 9), (-1, 11), (1, 11))
    """
    sides = [log_capital(log_capitals(each[:, None]).cumsum(axis=0)) for each in (changes, -changes)]
    reached = np.stack(sides) >= math.log(2 / ALPHA)
    if not reached.any():
        return 0, changes.size
    look = int(reached.any(axis=0).argmax())
    return (-1 if reached[0, look] else 1), look + 1
