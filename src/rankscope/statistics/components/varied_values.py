"""Values of several systems on the same queries, under several assessors, seeds or collections: one long table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.column_names import FACTORS
from rankscope.errors import SettingError
from rankscope.statistics.components.factor_table import FactorTable
from rankscope.statistics.table.score_table import ScoreTable

Cell = tuple[str, str, ScoreTable]  # assessor, seed, and the values of all systems that have this seed


@dataclass(frozen=True, eq=False)
class VariedValues:
    """A row for each value: its system and the levels of its factors; `covariates` are numbers of each query.

    >>> table = ScoreTable.make({"old": [0.2, 0.4], "new": [0.5, 0.6]})
    >>> both = VariedValues.of_cells([("ann", "", table), ("bob", "", table)])
    >>> len(both.of_system("old")), both.difference("old", "new").values.round(2).tolist()
    (4, [0.3, 0.2, 0.3, 0.2])
    """

    measure: str
    system: tuple[str, ...]
    factors: Mapping[str, tuple[str, ...]]
    values: FloatArray
    covariates: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of_cells(
        cls, cells: Iterable[Cell], covariates: Mapping[str, Mapping[str, float]] | None = None
    ) -> VariedValues:
        """From the tables of each assessor and seed."""
        several = list(cells)
        columns: dict[str, list[str]] = {name: [] for name in ("system", "query", "class", "assessor", "seed")}
        for assessor, seed, table in several:
            size, count = table.values.shape
            columns["system"] += [name for _ in range(size) for name in table.systems]
            columns["query"] += [query for query in table.queries for _ in range(count)]
            columns["class"] += [label for label in table.classes or [""] * size for _ in range(count)]
            columns["assessor"] += [assessor] * (size * count)
            columns["seed"] += [seed] * (size * count)
        system = tuple(columns.pop("system"))
        if not any(columns["class"]):
            columns.pop("class")
        return cls(
            measure=several[0][2].measure,
            system=system,
            factors={name: tuple(each) for name, each in columns.items()},
            values=np.concatenate([table.values.ravel() for _, _, table in several]),
            covariates=covariates or {},
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """In the order in which they first occur."""
        return tuple(dict.fromkeys(self.system))

    def of_system(self, name: str) -> FactorTable:
        """The values of one system."""
        return self._table(self._rows(name), self.values, f"{self.measure} of {name}" if name else self.measure)

    def difference(self, first: str, second: str) -> FactorTable:
        """Second minus first, wherever both have a value under the same query, assessor, seed and collection."""
        mine, other = self._by_key(first), self._by_key(second)
        both = [key for key in mine if key in other]
        if not both:
            raise SettingError(f"{first} and {second} have no query, assessor and seed in common")
        values = np.array(self.values)
        rows = np.array([mine[key] for key in both], dtype=np.int64)
        values[rows] = self.values[[other[key] for key in both]] - self.values[rows]
        return self._table(rows, values, f"{self.measure}, {second} minus {first}")

    def contrasts(self, baseline: str | None = None) -> list[FactorTable]:
        """Every system by itself, and every other minus the baseline, which is the first unless named."""
        base = baseline or self.systems[0]
        self._rows(base)
        others = [each for each in self.systems if each != base]
        return [*(self.of_system(each) for each in (base, *others)), *(self.difference(base, each) for each in others)]

    def _rows(self, name: str) -> IntArray:
        if name not in self.systems:
            raise SettingError(f"no system '{name}'. There are: {', '.join(self.systems)}")
        return np.flatnonzero(np.array(self.system, dtype=object) == name)

    def _by_key(self, name: str) -> dict[tuple[str, ...], int]:
        """Rows with a value, by the levels of their factors."""
        rows = [row for row in self._rows(name).tolist() if np.isfinite(self.values[row])]
        found = {tuple(each[row] for each in self.factors.values()): row for row in rows}
        if len(found) < len(rows):
            raise SettingError(
                f"{name} has several values of one query under the same {', '.join(self.factors)}: add a column that "
                f"distinguishes them, such as {' or '.join(each for each in FACTORS[2:] if each not in self.factors)}"
            )
        return found

    def _table(self, rows: IntArray, values: FloatArray, what: str) -> FactorTable:
        chosen = rows.tolist()
        factors: dict[str, Sequence[object]] = {
            name: [each[row] for row in chosen] for name, each in self.factors.items()
        }
        covariates = {
            name: [known.get(str(query), float("nan")) for query in factors["query"]]
            for name, known in self.covariates.items()
        }
        return FactorTable.of(values[rows], factors, covariates, what)
