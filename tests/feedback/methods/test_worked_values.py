"""Every worked value of the method specification, to its printed digits."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.geometry import means
from rankscope.feedback.methods import (
    DBA,
    RM3,
    SVM,
    ActiveSVM,
    AlphaQE,
    AverageQE,
    BayesianQueryShifting,
    BiasedSVM,
    Diffusion,
    GaussianProcess,
    LogisticRegression,
    Mars,
    MindReader,
    NearestNeighbour,
    OneClassSVM,
    Parzen,
    PicHunter,
    Prototype,
    QueryPoint,
    Rocchio,
    ShrinkageLDA,
    StabilisedNearestNeighbour,
    WuZhang,
)
from rankscope.feedback.methods.active_learning import entropy
from rankscope.feedback.methods.feature_weights import ellipsoid
from rankscope.feedback.methods.query_movement import augment_rows, expand_queries, shifted_queries
from rankscope.feedback.methods.session_logs import relation
from rankscope.feedback.methods.terms import log_likelihood_ratio, tail_chance
from tests.feedback.methods.worked import FOUR, SIX, TOY, TWO_FOUND, check, toy_scores


def test_query_point() -> None:
    check(toy_scores(QueryPoint()), -0.25, -0.25, -4.25, -7.25, -28.25, -1.25)


def test_rocchio() -> None:
    method = Rocchio(1, 0.75, 0.25, unit_sum=False)
    check(method.moved_queries(SIX, TOY)[0], -0.125, -0.5)
    check(toy_scores(method), -0.265625, -1.515625, -6.265625, -12.015625, -37.265625, -3.515625)


def test_mars() -> None:
    method = Mars(eps=0.01)
    check(method.weights(SIX, TOY, means(SIX, TOY.positives))[0], 0.019231, 0.980769)
    check(toy_scores(method), -0.004808, -0.004808, -3.927885, -1.100962, -15.927885, -0.985577)


def test_mindreader() -> None:
    rows, goodness = SIX.matrix[:3], np.array([1.0, 1.0, 2.0])
    result = ellipsoid(rows, goodness, np.zeros(2))
    check(result.centre, 0.25, 1.0)
    np.testing.assert_allclose(result.matrix, [[2.828427, 0.707107], [0.707107, 0.530330]], rtol=0, atol=5e-7)
    away = rows - result.centre
    np.testing.assert_allclose((away.T * goodness) @ away / 4, [[0.1875, -0.25], [-0.25, 1.0]])
    assert np.linalg.det(result.matrix) == pytest.approx(1.0)
    distance = -toy_scores(MindReader(ridge=0), Examples.single([0, 1, 2], grades=[1, 1, 2]))
    check(distance, 1.060660, 1.060660, 0.353553, 21.389980, 60.457630, 1.590990)


def test_wu_and_zhang() -> None:
    examples = Examples.single([0, 1], [4, 5])
    weights = WuZhang(eps=1e-4).weights(SIX, examples, means(SIX, examples.positives))[0]
    check(weights[:1], 0.999800)
    assert weights[1] == pytest.approx(10000)


def test_one_class_svm() -> None:
    check(toy_scores(OneClassSVM(0.5, gamma=0.5)), 0, 0, -0.694555, -0.758854, -0.803263, -0.316060)


def test_svm_and_what_the_active_one_shows_first() -> None:
    check(toy_scores(SVM(10, gamma=0.5)), 1, 1, 0.2296, 0.1509, -1, 0.6493, within=1e-3)
    active = ActiveSVM(10, gamma=0.5)
    assert active.query(SIX, TOY, active.scores(SIX, TOY), 2).tolist() == [[3, 2]]


def test_biased_svm() -> None:
    method = BiasedSVM(0.5, 0.6, gamma=0.5)
    check(np.abs(method.fit(SIX, TOY[0])[0]), 0.375, 0.375, 0.25, within=1e-5)
    check(toy_scores(method), 0.602449, 0.602449, 0.081521, 0.031624, -0.249999, 0.365373, within=1e-5)


def test_nearest_neighbour() -> None:
    check(toy_scores(NearestNeighbour()), 1, 1, 0.690983, 0.585786, 0, 0.809256)


def test_bayesian_query_shifting() -> None:
    check(shifted_queries(SIX, TOY)[0], 0.309906, -0.217250)
    apart = np.hypot(3.5, 4)
    check([np.linalg.norm(shifted_queries(SIX, TOY)[0] - [0.5, 0]) * apart / 0.5], 3.068659, within=2e-6)
    check(toy_scores(BayesianQueryShifting()), 0.896684, 0.808391, 0.478964, 0.352063, 0, 0.650437)


def test_stabilised_nearest_neighbour() -> None:
    check(toy_scores(StabilisedNearestNeighbour()), 0.974171, 0.952098, 0.637978, 0.527356, 0, 0.769552)


def test_parzen() -> None:
    check(toy_scores(Parzen(gamma=0.5)), 0.803265, 0.803262, 0.108665, 0.037674, -0.999998, 0.487082)


def test_pichunter() -> None:
    posterior = toy_scores(PicHunter(sigma=1), Examples.single([], displays=[([1, 3, 4], [1])]))
    check(np.exp(posterior), 0.272541, 0.275219, 0.203927, 0.028504, 0.001969, 0.217840)
    assert entropy(posterior) == pytest.approx(2.134152, abs=5e-7)


def test_pichunter_begins_with_the_query() -> None:
    plain = np.array([0.272541, 0.275219, 0.203927, 0.028504, 0.001969, 0.217840])
    near = np.exp(-np.linalg.norm(SIX.matrix - [0.5, 0.5], axis=1))
    asked = Examples.single([], query=[0.5, 0.5], displays=[([1, 3, 4], [1])])
    check(np.exp(toy_scores(PicHunter(sigma=1), asked)), *(plain * near / (plain * near).sum()), within=2e-6)


def test_aspects() -> None:
    count, number, rate = np.array(3.0), np.array(4.0), np.array(0.1)
    assert tail_chance(count, number, rate) == pytest.approx(0.0037, abs=1e-12)
    assert log_likelihood_ratio(count, number, rate) == pytest.approx(4.763775, abs=5e-7)


def test_ties_of_the_log() -> None:
    log = np.array([[1, 1, -1, 0], [0, 1, 1, -1], [-1, -1, 0, 1]])
    values = relation(log, np.arange(4))
    assert [values[0, 1], values[1, 1], values[1, 3], values[1, 2]] == [1, 2, -2, 0]


def test_query_expansion() -> None:
    check(expand_queries(FOUR.unit, TWO_FOUND)[0], 0.977802, 0.209529)
    check(toy_scores(AverageQE(), TWO_FOUND, FOUR), *(FOUR.matrix @ [0.977802, 0.209529]), within=1e-6)
    check(AlphaQE(3).expanded(FOUR, TWO_FOUND)[0], 0.991971, 0.126466)


def test_database_augmentation() -> None:
    rows = augment_rows(FOUR, 1, 3)
    check(rows[0], 0.977066, 0.212936)
    check(rows[1], 0.713257, 0.700902)
    assert toy_scores(DBA(1, 3), TWO_FOUND, FOUR).argmax() == 0


def test_diffusion() -> None:
    values = toy_scores(Diffusion(0.9, 2, 3), Examples.single([0]), FOUR)
    check(values, 2.232925, 2.262644, 1.834653, 0.999710)


def test_rm3() -> None:
    documents = Items.of([[2, 1, 0, 1], [1, 0, 3, 0], [0, 2, 1, 1]])
    examples = Examples.single([0, 1, 2], grades=[0.5, 0.3, 0.2], query=[0.5, 0.5, 0, 0])
    check(RM3(None, 0.5).model(documents, examples)[0], 0.4125, 0.3625, 0.1375, 0.0875)


def test_logistic_regression() -> None:
    values = toy_scores(LogisticRegression(1.0, balanced=False))
    check(values, 2.7814, 2.2661, 1.5629, 0.6263, -1.7166, 1.6569, within=1e-3)


def test_shrinkage_lda() -> None:
    examples = Examples.single([0, 1, 5], [3, 4])
    check(ShrinkageLDA(0.5, "examples").directions(SIX, examples)[0], -5.996607, -1.280746)


def test_gaussian_process() -> None:
    method = GaussianProcess(0.1, gamma=0.5)
    check(toy_scores(method), 0.941402, 0.941401, 0.127364, 0.045924, -0.909091, 0.570879)
    check(method.variance(SIX, TOY[0]), 0.086938, 0.086938, 0.983277, 0.991895, 0.090909, 0.664103)


def test_prototype() -> None:
    check(Prototype(0.5).mixed(FOUR, Examples.single([0, 1], query=[0.0, 1.0]))[0], 0.584710, 0.811242)
