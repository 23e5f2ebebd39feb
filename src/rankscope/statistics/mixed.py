"""Mixed model: value ~ system * class + (1 | query), by restricted maximum likelihood (REML).

Each query has its own difficulty, a draw from a normal distribution, the same under every system. With all systems on
all queries REML has a closed form: the residual variance s2 is the mean square of what is left when cell means and
queries are taken out, with (k-1)(N - N_C) degrees of freedom; the variance of the queries is (mean square of queries
within classes - s2)/k. Where that is negative the best estimate is 0, and the model is ordinary least squares.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.cells import Design, clean, design_of, need_level
from rankscope.statistics.score_table import ScoreTable

BOUNDARY = "queries do not differ more than chance: their variance is 0 and the model is ordinary least squares"
NO_FREEDOM = "as many classes as queries: there is no degree of freedom left for the error, and no test"
NO_REST = "the difference of two systems is the same for every query of a class: there is no error, and no test"


TIED = 1e-9  # variances that differ by less are equal: rounding must not decide between two tests


@dataclass(frozen=True)
class SystemEffect:
    """Second less first on the queries of one class ('' for all), with standard error, p value and interval."""

    label: str
    first: str
    second: str
    queries: int
    difference: float
    error: float
    freedom: float
    p: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Mixed:
    """Effects of systems in each class and over all, and the variances of residuals and queries.

    `interaction_variance` and `class_variance` belong to random classes: how much the effect of a system, and how much
    the classes, vary from class to class; None where classes are fixed. p values are for each effect alone.
    """

    measure: str
    effects: tuple[SystemEffect, ...]  # class by class; none where classes are random or there are none
    overall: tuple[SystemEffect, ...]
    residual_variance: float
    query_variance: float
    queries: int
    level: float = 0.95
    interaction_variance: float | None = None
    class_variance: float | None = None
    note: str = ""

    @property
    def shared(self) -> float:
        """How much two systems agree on a query: the share of the variance that is the query's (ICC)."""
        total = self.query_variance + self.residual_variance
        return self.query_variance / total if total > 0 else float("nan")

    def rows(self) -> list[dict[str, object]]:
        """One row per effect, classes first, in plain numbers."""
        return [{"class" if key == "label" else key: value for key, value in asdict(each).items()}
                for each in (*self.effects, *self.overall)]  # fmt: skip


def mixed(table: ScoreTable, level: float = 0.95, random_classes: bool = False) -> Mixed:
    """Effects of all pairs of systems in each class, the queries' own difficulty taken out.

    `random_classes`: the classes are a sample of those one speaks about, so effects over all vary with them too.
    >>> made = mixed(ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.3, 0.5, 0.4]}))
    >>> effect = made.overall[0]
    >>> round(effect.difference, 6), round(effect.error, 6), effect.freedom, round(effect.p, 6)
    (0.1, 0.040825, 3, 0.091721)
    """
    need_level(level)
    design = design_of(table, systems=2)
    if random_classes:
        from rankscope.statistics.mixed_classes import with_random_classes

        return with_random_classes(design, level)
    variance, query_variance, nu, words = variances(design)
    per_class: list[SystemEffect] = []
    for label, size, means in zip(design.labels, design.size.tolist(), design.class_means, strict=True):
        per_class += effects_of(design, label, means, size, 2 * variance / size, nu, level)
    size = len(design.table)
    overall = effects_of(design, "", design.values.mean(axis=0), size, 2 * variance / size, nu, level)
    return Mixed(
        design.table.measure, tuple(per_class) if design.labels != ("",) else (), tuple(overall), variance,
        query_variance, size, level, note=design.note(words),
    )  # fmt: skip


def variances(design: Design) -> tuple[float, float, int, str]:
    """Residual and query variance by REML, degrees of freedom of the residuals, and what must be said."""
    values, group = design.values, design.group
    count = values.shape[1]
    nu = len(values) - len(design.labels)
    if nu == 0:
        return float("nan"), float("nan"), 0, NO_FREEDOM
    centred = values - design.class_means[group]
    query = centred.mean(axis=1)
    between = clean(count * float(query @ query), values)
    within = clean(float(((centred - query[:, None]) ** 2).sum()), values)
    residual = within / ((count - 1) * nu)
    if 0 < between / nu <= residual * (1 + TIED) or between / nu < residual:
        return (between + within) / (count * nu), 0.0, count * nu, BOUNDARY
    return residual, (between / nu - residual) / count, (count - 1) * nu, "" if residual else NO_REST


def effects_of(
    design: Design, label: str, means: FloatArray, queries: int, squared: float, nu: float, level: float
) -> list[SystemEffect]:
    """All pairs of systems from their means; `squared` is the squared standard error of a difference."""
    from scipy.special import stdtr, stdtrit

    names = design.table.systems
    known = squared > 0 and nu > 0
    error = float(np.sqrt(squared)) if squared >= 0 else float("nan")
    half = float(stdtrit(nu, (1 + level) / 2)) * error if known else float("nan")
    made = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            gap = float(means[j] - means[i])
            p = float(2 * stdtr(nu, -abs(gap) / error)) if known else float("nan")
            made.append(SystemEffect(label, names[i], names[j], queries, gap, error, nu, p, gap - half, gap + half))
    return made
