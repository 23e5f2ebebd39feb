"""Where uncertainty comes from: how much of the variance of values is that of queries, assessors, seeds, ...

Next to each variance its share, its interval and what it adds to the variance of the mean: t_k divided by how many of
its kind the mean is over. Limits: a mean square S = t_k + w with d = levels - 1 degrees of freedom has the standard
error S sqrt(2/d), so that of t_k gives S, and w = S - t_k; the limits are those of S by chi-square minus w, and never
below 0. On a balanced table S is the mean square of the source over the values that each of its levels has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.statistics.components.factor_table import CLASS, CROSSED, QUERY, REST, FactorTable
from rankscope.statistics.components.reml import RESIDUAL, RemlFit, reml
from rankscope.statistics.intervals.components import said_of

FEW = 5  # levels: a variance from fewer is hardly known


@dataclass(frozen=True)
class VarianceComponent:
    """One source of variance: how much, with limits, and what it adds to the variance of the mean at hand."""

    source: str
    levels: int
    variance: float
    low: float
    high: float
    share: float  # of all variances
    of_mean: float  # added to the variance of the mean

    def row(self) -> dict[str, object]:
        """In plain numbers, for a table."""
        return {
            "source": self.source,
            "levels": self.levels,
            "variance": self.variance,
            "low": self.low,
            "high": self.high,
            "share": self.share,
            "share of the mean's variance": self.of_mean,
        }


@dataclass(frozen=True)
class CovariateSlope:
    """What a covariate explains: the change of the value for one more of it."""

    name: str
    slope: float
    error: float

    def row(self) -> dict[str, object]:
        """In plain numbers, for a table."""
        return {"covariate": self.name, "slope": self.slope, "error": self.error}


@dataclass(frozen=True, eq=False)
class Components(Tabular):
    """The variance of values, shared out over its sources."""

    what: str
    mean: float
    parts: tuple[VarianceComponent, ...]
    sizes: Mapping[str, int]  # how many of each factor the mean is over
    slopes: tuple[CovariateSlope, ...] = ()
    notes: tuple[str, ...] = ()
    level: float = 0.95
    balanced: bool = True

    def __getitem__(self, source: str) -> VarianceComponent:
        for each in self.parts:
            if each.source == source:
                return each
        raise SettingError(f"no source '{source}'. There are: {', '.join(each.source for each in self.parts)}")

    def __repr__(self) -> str:
        shares = ", ".join(f"{each.source} {each.share:.0%}" for each in self.parts)
        return f"Components({self.what}: {shares}; standard error of the mean {self.error:.4f})"

    @property
    def total(self) -> float:
        """The variance of one value."""
        return math.fsum(each.variance for each in self.parts)

    @property
    def error(self) -> float:
        """Standard error of the mean, over all sources."""
        return math.sqrt(self.mean_variance(self.sizes))

    def mean_variance(self, sizes: Mapping[str, int]) -> float:
        """Variance of a mean over so many queries, assessors, ... of which every query meets all."""
        return math.fsum(each.variance / divisor(each.source, sizes) for each in self.parts)

    def rows(self) -> list[dict[str, object]]:
        """One row for each source."""
        return [{"of": self.what, **each.row()} for each in self.parts]


def divisor(source: str, sizes: Mapping[str, int]) -> int:
    """How many independent draws of a source a mean is over.

    >>> divisor("query x assessor", {"query": 50, "assessor": 3}), divisor("seed", {"query": 50})
    (150, 1)
    """
    if source == REST:
        return math.prod(sizes.get(each, 1) for each in (QUERY, *CROSSED))
    return math.prod(sizes.get(each, 1) for each in source.split(" x "))


def components(table: FactorTable, level: float = 0.95) -> Components:
    """Variance components of a table, by REML; two queries at least.

    >>> values = [0.9, 0.2, 0.5, 0.8, 0.6, 0.1, 0.3, 0.2, 0.8, 0.4, 0.6, 0.8]
    >>> queries, assessors = np.divmod(np.arange(12), 4)
    >>> components(FactorTable.of(values, {"query": queries, "assessor": assessors}, what="AP"))
    Components(AP: query 34%, assessor 49%, query x assessor 17%; standard error of the mean 0.1528)
    """
    if table.levels(QUERY) < 2:
        raise SettingError("variance components need two queries at least")
    fit = _fitted(table)
    sizes = {name: table.levels(name) for name in table.factors}
    names = [table.rest if name == RESIDUAL else name for name in fit.names]
    total = float(fit.variances.sum())
    bounds = _limits(table, fit, level)
    mean_parts = [float(value) / divisor(name, sizes) for name, value in zip(names, fit.variances, strict=True)]
    parts = tuple(
        VarianceComponent(
            source=name,
            levels=_level_count(table, name),
            variance=float(fit.variances[place]),
            low=bounds[place][0],
            high=bounds[place][1],
            share=float(fit.variances[place]) / total if total else math.nan,
            of_mean=mean_parts[place] / math.fsum(mean_parts) if total else math.nan,
        )
        for place, name in enumerate(names)
    )
    return Components(
        what=table.what,
        mean=float(table.values.mean()),
        parts=parts,
        sizes=sizes,
        slopes=_slopes(table, fit),
        notes=(*table.notes, *_notes(table, fit, parts)),
        level=level,
        balanced=_is_balanced(table),
    )


def _fitted(table: FactorTable) -> RemlFit:
    columns = [each - each.mean() for each in table.covariates.values()]
    return reml(table.values, table.terms, np.column_stack(columns) if columns else None)


def _limits(table: FactorTable, fit: RemlFit, level: float) -> list[tuple[float, float]]:
    """Of each variance: t + w has the error of a mean square, and w, what the rest adds to it, is taken off."""
    from scipy.special import chdtri

    if np.isnan(fit.information).any():
        return [(math.nan, math.nan)] * len(fit.names)
    value = np.where(fit.variances > 0, fit.variances, np.minimum(fit.free, 0.0))
    freedom = np.array([_freedom(table, name) for name in fit.names[:-1]] + [math.nan])
    freedom[-1] = max(1.0, 2 * (value[-1] / fit.errors[-1]) ** 2)
    square = np.maximum(fit.errors * np.sqrt(freedom / 2), value)
    ends = [square * freedom / chdtri(freedom, tail) - (square - value) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (np.maximum(each, 0.0).tolist() for each in ends)
    return list(zip(low, high, strict=True))


def _freedom(table: FactorTable, source: str) -> float:
    """Degrees of freedom of the levels of a source; queries within classes lose one for each class."""
    if source == QUERY:
        return max(1.0, table.levels(QUERY) - table.levels(CLASS))
    return math.prod(max(1.0, table.levels(each) - 1.0) for each in source.split(" x "))


def _level_count(table: FactorTable, source: str) -> int:
    if source in table.factors:
        return table.levels(source)
    return len(table) if source == table.rest else int(np.unique(table.terms[source]).size)


def _slopes(table: FactorTable, fit: RemlFit) -> tuple[CovariateSlope, ...]:
    found = zip(fit.coefficients[1:].tolist(), fit.coefficient_errors[1:].tolist(), strict=True)
    return tuple(
        CovariateSlope(name, slope, error) for name, (slope, error) in zip(table.covariates, found, strict=True)
    )


def _is_balanced(table: FactorTable) -> bool:
    crossed = [name for name in CROSSED if name in table.varied]
    return len(table) == table.levels(QUERY) * math.prod(table.levels(name) for name in crossed)


def _notes(table: FactorTable, fit: RemlFit, parts: tuple[VarianceComponent, ...]) -> list[str]:
    zero = said_of([table.rest if name == RESIDUAL else name for name in fit.at_zero if fit.rows])
    few = [each.source for each in parts if each.levels < FEW and each.source != CLASS]
    notes = [zero] if zero and table.values.std() > 0 else []
    if few:
        notes.append(f"a variance from fewer than {FEW} levels is hardly known: {', '.join(few)}")
    if not table.values.std():
        notes.append("all values are equal: there is no variance to share out")
    return notes
