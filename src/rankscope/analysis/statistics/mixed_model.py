"""The mixed model of systems, classes and queries, with fixed or random classes, and what pairing by query is worth.

Mixed model: value ~ system * class + (1 | query), by restricted maximum likelihood (REML). Each query has its own
difficulty, a draw from a normal distribution, the same under every system. With all systems on all queries REML has a
closed form: the residual variance s2 is the mean square of what is left when cell means and queries are taken out, with
(k-1)(N - N_C) degrees of freedom; the variance of the queries is (mean square of queries within classes - s2)/k. Where
that is below 0 it counts as 0, and the fit at that boundary would take systems that go against each other for
independent ones: it errs in .09 to .16 of cases for .05. Then every pair of systems is judged by its own differences,
class by class, and the note says so.

The mixed model with random classes: value ~ system + (1 | class) + (1 | class:system) + (1 | query), by REML. With all
systems on all queries the likelihood falls into two parts that share no variance: differences of systems, and means
over systems. Each part is a one-way layout of classes with a variance between and one within, and REML has one unknown
left: their ratio.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankscope.analysis.statistics.anova import NO_FREEDOM, Anova, anova_of
from rankscope.analysis.statistics.design import (
    Design,
    below_zero_note,
    cell_name,
    clean_squares,
    design_of,
    never_below_zero,
    pair_numbers,
)
from rankscope.analysis.statistics.multiple_comparisons import Comparisons, tukey_of
from rankscope.analysis.statistics.paired_tests import limits_within
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import SHARE, check
from rankscope.core.wording import setting_usage

PAIRED = "the model does not hold, and each class is judged by its own paired differences"
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
    check({"level": level}, level=SHARE)
    design = design_of(table, systems=2)
    if random_classes:
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
    between = clean_squares(count * float(query @ query), values)
    within = clean_squares(float(((centred - query[:, None]) ** 2).sum()), values)
    residual = within / ((count - 1) * nu)
    if between / nu < residual * (1 - TIED):
        residual = (between + within) / (count * nu)
        return Variances(residual, 0.0, count * nu, paired=f"{below_zero_note(['queries'])}: {PAIRED}")
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
    squares = np.array([clean_squares(float(column @ column), values) for column in away.T])
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


NO_FREEDOM_OF_CLASSES = "every class has one query: variance between and within classes cannot be estimated separately"
STEADY = "the effect of a system does not vary more between classes than chance"


@dataclass(frozen=True, eq=False)
class _Layer:
    """Means of classes (rows) in some directions (columns), and the squares within classes."""

    means: FloatArray
    size: FloatArray
    squares: float
    freedom: int  # of the squares

    def spread(self, ratio: float) -> tuple[float, FloatArray]:
        """Variance within for a ratio of between to within, and the weight of each class."""
        weight = 1.0 / (ratio + 1.0 / self.size)
        centre = weight @ self.means / weight.sum()
        squares = self.squares + float(weight @ ((self.means - centre) ** 2).sum(axis=1))
        columns = self.means.shape[1]
        return squares / (self.freedom + columns * (len(self.means) - 1)), weight

    def deviance(self, ratio: float) -> float:
        """Minus twice the restricted log likelihood, but for a constant."""
        variance, weight = self.spread(ratio)
        columns = self.means.shape[1]
        freedom = self.freedom + columns * (len(self.means) - 1)
        return freedom * np.log(variance) + columns * float(np.log(weight.sum()) - np.log(weight).sum())

    def best(self) -> tuple[float, float, FloatArray]:
        """Variance between, variance within, weights."""
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda log: self.deviance(float(np.exp(log))), bounds=(-18, 12), method="bounded", options={"xatol": 1e-10}
        )
        ratio = float(np.exp(found.x))
        if self.deviance(0.0) <= self.deviance(ratio):
            ratio = 0.0
        variance, weight = self.spread(ratio)
        return ratio * variance, variance, weight


def with_random_classes(design: Design, level: float) -> Mixed:
    """Effects of systems over all classes there might be; degrees of freedom are those of the classes, (k-1)(N_C-1).

    One class is no sample of classes: a `SettingError`.
    """
    classes = len(design.labels)
    if design.labels == ("",) or classes < 2:
        given = setting_usage("classes", "CLASSES.csv")
        raise SettingError(f"random classes need two classes at least: give {given} (columns query, class)")
    if len(design.table) == classes:
        raise SettingError(f"{NO_FREEDOM_OF_CLASSES}; leave random classes out")
    values, group, count = design.values, design.group, design.values.shape[1]
    # Orthonormal columns: the mean over systems first, then differences of systems.
    directions = np.linalg.qr(np.column_stack([np.ones(count), np.eye(count)[:, : count - 1]]))[0]
    turned = values @ directions
    size = design.size.astype(np.float64)
    class_means = np.stack([turned[group == each].mean(axis=0) for each in range(classes)])
    rest = (turned - class_means[group]) ** 2
    nu = len(values) - classes
    within = clean_squares(float(rest[:, 1:].sum()), values)
    if within == 0:
        raise SettingError("the difference of two systems is the same for every query of a class: there is no error")
    differences = _Layer(class_means[:, 1:], size, within, (count - 1) * nu)
    interaction, residual, weight = differences.best()
    between, query = float(class_means[:, :1].var(ddof=1)), 0.0  # of class means and queries, in the first direction
    if squares := clean_squares(float(rest[:, 0].sum()), values):
        between, query, _ = _Layer(class_means[:, :1], size, squares, nu).best()
    means = weight @ design.class_means / weight.sum()
    freedom = (count - 1) * (classes - 1)
    effects = effects_of(design, "", means, len(values), 2 * residual / float(weight.sum()), freedom, level)
    parts, words = never_below_zero({"queries": (query - residual) / count, "classes": (between - interaction) / count})
    return Mixed(
        measure=design.table.measure,
        effects=(),
        overall=tuple(effects),
        residual_variance=residual,
        query_variance=parts["queries"],
        queries=len(values),
        level=level,
        interaction_variance=interaction,
        class_variance=parts["classes"],
        note=design.note(f"{classes} classes as a sample", "" if interaction else STEADY, words),
    )


@dataclass(frozen=True, eq=False)
class PairedAndUnpaired:
    """One-way analysis with Tukey-Kramer next to the mixed model."""

    unpaired: Anova
    pairs: Comparisons
    paired: Mixed

    @property
    def why(self) -> str:
        """Why the two differ, in one sentence with both error variances."""
        cells, rest, query = self.unpaired.mse, self.paired.residual_variance, self.paired.query_variance
        if not cells > 0:
            return self.unpaired.note
        if self.paired.paired:
            return f"{self.paired.paired[0].upper()}{self.paired.paired[1:]}."
        return (
            f"How hard a query is sits in the error of the unpaired test (variance {cells:.3g}); the paired test takes "
            f"it out (variance {query:.3g}) and measures differences by what is left, {rest:.3g}."
        )

    @property
    def note(self) -> str:
        return self.paired.note or self.unpaired.note

    def rows(self) -> list[dict[str, object]]:
        """One row per class and pair of systems: the difference, then error and p of both.

        The p value of Tukey holds for all pairs of cells together, the others for one pair alone.
        """
        from scipy.special import stdtr

        result: list[dict[str, object]] = []
        adjusted = {(row["first"], row["second"]): row["p"] for row in self.pairs.rows()}
        for each in self.paired.effects or self.paired.overall:
            error = (2 * self.unpaired.mse / each.queries) ** 0.5
            known = error > 0 and self.unpaired.nu > 0
            plain = float(2 * stdtr(self.unpaired.nu, -abs(each.difference) / error)) if known else float("nan")
            names = cell_name(each.first, each.label), cell_name(each.second, each.label)
            result.append(
                {
                    "class": each.label,
                    "first": each.first,
                    "second": each.second,
                    "queries": each.queries,
                    "difference": each.difference,
                    "unpaired error": error,
                    "unpaired p": plain,
                    "unpaired Tukey p": adjusted[names],
                    "paired error": each.error,
                    "paired p": each.p,
                    "paired low": each.low,
                    "paired high": each.high,
                }
            )
        return result


def paired_and_unpaired(table: ScoreTable, level: float = 0.95) -> PairedAndUnpaired:
    """Both ways on the same queries, so that a reader sees what pairing is worth.

    >>> made = paired_and_unpaired(ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.3, 0.5, 0.4]}))
    >>> row = made.rows()[0]
    >>> round(row["unpaired p"], 4), round(row["paired p"], 4)
    (0.3153, 0.0917)
    """
    design = design_of(table, systems=2)
    anova = anova_of(design)
    return PairedAndUnpaired(anova, tukey_of(anova, level), mixed(table, level))
