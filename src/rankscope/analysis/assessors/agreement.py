"""How far assessors agree: coefficients of two and of many (kappa, AC1, alpha), with intervals over queries.

Coefficients of two assessors come from the table that counts their grades, a row for each of the first one's, in the
last two axes, so that thousands of resampled tables are one call. Those of any number of assessors come from sums over
queries; gaps are allowed but for Fleiss' kappa. They have two halves: what one query adds (`..._sums`, a row per
query), and what follows from the sum of some queries (`..._of`, sums in the last axis).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.assessors.grades import AssessorGrades
from rankscope.analysis.statistics.bootstrap import Bounds, Statistic, jackknife_interval
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows, value_text
from rankscope.core.validation import SHARE, Number, check
from rankscope.core.wording import how_many, percent_text
from rankscope.ranks.ragged import column_sums_by, divide

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankscope.analysis.assessors.order_changes import OrderChange


FEW_PAIRS = 30  # pairs of query and item: with fewer a value says little
LOPSIDED = 0.9  # share of the marks that one grade has, from which on kappa punishes agreement
SHARES: Bounds = (0.0, 1.0)
CORRECTED: Bounds = (-1.0, 1.0)  # for chance
Summed = tuple[FloatArray, Statistic, Bounds]  # what each query adds, the coefficient of such sums, its range


@dataclass(frozen=True)
class Coefficient:
    """A value between its limits over queries; NaN where it is undefined, or where queries are too few for limits."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Agreed:
    """How far some assessors agree on what they have judged in common, in all queries or in those of one class."""

    assessors: tuple[str, ...]
    label: str  # of the class; nothing: all queries
    pairs: int  # of query and item, judged by two at least
    queries: int
    commonest: float  # the share of the marks that the commonest grade has
    coefficients: tuple[Coefficient, ...]

    @property
    def is_thin(self) -> bool:
        """Whether too few pairs were judged in common to say much."""
        return self.pairs < FEW_PAIRS

    @property
    def is_lopsided(self) -> bool:
        """Whether one grade has so many of the marks that kappa says little: AC1 is to be read next to it."""
        return self.commonest > LOPSIDED

    def __getitem__(self, name: str) -> Coefficient:
        by_name = {each.name: each for each in self.coefficients}
        if name not in by_name:
            raise KeyError(unknown_name("coefficient", name, by_name))
        return by_name[name]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.coefficients)

    def rows(self) -> list[dict[str, object]]:
        head: dict[str, object] = {"assessors": ", ".join(self.assessors)}
        head |= {"class": self.label} if self.label else {}
        size = {"pairs": self.pairs, "queries": self.queries}
        return [
            {**head, "coefficient": each.name, "value": each.value, "low": each.low, "high": each.high, **size}
            for each in self.coefficients
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabular):
    """Every two assessors, all together, and both again for each class of queries."""

    marks: AssessorGrades
    relevant: float  # the lowest grade that counts as relevant
    two: tuple[Agreed, ...]
    together: Agreed
    two_by_class: tuple[Agreed, ...] = ()
    together_by_class: tuple[Agreed, ...] = ()
    orders: tuple[OrderChange, ...] = ()  # of systems, where runs are given
    level: float = 0.95

    def between(self, one: str, other: str) -> Agreed:
        """What two assessors, in any order, have in common."""
        for name in (one, other):
            if name not in self.marks.assessors:
                raise SettingError(unknown_name("assessor", name, self.marks.assessors))
        return next(each for each in self.two if set(each.assessors) == {one, other})

    def records(self) -> Rows:
        return two_rows(self.two)

    def display(self) -> Display:
        together = self.together
        shown = "; ".join(f"{name} {value_text(together[name].value, places=3)}" for name in together.names[:2])
        words = [
            f"{how_many(len(self.marks.assessors), 'assessors')}; all together: {shown}",
            *(order_lines(self.orders) if self.orders else ()),
            f"low, high: {percent_text(self.level)} limits of kappa over queries",
            *agreement_notes(self.two),
        ]
        return Display.of(words, self.records())

    def presentation(self) -> Presentation:
        """Every two assessors, all together, classes, and the order of systems, each with what it says."""
        limits = (
            f"low, high: {percent_text(self.level)} limits of kappa over queries; a dash where queries are too few "
            "or all alike."
        )
        tables = [
            _titled("Every two assessors", two_rows(self.two)),
            "\n".join([limits, *agreement_notes(self.two)]),
            _titled("All together", together_rows([self.together])),
        ]
        if self.two_by_class:
            tables.append(_titled("By class, every two assessors", two_rows(self.two_by_class)))
            tables.append(_titled("By class, all together", together_rows(self.together_by_class)))
        if self.orders:
            title = f"Order of systems, {self.orders[0].measure}"
            tables += [_titled(title, [each.row() for each in self.orders]), "\n".join(order_lines(self.orders))]
        return Presentation(tables=tables)


def agreement(marks: AssessorGrades, *, relevant: float = 1.0, by_class: bool = True, level: float = 0.95) -> Agreement:
    """How far assessors agree, on what two at least have judged; limits are over queries, not over pairs.

    `relevant`: the lowest grade that counts as relevant, for overlap and positive agreement.
    >>> ann = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1}}
    >>> bob = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1}}
    >>> found = agreement(AssessorGrades.of({"ann": ann, "bob": bob}))
    >>> found.two[0]["raw"].value, round(found.two[0]["kappa"].value, 6)
    (0.8, 0.615385)
    """
    level, relevant = check(
        {"level": level, "relevant": relevant}, level=SHARE, relevant=Number(above=-math.inf, below=math.inf)
    ).values()
    labels = marks.class_names if by_class else ()
    parts = {label: marks.where(label) for label in labels}
    of_two = partial(_of_two, relevant=relevant, level=level)
    return Agreement(
        marks=marks,
        relevant=relevant,
        two=tuple(of_two(marks, one, other, "") for one, other in marks.pairs),
        together=_of_all(marks, "", level),
        two_by_class=tuple(
            of_two(part, one, other, label)
            for one, other in marks.pairs
            for label, part in parts.items()
            if part.both(one, other).any()
        ),
        together_by_class=tuple(_of_all(part, label, level) for label, part in parts.items()),
        level=level,
    )


def _of_two(marks: AssessorGrades, one: str, other: str, label: str, *, relevant: float, level: float) -> Agreed:
    rows = marks.both(one, other)
    own = marks.take(rows).select((one, other))
    graded = tables_by_query(own, one, other)
    binary = tables_by_query(own.binary(relevant), one, other) if own.levels.size else graded
    results: dict[str, Summed] = {
        "raw": (graded, raw_agreement, SHARES),
        "kappa": (graded, cohen_kappa, CORRECTED),
        "AC1": (graded, gwet_ac, CORRECTED),
    }
    many = own.levels.size > 2  # then some grades are further apart than others
    for name, coefficient in (("kappa", cohen_kappa), ("AC2", gwet_ac)) if many else ():
        for distance in ("linear", "quadratic"):
            weighted = partial(coefficient, levels=own.levels, distance=distance)
            results[f"{name}, {distance}"] = (graded, weighted, CORRECTED)
    if own.binary(relevant).levels.size > 1:  # relevant items and others
        results |= {"overlap": (binary, overlap, SHARES), "positive": (binary, positive_agreement, SHARES)}
        if many:
            results["kappa, relevant or not"] = (binary, cohen_kappa, CORRECTED)
    return _agreed(own, label, results, level)


def _of_all(marks: AssessorGrades, label: str, level: float) -> Agreed:
    own = marks.take((~np.isnan(marks.grades)).sum(axis=1) > 1)
    results: dict[str, Summed] = {}
    if own.levels.size:
        coincidences = coincidence_sums(own)
        for metric in ALPHA_METRICS:
            alpha = partial(krippendorff_alpha_of, levels=own.levels, metric=metric)
            results[f"alpha, {metric}"] = (coincidences, alpha, CORRECTED)
        results["AC1"] = (gwet_sums(own), gwet_ac1_of, CORRECTED)
        marks_of_rows = np.unique((~np.isnan(own.grades)).sum(axis=1))
        if marks_of_rows.size == 1 and marks_of_rows[0] > 1:
            results["Fleiss' kappa"] = (fleiss_sums(own), fleiss_kappa_of, CORRECTED)
    return _agreed(own, label, results, level)


def _agreed(own: AssessorGrades, label: str, results: Mapping[str, Summed], level: float) -> Agreed:
    grades = own.grades[~np.isnan(own.grades)]
    counts = np.unique(grades, return_counts=True)[1]
    return Agreed(
        assessors=own.assessors,
        label=label,
        pairs=len(own),
        queries=np.unique(own.query).size,
        commonest=float(counts.max() / grades.size) if grades.size else math.nan,
        coefficients=tuple(
            Coefficient(name, *jackknife_interval(sums, statistic, bounds=bounds, level=level))
            for name, (sums, statistic, bounds) in results.items()
        ),
    )


def tables_by_query(marks: AssessorGrades, one: str, other: str) -> FloatArray:
    """How often each grade of one assessor meets each grade of another, for every query (first axis).

    >>> marks = AssessorGrades.of({"ann": {"q1": {"a": 1, "b": 0}}, "bob": {"q1": {"a": 1, "b": 1, "c": 0}}})
    >>> tables_by_query(marks, "ann", "bob").tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    size, both = marks.levels.size, marks.both(one, other)
    cell = (marks.query[both] * size + marks.places(one)[both]) * size + marks.places(other)[both]
    counts = np.bincount(cell, minlength=len(marks.queries) * size * size).astype(np.float64)
    return counts.reshape(len(marks.queries), size, size)


def raw_agreement(table: ArrayLike) -> FloatArray:
    """The share of pairs that get the same grade from both.

    >>> float(raw_agreement([[20, 5], [10, 15]]))
    0.7
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def cohen_kappa(table: ArrayLike, levels: ArrayLike | None = None, distance: str = "nominal") -> FloatArray:
    """Cohen's kappa (1960), or weighted (1968): 1 - disagreement seen/disagreement expected of independent assessors.

    `distance` nominal, linear or quadratic in the values of the grades (`levels`; 0, 1, 2, ... unless given). NaN where
    both give one and the same grade to everything: then no disagreement was to be expected.
    >>> float(cohen_kappa([[20, 5], [10, 15]]).round(6))
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    apart = DISTANCES[distance](_grade_values(levels, counts.shape[-1]))
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    seen = (counts * apart).sum(axis=(-2, -1)) * counts.sum(axis=(-2, -1))
    expected = np.einsum("...i,ij,...j->...", rows, apart, columns)
    return 1.0 - divide(seen, expected)


def overlap(table: ArrayLike) -> FloatArray:
    """Of what either calls relevant, the share that both do: |A and B|/|A or B|; tables of 0 and 1.

    >>> float(overlap([[30, 7], [4, 29]]))
    0.725
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(counts[..., 1, 1], counts.sum(axis=(-2, -1)) - counts[..., 0, 0])


def positive_agreement(table: ArrayLike) -> FloatArray:
    """What both call relevant against what each does: 2 |A and B|/(|A| + |B|); tables of 0 and 1.

    >>> float(positive_agreement([[30, 7], [4, 29]]).round(6))
    0.84058
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(2 * counts[..., 1, 1], counts[..., 1, :].sum(axis=-1) + counts[..., :, 1].sum(axis=-1))


def gwet_ac(table: ArrayLike, levels: ArrayLike | None = None, distance: str = "nominal") -> FloatArray:
    """Gwet's AC1 (2008), AC2 where the distance is not nominal: chance agreement from how evenly grades are used.

    With weights w = 1 - distance/largest distance, p the agreement so weighted, P the mean share of each of k grades
    and T the sum of all weights: e = T/(k (k - 1)) sum P (1 - P), and (p - e)/(1 - e). NaN for a single grade.
    >>> float(gwet_ac([[30, 7], [4, 29]]).round(6))
    0.685778
    """
    counts = np.asarray(table, dtype=np.float64)
    size = counts.shape[-1]
    apart = DISTANCES[distance](_grade_values(levels, size))
    weight = 1.0 - apart / apart.max() if apart.max(initial=0.0) > 0 else np.ones_like(apart)
    total = counts.sum(axis=(-2, -1))
    share = divide(counts.sum(axis=-1) + counts.sum(axis=-2), 2 * total[..., None])
    spread = divide(weight.sum() * (share * (1 - share)).sum(axis=-1), np.float64(size * (size - 1)))
    seen = divide((counts * weight).sum(axis=(-2, -1)), total)
    return divide(seen - spread, 1.0 - spread)


def _grade_values(levels: ArrayLike | None, size: int) -> FloatArray:
    """The values of the grades; 0, 1, 2, ... unless given."""
    return np.asarray(range(size) if levels is None else levels, dtype=np.float64)


ALPHA_METRICS = ("nominal", "ordinal", "interval")


def counts_of_rows(marks: AssessorGrades) -> FloatArray:
    """How many assessors give each grade, a row for each pair of query and item.

    >>> counts_of_rows(AssessorGrades.of({"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1}}})).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return (marks.grades[:, :, None] == marks.levels).sum(axis=1).astype(np.float64)


def fleiss_sums(marks: AssessorGrades) -> FloatArray:
    """Of each query: its rows, the sum of the shares of agreeing pairs of assessors, and the marks of each grade."""
    counts = counts_of_rows(marks)
    size = counts.sum(axis=1)
    agreeing = divide((counts * (counts - 1)).sum(axis=1), size * (size - 1), nothing=0.0)
    return column_sums_by(marks.query, np.column_stack([np.ones_like(size), agreeing, counts]), len(marks.queries))


def fleiss_kappa_of(sums: FloatArray) -> FloatArray:
    """Fleiss' kappa (1971): (p - e)/(1 - e), p the mean share of agreeing pairs, e the sum of squared shares of grades.

    NaN where everybody gives one and the same grade to everything.
    """
    counts = sums[..., 2:]
    share = divide(counts, counts.sum(axis=-1, keepdims=True))
    expected = (share**2).sum(axis=-1)
    return divide(divide(sums[..., 1], sums[..., 0]) - expected, 1.0 - expected)


def coincidence_sums(marks: AssessorGrades) -> FloatArray:
    """Krippendorff's coincidences of each query, flat: each two marks of a row count 1/(marks of the row - 1)."""
    counts = counts_of_rows(marks)
    size, levels = counts.sum(axis=1), marks.levels.size
    together = counts[:, :, None] * counts[:, None, :]
    together[:, np.arange(levels), np.arange(levels)] -= counts
    shares = np.where(size[:, None, None] > 1, divide(together, size[:, None, None] - 1, nothing=0.0), 0.0)
    return column_sums_by(marks.query, shares.reshape(len(marks), levels * levels), len(marks.queries))


def krippendorff_alpha_of(sums: FloatArray, levels: FloatArray, metric: str = "nominal") -> FloatArray:
    """Krippendorff's alpha: 1 - (n - 1) sum o d/sum n n d, over coincidences o, their margins n and distances d.

    `metric`: nominal, ordinal (by how many marks lie between two grades) or interval (squared differences). NaN where
    all marks are equal, or where no row has two.
    """
    table = sums.reshape(*sums.shape[:-1], levels.size, levels.size)
    margin = table.sum(axis=-1)
    if metric == "ordinal":
        middle = np.cumsum(margin, axis=-1) - margin / 2  # how many marks lie below the middle of a grade
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        apart = DISTANCES["quadratic" if metric == "interval" else metric](levels)
    expected = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
    return 1.0 - divide((margin.sum(axis=-1) - 1) * (table * apart).sum(axis=(-2, -1)), expected)


def gwet_sums(marks: AssessorGrades) -> FloatArray:
    """Of each query: rows with two marks, their agreeing shares, rows with any, and their shares of each grade."""
    counts = counts_of_rows(marks)
    size = counts.sum(axis=1)
    several = (size > 1).astype(np.float64)
    agreeing = divide((counts * (counts - 1)).sum(axis=1), size * (size - 1), nothing=0.0)
    shares = divide(counts, size[:, None], nothing=0.0)
    return column_sums_by(marks.query, np.column_stack([several, agreeing, size > 0, shares]), len(marks.queries))


def gwet_ac1_of(sums: FloatArray) -> FloatArray:
    """Gwet's AC1 of many: (p - e)/(1 - e), e = sum P (1 - P)/(k - 1) over the mean shares P of k grades."""
    share = divide(sums[..., 3:], sums[..., 2:3])
    expected = divide((share * (1 - share)).sum(axis=-1), np.float64(share.shape[-1] - 1))
    return divide(divide(sums[..., 1], sums[..., 0]) - expected, 1.0 - expected)


# How far grades are apart, by their values: what weighs a disagreement.

DISTANCES: Final[dict[str, Callable[[FloatArray], FloatArray]]] = {
    "nominal": lambda levels: 1.0 - np.eye(levels.size),
    "linear": lambda levels: np.abs(levels[:, None] - levels),
    "quadratic": lambda levels: np.asarray((levels[:, None] - levels) ** 2),
}


# How far assessors agree, in tables and in words that follow from them.

SHOWN = ("raw", "kappa", "AC1", "kappa, quadratic", "overlap", "positive")  # coefficients of two in a row


def agreement_parts(found: Agreement) -> list[HeadedTable]:
    """Every table with its heading and what must be said below it, as for a page; the order of systems first."""
    limits = f"low, high: {percent_text(found.level)} limits of kappa over queries."
    parts = [
        HeadedTable("Every two assessors", two_rows(found.two), " ".join([limits, *agreement_notes(found.two)])),
        HeadedTable("All assessors together", together_rows([found.together])),
        HeadedTable("Every two assessors, by class", two_rows(found.two_by_class)),
        HeadedTable("All assessors together, by class", together_rows(found.together_by_class)),
    ]
    if found.orders:
        title = f"Order of systems under the judgements of every two assessors, {found.orders[0].measure}"
        rows = [each.row() for each in found.orders]
        parts.insert(0, HeadedTable(title, rows, " ".join(order_lines(found.orders))))
    return [each for each in parts if each.rows]


def two_rows(found: Iterable[Agreed]) -> list[dict[str, object]]:
    """One row for every two assessors: the coefficients that are read most, kappa with its limits."""
    rows = []
    for each in found:
        row: dict[str, object] = dict(zip(("first", "second"), each.assessors, strict=True))
        row |= {"class": each.label} if each.label else {}
        row |= {"pairs": each.pairs, "queries": each.queries}
        for name in SHOWN:
            if name in each.names:
                row[name] = each[name].value
            if name == "kappa":
                row |= {"low": each[name].low, "high": each[name].high}
        rows.append(row)
    return rows


def together_rows(found: Iterable[Agreed]) -> list[dict[str, object]]:
    """One row for each coefficient of all assessors together."""
    return [
        {name: value for name, value in row.items() if name != "assessors"} for each in found for row in each.rows()
    ]


def agreement_notes(found: Sequence[Agreed]) -> list[str]:
    """What must be said with the numbers: where few pairs, or one grade that most marks have, mislead."""
    lines = []
    thin = [_names(each) for each in found if each.is_thin]
    if thin:
        lines.append(f"! fewer than {FEW_PAIRS} pairs in common, so these say little: {'; '.join(thin)}")
    lopsided = [_names(each) for each in found if each.is_lopsided and not each.is_thin]
    if lopsided:
        lines.append(
            f"! over {LOPSIDED:.0%} of the marks are one grade: kappa is low there whatever people do, read AC1: "
            f"{'; '.join(lopsided)}"
        )
    return lines


def order_lines(orders: Sequence[OrderChange]) -> list[str]:
    """Whether a disagreement matters for the systems: in the words of the numbers above."""
    turned = [each for each in orders if each.reversed]
    if turned:
        named = "; ".join(f"{each.first} and {each.second} ({each.reversed})" for each in turned)
        return [f"! verdicts turn round between {named}: which system is better depends on who judges"]
    kept = sum(each.kept for each in orders)
    alone = sum(each.one_sided for each in orders)
    swapped = sum(each.swapped for each in orders)
    swaps = f"{swapped or 'no'} {'pair' if swapped == 1 else 'pairs'} of systems change their order"
    if not kept and not alone:
        return [f"No assessor's judgements show a difference between systems; {swaps}."]
    return [
        f"No verdict turns round: {kept} of {kept + alone} stand under both assessors, {alone} under one alone; "
        f"{swaps}."
    ]


def _names(found: Agreed) -> str:
    return " and ".join(found.assessors) + (f", {found.label}" if found.label else "")


def _titled(title: str, rows: list[dict[str, object]]) -> HeadedTable | str:
    return HeadedTable(title, rows) if rows else f"{title}: nothing was judged in common"


def beside_text(beside: Mapping[str, Sequence[Agreed]]) -> str:
    """Machines against people together, and people who were asked a second time, where there are any."""
    titles = {"machines": "Machines against people together", "again": "The same person, asked again"}
    tables = [_titled(titles[name], two_rows(found)) for name, found in beside.items() if found]
    return "".join(f"\n{Presentation(tables=[each]).text()}" for each in tables)
