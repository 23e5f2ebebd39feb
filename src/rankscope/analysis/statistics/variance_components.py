"""Variance components: how much of the variance of values is that of queries, assessors, seeds or collections.

Next to each variance its share, its interval and what it adds to the variance of the mean: t_k divided by how many of
its kind the mean is over. Limits: a mean square S = t_k + w with d = levels - 1 degrees of freedom has the standard
error S sqrt(2/d), so that of t_k gives S, and w = S - t_k; the limits are those of S by chi-square minus w, and never
below 0. On a balanced table S is the mean square of the source over the values that each of its levels has.

Variances are estimated by restricted maximum likelihood (REML). The model is y = X b + sum_k Z_k u_k + e with
Var(y) = V = sum_k t_k Z_k Z_k' + t_e I. With P = V^-1 - V^-1 X (X'V^-1 X)^-1 X'V^-1, q_k = y'P V_k P y and
F_kl = tr(P V_k P V_l), the derivative of the restricted log likelihood is (q - F t)/2 and its information is F/2
(Patterson & Thompson 1971). A step of Fisher scoring solves F t = q with no variance below 0 (Anderson 1973); on a
balanced table the first step arrives, at the estimates of the analysis of variance where none of them is negative.
All
is computed from Z'Z, whose size is the number of levels, not of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from rankscope.analysis.statistics.design import below_zero_note
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.columns import FACTORS
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import Rows, as_json, markdown_table, text_table
from rankscope.core.wording import how_many, join_words, plain_number

FEW_LEVELS = 5  # levels: a variance from fewer is hardly known


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
        return [{"of": self.what, **each.row()} for each in self.parts]

    def records(self) -> Rows:
        return [{name: getattr(each, name) for name in COMPONENT_COLUMNS} for each in self.parts]

    def display(self) -> Display:
        words = [f"{self.what}: mean {self.mean:.4f}", sentence_of(self), *self.notes]
        return Display.of(words, [component_row(each) for each in self.parts], ".notes")


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
    columns = [each - each.mean() for each in table.covariates.values()]
    fit = reml(table.values, table.terms, np.column_stack(columns) if columns else None)
    sizes = {name: table.levels(name) for name in table.factors}
    levels = {name: int(np.unique(each).size) for name, each in table.terms.items()} | {table.rest: len(table)} | sizes
    names = [table.rest if name == RESIDUAL else name for name in fit.names]
    total = float(fit.variances.sum())
    bounds = _limits(table, fit, level)
    coefficients = fit.coefficients[1:].tolist(), fit.coefficient_errors[1:].tolist()
    mean_parts = [float(value) / divisor(name, sizes) for name, value in zip(names, fit.variances, strict=True)]
    parts = tuple(
        VarianceComponent(
            source=name,
            levels=levels[name],
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
        slopes=tuple(map(CovariateSlope, table.covariates, *coefficients)),
        notes=(*table.notes, *_notes(table, fit, parts)),
        level=level,
        balanced=len(table) == math.prod(table.levels(name) for name in (QUERY, *CROSSED)),
    )


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


def _notes(table: FactorTable, fit: RemlFit, parts: tuple[VarianceComponent, ...]) -> list[str]:
    zero = below_zero_note([table.rest if name == RESIDUAL else name for name in fit.at_zero if fit.rows])
    few = [each.source for each in parts if each.levels < FEW_LEVELS and each.source != CLASS]
    notes = [zero] if zero and table.values.std() > 0 else []
    if few:
        notes.append(f"a variance from fewer than {FEW_LEVELS} levels is hardly known: {', '.join(few)}")
    if not table.values.std():
        notes.append("all values are equal: there is no variance to share out")
    return notes


# Values with what they vary with: a row for each value, its query, class, assessor, seed and collection.

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
        single = len(crossed) == 1 and np.unique(self._pairs(crossed[0])).size == len(self)
        return f"{QUERY} x {crossed[0]}" if single else REST

    def _pairs(self, name: str) -> IntArray:
        return self.factors[QUERY] * (int(self.factors[name].max()) + 1) + self.factors[name]


def _numbers(factors: Mapping[str, list[str]], name: str) -> IntArray:
    """Levels as numbers; a class of no name is one of its own for each query."""
    texts = factors[name]
    if name == CLASS:
        texts = [each or f"\0{query}" for each, query in zip(texts, factors[QUERY], strict=True)]
    return np.unique(np.array(texts, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


# Values of several systems on the same queries, under several assessors, seeds or collections: one long table.

VariedCell = tuple[str, str, ScoreTable]  # assessor, seed, and the values of all systems that have this seed


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
        cls, cells: Iterable[VariedCell], covariates: Mapping[str, Mapping[str, float]] | None = None
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


# Variances of crossed and nested random effects by restricted maximum likelihood (REML), on any table.

RESIDUAL = "residual"
MOST_LEVELS = 5_000  # of all effects together: a matrix of 200 MB
MOST_STEPS = 200
EXACT = 1e-11  # of the total variance: a step that moves less has arrived
LEAST_RESIDUAL = 1e-9  # of the total variance: below it the residual counts as 0
SINGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class RemlFit:
    """Variances of the effects, the residual last, with what is known of their errors, and the fixed coefficients."""

    names: tuple[str, ...]
    variances: FloatArray
    information: FloatArray  # F/2 at the estimate
    free: FloatArray  # estimates without the limit at 0, from the last step
    coefficients: FloatArray
    coefficient_errors: FloatArray
    log_likelihood: float  # restricted
    rows: int

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the variances, as if no limit at 0 were there."""
        return np.sqrt(np.diag(np.linalg.pinv(self.information)))

    @property
    def at_zero(self) -> tuple[str, ...]:
        """The effects whose variance came out at or below 0 and counts as 0."""
        return tuple(name for name, value in zip(self.names, self.variances.tolist(), strict=True) if value == 0)

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise SettingError(f"no variance of '{name}'. There are: {', '.join(self.names)}")
        return float(self.variances[self.names.index(name)])


def reml(values: FloatArray, groups: Mapping[str, IntArray], fixed: FloatArray | None = None) -> RemlFit:
    """Variances of the effects of `groups`, each the number of a level for every row; `fixed` are columns next to 1.

    >>> ranks = np.array([9.0, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7])
    >>> target, judge = np.divmod(np.arange(24), 4)
    >>> fit = reml(ranks, {"target": target, "judge": judge})
    >>> dict(zip(fit.names, fit.variances.round(4).tolist()))
    {'target': 2.5556, 'judge': 5.2444, 'residual': 1.0194}
    """
    sums = _Sums.of(values, groups, fixed)
    if sums.total == 0:
        return _constant(sums)
    variances = np.full(len(sums.names), 1.0 / len(sums.names))
    point = _Point.at(sums, variances)
    scale = np.sqrt(np.diag(point.f))
    if not scale.all() or np.linalg.eigvalsh(point.f / np.outer(scale, scale))[0] < SINGULAR:
        raise SettingError(
            "some effects cannot be estimated separately from this table, such as queries from classes of one "
            "query each: leave one out"
        )
    for _ in range(MOST_STEPS):
        before, point = point, _not_worse(sums, point, _scored(point))
        if float(np.abs(point.variances - before.variances).max()) < EXACT:
            break
    return _fit(sums, point)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of products of effects, fixed columns and values; values are divided by their standard deviation."""

    names: tuple[str, ...]
    effect: IntArray  # of each level: the number of its effect
    zz: FloatArray
    zx: FloatArray
    zy: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: float
    rows: int
    total: float  # variance of the values around the fixed part
    start: FloatArray  # coefficients by least squares, which the values are freed of

    @classmethod
    def of(cls, values: FloatArray, groups: Mapping[str, IntArray], fixed: FloatArray | None) -> _Sums:
        x = np.column_stack([np.ones(values.size), *([] if fixed is None else [fixed])])
        start = np.asarray(np.linalg.lstsq(x, values, rcond=None)[0], dtype=np.float64)
        rest = values - x @ start
        free = values.size - np.linalg.matrix_rank(x)
        if free < 1 or np.linalg.matrix_rank(x) < x.shape[1]:
            raise SettingError(
                f"{x.shape[1]} fixed columns cannot be estimated separately from {values.size} values: leave some out"
            )
        scale = max(1e-300, float(np.abs(values).max(initial=0.0)))
        total = float(rest @ rest) / free if np.abs(rest).max() > 1e-12 * scale else 0.0
        y = rest / np.sqrt(total) if total else rest
        codes = [np.unique(each, return_inverse=True)[1].astype(np.int64) for each in groups.values()]
        sizes = [int(each.max()) + 1 for each in codes]
        if sum(sizes) > MOST_LEVELS:
            raise SettingError(f"{sum(sizes):,} levels of queries, assessors, ... together; at most {MOST_LEVELS:,}")
        places = [each + before for each, before in zip(codes, np.cumsum([0, *sizes])[:-1], strict=True)]
        levels = sum(sizes)
        met = np.zeros(levels**2)  # how often every two levels meet in a row
        for one, other in product(places, repeat=2):
            met += np.bincount(one * levels + other, minlength=levels**2)
        return cls(
            names=(*groups, RESIDUAL),
            effect=np.repeat(np.arange(len(sizes)), sizes),
            zz=met.reshape(levels, levels),
            zx=np.stack([_added(places, column, levels) for column in x.T], axis=1),
            zy=_added(places, y, levels),
            xx=x.T @ x,
            xy=x.T @ y,
            yy=float(y @ y),
            rows=values.size,
            total=total,
            start=start,
        )


def _added(places: list[IntArray], column: FloatArray, levels: int) -> FloatArray:
    total = np.zeros(levels)
    for each in places:
        total += np.bincount(each, column, levels)
    return total


@dataclass(frozen=True, eq=False)
class _Point:
    """The likelihood at some variances, with q and F of the description above."""

    variances: FloatArray
    q: FloatArray
    f: FloatArray
    likelihood: float
    coefficients: FloatArray
    coefficient_variance: FloatArray

    @classmethod
    def at(cls, sums: _Sums, variances: FloatArray) -> _Point:
        from scipy.linalg import solve_triangular

        residual = float(variances[-1])
        root = np.sqrt(variances[sums.effect] / residual)
        inner = np.eye(root.size) + root[:, None] * sums.zz * root
        lower = np.linalg.cholesky(inner)
        half = solve_triangular(lower, root[:, None] * np.column_stack([sums.zz, sums.zx, sums.zy]), lower=True)
        levels, columns = root.size, sums.zx.shape[1]
        z, x, y = half[:, :levels], half[:, levels : levels + columns], half[:, -1]
        zz, zx, zy = ((own - z.T @ part) / residual for own, part in ((sums.zz, z), (sums.zx, x), (sums.zy, y)))
        xx, xy = (sums.xx - x.T @ x) / residual, (sums.xy - x.T @ y) / residual
        yy = (sums.yy - float(y @ y)) / residual
        inverse = np.linalg.inv(xx)
        coefficients = inverse @ xy
        rest = yy - float(xy @ coefficients)
        projected = zz - zx @ inverse @ zx.T
        q, f = _scores(sums, variances, projected, zy - zx @ coefficients, rest)
        determinant = sums.rows * np.log(residual) + 2 * np.log(np.diag(lower)).sum() + np.linalg.slogdet(xx)[1]
        freedom = sums.rows - columns
        return cls(
            variances=variances,
            q=q,
            f=f,
            likelihood=-0.5 * float(determinant + rest + freedom * np.log(2 * np.pi)),
            coefficients=coefficients,
            coefficient_variance=inverse,
        )


def _scores(
    sums: _Sums, variances: FloatArray, projected: FloatArray, pulled: FloatArray, rest: float
) -> tuple[FloatArray, FloatArray]:
    """q and F; those of the residual follow from P V P = P."""
    count = variances.size - 1
    own, residual = variances[:-1], float(variances[-1])
    member = np.zeros((count, sums.effect.size))
    member[sums.effect, np.arange(sums.effect.size)] = 1.0
    trace = member @ np.diag(projected)
    q, f = np.zeros(count + 1), np.zeros((count + 1, count + 1))
    q[:-1] = member @ pulled**2
    q[-1] = max(0.0, (rest - float(own @ q[:-1])) / residual)
    f[:-1, :-1] = member @ projected**2 @ member.T
    f[-1, :-1] = f[:-1, -1] = (trace - f[:-1, :-1] @ own) / residual
    freedom = sums.rows - sums.xx.shape[0]
    all_trace = (freedom - float(own @ trace)) / residual
    f[-1, -1] = (all_trace - float(own @ f[-1, :-1])) / residual
    return q, f


def _scored(point: _Point) -> FloatArray:
    """The variances of the next step: F t = q as near as can be with none below 0."""
    from scipy.optimize import nnls

    least = np.zeros(point.q.size)
    least[-1] = LEAST_RESIDUAL
    scale = np.sqrt(np.diag(point.f))
    root = np.linalg.cholesky(point.f / np.outer(scale, scale) + 1e-14 * np.eye(scale.size)).T
    aim = np.linalg.solve(root.T, (point.q - point.f @ least) / scale)
    return np.asarray(least + nnls(root, aim)[0] / scale)


def _not_worse(sums: _Sums, point: _Point, wanted: FloatArray) -> _Point:
    """The point wanted, or one on the way to it where the likelihood is no lower than here."""
    for halvings in range(30):
        found = _Point.at(sums, point.variances + (wanted - point.variances) / 2**halvings)
        if found.likelihood >= point.likelihood - 1e-10 * abs(point.likelihood):
            return found
    return point


def _fit(sums: _Sums, point: _Point) -> RemlFit:
    variances = point.variances.copy()
    if variances[-1] <= 2 * LEAST_RESIDUAL:
        variances[-1] = 0.0
    root = np.sqrt(sums.total)
    freedom = sums.rows - sums.xx.shape[0]
    return RemlFit(
        names=sums.names,
        variances=variances * sums.total,
        information=point.f / (2 * sums.total**2),
        free=np.linalg.pinv(point.f) @ point.q * sums.total,
        coefficients=sums.start + point.coefficients * root,
        coefficient_errors=np.sqrt(np.diag(point.coefficient_variance)) * root,
        log_likelihood=point.likelihood - freedom * float(np.log(root)),
        rows=sums.rows,
    )


def _constant(sums: _Sums) -> RemlFit:
    """All values equal: there is nothing to share out."""
    count, columns = len(sums.names), sums.xx.shape[0]
    return RemlFit(
        names=sums.names,
        variances=np.zeros(count),
        information=np.full((count, count), np.nan),
        free=np.zeros(count),
        coefficients=sums.start,
        coefficient_errors=np.zeros(columns),
        log_likelihood=float("nan"),
        rows=sums.rows,
    )


# Where uncertainty comes from, in tables and in words that follow from them.

COMPONENT_COLUMNS = ("source", "levels", "variance", "low", "high", "share", "of_mean")
SOURCES = {
    "query": "queries",
    "class": "classes",
    "assessor": "assessors",
    "seed": "seeds",
    "collection": "collections",
}


def components_text(found: Sequence[Components], output_format: str = "table") -> str:
    """All of it: a table with a sentence for each system and difference, or JSON."""
    if output_format == "json":
        return components_json(found)
    make, lead, gap = (markdown_table, "### ", "\n") if output_format == "markdown" else (text_table, "", "")
    parts = []
    for each in found:
        lines = [f"{lead}{each.what}: mean {each.mean:.4f}\n", make([component_row(part) for part in each.parts])]
        if each.slopes:
            lines += ["\n", make([slope.row() for slope in each.slopes])]
        parts.append("".join([*lines, gap, f"{sentence_of(each)}\n", *(f"! {note}\n" for note in each.notes)]))
    return "\n".join(parts)


def component_row(part: VarianceComponent) -> dict[str, object]:
    """A source as a row of a table."""
    return {
        "source": part.source,
        "levels": part.levels,
        "variance": short_number(part.variance),
        "low": short_number(part.low),
        "high": short_number(part.high),
        "share": f"{part.share:.1%}",
        "share of the mean's variance": f"{part.of_mean:.1%}",
    }


def short_number(value: float) -> str:
    """Three digits, however small; a dash where there is none.

    >>> short_number(0.000071234), short_number(0.0), short_number(float("nan"))
    ('7.12e-05', '0', '-')
    """
    return "-" if value != value else f"{value:.3g}"


def sentence_of(found: Components) -> str:
    """Which source makes the mean uncertain, with its share and the standard error.

    >>> from rankscope.analysis.statistics.variance_components import components
    >>> from rankscope.analysis.statistics.variance_components import FactorTable
    >>> sentence_of(components(FactorTable.of([0.1, 0.3, 0.5], {"query": [1, 2, 3]}, what="AP of bm25")))
    'The mean of 3 queries has a standard error of .115; 100% of its variance comes from queries.'
    """
    if not found.total:
        return f"All values of {found.what} are equal."
    most = max(found.parts, key=lambda each: each.of_mean)
    over = join_words([f"{number:,} {SOURCES.get(name, name)}" for name, number in found.sizes.items() if number > 1])
    return (
        f"The mean of {over} has a standard error of {plain_number(found.error)}; {most.of_mean:.0%} of its variance "
        f"comes from {source_words(most.source)}."
    )


def source_words(source: str) -> str:
    """A source in a sentence.

    >>> source_words("assessor"), source_words("query x seed"), source_words("rest")
    ('assessors', 'what queries make of seeds', 'what is left')
    """
    if source == "rest":
        return "what is left"
    first, _, second = source.partition(" x ")
    return f"what {SOURCES[first]} make of {SOURCES[second]}" if second else SOURCES[first]


def components_json(found: Sequence[Components]) -> str:
    parts = [
        {
            "of": each.what,
            "mean": each.mean,
            "error": each.error,
            "sizes": dict(each.sizes),
            "balanced": each.balanced,
            "components": [part.row() for part in each.parts],
            "covariates": [slope.row() for slope in each.slopes],
            "sentence": sentence_of(each),
            "notes": list(each.notes),
        }
        for each in found
    ]
    level = found[0].level if found else None
    return as_json({"format": "rankscope.components", "version": 1, "level": level, "parts": parts})
