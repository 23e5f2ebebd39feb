"""Scores as a table, a row per query and a column per system: what every test reads; transformed, and without repeated
systems.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, LongTable, Tabular
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.rendering import Rows, grid_of
from rankscope.core.wording import how_many, setting_usage
from rankscope.measures.direction import turn
from rankscope.measures.evaluation.scores import Column, Scores
from rankscope.measures.measure import Measure

UNBOUNDED = (-math.inf, math.inf)
MOST_CLASSES = 50  # with more, a table of classes says nothing to a reader


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Tabular):
    """Values of one measure; NaN where a system does not have the query or the measure is undefined there.

    Tests compare systems on the queries that all of them have: `complete()`. Nothing is filled in.
    >>> table = ScoreTable.make({"A": [0.3, 0.5], "B": [0.4, 0.4]}, classes=["x", "y"])
    >>> table.differences("A", "B").round(3), table.where("x").queries
    (array([ 0.1, -0.1]), ('q1',))
    """

    measure: str
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: FloatArray  # queries x systems
    classes: tuple[str, ...] | None = None
    lower_is_better: bool = False
    bounds: tuple[float, float] = UNBOUNDED  # what the value of a query can be

    @classmethod
    def of(cls, scores: Scores, measure: str | None = None) -> ScoreTable:
        """From the result of `evaluate`: the measure named, or the first one; only queries that count in the mean."""
        columns = [_column(scores, number, measure) for number in range(len(scores.systems))]
        names = sorted({query for system in scores.systems for query in system.ranks.queries}, key=str.encode)
        place = {query: row for row, query in enumerate(names)}
        values = np.full((len(names), len(columns)), np.nan)
        classes: list[str] | None = [""] * len(names)
        for number, (system, column) in enumerate(zip(scores.systems, columns, strict=True)):
            rows = [place[query] for query in system.ranks.queries]
            values[rows, number] = np.where(column.counted, column.values, np.nan)
            if system.ranks.classes is None:
                classes = None
            elif classes is not None:
                for row, label in zip(rows, system.ranks.classes, strict=True):
                    classes[row] = label
        first = columns[0]
        return cls(
            measure=first.asked,
            systems=tuple(system.name for system in scores.systems),
            queries=tuple(names),
            values=values,
            classes=None if classes is None else tuple(classes),
            lower_is_better=first.measure.lower_is_better,
            bounds=first.measure.bounds(),
        )

    @classmethod
    def make(
        cls,
        values: Mapping[str, ArrayLike],
        classes: Sequence[str] | None = None,
        measure: str = "AP",
        queries: Sequence[str] | None = None,
        lower_is_better: bool | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> ScoreTable:
        """From one list of values per system, for examples and for scores made elsewhere.

        `lower_is_better`: None takes what the measure says, higher unless it is one of ours. `bounds`: what a value can
        be; None takes those of the measure, unless it is none of ours or a value lies outside, and then there are none.
        """
        table = np.stack([np.asarray(each, dtype=np.float64) for each in values.values()], axis=1)
        names = tuple(queries) if queries is not None else tuple(f"q{row + 1}" for row in range(len(table)))
        labels = None if classes is None else tuple(classes)
        if len(names) != len(table) or (labels is not None and len(labels) != len(table)):
            raise SettingError(f"{len(table)} rows of values, but other numbers of queries or classes")
        ours = _measure(measure)
        low, high = UNBOUNDED if ours is None else ours.bounds()
        inside = (table >= low) & (table <= high) | np.isnan(table)
        lower = ours is not None and ours.lower_is_better
        return cls(
            measure=measure,
            systems=tuple(values),
            queries=names,
            values=table,
            classes=labels,
            lower_is_better=lower if lower_is_better is None else lower_is_better,
            bounds=bounds or ((low, high) if inside.all() else UNBOUNDED),
        )

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def whole(self) -> BoolArray:
        """Whether every system has a value, for each query."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    def complete(self) -> ScoreTable:
        """Only the queries for which every system has a value."""
        return self.take(np.flatnonzero(self.whole))

    def take(self, rows: IntArray) -> ScoreTable:
        """Some queries, in the order given."""
        chosen = rows.tolist()
        return replace(
            self,
            queries=tuple(self.queries[row] for row in chosen),
            values=self.values[rows],
            classes=None if self.classes is None else tuple(self.classes[row] for row in chosen),
        )

    def select(self, *systems: str) -> ScoreTable:
        """Some systems, in the order given."""
        return replace(self, systems=systems, values=self.values[:, [self.number(each) for each in systems]])

    def where(self, label: str) -> ScoreTable:
        """The queries of one class."""
        return self.take(np.flatnonzero(np.array(self.labels, dtype=object) == label))

    @property
    def labels(self) -> tuple[str, ...]:
        """The class of each query; raises `SettingError` where none are known."""
        if self.classes is None:
            classes = setting_usage("classes", "CLASSES.csv")
            raise SettingError(f"this needs the class of each query: give {classes} (columns query, class)")
        return self.classes

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes, sorted; a query of the empty class has none and belongs to no group."""
        return tuple(sorted({label for label in self.labels if label}))

    @property
    def gains(self) -> FloatArray:
        """The values turned so that more is better, regardless of the measure."""
        return self.values * turn(self.lower_is_better)

    @property
    def difference_bounds(self) -> tuple[float, float]:
        """What a difference of two systems' values can be.

        >>> ScoreTable.make({"A": [0.3], "B": [0.5]}).difference_bounds
        (-1.0, 1.0)
        """
        low, high = self.bounds
        return low - high, high - low

    def number(self, system: str) -> int:
        """The column of a system."""
        if system not in self.systems:
            raise SettingError(unknown_name("system", system, self.systems))
        return self.systems.index(system)

    def differences(self, first: str, second: str) -> FloatArray:
        """Second minus first, for the queries that both have."""
        difference: FloatArray = self.values[:, self.number(second)] - self.values[:, self.number(first)]
        return difference[~np.isnan(difference)]

    def records(self) -> Rows:
        return [self._record(row) for row in range(len(self))]

    def _record(self, row: int) -> dict[str, object]:
        label = {} if self.classes is None else {"class": self.classes[row]}
        return {"query": self.queries[row], **label, **dict(zip(self.systems, self.values[row].tolist(), strict=True))}

    def display(self) -> Display:
        labels = () if self.classes is None else ("class",)
        title = f"{self.measure} of {how_many(len(self.systems), 'system', 'systems')} on {how_many(len(self))}"
        header = ("query", *labels, *self.systems)
        return Display(title, LongTable(header, len(self), lambda row: grid_of([self._record(row)]).rows[0]))


def _column(scores: Scores, system: int, measure: str | None) -> Column:
    """The column of one system that holds the measure; a measure may be written in any way."""
    columns: tuple[Any, ...] = scores.systems[system].columns
    if measure is None:
        return columns[0]
    wanted = {measure, str(_measure(measure, scores.settings.rel) or measure)}
    for column in columns:
        if column.asked in wanted or str(column.measure) in wanted:
            return column
    raise SettingError(unknown_name("measure", measure, scores.measures))


def _measure(text: str, rel: float = 1.0) -> Measure | None:
    from rankscope.measures.notation import parse_measure

    try:
        return parse_measure(text, rel)
    except MeasureError:
        return None


# Values made fit for an analysis of variance: AP is bounded and skewed, its logit and its ranks are less so.

RANK_DECIMALS = 9  # decimals: floats that differ by less are ties


def logit(table: ScoreTable) -> ScoreTable:
    """The logit of (x (N-1) + .5)/N for N queries, which keeps 0 and 1 finite (Smithson & Verkuilen 2006).

    Only for measures between 0 and 1; NaN stays NaN.
    >>> made = logit(ScoreTable.make({"A": [0.0, 0.5, 1.0]}))
    >>> made.measure, made.values.round(4).ravel().tolist()
    ('logit AP', [-1.6094, 0.0, 1.6094])
    """
    there = table.values[~np.isnan(table.values)]
    if there.size and (there.min() < 0 or there.max() > 1):
        raise SettingError(
            f"the logit needs values from 0 to 1, but {table.measure} goes from {there.min():g} to {there.max():g}; "
            "use the rank transform"
        )
    count = len(table)
    share = (table.values * (count - 1) + 0.5) / count
    return replace(table, measure=f"logit {table.measure}", values=np.log(share) - np.log1p(-share), bounds=UNBOUNDED)


def rank_transform(table: ScoreTable) -> ScoreTable:
    """The rank of each value among all values of all systems, 1 for the smallest (Conover & Iman 1981).

    Equal values share the mean of their ranks; NaN stays NaN and takes no rank.
    >>> rank_transform(ScoreTable.make({"A": [0.1, 0.3], "B": [0.2, 0.3]})).values.tolist()
    [[1.0, 2.0], [3.5, 3.5]]
    """
    flat = table.values.round(RANK_DECIMALS).ravel()
    there = np.flatnonzero(~np.isnan(flat))
    _, number, size = np.unique(flat[there], return_inverse=True, return_counts=True)
    middle = np.cumsum(size) - (size - 1) / 2
    ranks = np.full(flat.size, np.nan)
    ranks[there] = middle[number]
    return replace(
        table,
        measure=f"rank of {table.measure}",
        values=ranks.reshape(table.values.shape),
        bounds=(1.0, float(there.size)),
    )


def repeated_systems(tables: Sequence[ScoreTable]) -> dict[str, str]:
    """Each system whose values all equal those of an earlier one, with the name of that one.

    Two systems are left in any case: where all are equal, the second stays too.
    >>> table = ScoreTable.make({"A": [0.1, 0.2], "B": [0.3, 0.1], "C": [0.1, 0.2]})
    >>> repeated_systems([table])
    {'C': 'A'}
    """
    names = tables[0].systems
    values = np.vstack([table.values for table in tables]).T
    filled = np.where(np.isnan(values), -np.inf, values + 0.0)  # no -0: equal values have equal bytes
    first: dict[bytes, str] = {}
    earliest = {name: first.setdefault(row.tobytes(), name) for name, row in zip(names, filled, strict=True)}
    same = {name: earlier for name, earlier in earliest.items() if earlier != name}
    if len(same) == len(names) - 1:
        same.pop(names[1])
    return same
