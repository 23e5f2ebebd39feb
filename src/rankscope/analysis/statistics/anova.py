"""Analyses of variance: one-way, of systems on the same queries (two-way, repeated measures), and Welch's for unequal
spreads.

One-way analysis of variance of cells, system by class (Brughi et al. 2014): does any mean differ from the others?
Every value counts as independent. Where the same queries ran under every system they are not: `two_way` and `mixed`
take that into account, the difficulty of a query is taken out before systems are compared. `two_way` is system + query
without replication; `repeated_measures` adds classes of queries: systems within queries, classes between them (a split
plot).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.analysis.statistics.design import Cells, Design, clean_squares, design_of
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import SettingError

SINGLE = "each cell has one query: there is no spread within cells, and no test"
CONSTANT = "all values within each cell are equal: there is no spread to measure differences by, and no test"


@dataclass(frozen=True, eq=False)
class Anova:
    """F with its p value, sums of squares and degrees of freedom; `mse` is the residual mean square on `nu`.

    F, p and mse are NaN where there is nothing to compute them from; `note` says why.
    """

    measure: str
    cells: Cells
    between: float  # sum of squares
    within: float
    freedom: int  # of the groups
    nu: int  # of the residuals
    note: str = ""

    @property
    def mse(self) -> float:
        """Residual mean square: the variance of a value around the mean of its cell."""
        return self.within / self.nu if self.nu else float("nan")

    @property
    def f(self) -> float:
        """Mean square between cells over the residual one."""
        return self.between / self.freedom / self.mse if self.nu and self.within > 0 else float("nan")

    @property
    def p(self) -> float:
        """How often chance alone gives such an F."""
        from scipy.special import fdtrc

        return float(fdtrc(self.freedom, self.nu, self.f)) if np.isfinite(self.f) else float("nan")

    @property
    def explained(self) -> float:
        """Share of all squares that lies between cells (eta squared)."""
        total = self.between + self.within
        return self.between / total if total > 0 else float("nan")

    def rows(self) -> list[dict[str, object]]:
        """The table of an analysis of variance: groups, then residuals."""
        names = ("source", "squares", "freedom", "mean square", "F", "p")
        cells = ("cells", self.between, self.freedom, self.between / self.freedom, self.f, self.p)
        rest = ("residual", self.within, self.nu, self.mse, float("nan"), float("nan"))
        return [dict(zip(names, each, strict=True)) for each in (cells, rest)]


def anova(table: ScoreTable, by_class: bool = True) -> Anova:
    """One-way analysis over the cells system by class, or over systems where there are no classes.

    >>> made = anova(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.f, 6), round(made.p, 6), made.nu
    (6.0, 0.070484, 4)
    """
    return anova_of(design_of(table, by_class))


def anova_of(design: Design) -> Anova:
    """The same of a design made before."""
    cells = Cells.of(design)
    if len(cells) < 2:
        raise SettingError("an analysis of variance compares two groups at least: give two systems, or classes")
    values = np.concatenate(cells.samples)
    deviation = cells.mean - values.mean()
    between = clean_squares(float(cells.n @ deviation**2), values)
    nu = values.size - len(cells)
    within = cells.within if nu else 0.0
    words = SINGLE if nu == 0 else CONSTANT if within == 0 else ""
    return Anova(
        measure=design.table.measure,
        cells=cells,
        between=between,
        within=within,
        freedom=len(cells) - 1,
        nu=nu,
        note=design.note(words),
    )


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
        return self.sources[-1].mean_square

    @property
    def nu(self) -> int:
        return self.sources[-1].freedom

    def rows(self) -> list[dict[str, object]]:
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
    return {name: clean_squares(each, values) for name, each in squares.items()}, rest


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


# Welch's analysis of variance: the means of cells whose spreads differ (Welch 1951).


@dataclass(frozen=True, eq=False)
class Welch:
    """F on `freedom` and `nu` degrees; NaN where a cell has no spread, as the note says."""

    measure: str
    cells: Cells
    f: float
    freedom: int
    nu: float
    p: float
    note: str = ""

    def rows(self) -> list[dict[str, object]]:
        return [{"source": "cells", "freedom": self.freedom, "nu": self.nu, "F": self.f, "p": self.p}]


def welch(table: ScoreTable, by_class: bool = True) -> Welch:
    """Do the means of the cells differ, each with its own variance? Use it where Levene's test says p < .05.

    Every cell needs two queries and some spread.
    >>> made = welch(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.f, 6), round(made.nu, 6)
    (6.0, 4.0)
    """
    design = design_of(table, by_class)
    cells = Cells.of(design)
    count = len(cells)
    if count < 2:
        raise SettingError("Welch's analysis compares two groups at least: give two systems, or classes")
    f = nu = p = float("nan")
    without_spread = (np.nan_to_num(cells.sd) <= 1e-14 * (1 + np.abs(cells.mean))).tolist()
    flat = [name for name, equal in zip(cells.names, without_spread, strict=True) if equal]
    note = f"no spread in {', '.join(flat)}: there is no test that weighs each cell by its own" if flat else ""
    if not flat:
        from scipy.special import fdtrc

        weight = cells.n / cells.sd**2
        share = weight / weight.sum()
        centre = float(share @ cells.mean)
        uneven = float(((1 - share) ** 2 / (cells.n - 1)).sum())
        top = float(weight @ (cells.mean - centre) ** 2) / (count - 1)
        f = top / (1 + 2 * (count - 2) / (count**2 - 1) * uneven)
        nu = (count**2 - 1) / (3 * uneven)
        p = float(fdtrc(count - 1, nu, f))
    return Welch(design.table.measure, cells, f=f, freedom=count - 1, nu=nu, p=p, note=design.note(note))
