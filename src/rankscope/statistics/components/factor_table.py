"""Values with what they vary with: a row for each value, its query, class, assessor, seed and collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.column_names import FACTORS
from rankscope.errors import SettingError
from rankscope.number_texts import how_many

QUERY, CLASS = "query", "class"
CROSSED = ("assessor", "seed", "collection")  # what every query may meet several of
REST = "rest"


@dataclass(frozen=True, eq=False)
class FactorTable:
    """Values of one measure of one system, or of the difference of two, with the levels of their factors.

    >>> table = FactorTable.of([0.5, 0.25], {"query": ["q1", "q2"]}, what="AP of bm25")
    >>> len(table), table.levels("query"), table.terms
    (2, 2, {})
    """

    what: str
    values: FloatArray
    factors: Mapping[str, IntArray]  # the number of the level of each row
    covariates: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        values: Sequence[float] | FloatArray,
        factors: Mapping[str, Iterable[object]],
        covariates: Mapping[str, Sequence[float] | FloatArray] | None = None,
        what: str = "value",
        notes: Sequence[str] = (),
    ) -> FactorTable:
        """From columns; rows without a value are left out, and said to be. A query of no class ('') is its own."""
        column = np.asarray(values, dtype=np.float64)
        beside = {name: np.asarray(each, dtype=np.float64) for name, each in (covariates or {}).items()}
        texts = {name: [str(level) for level in each] for name, each in factors.items()}
        lengths = [*map(len, texts.values()), *(each.size for each in beside.values())]
        if QUERY not in texts or any(length != column.size for length in lengths):
            raise SettingError(f"{column.size} values need a query each, and as many entries of {', '.join(texts)}")
        known = np.isfinite(np.stack([column, *beside.values()])).all(axis=0)
        if not known.any():
            raise SettingError(f"{what}: there is no value")
        left_out = int((~known).sum())
        return cls(
            what=what,
            values=column[known],
            factors={name: _numbers(texts, name)[known] for name in FACTORS if name in texts},
            covariates={name: each[known] for name, each in beside.items()},
            notes=(*notes, *([f"{how_many(left_out, 'row', 'rows')} without a value left out"] if left_out else [])),
        )

    def __len__(self) -> int:
        return self.values.size

    def levels(self, factor: str) -> int:
        """How many levels a factor has; 1 where it is not there."""
        return int(np.unique(self.factors[factor]).size) if factor in self.factors else 1

    def means_by(self, factor: str) -> FloatArray:
        """The mean of the values at each level of a factor."""
        _, level = np.unique(self.factors[factor], return_inverse=True)
        return np.asarray(np.bincount(level, weights=self.values) / np.bincount(level))

    @property
    def varied(self) -> tuple[str, ...]:
        """The factors with two levels at least."""
        return tuple(name for name in self.factors if self.levels(name) > 1)

    @property
    def terms(self) -> dict[str, IntArray]:
        """Random effects that can be distinguished from the rest: factors, and what queries make of each of them.

        An effect with a level for every row is the rest itself.
        """
        crossed = [name for name in CROSSED if name in self.varied]
        terms = {name: self.factors[name] for name in self.varied}
        terms |= {f"{QUERY} x {name}": self._pairs(name) for name in crossed}
        return {name: each for name, each in terms.items() if np.unique(each).size < len(self)}

    @property
    def rest(self) -> str:
        """What the rest is called: by the finest effect, if it is one of those, which no row repeats."""
        crossed = [name for name in CROSSED if name in self.varied]
        if not crossed:
            return QUERY
        return f"{QUERY} x {crossed[0]}" if len(crossed) == 1 and self._is_single(crossed[0]) else REST

    def _pairs(self, name: str) -> IntArray:
        return self.factors[QUERY] * (int(self.factors[name].max()) + 1) + self.factors[name]

    def _is_single(self, name: str) -> bool:
        return bool(np.unique(self._pairs(name)).size == len(self))


def _numbers(factors: Mapping[str, list[str]], name: str) -> IntArray:
    """Levels as numbers; a class of no name is one of its own for each query."""
    texts = factors[name]
    if name == CLASS:
        texts = [each or f"\0{query}" for each, query in zip(texts, factors[QUERY], strict=True)]
    return np.unique(np.array(texts, dtype=np.str_), return_inverse=True)[1].astype(np.int64)
