"""Explanatory variables in the mixed model: value ~ system * (class + variables of the query) + (1 | query).

With all systems on all queries REML has a closed form, as without variables: X holds the classes and the variables
(centred, in standard deviations), R is what X leaves of each system's values. s2 is the mean square of R without the
queries' own means, on (k-1)(N - p) degrees of freedom; the variance of queries is (k sum mean^2/(N - p) - s2)/k. How a
variable moves the difference of two systems has the variance 2 s2 [(X'X)^-1]_jj, how it moves all of them (s2/k +
variance of queries) [(X'X)^-1]_jj on N - p. Where the variance of queries comes out below 0, pairs of systems are
judged by their own differences, as `mixed` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.analysis.statistics.design import Design, clean_squares, design_of, pair_numbers
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import SHARE, check
from rankscope.core.wording import how_many

LEVEL = "all systems"
CONSTANT = 1e-9


@dataclass(frozen=True)
class Slope:
    """What one standard deviation of a variable adds to a value, or to the difference of two systems."""

    variable: str
    of: str
    slope: float
    error: float
    freedom: float
    p: float
    low: float
    high: float

    def row(self) -> dict[str, object]:
        return {
            "variable": self.variable,
            "of": self.of,
            "per standard deviation": self.slope,
            "error": self.error,
            "low": self.low,
            "high": self.high,
            "p": self.p,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Explained(Tabular):
    """Slopes of every variable, and how much of the variances the variables take away."""

    measure: str
    slopes: tuple[Slope, ...]
    residual_variance: float
    query_variance: float
    plain_residual: float  # without the variables
    plain_query: float
    queries: int
    paired: bool = False  # the variance of queries is below 0: pairs by their own differences
    note: str = ""

    def rows(self) -> list[dict[str, object]]:
        return [each.row() for each in self.slopes]

    def display(self) -> Display:
        title = f"{EXPLAINED_HEADING} of {self.measure} ({how_many(self.queries, 'queries')})"
        return Display.of([title, explained_words(self)], self.rows())


def explain(table: ScoreTable, variables: Mapping[str, Mapping[str, float]], level: float = 0.95) -> Explained:
    """How variables of the queries move the values of all systems, and the difference of every two.

    `variables`: for each its value of each query. Queries without a value are an `InputError`; one that is the same for
    all, or follows from classes and other variables, a `SettingError`. p values are for each slope alone.
    >>> values = {"A": [0.1, 0.2, 0.3, 0.6], "B": [0.2, 0.4, 0.5, 1.0]}
    >>> made = explain(ScoreTable.make(values), {"length": {"q1": 1, "q2": 2, "q3": 3, "q4": 4}})
    >>> [(each.of, round(each.slope, 4)) for each in made.slopes]
    [('all systems', 0.2292), ('B minus A', 0.1006)]
    """
    check({"level": level}, level=SHARE)
    design = design_of(table, systems=2)
    classes = np.equal.outer(design.group, np.arange(len(design.labels))).astype(np.float64)
    columns = _standardised(design, variables, classes)
    fit, plain = _Strata.of(design.values, np.hstack([classes, columns])), _Strata.of(design.values, classes)
    mean_variance = max(0.0, fit.query + fit.residual / fit.rest.shape[1])
    slopes = []
    for place, name in enumerate(variables, start=classes.shape[1]):
        error = float(np.sqrt(mean_variance * fit.unit[place]))
        slopes.append(_slope(name, LEVEL, float(fit.coefficients[place].mean()), error, fit.freedom, level))
        slopes += _of_pairs(fit, design, name, place, level)
    return Explained(
        measure=design.table.measure,
        slopes=tuple(slopes),
        residual_variance=fit.residual,
        query_variance=max(fit.query, 0.0),
        plain_residual=plain.residual,
        plain_query=max(plain.query, 0.0),
        queries=len(design.table),
        paired=fit.query < 0,
        note=design.note(),
    )


@dataclass(frozen=True, eq=False)
class _Strata:
    """Coefficients of each system, what is left, and the variances between and within queries."""

    coefficients: FloatArray  # columns x systems
    rest: FloatArray  # queries x systems
    unit: FloatArray  # (X'X)^-1, its diagonal
    freedom: int
    residual: float
    query: float

    @classmethod
    def of(cls, values: FloatArray, columns: FloatArray) -> _Strata:
        queries, systems = values.shape
        freedom = queries - columns.shape[1]
        inverse = np.linalg.inv(columns.T @ columns)
        coefficients = inverse @ columns.T @ values
        rest = values - columns @ coefficients
        own = rest.mean(axis=1)
        within = clean_squares(float(np.square(rest - own[:, None]).sum()), values) / ((systems - 1) * freedom)
        between = systems * clean_squares(float(own @ own), values) / freedom
        return cls(
            coefficients=coefficients,
            rest=rest,
            unit=np.diag(inverse),
            freedom=freedom,
            residual=within,
            query=(between - within) / systems,
        )


def _of_pairs(fit: _Strata, design: Design, name: str, place: int, level: float) -> list[Slope]:
    systems = design.table.systems
    first, second = pair_numbers(len(systems))
    gap = fit.coefficients[place][second] - fit.coefficients[place][first]
    if fit.query < 0:
        away = fit.rest[:, second] - fit.rest[:, first]
        squares = np.array([clean_squares(float(each @ each), design.values) for each in away.T])
        squared, freedom = squares / fit.freedom, fit.freedom
    else:
        squared, freedom = np.full(gap.size, 2 * fit.residual), (len(systems) - 1) * fit.freedom
    errors = np.sqrt(squared * fit.unit[place])
    words = [f"{systems[j]} minus {systems[i]}" for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    return [
        _slope(name, of, float(each), float(error), freedom, level)
        for of, each, error in zip(words, gap, errors, strict=True)
    ]


def _slope(name: str, of: str, slope: float, error: float, freedom: float, level: float) -> Slope:
    from scipy.special import stdtr, stdtrit

    known = error > 0
    half = float(stdtrit(freedom, (1 + level) / 2)) * error if known else float("nan")
    p = float(2 * stdtr(freedom, -abs(slope) / error)) if known else float("nan")
    return Slope(
        variable=name, of=of, slope=slope, error=error, freedom=freedom, p=p, low=slope - half, high=slope + half
    )


def _standardised(design: Design, variables: Mapping[str, Mapping[str, float]], classes: FloatArray) -> FloatArray:
    """One column for each variable: mean 0, standard deviation 1 over the queries used."""
    if not variables:
        raise SettingError("no variable is given to explain anything with")
    queries = design.table.queries
    pairs = [(name, own, query) for name, own in variables.items() for query in queries]
    lacking = [f"{name}: no value of query {query}" for name, own, query in pairs if query not in own]
    if lacking:
        raise InputError.of("variables of the queries", lacking)
    raw = np.array([[own[query] for query in queries] for own in variables.values()], dtype=np.float64).T
    spread = raw.std(axis=0)
    still = [name for name, each in zip(variables, spread, strict=True) if not each > CONSTANT]
    if still:
        raise SettingError(f"{', '.join(still)}: the same for every query, so that it explains nothing")
    columns = (raw - raw.mean(axis=0)) / spread
    whole = np.hstack([classes, columns])
    if np.linalg.matrix_rank(whole) < whole.shape[1]:
        raise SettingError("a variable follows from the classes or from other variables: leave one of them out")
    if len(queries) <= whole.shape[1]:
        raise SettingError(f"{len(queries)} queries are too few for {whole.shape[1]} classes and variables")
    return columns


def read_variables(path: Any) -> dict[str, dict[str, float]]:
    """Variables from a table: column query, and a column of numbers for each; anything else is an `InputError`."""
    from rankscope.inputs.formats.delimited import read_delimited_table
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.sources import Source

    source = Source(str(path))
    problems = Problems(source.name)
    frame = read_delimited_table(source, problems, expected="query,VARIABLE,...", known=frozenset({"query"})).frame
    problems.raise_if_any()
    names = [name for name in frame.columns if name != "query"]
    if "query" not in frame.columns or not names:
        told = f"needs the column query and at least one of numbers, has: {', '.join(frame.columns)}"
        raise InputError.of(source.name, [told])
    queries = frame.get_column("query").cast(str).to_list()
    found: dict[str, dict[str, float]] = {}
    for name in names:
        texts = frame.get_column(name).cast(str).to_list()
        found[name] = {query: _number(text, name, query, problems) for query, text in zip(queries, texts, strict=True)}
    problems.raise_if_any()
    return found


def _number(text: str | None, name: str, query: str, problems: Any) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        problems.add(f"query {query}", f"{name} must be a number, got '{text}'")
    return value


# What variables of the queries explain, in words and tables.

EXPLAINED_HEADING = "What variables of the queries explain"


def explained_words(done: Explained) -> str:
    """What was fitted, how to read it, and what the variables take away."""
    shared = (
        "Pairs by their own differences, because the variance of queries comes out below 0."
        if done.paired
        else f"Variance of queries {done.plain_query:.5f} without the variables, {done.query_variance:.5f} with them; "
        f"residual {done.plain_residual:.5f} and {done.residual_variance:.5f}."
    )
    note = f" {done.note}." if done.note else ""
    return (
        f"Mixed model of {done.measure} of {how_many(done.queries, 'queries')}: system * (class + variables) + (1 "
        "| query), REML. "
        f"Slopes are for one standard deviation of a variable. {shared} p values are for each slope alone, and no "
        f"verdict rests on them.{note}"
    )
