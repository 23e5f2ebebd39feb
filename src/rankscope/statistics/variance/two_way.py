"""Systems on the same queries: the difficulty of a query is taken out before systems are compared.

`two_way` is system + query without replication; `repeated_measures` adds classes of queries: systems within queries,
classes between them (a split plot).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.catalogue import unknown_name
from rankscope.errors import SettingError
from rankscope.statistics.table.cells import Design, clean, design_of
from rankscope.statistics.table.score_table import ScoreTable

NO_REST = "the values of each query differ between systems in the same way everywhere: there is no error, and no test"
NO_FREEDOM = "as many classes as queries: there is no degree of freedom left for the error, and no test"
# the lines in order, and the line each is measured by
WITHOUT_CLASSES: dict[str, str | None] = {"system": "residual", "query": "residual", "residual": None}
BETWEEN_CLASSES: dict[str, str | None] = {
    "class": "query",
    "query": None,
    "system": "residual",
    "system x class": "residual",
    "residual": None,
}


@dataclass(frozen=True)
class VarianceSource:
    """One line of the analysis; F and p are NaN for errors, `corrected` is p after Greenhouse and Geisser."""

    name: str
    squares: float
    freedom: int
    f: float = float("nan")
    p: float = float("nan")
    corrected: float = float("nan")

    @property
    def mean_square(self) -> float:
        """Squares per degree of freedom."""
        return self.squares / self.freedom if self.freedom else float("nan")


@dataclass(frozen=True, eq=False)
class RepeatedMeasures:
    """The lines of the analysis; the last one is the error that systems are compared by.

    `epsilon` (Greenhouse & Geisser 1959) is 1 where all differences of systems have one variance, 1/(k-1) at worst.
    """

    measure: str
    systems: tuple[str, ...]
    means: FloatArray
    queries: int
    sources: tuple[VarianceSource, ...]
    epsilon: float
    note: str = ""

    def __getitem__(self, name: str) -> VarianceSource:
        for each in self.sources:
            if each.name == name:
                return each
        raise SettingError(unknown_name("line", name, [each.name for each in self.sources]))

    @property
    def mse(self) -> float:
        """Mean square of the error."""
        return self.sources[-1].mean_square

    @property
    def nu(self) -> int:
        """Degrees of freedom of the error."""
        return self.sources[-1].freedom

    def rows(self) -> list[dict[str, object]]:
        """One row per line, in plain numbers."""
        return [
            {
                "source": each.name,
                "squares": each.squares,
                "freedom": each.freedom,
                "mean square": each.mean_square,
                "F": each.f,
                "p": each.p,
                "p corrected": each.corrected,
            }
            for each in self.sources
        ]


def two_way(table: ScoreTable) -> RepeatedMeasures:
    """System + query, one value each: lines system, query, residual.

    >>> made = two_way(ScoreTable.make({"a": [0.7, 0.3, 0.2, 0.6, 0.4], "b": [0.5, 0.1, 0.0, 0.2, 0.4]}))
    >>> round(made["system"].f, 6), made.nu
    (10.0, 4)
    """
    return _analysed(design_of(table, by_class=False, systems=2))


def repeated_measures(table: ScoreTable) -> RepeatedMeasures:
    """Systems within queries, classes between: lines class, query, system, system x class, residual.

    Squares add up: the line of the system weighs every query equally, the interaction is what classes add to it. One
    class gives the lines of `two_way`.
    """
    return _analysed(design_of(table, systems=2))


def _analysed(design: Design) -> RepeatedMeasures:
    values, classes = design.values, len(design.labels)
    queries, count = values.shape
    squares, rest = _squares(design)
    freedom = {
        "class": classes - 1,
        "query": queries - classes,
        "system": count - 1,
        "system x class": (count - 1) * (classes - 1),
        "residual": (count - 1) * (queries - classes),
    }
    epsilon = sphericity(rest) if squares["residual"] > 0 else float("nan")
    chosen = BETWEEN_CLASSES if classes > 1 else WITHOUT_CLASSES
    lines = tuple(_line(name, squares, freedom, error, epsilon) for name, error in chosen.items())
    words = NO_FREEDOM if not freedom["residual"] else NO_REST if squares["residual"] == 0 else ""
    return RepeatedMeasures(
        measure=design.table.measure,
        systems=design.table.systems,
        means=values.mean(axis=0),
        queries=queries,
        sources=lines,
        epsilon=epsilon,
        note=design.note(words),
    )


def _squares(design: Design) -> tuple[dict[str, float], FloatArray]:
    """Squares of each line, and the residuals."""
    values, group, size = design.values, design.group, design.size
    queries, count = values.shape
    grand, by_query, by_system = values.mean(), values.mean(axis=1), values.mean(axis=0)
    cell = design.class_means
    by_class = cell.mean(axis=1)
    rest = values - by_query[:, None] - cell[group] + by_class[group][:, None]
    both = cell - by_class[:, None] - by_system + grand
    squares = {
        "class": count * float(size @ (by_class - grand) ** 2),
        "query": count * float(((by_query - by_class[group]) ** 2).sum()),
        "system": queries * float(((by_system - grand) ** 2).sum()),
        "system x class": float(size @ (both**2).sum(axis=1)),
        "residual": float((rest**2).sum()),
    }
    return {name: clean(each, values) for name, each in squares.items()}, rest


def _line(
    name: str, squares: dict[str, float], freedom: dict[str, int], error: str | None, epsilon: float
) -> VarianceSource:
    plain = VarianceSource(name, squares[name], freedom[name])
    if error is None or not freedom[error] or not freedom[name] or squares[error] == 0:
        return plain
    from scipy.special import fdtrc

    f = plain.mean_square / (squares[error] / freedom[error])
    p = float(fdtrc(freedom[name], freedom[error], f))
    within = name.startswith("system")
    corrected = float(fdtrc(epsilon * freedom[name], epsilon * freedom[error], f)) if within else float("nan")
    return VarianceSource(name=name, squares=squares[name], freedom=freedom[name], f=f, p=p, corrected=corrected)


def sphericity(rest: FloatArray) -> float:
    """Epsilon of Greenhouse and Geisser from residuals whose rows add up to 0.

    >>> float(round(sphericity(np.array([[1.0, -1.0], [-2.0, 2.0], [1.0, -1.0]])), 6))
    1.0
    """
    covariance = rest.T @ rest
    return float(np.trace(covariance) ** 2 / ((rest.shape[1] - 1) * (covariance**2).sum()))
