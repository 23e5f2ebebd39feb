"""Mixed model: value ~ system * class + (1 | query), by restricted maximum likelihood (REML).

Each query has its own difficulty, a draw from a normal distribution, the same under every system. With all systems on
all queries REML has a closed form: the residual variance s2 is the mean square of what is left when cell means and
queries are taken out, with (k-1)(N - N_C) degrees of freedom; the variance of the queries is (mean square of queries
within classes - s2)/k. Where that is below 0 it counts as 0, and the fit at that boundary would take systems that go
against each other for independent ones: it errs in .09 to .16 of cases for .05. Then every pair of systems is judged by
its own differences, class by class, and the note says so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.intervals.components import said_of
from rankscope.statistics.pairs.pair_test import limits_within
from rankscope.statistics.table.cells import Design, clean, design_of, need_level, pair_numbers
from rankscope.statistics.table.score_table import ScoreTable

PAIRED = "the model does not hold, and each class is judged by its own paired differences"
NO_FREEDOM = "as many classes as queries: there is no degree of freedom left for the error, and no test"
NO_REST = "the difference of two systems is the same for every query of a class: there is no error, and no test"


TIED = 1e-9  # mean squares that differ by less are equal: rounding must not decide between two tests


@dataclass(frozen=True)
class SystemEffect:
    """Second minus first on the queries of one class ('' for all), with standard error, p value and interval."""

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
    paired: str = ""  # why pairs were judged by their own differences, where the model does not hold

    @property
    def shared(self) -> float:
        """How much two systems agree on a query: the share of the variance that is the query's (ICC)."""
        total = self.query_variance + self.residual_variance
        return self.query_variance / total if total > 0 else float("nan")

    def rows(self) -> list[dict[str, object]]:
        """One row per effect, classes first, in plain numbers."""
        return [
            {"class" if key == "label" else key: value for key, value in asdict(each).items()}
            for each in (*self.effects, *self.overall)
        ]


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
        from rankscope.statistics.variance.mixed_classes import with_random_classes

        return with_random_classes(design, level)
    result = variances(design)
    size = len(design.table)
    if result.paired:
        per_class = [each for label in design.labels for each in _paired_effects(design, label, level)]
        overall = _paired_effects(design, None, level)
    else:
        squared, nu = 2 * result.residual, result.freedom
        per_class = [
            each
            for label, count, means in zip(design.labels, design.size.tolist(), design.class_means, strict=True)
            for each in effects_of(design, label, means, count, squared / count, nu, level)
        ]
        overall = effects_of(design, "", design.values.mean(axis=0), size, squared / size, nu, level)
    return Mixed(
        measure=design.table.measure,
        effects=tuple(per_class) if design.labels != ("",) else (),
        overall=tuple(overall),
        residual_variance=result.residual,
        query_variance=result.query,
        queries=size,
        level=level,
        note=design.note(result.paired or result.words),
        paired=result.paired,
    )


@dataclass(frozen=True)
class Variances:
    """Residual and query variance by REML, and the degrees of freedom of the residuals."""

    residual: float
    query: float
    freedom: int
    paired: str = ""  # said where the variance of queries came out below 0
    words: str = ""


def variances(design: Design) -> Variances:
    """From the squares of queries within classes and of what is left."""
    values, group = design.values, design.group
    count = values.shape[1]
    nu = len(values) - len(design.labels)
    if nu == 0:
        return Variances(float("nan"), float("nan"), 0, words=NO_FREEDOM)
    centred = values - design.class_means[group]
    query = centred.mean(axis=1)
    between = clean(count * float(query @ query), values)
    within = clean(float(((centred - query[:, None]) ** 2).sum()), values)
    residual = within / ((count - 1) * nu)
    if between / nu < residual * (1 - TIED):
        residual = (between + within) / (count * nu)
        return Variances(residual, 0.0, count * nu, paired=f"{said_of(['queries'])}: {PAIRED}")
    query_variance = max(0.0, between / nu - residual) / count  # below only by rounding
    return Variances(residual, query_variance, (count - 1) * nu, words="" if residual else NO_REST)


def _paired_effects(design: Design, label: str | None, level: float) -> list[SystemEffect]:
    """All pairs of systems by their own differences in one class; None: over all queries, the class means taken out."""
    rows = np.flatnonzero(design.group == design.labels.index(label)) if label is not None else slice(None)
    values, group = design.values[rows], design.group[rows]
    first, second = pair_numbers(values.shape[1])
    means = design.class_means[group]
    away = (values - means)[:, second] - (values - means)[:, first]
    size = len(values)
    nu = size - np.unique(group).size
    squares = np.array([clean(float(column @ column), values) for column in away.T])
    squared = squares / (nu * size) if nu else np.full(squares.size, np.nan)
    return effects_of(design, label or "", values.mean(axis=0), size, squared, nu, level)


def effects_of(
    design: Design, label: str, means: FloatArray, queries: int, squared: FloatArray | float, nu: float, level: float
) -> list[SystemEffect]:
    """All pairs of systems from their means; `squared` is the squared standard error of a difference, one or each."""
    from scipy.special import stdtr, stdtrit

    names = design.table.systems
    first, second = pair_numbers(len(names))
    squares = np.broadcast_to(np.asarray(squared, dtype=np.float64), first.shape)
    known = (squares > 0) & (nu > 0)
    error = np.sqrt(np.where(squares >= 0, squares, np.nan))
    gap = means[second] - means[first]
    p = np.where(known, 2 * stdtr(max(nu, 1), -np.abs(gap) / np.where(known, error, 1.0)), np.nan)
    half = np.where(known, stdtrit(max(nu, 1), (1 + level) / 2) * error, np.nan)
    ends = limits_within(gap - half, gap + half, design.table.difference_bounds)
    columns = zip(*(each.tolist() for each in (gap, error, p, *ends)), strict=True)
    return [
        SystemEffect(
            label=label,
            first=names[i],
            second=names[j],
            queries=queries,
            difference=difference,
            error=its_error,
            freedom=nu,
            p=its_p,
            low=low,
            high=high,
        )
        for i, j, (difference, its_error, its_p, low, high) in zip(
            first.tolist(), second.tolist(), columns, strict=True
        )
    ]
