"""Tables of one measure: what their values, and differences of two systems, can be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankscope.analysis.statistics.sampling_units import units_of
from rankscope.analysis.statistics.score_table import ScoreTable, logit, rank_transform
from rankscope.measures.evaluation.evaluate import evaluate

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "c": 1.0}}


@pytest.mark.parametrize(
    ("measure", "bounds", "differences"),
    [
        ("AP", (0.0, 1.0), (-1.0, 1.0)),
        ("RBP(p=0.5)@2", (0.0, 0.75), (-0.75, 0.75)),
        ("ERR", (0.0, -3 * math.log(0.75)), (3 * math.log(0.75), -3 * math.log(0.75))),  # the highest grade is 2
        ("hits", (0.0, math.inf), (-math.inf, math.inf)),
        ("utility", (-math.inf, math.inf), (-math.inf, math.inf)),
    ],
)
def test_a_table_knows_what_its_values_can_be(
    measure: str, bounds: tuple[float, float], differences: tuple[float, float]
) -> None:
    table = ScoreTable.of(evaluate(QRELS, RUN, [measure]))
    assert table.bounds == pytest.approx(bounds)
    assert table.take(np.array([0])).select("run").bounds == table.bounds
    assert table.difference_bounds == pytest.approx(differences)


def test_scores_made_elsewhere_have_the_bounds_of_the_measure_they_are_called_by() -> None:
    assert ScoreTable.make({"A": [0.1, 0.2]}).bounds == (0.0, 1.0)
    assert ScoreTable.make({"A": [3.0, 0.2]}).bounds == (-math.inf, math.inf)  # called AP, but it is none
    assert ScoreTable.make({"A": [0.1]}, measure="main_score").bounds == (-math.inf, math.inf)
    assert ScoreTable.make({"A": [0.1]}, measure="main_score", bounds=(0, 100)).bounds == (0, 100)


def test_transformed_values_have_other_bounds() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2], "B": [0.3, 0.4]}, ["x", "y"])
    assert logit(table).bounds == (-math.inf, math.inf)
    assert rank_transform(table).bounds == (1.0, 4.0)
    assert units_of(table, by_unit=False).bounds == (0.0, 1.0)
    assert units_of(table, by_unit=True).bounds == (-math.inf, math.inf)  # how far a large class pulls is no share


def test_what_is_better_is_known_of_our_measures_and_can_be_said_of_others() -> None:
    made = {
        name: ScoreTable.make({"A": [0.1]}, measure=name).lower_is_better for name in ("ER", "NMRR", "AP", "latency")
    }
    assert made == {"ER": True, "NMRR": True, "AP": False, "latency": False}
    assert ScoreTable.make({"A": [0.1]}, measure="latency", lower_is_better=True).lower_is_better
    assert not ScoreTable.make({"A": [0.1]}, measure="ER", lower_is_better=False).lower_is_better
