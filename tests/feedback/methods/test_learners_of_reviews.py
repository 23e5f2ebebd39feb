"""Parts of the methods that reviews name, against libraries and loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from rankscope.feedback import Examples, Items, Method
from rankscope.feedback.methods import (
    BiasedDiscriminant,
    CioccaSchettini,
    DecisionTree,
    KernelUpdating,
    LongTermGrouping,
    MeanVersionSpace,
    MultiClass,
    SemanticSpace,
    SemiSupervisedEM,
    ShrinkageLDA,
    Viper,
)
from rankscope.feedback.methods.manifolds import EPOCHS, best_units, trained_map
from rankscope.feedback.methods.trees import best_split
from tests.feedback.methods.drawn import METHODS, drawn_from, numbers, seeds
from tests.feedback.methods.worked import SIX, TOY, toy_scores

CHANCE = np.random.default_rng(0)


@settings(max_examples=15)
@given(seed=seeds())
def test_the_first_question_gains_as_much_as_that_of_scikit_learn(seed: int) -> None:
    from sklearn.tree import DecisionTreeClassifier

    drawn = drawn_from(seed, sessions=1, plain=True)
    session = drawn.examples[0]
    rows, good = drawn.items.matrix[session.examples], session.labels > 0
    found = best_split(rows, good, np.ones(6), leaf=1)
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(rows, good).tree_
    share = theirs.n_node_samples[1:] / theirs.n_node_samples[0]
    assert found is not None
    assert found.gain == pytest.approx(theirs.impurity[0] - share @ theirs.impurity[1:], abs=1e-9)


def test_a_full_tree_is_right_about_its_examples() -> None:
    drawn = drawn_from(3, sessions=1, plain=True)
    session = drawn.examples[0]
    values = DecisionTree(leaf=1).scores(drawn.items, drawn.examples).values[0]
    assert ((values[session.examples] > 0.5) == (session.labels > 0)).all()


def test_a_map_is_trained_by_the_batch_rule() -> None:
    rows, side = CHANCE.normal(size=(30, 3)), 3
    models, seen = None, trained_map(rows, side)
    from rankscope.feedback.methods import manifolds as module

    models = module._first_plane(rows, side)
    for radius in np.geomspace(1.5, 0.5, EPOCHS):
        unit = [int(np.argmin([np.linalg.norm(row - model) for model in models])) for row in rows]
        updated = []
        for own in range(side * side):
            away = [(own // side - each // side) ** 2 + (own % side - each % side) ** 2 for each in unit]
            weight = np.exp(-np.array(away) / (2 * radius**2))
            updated.append(weight @ rows / weight.sum())
        models = np.array(updated)
    np.testing.assert_allclose(seen, models, atol=1e-9)


def test_neighbours_on_the_map_are_more_alike_than_others() -> None:
    rows = CHANCE.normal(size=(400, 5)) + 3 * np.eye(5)[CHANCE.integers(0, 5, 400)]
    models = trained_map(rows, 6).reshape(6, 6, 5)
    beside = np.linalg.norm(models[1:] - models[:-1], axis=2).mean()
    apart = np.linalg.norm(models[3:] - models[:-3], axis=2).mean()
    assert beside < 0.7 * apart
    assert np.unique(best_units(rows, models.reshape(36, 5))).size > 20


def test_one_column_makes_a_map_too() -> None:
    values = np.sort(CHANCE.normal(size=50))[:, None]
    assert (np.diff(trained_map(values, 4).reshape(4, 4).mean(axis=1)) > 0).all()


def test_without_trust_the_unjudged_items_change_nothing() -> None:
    drawn = drawn_from(1, sessions=4, plain=True)
    plain = ShrinkageLDA(0.2).scores(drawn.items, drawn.examples).values
    ours = SemiSupervisedEM(trust=0).scores(drawn.items, drawn.examples).values
    offset = np.log(drawn.examples.positives.lengths / drawn.examples.negatives.lengths)
    np.testing.assert_allclose(ours, plain + offset[:, None], atol=1e-9)


def test_the_discriminant_can_be_kernelised_and_negatives_discounted() -> None:
    from scipy.linalg import eigh

    drawn = drawn_from(2, sessions=1, plain=True)
    session, rows = drawn.examples[0], drawn.items.matrix
    points = rows[session.examples]
    gamma = 1 / (6 * rows.var())
    mapped = np.exp(-gamma * np.square(rows[:, None] - points).sum(axis=2))
    centre = mapped[session.positives].mean(axis=0)
    near, far = (mapped[each] - centre for each in (session.positives, session.negatives))
    size = len(points)
    within, beyond = near.T @ near, far.T @ far
    within = 0.5 * within + 0.5 * np.trace(within) / size * np.eye(size)
    beyond = 0.7 * beyond + 0.3 * np.trace(beyond) / size * np.eye(size)
    values, vectors = eigh(beyond, within)
    expected = -np.square((mapped - centre) @ (vectors * np.sqrt(values))).sum(axis=1)
    method = BiasedDiscriminant(mu=0.5, discount=0.3, kernel="rbf")
    np.testing.assert_allclose(method.scores(drawn.items, drawn.examples).values[0], expected, rtol=1e-6)


def test_every_column_is_a_feature_where_there_are_no_groups() -> None:
    plain = Items.of(SIX.matrix)
    split = Items.of(SIX.matrix, groups=[slice(0, 1), slice(1, 2)])
    examples = Examples.single([0, 1, 5], [4])
    first, second = (toy_scores(CioccaSchettini(), examples, each) for each in (plain, split))
    np.testing.assert_allclose(first, second)


def test_grades_are_classes_and_the_best_pull_the_query() -> None:
    alike = Examples.single([0, 1, 2], [4])
    graded = Examples.single([0, 1, 2], [4], grades=[3, 1, 1])
    method = MultiClass()
    assert not np.allclose(method.weights(SIX, alike[0]), method.weights(SIX, graded[0]))
    assert toy_scores(method, graded)[0] > toy_scores(method, alike)[0]


def test_words_may_be_given_with_the_items() -> None:
    items = Items.of(SIX.matrix, aspects=np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [1, 1]]))
    good, bad = 0.65 * np.log(2) ** 2, -0.35 * np.log(6 / 4) ** 2
    np.testing.assert_allclose(toy_scores(Viper(), TOY, items), [good, good, bad, bad, bad, good + bad])


def test_an_item_that_no_session_marked_stands_with_its_neighbours() -> None:
    items = Items.of([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]], log=[[1, 0, -1, 0]])
    values = toy_scores(SemanticSpace(k=1, mix=1), Examples.single([0], [2]), items)
    np.testing.assert_allclose(values, [1, 1, -1, -1], atol=1e-9)


@pytest.mark.parametrize("method", [KernelUpdating(gamma=0.5), SemanticSpace(), LongTermGrouping()], ids=str)
def test_rows_of_the_log_can_be_kept_from_a_session(method: KernelUpdating | SemanticSpace | LongTermGrouping) -> None:
    items = SIX.with_log([[1, 0, 0, 1, -1, 0], [-1, 0, 1, 0, 0, 0]])
    hidden = toy_scores(method, Examples.single([0, 1], [4], log_rows=[]), items)
    np.testing.assert_allclose(hidden, toy_scores(method, Examples.single([0, 1], [4])), atol=1e-6)
    some = toy_scores(method, Examples.single([0, 1], [4], log_rows=[0]), items)
    only = toy_scores(method, Examples.single([0, 1], [4]), SIX.with_log([[1, 0, 0, 1, -1, 0]]))
    np.testing.assert_allclose(some, only, atol=1e-6)
    assert not np.allclose(some, hidden)


@pytest.mark.parametrize("method", [each for each in METHODS if "log" in each.needs], ids=str)
def test_a_method_that_has_no_log_says_so(method: Method) -> None:
    flags = [method.scores(items, TOY).flags for items in (SIX, SIX.with_log([[1, 0, 0, 0, 0, 0]]))]
    assert flags == [("no log of earlier sessions: learnt from this one alone",), ("",)]


def test_another_log_is_another_collection() -> None:
    from rankscope.feedback.examples.items import features_digest

    logged = SIX.with_log([[1, 0, 0, 0, 0, 0]])
    assert len({features_digest(each) for each in (SIX, logged, SIX.with_log([[-1, 0, 0, 0, 0, 0]]))}) == 3
    assert features_digest(replace(logged, log=None, _made={})) == features_digest(SIX)


def test_the_version_space_method_shows_what_is_left_where_items_run_out() -> None:
    method = MeanVersionSpace(gamma=0.5)
    examples = Examples.single([0, 1, 2], [3, 4])
    assert method.query(SIX, examples, method.scores(SIX, examples), 3).tolist() == [[5, -1, -1]]
    one_side = Examples.single([0])
    shown = method.query(SIX, one_side, method.scores(SIX, one_side), 2)[0]
    assert set(shown.tolist()) <= set(numbers(1, 2, 3, 4, 5).tolist())
