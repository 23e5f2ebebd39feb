"""Coefficients of agreement: the worked values, other people's programs, published examples, and counting by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from rankscope.analysis.assessors import agreement as many
from rankscope.analysis.assessors.agreement import (
    agreement,
    cohen_kappa,
    gwet_ac,
    overlap,
    positive_agreement,
    raw_agreement,
    tables_by_query,
)
from rankscope.analysis.assessors.grades import AssessorGrades
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.needs import needed_module

GRADES = np.array([[30, 6, 1], [4, 12, 5], [0, 3, 9]])
BINARY = np.array([[30, 7], [4, 29]])
NAN = np.nan


def marks_of(columns: Any, per_query: int = 10**9) -> AssessorGrades:
    """Assessors a, b, ... from their grades in order; so many in a row are one query."""
    judged = {
        chr(97 + place): {
            f"q{query}": {
                str(row): grade for row, grade in enumerate(column) if row // per_query == query and not np.isnan(grade)
            }
            for query in range(-(-len(column) // per_query))
        }
        for place, column in enumerate(columns)
    }
    return AssessorGrades.of(judged)


def alpha(marks: AssessorGrades, metric: str) -> float:
    return float(many.krippendorff_alpha_of(many.coincidence_sums(marks).sum(axis=0), marks.levels, metric))


def fleiss(marks: AssessorGrades) -> float:
    return float(many.fleiss_kappa_of(many.fleiss_sums(marks).sum(axis=0)))


@pytest.mark.parametrize(
    ("found", "worked"),
    [
        (cohen_kappa([[20, 5], [10, 15]]), 0.4),
        (raw_agreement(GRADES), 0.728571),
        (cohen_kappa(GRADES), 0.559748),
        (cohen_kappa(GRADES, distance="linear"), 0.648594),
        (cohen_kappa(GRADES, distance="quadratic"), 0.739425),
        (overlap(BINARY), 0.725),
        (positive_agreement(BINARY), 0.840580),
        (cohen_kappa(BINARY), 0.686227),
        (gwet_ac(BINARY), 0.685778),
    ],
)
def test_the_worked_values_of_two(found: FloatArray, worked: float) -> None:
    assert float(found) == pytest.approx(worked, abs=5e-7)


FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
THREE = [[2, 0, 1, 0, 0, 2, 1, NAN], [2, 0, 1, 1, 0, 2, NAN, 0], [1, 0, 1, 0, NAN, 2, 0, 0]]


def test_the_worked_value_of_fleiss() -> None:
    columns = np.array([np.repeat(np.arange(5), row) for row in FLEISS]).T.astype(float)
    assert fleiss(marks_of(columns)) == pytest.approx(0.209931, abs=5e-7)


@pytest.mark.parametrize(("metric", "worked"), [("nominal", 0.571429), ("ordinal", 0.771645), ("interval", 0.793103)])
def test_the_worked_values_of_alpha(metric: str, worked: float) -> None:
    assert alpha(marks_of(THREE), metric) == pytest.approx(worked, abs=5e-7)


# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units, with gaps
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(("metric", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_what_krippendorff_prints(metric: str, printed: float) -> None:
    assert alpha(marks_of(PUBLISHED), metric) == pytest.approx(printed, abs=5e-4)


def test_ac1_of_many_is_what_gwet_prints() -> None:
    """The same data as in Gwet's Handbook of Inter-Rater Reliability (2014), table 2.10: AC1 is .77544."""
    marks = marks_of(PUBLISHED)
    assert float(many.gwet_ac1_of(many.gwet_sums(marks).sum(axis=0))) == pytest.approx(0.77544, abs=5e-6)


def drawn(seed: int, rows: int = 60, assessors: int = 3, levels: int = 4, gaps: float = 0.0) -> FloatArray:
    chance = np.random.default_rng(seed)
    truth = chance.integers(0, levels, rows)
    noise = chance.integers(0, levels, (assessors, rows))
    grades = np.where(chance.random((assessors, rows)) < 0.6, truth, noise).astype(float)
    grades[chance.random((assessors, rows)) < gaps] = NAN
    return grades


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed: int) -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    one, other = drawn(seed, assessors=2)
    table = tables_by_query(marks_of([one, other]), "a", "b").sum(axis=0)
    for distance, theirs in (("nominal", None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = metrics.cohen_kappa_score(one, other, weights=theirs)
        assert float(cohen_kappa(table, distance=distance)) == pytest.approx(expected, abs=1e-12)


def test_grades_that_nobody_gives_keep_their_place_in_weighted_kappa() -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    one, other = np.where(drawn(3, assessors=2) == 1, 3, drawn(3, assessors=2))
    marks = marks_of([one, other])
    assert marks.levels.tolist() == [0, 2, 3]
    found = cohen_kappa(tables_by_query(marks, "a", "b").sum(axis=0), marks.levels, "quadratic")
    expected = metrics.cohen_kappa_score(one, other, weights="quadratic", labels=[0, 1, 2, 3])
    assert float(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_is_that_of_statsmodels(seed: int) -> None:
    rating = needed_module("statsmodels.stats.inter_rater", "stats")
    grades = drawn(seed, assessors=4)
    counts, _ = rating.aggregate_raters(grades.T.astype(int))
    assert fleiss(marks_of(grades)) == pytest.approx(rating.fleiss_kappa(counts), abs=1e-12)


def counted_alpha(grades: FloatArray, metric: str) -> float:
    """Krippendorff's alpha from its definition: disagreement within rows against that of all marks in rows of two."""
    rows = [[each for each in row if not np.isnan(each)] for row in grades.T]
    rows = [row for row in rows if len(row) > 1]
    flat = [each for row in rows for each in row]
    counts = {level: flat.count(level) for level in sorted(set(flat))}

    def apart(one: float, other: float) -> float:
        low, high = min(one, other), max(one, other)
        between = sum(count for level, count in counts.items() if low <= level <= high)
        ranks = between - (counts[low] + counts[high]) / 2 if low != high else 0.0
        return {"nominal": float(one != other), "interval": (one - other) ** 2, "ordinal": ranks**2}[metric]

    seen = sum(apart(*two) / (len(row) - 1) for row in rows for two in permutations(row, 2)) / len(flat)
    expected = sum(apart(*two) for two in permutations(flat, 2)) / (len(flat) * (len(flat) - 1))
    return 1 - seen / expected


@pytest.mark.parametrize("metric", many.ALPHA_METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_what_counting_gives(metric: str, seed: int) -> None:
    grades = drawn(seed, rows=12, assessors=4, gaps=0.3)
    assert alpha(marks_of(grades), metric) == pytest.approx(counted_alpha(grades, metric), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_of_two_assessors_many_are_two(seed: int) -> None:
    """AC1 of many is that of two; two assessors swapped, or grades turned round, change nothing."""
    grades = drawn(seed, assessors=2)
    marks = marks_of(grades)
    table = tables_by_query(marks, "a", "b").sum(axis=0)
    assert float(many.gwet_ac1_of(many.gwet_sums(marks).sum(axis=0))) == pytest.approx(float(gwet_ac(table)))
    for of in (raw_agreement, cohen_kappa, gwet_ac):
        assert float(of(table.T)) == pytest.approx(float(of(table)))
        assert float(of(table[::-1, ::-1])) == pytest.approx(float(of(table)))
    for distance in ("linear", "quadratic"):
        assert float(gwet_ac(table.T, distance=distance)) == pytest.approx(float(gwet_ac(table, distance=distance)))


def test_sums_over_queries_are_the_whole() -> None:
    grades = drawn(1, gaps=0.2)
    one, parts = marks_of(grades), marks_of(grades, per_query=7)
    assert len(parts.queries) > 5
    for metric in many.ALPHA_METRICS:
        assert alpha(parts, metric) == pytest.approx(alpha(one, metric))
    whole = tables_by_query(one, "a", "b")[0]
    assert tables_by_query(parts, "a", "b").sum(axis=0).tolist() == whole.tolist()


def test_what_cannot_be_is_nan_and_never_warns() -> None:
    same = agreement(marks_of([[1, 1, 1], [1, 1, 1]]))
    assert same.two[0]["raw"].value == 1
    assert np.isnan(same.two[0]["kappa"].value)
    assert np.isnan(same.together["alpha, nominal"].value)
    nothing = agreement(marks_of([[1, NAN], [NAN, 1]]))
    assert (nothing.two, nothing.together.pairs) == ((), 0)
    with pytest.raises(SettingError, match="two assessors"):
        AssessorGrades.of({"ann": {"q": {"a": 1}}})


def test_a_class_in_which_two_have_nothing_in_common_is_left_out_for_them() -> None:
    ann, bob = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}, {"q1": {"a": 1, "b": 1}, "q2": {"b": 1}}
    found = agreement(AssessorGrades.of({"ann": ann, "bob": bob}, {"q1": "x", "q2": "y"}))
    assert [each.label for each in found.two_by_class] == ["x"]
    assert [(each.label, each.pairs) for each in found.together_by_class] == [("x", 2), ("y", 0)]


def test_classes_and_names_of_coefficients() -> None:
    grades = drawn(2, rows=80, assessors=2, levels=3)
    judged = marks_of(grades, per_query=8)
    labels = {query: "xy"[place % 2] for place, query in enumerate(judged.queries)}
    found = agreement(AssessorGrades.of({name: judged.judgements(name) for name in "ab"}, labels))
    assert [each.label for each in found.two_by_class] == ["x", "y"]
    assert sum(each.pairs for each in found.two_by_class) == found.two[0].pairs == 80
    assert found.two[0].names[:3] == ("raw", "kappa", "AC1")
    assert "Fleiss' kappa" in found.together.names
    assert not found.two[0].is_thin
    alone = agreement(AssessorGrades.of({name: judged.take(judged.query % 2 == 0).judgements(name) for name in "ab"}))
    for name in alone.two[0].names:
        assert alone.two[0][name].value == pytest.approx(found.two_by_class[0][name].value)
        assert alone.two[0][name].low == pytest.approx(found.two_by_class[0][name].low)
