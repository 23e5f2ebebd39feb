"""The order of systems under two assessors: by hand, and through the one procedure that every verdict comes from."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope import compare, evaluate
from rankscope.analysis.assessors.grades import AssessorGrades
from rankscope.analysis.assessors.order_changes import order_changes
from rankscope.core.errors import SettingError

QUERIES = [f"q{number}" for number in range(40)]
GOOD = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QUERIES}
BAD = {query: {"c": 3.0, "b": 2.0, "a": 1.0} for query in QUERIES}
MIDDLE = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in QUERIES}
RUNS = {"good": GOOD, "middle": MIDDLE, "bad": BAD}


def everywhere(**grades: int) -> dict[str, dict[str, float]]:
    return {query: dict(grades) for query in QUERIES}


def test_assessors_of_opposite_opinion_turn_order_and_verdicts() -> None:
    marks = AssessorGrades.of({"ann": everywhere(a=1, b=0, c=0), "bob": everywhere(a=0, b=0, c=1)})
    (change,) = order_changes(marks, RUNS)
    means = {
        name: [evaluate(marks.judgements(name), run, "AP")["AP"] for run in RUNS.values()] for name in marks.assessors
    }
    assert [each.first for each in change.systems] == pytest.approx(means["ann"])
    assert [each.second for each in change.systems] == pytest.approx(means["bob"])
    assert [each.system for each in change.systems] == ["good", "middle", "bad"]
    assert (change.pairs, change.queries, change.system_pairs) == (120, 40, 3)
    assert change.tau == pytest.approx(-0.8164965809)  # bob gives good and middle the same: tau-b
    assert (change.swapped, change.reversed, change.kept, change.one_sided) == (2, 2, 0, 1)
    assert change.largest.system in ("good", "bad")


def test_verdicts_are_those_of_compare() -> None:
    chance = np.random.default_rng(5)
    judged = {
        name: {query: {item: int(chance.random() < share) for item in "abc"} for query in QUERIES}
        for name, share in (("ann", 0.5), ("bob", 0.6))
    }
    for query in QUERIES:
        judged["ann"][query]["a"] = judged["bob"][query]["a"] = 1
    (change,) = order_changes(AssessorGrades.of(judged), RUNS)
    sides = []
    for name in judged:
        compared = compare(judged[name], RUNS, "AP")
        sides.append({frozenset((pair.first, pair.second)): pair.better for pair in compared.main.pairs})
    both = [(sides[0][pair], sides[1][pair]) for pair in sides[0]]
    assert change.kept == sum(one == other != "" for one, other in both)
    assert change.kept + change.reversed + change.one_sided + change.undecided == 3


def test_only_what_both_judged_counts_and_only_queries_that_both_measure() -> None:
    ann = everywhere(a=1, b=0, c=0) | {"q0": {"a": 1, "b": 1}}
    bob = everywhere(a=1, c=0) | {"q0": {"b": 0, "c": 1}, "q1": {"a": 0}}
    (change,) = order_changes(AssessorGrades.of({"ann": ann, "bob": bob}), RUNS)
    assert change.pairs == 38 * 2 + 1 + 1
    assert change.queries == 38  # on q0 bob calls nothing relevant that ann judged too, on q1 nothing at all
    assert change.tau == pytest.approx(1.0)
    assert (change.largest.change, change.kept) == (0.0, 3)


def test_runs_that_are_the_same_and_a_single_run() -> None:
    marks = AssessorGrades.of({"ann": everywhere(a=1, c=0), "bob": everywhere(a=1, c=0)})
    (change,) = order_changes(marks, {"one": GOOD, "two": dict(GOOD)})
    assert np.isnan(change.tau)
    assert change.undecided == 1
    with pytest.raises(SettingError, match="two runs"):
        order_changes(marks, {"one": GOOD})
