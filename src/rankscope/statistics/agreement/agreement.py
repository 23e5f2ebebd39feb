"""Everything about how far assessors agree, in numbers: every two of them, all together, and by class of query."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.catalogue import unknown_name
from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.statistics.agreement import many_assessors as many
from rankscope.statistics.agreement import two_assessors as two
from rankscope.statistics.agreement.marks import AssessorGrades
from rankscope.statistics.intervals.jackknife import Bounds, Statistic, jackknife_interval
from rankscope.validation import SHARE, Number, check

if TYPE_CHECKING:
    from rankscope.statistics.agreement.orders import OrderChange

FEW = 30  # pairs of query and item: with fewer a value says little
LOPSIDED = 0.9  # share of the marks that one grade has, from which on kappa punishes agreement
SHARES: Bounds = (0.0, 1.0)
CORRECTED: Bounds = (-1.0, 1.0)  # for chance


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
        return self.pairs < FEW

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
        """The coefficients."""
        return tuple(each.name for each in self.coefficients)

    def rows(self) -> list[dict[str, object]]:
        """One row for each coefficient."""
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
    graded = two.tables_by_query(own, one, other)
    binary = two.tables_by_query(own.binary(relevant), one, other) if own.levels.size else graded
    results = {
        "raw": (graded, two.raw_agreement, SHARES),
        "kappa": (graded, two.cohen_kappa, CORRECTED),
        "AC1": (graded, two.gwet_ac, CORRECTED),
        **_weighted(own, graded),
        **_binary(own, binary, relevant),
    }
    return _agreed(own, label, results, level)


def _weighted(own: AssessorGrades, graded: FloatArray) -> Mapping[str, tuple[FloatArray, Statistic, Bounds]]:
    """What weighs by how far grades are apart, where there are more than two."""
    if own.levels.size < 3:
        return {}
    return {
        "kappa, linear": (graded, partial(two.cohen_kappa, levels=own.levels, distance="linear"), CORRECTED),
        "kappa, quadratic": (graded, partial(two.cohen_kappa, levels=own.levels, distance="quadratic"), CORRECTED),
        "AC2, linear": (graded, partial(two.gwet_ac, levels=own.levels, distance="linear"), CORRECTED),
        "AC2, quadratic": (graded, partial(two.gwet_ac, levels=own.levels, distance="quadratic"), CORRECTED),
    }


def _binary(
    own: AssessorGrades, table: FloatArray, relevant: float
) -> Mapping[str, tuple[FloatArray, Statistic, Bounds]]:
    """What is said of relevant items, where there are some and others."""
    if own.binary(relevant).levels.size < 2:
        return {}
    found: dict[str, tuple[FloatArray, Statistic, Bounds]] = {
        "overlap": (table, two.overlap, SHARES),
        "positive": (table, two.positive_agreement, SHARES),
    }
    if own.levels.size > 2:
        found["kappa, relevant or not"] = (table, two.cohen_kappa, CORRECTED)
    return found


def _of_all(marks: AssessorGrades, label: str, level: float) -> Agreed:
    own = marks.take((~np.isnan(marks.grades)).sum(axis=1) > 1)
    coincidences = many.coincidence_sums(own) if own.levels.size else np.zeros((len(own.queries), 1))
    results: dict[str, tuple[FloatArray, Statistic, Bounds]] = {
        f"alpha, {metric}": (
            coincidences,
            partial(many.krippendorff_alpha_of, levels=own.levels, metric=metric),
            CORRECTED,
        )
        for metric in (many.METRICS if own.levels.size else ())
    }
    if own.levels.size:
        results["AC1"] = (many.gwet_sums(own), many.gwet_ac1_of, CORRECTED)
    if own.levels.size and many.marks_of_each_row(own):
        results["Fleiss' kappa"] = (many.fleiss_sums(own), many.fleiss_kappa_of, CORRECTED)
    return _agreed(own, label, results, level)


def _agreed(
    own: AssessorGrades, label: str, results: Mapping[str, tuple[FloatArray, Statistic, Bounds]], level: float
) -> Agreed:
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
