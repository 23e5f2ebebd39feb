"""One quantity from stage to stage: how many relevant items stand within a scope, over the class size, exactly.

Every number is a count of items over the class size of its query, and a mean over queries of such fractions: what the
stages lose adds up to the whole loss without an error of rounding, because it is never rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.pipeline.fates import GROSS, ItemState, ItemStates


@dataclass(frozen=True, eq=False)
class Account:
    """Counts of relevant items within the scope: queries in rows, stages in columns.

    >>> made = Account("p = r", ("exact", "ann"), np.array([4, 2]), np.array([[4, 3], [2, 2]]))
    >>> made.values, made.losses, made.loss
    ((Fraction(1, 1), Fraction(7, 8)), (Fraction(1, 8),), Fraction(1, 8))
    """

    name: str
    stages: tuple[str, ...]
    relevant: IntArray  # c of each query, at least 1
    hits: IntArray
    gross: Mapping[str, IntArray] = field(default_factory=dict)  # lost, demoted, ...: column k is stage k + 1
    best: IntArray | None = None  # what a perfect list has within the scope; None: all

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """The mean over queries at each stage."""
        return tuple(mean_share(column, self.relevant) for column in self.hits.T)

    @property
    def losses(self) -> tuple[Fraction, ...]:
        """What each stage after the first takes; below 0 where it gives back."""
        return tuple(
            mean_share(before - after, self.relevant)
            for before, after in zip(self.hits.T[:-1], self.hits.T[1:], strict=True)
        )

    @property
    def loss(self) -> Fraction:
        """From the first stage to the last."""
        return self.values[0] - self.values[-1]

    @property
    def reachable(self) -> Fraction:
        """What a perfect list has: 1, or less where the scope is smaller than classes are."""
        return Fraction(1) if self.best is None else mean_share(self.best, self.relevant)

    @property
    def never_found(self) -> Fraction:
        """What the first stage lacks already, of a perfect list."""
        return self.reachable - self.values[0]

    def part_of(self, loss: Fraction) -> float:
        """A loss as a part of the whole; NaN where the whole is 0."""
        return float(loss / self.loss) if self.loss else float("nan")

    @property
    def shares(self) -> FloatArray:
        """The value of each query (row) at each stage."""
        return self.hits / self.relevant[:, None]

    @property
    def lost_shares(self) -> FloatArray:
        """For each query (row) what each stage after the first takes, then what all take together."""
        whole = self.hits[:, :1] - self.hits[:, -1:]
        return np.column_stack([-np.diff(self.hits, axis=1), whole]) / self.relevant[:, None]

    def moved(self, what: str, place: int) -> int:
        """How many items the stage at this place (from 0) lost, demoted, ...; behind the last place: all stages."""
        counts = self.gross[what]
        return int(counts.sum() if place > counts.shape[1] else counts[:, place - 1].sum())

    def take(self, rows: IntArray) -> Account:
        """Some of the queries."""
        gross = {name: counts[rows] for name, counts in self.gross.items()}
        best = None if self.best is None else self.best[rows]
        return replace(self, relevant=self.relevant[rows], hits=self.hits[rows], gross=gross, best=best)


def account_of(
    name: str, stages: tuple[str, ...], states: ItemStates, query_row: IntArray, relevant: IntArray, scope: IntArray
) -> Account:
    """The account of items whose states are known; `scope` has one number a query."""
    return Account(
        name=name,
        stages=stages,
        relevant=relevant,
        hits=_by_query(states == ItemState.WITHIN, query_row, relevant.size),
        gross={
            what: _by_query((states[:, :-1] == before) & (states[:, 1:] == after), query_row, relevant.size)
            for what, (before, after) in GROSS.items()
        },
        best=np.minimum(relevant, scope),
    )


def mean_share(counts: IntArray, relevant: IntArray) -> Fraction:
    """The mean over queries of count / class size, exactly; a class size that many queries have is added up at once.

    >>> mean_share(np.array([1, 2, 0]), np.array([3, 3, 7]))
    Fraction(1, 3)
    """
    sizes, number = np.unique(relevant, return_inverse=True)
    totals = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(totals, number, counts)
    parts = zip(totals.tolist(), sizes.tolist(), strict=True)
    return sum((Fraction(total, size) for total, size in parts), Fraction(0)) / relevant.size


def _by_query(chosen: np.ndarray, query_row: IntArray, queries: int) -> IntArray:
    """How many items (rows) of each query are chosen, stage by stage (columns)."""
    columns = [np.bincount(query_row[column], minlength=queries) for column in chosen.T]
    return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((queries, 0), dtype=np.int64)
