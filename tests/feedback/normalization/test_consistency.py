"""The consistency test: the ideal system, the appended answer, and methods that find it or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.scope import ideal_precision_scope, ideal_recall_scope
from rankscope.core.errors import InputError
from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.items import quarters
from rankscope.feedback.methods import Aspects, NearestNeighbour, QueryPoint, Rocchio, WuZhang
from rankscope.feedback.normalization.consistency import (
    GAINS,
    consistency,
    ideal_curve,
    with_indicators,
    with_wanted_indicators,
)
from rankscope.feedback.normalization.example_sets import ExampleSets
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.feedback.problems import drawn, eights

ITEMS, TARGET = drawn(30, 170, 1.0)
EXAMPLES = ExampleSets.drawn(TARGET, 6, (5, 5)).of_size(5, 5)


def test_the_ideal_system_has_its_worked_curves() -> None:
    scopes = np.arange(1, 11)
    precision, recall = ideal_precision_scope(4, scopes).y, ideal_recall_scope(4, scopes).y
    np.testing.assert_allclose(precision, [1, 1, 1, 1, 0.8, 0.666667, 0.571429, 0.5, 0.444444, 0.4], atol=1e-6)
    np.testing.assert_allclose(recall, [0.25, 0.5, 0.75, 1, 1, 1, 1, 1, 1, 1])
    a = np.arange(1, 11) / 4
    np.testing.assert_allclose(ideal_curve("precision-scope", a), precision)
    np.testing.assert_allclose(ideal_curve("recall-scope", a), recall)
    np.testing.assert_array_equal(ideal_curve("recall", [0.1, 1]), [1, 1])


def test_the_ideal_curves_are_those_of_an_ideal_ranking() -> None:
    from rankscope.feedback.normalization.efficiency import mean_curve, places

    ranks = RelevantRanks.from_ranks([[1, 2, 3, 4]], depth=40, collection=40)
    for over in ("recall", "precision-scope", "recall-scope"):
        np.testing.assert_allclose(mean_curve(ranks, over, places(over)), ideal_curve(over, places(over)))


def test_the_indicator_is_one_more_feature_of_the_height_asked_for() -> None:
    plain, strong = with_indicators(ITEMS, TARGET), with_indicators(ITEMS, TARGET, gain=4.0)
    np.testing.assert_array_equal(plain.matrix[:, :2], ITEMS.matrix)
    np.testing.assert_array_equal(plain.matrix[:, 2], TARGET)
    np.testing.assert_allclose(strong.matrix[:, 2], 4 * ITEMS.sd.mean() * TARGET)


def test_the_indicator_joins_a_single_group_and_stands_apart_from_several() -> None:
    """A group of its own would tell a method that weighs groups where to look."""
    assert with_indicators(ITEMS, TARGET).groups == (slice(0, 3),)
    two = Items.of(ITEMS.matrix, groups=[slice(0, 1), slice(1, 2)])
    assert with_indicators(two, TARGET).groups == (slice(0, 1), slice(1, 2), slice(2, 3))


def test_properties_and_aspects_are_appended_together() -> None:
    two = np.stack([TARGET, ~TARGET], axis=1)
    items = Items.of(ITEMS.matrix, aspects=np.ones((200, 3)))
    more = with_indicators(items, two)
    assert more.features == 4
    assert more.given_aspects is not None
    assert more.given_aspects.shape == (200, 5)
    with pytest.raises(InputError, match="200 items need 200 rows of 0 or 1"):
        with_indicators(ITEMS, TARGET[:5])


def test_a_query_is_told_what_is_wanted_in_the_new_features() -> None:
    examples = Examples.single([0], [1], query=[0.5, 0.5])
    more = with_wanted_indicators(examples, [2.0])
    assert more.queries is not None
    assert more.queries.tolist() == [[0.5, 0.5, 2.0]]
    assert with_wanted_indicators(EXAMPLES, [2.0]) is EXAMPLES
    asked = Examples.of([[int(np.flatnonzero(TARGET)[0])]], queries=[ITEMS.matrix[0]])
    (done,) = consistency([Rocchio()], ITEMS, TARGET, asked, gains=[1000.0])
    assert done.average_precision[1] == 1.0


def test_an_overwhelming_indicator_gives_the_ideal_ranking() -> None:
    for done in consistency([QueryPoint(), NearestNeighbour(), WuZhang()], ITEMS, TARGET, EXAMPLES, gains=[1e4]):
        assert done.average_precision[1] == 1.0
        for over in ("recall", "precision-scope", "recall-scope"):
            np.testing.assert_allclose(done.efficiency(over).values, 1.0)


def test_sessions_are_the_same_and_examples_are_not_scored() -> None:
    results = consistency([QueryPoint()], ITEMS, TARGET, EXAMPLES, topic="t")
    assert [each.gain for each in results] == [None, *GAINS]
    assert len({id(each.plain) for each in results}) == 1
    for each in results:
        assert each.extended.queries == each.plain.queries
        assert set(each.extended.collection.tolist()) == {190}
        assert set(each.extended.relevant.tolist()) == {25}
    values = [each.average_precision[1] for each in results[1:]]
    assert values == sorted(values)


def test_over_recall_efficiency_is_the_plain_precision_of_the_extended_problem() -> None:
    (done,) = consistency([QueryPoint()], ITEMS, TARGET, EXAMPLES, gains=[None])
    scores = with_indicators(ITEMS, TARGET)
    session = EXAMPLES[0]
    distance = ((scores.matrix - scores.matrix[session.positives].mean(axis=0)) ** 2).sum(axis=1)
    order = [item for item in np.argsort(distance).tolist() if item not in session.examples]
    assert done.extended.judged.lists("rank")[0] == [rank for rank, item in enumerate(order, 1) if TARGET[item]]
    np.testing.assert_array_equal(done.efficiency().values, done.efficiency().reached)
    assert done.efficiency().winner == "ideal"


def test_a_composite_topic_may_be_told_by_its_elementary_properties() -> None:
    chance = np.random.default_rng(0)
    flower, red = chance.random(200) < 0.4, chance.random(200) < 0.4
    both = flower & red
    examples = ExampleSets.drawn(both, 4, (6, 6)).of_size(6, 6)
    noise = Items.of(chance.normal(size=(200, 4)))
    (done,) = consistency([WuZhang()], noise, both, examples, properties=np.stack([flower, red], axis=1), gains=[None])
    before, after = done.average_precision
    assert after > before + 0.5
    assert after == pytest.approx(AP().of(done.extended).mean())


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9, 0.98])
def test_the_aspects_of_a_yes_no_feature_are_yes_and_no(share: float) -> None:
    has = np.arange(500) < 500 * share
    result = Items.of(has[:, None].astype(np.float64)).aspects
    assert sorted(result.sum(axis=0).tolist())[-2:] == sorted([int(has.sum()), int((~has).sum())])


@given(st.integers(0, 2**31))
def test_equal_values_share_a_quarter_and_the_zero_of_sparse_features_has_its_own(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = np.round(chance.random((60, 5)) * 8) * (chance.random((60, 5)) < chance.random(5))
    result = quarters(values)
    for column, number in zip(values.T, result.T, strict=True):
        assert all(len(set(number[column == value].tolist())) == 1 for value in set(column.tolist()))
        order = np.argsort(column, kind="stable")
        assert (np.diff(number[order]) >= 0).all()
        if np.mean(column == 0) >= 0.25 and column.any():
            assert set(number[column == 0].tolist()).isdisjoint(number[column > 0].tolist())


def test_aspects_find_the_answer_among_the_features() -> None:
    items, target = eights()
    examples = ExampleSets.drawn(target, 6, (10, 10)).of_size(10, 10)
    (done,) = consistency([Aspects()], items, target, examples, gains=[None])
    assert done.average_precision[0] < 0.4
    assert done.average_precision[1] > 0.98  # with quarters that part no ties: as without
