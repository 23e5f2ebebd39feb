"""What an analysis of variance takes for granted: residuals near a normal distribution, one spread for all cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.analysis.statistics.design import Cells, Design, design_of, plain_rows
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.wording import decimal_text, how_many

OUTLYING = 3.0
LISTED = 5
FEWEST, MOST = 3, 5_000  # residuals: Shapiro and Wilk's test has no table beyond


@dataclass(frozen=True)
class Outlier:
    """A value far from the mean of its cell, in standard deviations of a residual; its leverage is 1/n of the cell."""

    system: str
    label: str
    query: str
    value: float
    standardised: float
    leverage: float


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Points of a normal Q-Q plot, Shapiro and Wilk's test of them, Levene's test (median), values that stand out.

    `outliers` lists those beyond 3; where there are none, the farthest one. NaN is a test that could not be made, and
    the note says why.
    """

    measure: str
    expected: FloatArray  # quantiles of the normal distribution
    residuals: FloatArray  # standardised, ascending
    shapiro: float
    shapiro_p: float
    levene: float
    levene_p: float
    outliers: tuple[Outlier, ...]
    beyond: int  # how many lie beyond 3
    note: str = ""

    @property
    def unequal_spread(self) -> bool:
        """Whether cells differ in spread (Levene p < .05): then `welch` and `games_howell` are the tests to use."""
        return self.levene_p < 0.05

    @property
    def standing_out(self) -> str:
        """The values beyond 3 standard deviations in words, the farthest first; empty where there are none."""
        if not self.beyond:
            return ""
        named = [
            f"{each.query} of {each.system}{f' in {each.label}' if each.label else ''} "
            f"({decimal_text(each.value)}, {each.standardised:+.1f})"
            for each in self.outliers
        ]
        hidden = ", ..." if self.beyond > len(named) else ""
        count = how_many(self.beyond, "value lies", "values lie")
        return f"{count} beyond 3 standard deviations of the residuals: {', '.join(named)}{hidden}"

    def rows(self) -> list[dict[str, object]]:
        return plain_rows(
            {
                "test": ["Shapiro-Wilk", "Levene (median)"],
                "question": ["normal residuals", "one spread for all cells"],
                "statistic": [self.shapiro, self.levene],
                "p": [self.shapiro_p, self.levene_p],
            }
        )


def assumptions(table: ScoreTable, by_class: bool = True) -> Assumptions:
    """Check the residuals of the cells system by class.

    >>> made = assumptions(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.9]}))
    >>> made.unequal_spread, made.outliers[0].query, round(made.outliers[0].standardised, 3)
    (False, 'q3', 1.886)
    """
    design = design_of(table, by_class)
    cells = Cells.of(design)
    nu = int(cells.n.sum()) - len(cells)
    spread = float(np.sqrt(cells.within / nu)) if nu else 0.0
    from scipy.special import ndtri

    shapiro = shapiro_p = levene = levene_p = float("nan")
    outliers: tuple[Outlier, ...] = ()
    beyond, ordered = 0, np.empty(0)
    words = ["no spread within cells: nothing can be said about residuals"]
    if spread > 0:
        shapiro, shapiro_p, first = _shapiro(cells.residuals)
        levene, levene_p, second = _levene(cells)
        outliers, beyond, ordered = _outliers(design, spread)
        words = [first, second]
    share = (np.arange(1, ordered.size + 1) - 0.375) / (ordered.size + 0.25)  # Blom 1958
    return Assumptions(
        measure=table.measure,
        expected=np.asarray(ndtri(share)),
        residuals=ordered,
        shapiro=shapiro,
        shapiro_p=shapiro_p,
        levene=levene,
        levene_p=levene_p,
        outliers=outliers,
        beyond=beyond,
        note=design.note(*words),
    )


def _shapiro(residuals: FloatArray) -> tuple[float, float, str]:
    if residuals.size < FEWEST:
        return float("nan"), float("nan"), "fewer than 3 residuals: no test of their distribution"
    from scipy.stats import shapiro

    words = ""
    if residuals.size > MOST:  # evenly through the sorted ones, so that the shape stays
        chosen = np.linspace(0, residuals.size - 1, MOST).round().astype(np.int64)
        residuals, words = np.sort(residuals)[chosen], f"Shapiro-Wilk on {MOST:,} of {residuals.size:,} residuals"
    result = shapiro(residuals)
    return float(result.statistic), float(result.pvalue), words


def _levene(cells: Cells) -> tuple[float, float, str]:
    """Analysis of variance of distances from the median of each cell (Brown & Forsythe 1974)."""
    samples = [each for each in cells.samples if each.size > 1]
    words = "" if len(samples) == len(cells) else f"Levene without {len(cells) - len(samples)} cells of one query"
    distances = [np.abs(each - np.median(each)) for each in samples]
    if len(samples) < 2 or not any(np.ptp(each) > 1e-14 for each in distances):
        return float("nan"), float("nan"), "no two cells whose spreads could be compared"
    from scipy.stats import levene

    result = levene(*samples, center="median")
    return float(result.statistic), float(result.pvalue), words


def _outliers(design: Design, spread: float) -> tuple[tuple[Outlier, ...], int, FloatArray]:
    """The values that stand out, how many lie beyond 3, and all standardised residuals in order.

    A cell of one query has leverage 1: its value cannot stand out from itself and is not among them.
    """
    values, size = design.values, design.size[design.group]
    free = np.flatnonzero(size > 1)
    leverage = 1.0 / size
    rest = (values - design.class_means[design.group])[free]
    standard = rest / (spread * np.sqrt(1 - leverage[free]))[:, None]
    order = np.argsort(-np.abs(standard), axis=None, kind="stable")
    beyond = int((np.abs(standard) > OUTLYING).sum())
    results = []
    for place in order[: max(1, min(beyond, LISTED))].tolist():
        row, column = divmod(place, values.shape[1])
        query = int(free[row])
        results.append(
            Outlier(
                system=design.table.systems[column],
                label=design.labels[design.group[query]],
                query=design.table.queries[query],
                value=float(values[query, column]),
                standardised=float(standard[row, column]),
                leverage=float(leverage[query]),
            )
        )
    return tuple(results), beyond, np.sort(standard, axis=None)
