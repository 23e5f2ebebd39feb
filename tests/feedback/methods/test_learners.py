"""Learners against independent sources: scikit-learn, scipy's optimiser, and counting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.geometry import (
    distances,
    expansion,
    gram,
    nearest_squared,
    rbf,
    squared_distances,
    weighted_distances,
)
from rankscope.feedback.examples.items import mutual_graph, nearest_others, unit
from rankscope.feedback.methods import (
    DBA,
    SVM,
    ActiveAspects,
    AllLabels,
    Aspects,
    Boosting,
    LogBasedSVM,
    LogisticRegression,
    ShrinkageLDA,
)
from rankscope.feedback.methods.kernel_methods import least_quadratic
from rankscope.feedback.methods.session_logs import soft_labels
from rankscope.feedback.methods.terms import false_discovery_limit
from rankscope.feedback.methods.trees import best_stump
from rankscope.ranks.ragged import Ragged
from tests.feedback.methods.drawn import drawn_from, seeds

CHANCE = np.random.default_rng(0)


@pytest.mark.parametrize("features", [3, 50])
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_logistic_regression_is_that_of_scikit_learn(features: int, balanced: bool, cost: float) -> None:
    from sklearn.linear_model import LogisticRegression as Theirs

    drawn = drawn_from(features, sessions=6, features=features, plain=True)
    scored = LogisticRegression(cost, balanced).scores(drawn.items, drawn.examples)
    weight = "balanced" if balanced else None
    for values, session in zip(scored.values, drawn.examples, strict=True):
        model = Theirs(C=cost, class_weight=weight, solver="newton-cholesky", tol=1e-10, max_iter=500)
        expected = model.fit(drawn.items.matrix[session.examples], session.labels).decision_function(drawn.items.matrix)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)


def test_a_cost_too_large_for_separated_examples_still_settles() -> None:
    drawn = drawn_from(1, sessions=5, features=30, plain=True)
    assert set(LogisticRegression(1e8).scores(drawn.items, drawn.examples).failed) == {""}


def test_all_labels_scores_each_item_by_a_model_that_did_not_see_it() -> None:
    from sklearn.linear_model import LogisticRegression as Theirs

    from rankscope.feedback.methods.controls import stratified_fold_numbers

    items = Items.of(CHANCE.normal(size=(40, 3)))
    truth = list(range(15))
    values = AllLabels().scores(items, Examples.single([], truth=truth, seeds=3)).values[0]
    target = np.arange(40) < 15
    fold = stratified_fold_numbers(target, 5, seed=3)
    assert np.bincount(fold[target]).tolist() == [3] * 5
    for number in range(5):
        model = Theirs(class_weight="balanced", solver="newton-cholesky", tol=1e-10).fit(
            items.matrix[fold != number], target[fold != number]
        )
        expected = model.decision_function(items.matrix[fold == number])
        np.testing.assert_allclose(values[fold == number], expected, atol=1e-6)


@settings(max_examples=25)
@given(seed=seeds(), positive=st.integers(1, 6), negative=st.integers(1, 6), nu=st.floats(0.05, 0.5))
def test_shares_are_those_of_a_general_optimiser(seed: int, positive: int, negative: int, nu: float) -> None:
    chance = np.random.default_rng(seed)
    labels = np.repeat([1.0, -1.0], [positive, negative])
    matrix = gram(chance.normal(size=(labels.size, 3)), 0.3) * labels * labels[:, None]
    totals, cap = (0.7, 0.3), max(1 / (nu * labels.size), 0.7 / positive, 0.3 / negative)
    ours = least_quadratic(matrix, labels, totals, cap)
    sides = [
        {"type": "eq", "fun": lambda a, sign=sign, total=total: a[labels == sign].sum() - total}
        for sign, total in zip((1, -1), totals, strict=True)
    ]
    start = np.where(labels > 0, 0.7 / positive, 0.3 / negative)
    theirs = minimize(
        lambda a: a @ matrix @ a,
        start,
        jac=lambda a: 2 * matrix @ a,
        bounds=[(0, cap)] * labels.size,
        constraints=sides,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert ours.min() >= 0
    assert ours.max() <= cap + 1e-12
    assert ours @ matrix @ ours <= theirs.fun + 1e-9
    np.testing.assert_allclose(ours @ matrix, theirs.x @ matrix, atol=1e-4)


@settings(max_examples=30)
@given(seed=seeds())
def test_the_best_threshold_is_the_best_of_all(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.integers(0, 4, (9, 3)).astype(float)
    labels, weights = np.repeat([1.0, -1.0], [4, 5]), chance.random(9)
    weights /= weights.sum()
    stump = best_stump(rows, labels, weights, np.ones(3, np.bool_))
    errors = [
        weights[np.where(direction * (rows[:, feature] - cut) > 0, 1, -1) != labels].sum()
        for feature in range(3)
        for cut in (0.5, 1.5, 2.5)
        for direction in (1, -1)
        if rows[:, feature].min() < cut < rows[:, feature].max()
    ]
    assert stump is not None
    assert stump.error == pytest.approx(min(errors))
    assert weights[stump.votes(rows) != labels].sum() == pytest.approx(min(errors))


def test_boosting_is_adaboost_where_no_threshold_is_perfect() -> None:
    rows = CHANCE.normal(size=(60, 3))
    labels = np.where(rows.sum(axis=1) + CHANCE.normal(size=60) > 0, 1, -1)
    order = np.argsort(-labels, kind="stable")
    items = Items.of(rows[order])
    good = int((labels > 0).sum())
    values = Boosting(4, reuse=True).scores(items, Examples.single(range(good), range(good, 60))).values[0]
    signs = np.sort(labels)[::-1]
    weights = np.where(signs > 0, 0.5 / good, 0.5 / (60 - good))
    expected = np.zeros(60)
    for _ in range(4):
        stump = best_stump(items.matrix, signs.astype(float), weights, np.ones(3, np.bool_))
        assert stump is not None
        votes = stump.votes(items.matrix)
        alpha = 0.5 * np.log((1 - stump.error) / stump.error)
        expected += alpha * votes
        weights = weights * np.exp(-alpha * signs * votes)
        weights /= weights.sum()
    np.testing.assert_allclose(values, expected)


def test_perfect_thresholds_are_capped_and_several_vote() -> None:
    items = Items.of([[0, 0, 5], [0, 1, 5], [9, 9, 5], [9, 8, 5]])
    values = Boosting().scores(items, Examples.single([0, 1], [2, 3])).values[0]
    np.testing.assert_allclose(values, np.log(7) * np.array([1, 1, -1, -1]))


def test_within_class_scatter_by_the_identity_is_the_plain_inverse() -> None:
    drawn = drawn_from(5, sessions=6, features=12, plain=True)
    method = ShrinkageLDA(0.3, "examples")
    scored = method.scores(drawn.items, drawn.examples)
    for row, session in enumerate(drawn.examples):
        if scored.failed[row]:
            assert session.examples.size == 2
            continue
        sides = [drawn.items.matrix[each] for each in (session.positives, session.negatives)]
        away = np.concatenate([side - side.mean(axis=0) for side in sides])
        spread = away.T @ away / len(away)
        shrunk = 0.7 * spread + 0.3 * np.trace(spread) / 12 * np.eye(12)
        w = np.linalg.solve(shrunk, sides[0].mean(axis=0) - sides[1].mean(axis=0))
        middle = (sides[0].mean(axis=0) + sides[1].mean(axis=0)) / 2
        expected = (drawn.items.matrix - middle) @ w
        np.testing.assert_allclose(scored.values[row], expected, atol=1e-8 * np.abs(expected).max())


def test_full_shrinkage_is_the_difference_of_the_means() -> None:
    drawn = drawn_from(6, sessions=1, plain=True)
    for method in (ShrinkageLDA(1.0, "collection"), ShrinkageLDA(1.0, "examples")):
        w = method.directions(drawn.items, drawn.examples)[0]
        apart = np.subtract(*(drawn.items.matrix[each[0]].mean(axis=0) for each in (drawn.positives, drawn.negatives)))
        assert w @ apart == pytest.approx(np.linalg.norm(w) * np.linalg.norm(apart))


def test_ledoit_and_wolf_choose_the_shrinkage_of_scikit_learn() -> None:
    from sklearn.covariance import ledoit_wolf

    drawn = drawn_from(7, sessions=1, plain=True)
    spread, _ = ledoit_wolf(drawn.items.matrix)
    apart = np.subtract(*(drawn.items.matrix[each[0]].mean(axis=0) for each in (drawn.positives, drawn.negatives)))
    w = ShrinkageLDA(None).directions(drawn.items, drawn.examples)[0]
    np.testing.assert_allclose(w, np.linalg.solve(spread, apart), atol=1e-8)


def test_the_log_adds_items_with_their_soft_labels() -> None:
    from sklearn.svm import SVC

    drawn = drawn_from(8, sessions=1, plain=True)
    session = drawn.examples[0]
    values = LogBasedSVM(extra=3, trust=0.5).scores(drawn.items, drawn.examples).values[0]
    soft = soft_labels(drawn.items, session)
    assert np.abs(soft).max() <= 1
    free = [item for item in np.argsort(-soft, kind="stable").tolist() if item not in session.examples]
    liked = [item for item in free if soft[item] > 0][:3]
    disliked = [item for item in free if soft[item] < 0][::-1][:3]
    chosen = np.concatenate([session.examples, liked, disliked]).astype(int)
    labels = np.concatenate([session.labels, np.ones(len(liked)), -np.ones(len(disliked))])
    weights = np.concatenate([np.ones(session.examples.size), 0.5 * np.abs(soft[[*liked, *disliked]])])
    model = SVC(C=10, gamma=drawn.items.gamma, tol=1e-5).fit(drawn.items.matrix[chosen], labels, sample_weight=weights)
    np.testing.assert_allclose(values, model.decision_function(drawn.items.matrix), atol=1e-3)


def test_dba_adds_the_neighbours_before_it_expands_the_query() -> None:
    drawn = drawn_from(9, sessions=1, plain=True)
    rows = unit(drawn.items.matrix)
    new = np.empty_like(rows)
    for number, row in enumerate(rows):
        alike = rows @ row
        alike[number] = -np.inf
        near = np.argsort(-alike, kind="stable")[:4]
        new[number] = row + sum(max(alike[each], 0) ** 2 * rows[each] for each in near)
    new = unit(new)
    query = unit(unit(drawn.queries)[0] + new[drawn.positives[0]].sum(axis=0))
    values = DBA(4, 2.0).scores(drawn.items, drawn.examples).values[0]
    np.testing.assert_allclose(values, new @ query, atol=1e-9)


def test_false_discoveries_are_held_as_benjamini_and_hochberg_say() -> None:
    from scipy.stats import false_discovery_control

    chance = np.sort(CHANCE.random((20, 30)) ** 3, axis=1)
    limit = false_discovery_limit(chance, 0.1)
    for row, most in zip(chance, limit, strict=True):
        np.testing.assert_array_equal(row <= most, false_discovery_control(row) <= 0.1)


def test_active_aspects_show_what_one_more_positive_would_decide() -> None:
    """An aspect of 2 items in 20, which one of two positives has, is open: P(Bin(3, .1) >= 2) = .028."""
    aspects = np.zeros((20, 2), dtype=np.bool_)
    aspects[:2, 0], aspects[2:8, 1] = True, True
    items = Items.of(CHANCE.normal(size=(20, 2)), aspects=aspects)
    examples = Examples.single([0, 9])
    method = ActiveAspects(0.05)
    scored = method.scores(items, examples)
    assert not scored.values.any()
    gain = 2 * np.log(2 / 3 / 0.1) + np.log(1 / 3 / 0.9)
    np.testing.assert_allclose(method.hopes(items, examples)[0], np.where(aspects[:, 0], gain, 0.0))
    assert method.query(items, examples, scored, 1).tolist() == [[1]]
    assert np.array_equal(scored.values, Aspects(0.05).scores(items, examples).values)


def test_aspects_under_fdr_are_some_of_those_without() -> None:
    aspects = np.random.default_rng(1).random((60, 40)) < 0.3
    aspects[:, :4] = np.arange(60)[:, None] % 6 == 0
    aspects[:10, :4] = True
    items = Items.of(CHANCE.normal(size=(60, 2)), aspects=aspects)
    examples = Examples.single(range(6), range(30, 34))
    plain, held = (Aspects(0.05, fdr).scores(items, examples).values[0] for fdr in (False, True))
    assert held[:10].min() > np.median(held[10:])
    assert 2 <= len(np.unique(held)) <= len(np.unique(plain))


# distances, kernels and neighbours


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_distances_are_those_of_scipy_wherever_the_zero_is(shift: float) -> None:
    from scipy.spatial.distance import cdist

    items = Items.of(CHANCE.normal(size=(30, 5)) + shift)
    points = CHANCE.normal(size=(4, 5)) + shift
    expected = cdist(points, items.matrix, "sqeuclidean")
    np.testing.assert_allclose(squared_distances(items, points), expected, atol=1e-8)
    np.testing.assert_allclose(rbf(items, points, 0.1), np.exp(-0.1 * expected), atol=1e-9)
    weights = CHANCE.random((4, 5))
    by_hand = [[(w * (x - p) ** 2).sum() for x in items.matrix] for p, w in zip(points, weights, strict=True)]
    np.testing.assert_allclose(weighted_distances(items, points, weights), by_hand, atol=1e-8)
    lists = Ragged.of([[3, 1], [7], [0, 5, 9, 29]], "item")
    nearest = [cdist(items.matrix, items.matrix[each], "sqeuclidean").min(axis=1) for each in lists.lists("item")]
    np.testing.assert_allclose(nearest_squared(items, lists), nearest, atol=1e-8)
    assert (nearest_squared(items, lists)[2, [0, 5, 9, 29]] == 0).all()
    kernel = gram(items.matrix[:6], 0.2)
    np.testing.assert_allclose(
        kernel, np.exp(-0.2 * cdist(items.matrix[:6], items.matrix[:6], "sqeuclidean")), atol=1e-9
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_distance_of_a_point_from_itself_is_zero_and_that_of_a_near_one_right(kind: type[np.floating[Any]]) -> None:
    items = Items.of(CHANCE.normal(size=(50, 20)), dtype=kind)
    assert (np.diag(distances(items, items.matrix)) == 0).all()
    near = items.matrix + np.array(1e-4, kind)
    away = np.linalg.norm(near.astype(np.float64) - items.matrix, axis=1)
    np.testing.assert_allclose(np.diag(distances(items, near)), away, rtol=1e-3)


def test_many_examples_in_few_sessions_are_worked_on_in_turns() -> None:
    from scipy.spatial.distance import cdist

    items = Items.of(CHANCE.normal(size=(500, 4)))
    lists = Ragged.of([np.arange(300), np.arange(300, 500)], "item")
    expected = [cdist(items.matrix, items.matrix[each], "sqeuclidean").min(axis=1) for each in lists.lists("item")]
    np.testing.assert_allclose(nearest_squared(items, lists), expected, atol=1e-10)
    big = Items.of(np.tile(items.matrix, (40, 1)))  # more kernel values than one block holds
    weights = CHANCE.normal(size=500)
    whole = np.exp(-0.3 * cdist(items.matrix, items.matrix, "sqeuclidean"))
    np.testing.assert_allclose(
        expansion(big, lists, weights, 0.3)[:, :500], [weights[:300] @ whole[:300], weights[300:] @ whole[300:]]
    )


def test_neighbours_are_the_nearest_and_equal_ones_come_by_position() -> None:
    rows = unit(CHANCE.normal(size=(50, 4)))
    item, alike = nearest_others(rows, 7)
    full = rows @ rows.T
    np.fill_diagonal(full, -np.inf)
    np.testing.assert_array_equal(item, np.argsort(-full, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(alike, np.sort(full, axis=1)[:, ::-1][:, :7])
    same = unit(np.ones((5, 2)))
    assert nearest_others(same, 2)[0].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
    assert nearest_others(same[:1], 3)[0].shape == (1, 0)


def test_the_graph_is_symmetric_and_its_eigenvalues_stay_within_one() -> None:
    graph = mutual_graph(unit(CHANCE.normal(size=(40, 4))), 6, 3.0).toarray()
    np.testing.assert_allclose(graph, graph.T)
    assert (np.diag(graph) == 0).all()
    assert np.abs(np.linalg.eigvalsh(graph)).max() <= 1 + 1e-9


def test_the_svm_follows_the_width_of_the_kernel() -> None:
    drawn = drawn_from(11, sessions=1, plain=True)
    narrow, wide = (SVM(gamma=each).scores(drawn.items, drawn.examples).values[0] for each in (50.0, 0.001))
    assert np.std(narrow) < np.std(wide) + 1
    assert not np.allclose(narrow, wide)
