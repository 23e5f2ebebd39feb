"""The illustration on digits: losses to the last printed digit, and the directions of all that depends on a draw."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.feedback import Items
from rankscope.feedback.examples.examples import stratified_folds
from rankscope.feedback.methods import SVM, Mars, NearestNeighbour, QueryPoint, WuZhang
from rankscope.feedback.normalization.baselines import Baseline, baseline
from rankscope.feedback.normalization.consistency import consistency
from rankscope.feedback.normalization.example_sets import ExampleSets, convergence
from tests.feedback.problems import eights

METHODS = [QueryPoint(), SVM(C=10, gamma=0.05)]


@pytest.fixture(scope="module")
def best() -> Baseline:
    items, target = eights()
    return baseline(items, target, METHODS, topic="8", folds=stratified_folds(target, 5, seed=None))


def test_losses_are_the_printed_ones(best: Baseline) -> None:
    point, machine = best.trials
    assert (point.test, point.whole) == pytest.approx((0.0579, 0.0573), abs=5e-5)
    assert (machine.test, machine.whole) == pytest.approx((0.0189, 0.0212), abs=5e-5)
    assert best.references == pytest.approx({"all negative": 0.0968, "random": 0.1749}, abs=5e-5)
    assert best.winner == "svm(gamma=0.05)"
    assert best.feasibility.feasible


def test_the_methods_cross_as_examples_grow(best: Baseline) -> None:
    items, target = eights()
    point, machine = (convergence(each, items, target, best, [1, 4, 16, 64], repeats=2) for each in METHODS)
    assert (np.diff(point.mae[:3]) > 0).all()
    assert (np.diff(machine.mae) > 0).all()
    assert (point.mae[:2] > machine.mae[:2]).all()
    assert machine.mae[3] > point.mae[3]
    assert machine.full.mae == pytest.approx(1.0)
    assert point.full.mae == pytest.approx(0.801, abs=5e-4)  # the plateau: one point cannot follow two ways to write 8


def test_only_reweighting_methods_find_the_answer_among_the_features() -> None:
    pixels, target = eights()
    items = Items.of(pixels.matrix, scaling="standardise")
    examples = ExampleSets.drawn(target, 6, (10, 10)).of_size(10, 10)
    methods = [QueryPoint(), NearestNeighbour(), SVM(), Mars(), WuZhang()]
    gains = {
        each.method: np.diff(each.average_precision)[0]
        for each in consistency(methods, items, target, examples, gains=[None])
    }
    assert all(0 < gains[name] < 0.15 for name in ("query-point", "nearest-neighbour", "svm"))
    assert all(gains[name] > 0.25 for name in ("mars", "wu-zhang"))
