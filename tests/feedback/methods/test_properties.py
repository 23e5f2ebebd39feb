"""What holds for all methods, tested once for each in the list."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings

from rankscope.core.errors import SettingError
from rankscope.feedback import Examples, Items, Method, TwoSided
from rankscope.feedback.methods import CONTROLS, Rocchio
from rankscope.feedback.methods import METHODS as CATALOGUE
from tests.feedback.methods.drawn import COPIES, METHODS, drawn_for, numbers, seeds, shuffled

LEARNING = [method for method in METHODS if method.name not in CONTROLS]
ON_VECTORS = [method for method in LEARNING if "words" not in method.needs]  # the others: test_text_methods
FROM_REVIEWS = (  # named by huiskes2008 or the reviews it cites, each read from what others say of it
    "kernel-updating",
    "semantic-space",
    "semantic-network",
    "long-term-grouping",
    "ciocca-schettini",
    "multi-class",
    "biased-discriminant",
    "semantic-manifold",
    "semi-supervised-em",
    "mean-version-space",
    "decision-tree",
    "picsom",
    "viper",
)
KNOWN_NEEDS = {"query", "truth", "displays", "log", "counts", "words"}


@pytest.mark.parametrize("method", METHODS, ids=str)
@settings(max_examples=6)
@given(seed=seeds())
def test_there_is_a_finite_score_for_every_item(method: Method, seed: int) -> None:
    drawn = drawn_for(method, seed, sessions=4)
    scored = method.scores(drawn.items, drawn.examples)
    assert scored.values.shape == (4, len(drawn.items))
    assert scored.values.dtype == np.float64
    assert len(scored.flags) == len(scored.failed) == 4
    assert (np.isfinite(scored.values).all(axis=1) == scored.good).all()
    assert np.isnan(scored.values[~scored.good]).all()


@pytest.mark.parametrize("method", METHODS, ids=str)
@settings(max_examples=4)
@given(seed=seeds())
def test_the_order_of_the_examples_changes_nothing_and_a_seed_repeats(method: Method, seed: int) -> None:
    drawn = drawn_for(method, seed, sessions=4)
    again = drawn.of(shuffled(drawn.positives, seed), shuffled(drawn.negatives, seed))
    first, second = method.scores(drawn.items, drawn.examples), method.scores(drawn.items, again)
    np.testing.assert_array_equal(first.values, second.values)
    assert first.flags == second.flags


@pytest.mark.parametrize("method", [each for each in METHODS if each.pointwise], ids=str)
@settings(max_examples=4)
@given(seed=seeds())
def test_copies_of_an_item_score_exactly_alike(method: Method, seed: int) -> None:
    drawn = drawn_for(method, seed, sessions=4)
    values = method.scores(drawn.items, drawn.examples).values
    np.testing.assert_array_equal(values[:, :COPIES], values[:, -COPIES:])


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_scoring_leaves_its_inputs_as_they_were(method: Method) -> None:
    drawn = drawn_for(method, seed=1, sessions=3)
    examples, before = drawn.examples, drawn.items.matrix.copy()
    first = method.scores(drawn.items, examples).values.copy()
    np.testing.assert_array_equal(drawn.items.matrix, before)
    np.testing.assert_array_equal(method.scores(drawn.items, examples).values, first)


@pytest.mark.parametrize("method", LEARNING, ids=str)
def test_a_session_without_positives_keeps_its_start_ranking(method: Method) -> None:
    drawn = drawn_for(method, seed=2, sessions=3, plain=True)
    examples = drawn.of([drawn.positives[0], [], drawn.positives[2]], drawn.negatives)
    scored = method.scores(drawn.items, examples)
    np.testing.assert_array_equal(scored.values[1], np.linspace(1, 0, len(drawn.items)))
    assert scored.flags[1] == "start ranking kept: no positive example"
    assert not any("start" in flag for flag in (scored.flags[0], scored.flags[2]))


@pytest.mark.parametrize("method", [each for each in METHODS if isinstance(each, TwoSided)], ids=str)
def test_without_negatives_a_two_sided_method_falls_back(method: TwoSided) -> None:
    drawn = drawn_for(method, seed=4, sessions=2, plain=True)
    examples = drawn.of(drawn.positives, [drawn.negatives[0], []])
    by_point = method.scores(drawn.items, examples)
    assert by_point.flags[1] == "fallback: query point, no negative example"
    centre = drawn.items.matrix[drawn.positives[1]].mean(axis=0)
    expected = -np.square(drawn.items.matrix - centre).sum(axis=1)
    np.testing.assert_allclose(by_point.values[1], expected, atol=1e-9)
    by_background = replace(method, fallback="background").scores(drawn.items, examples)
    assert by_background.flags[1] == "fallback: background negatives, no negative example"
    np.testing.assert_array_equal(by_background.values[0], by_point.values[0])
    again = replace(method, fallback="background").scores(drawn.items, examples)
    np.testing.assert_array_equal(again.values, by_background.values)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_is_shown_next_was_not_judged_and_is_shown_once(method: Method) -> None:
    drawn = drawn_for(method, seed=5, sessions=3, plain=True)
    shown = method.query(drawn.items, drawn.examples, method.scores(drawn.items, drawn.examples), 5)
    assert shown.shape == (3, 5)
    for row, session in zip(shown, drawn.examples, strict=True):
        assert len(set(row.tolist())) == 5
        assert not set(row.tolist()) & set(session.examples.tolist())


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_where_items_run_out_fewer_are_shown(method: Method) -> None:
    drawn = drawn_for(method, seed=5, sessions=1, plain=True)
    left = {38, 39}
    positives = [[each for each in range(20) if each not in left]]
    examples = drawn.of(positives, [list(range(20, 38))])
    shown = method.query(drawn.items, examples, method.scores(drawn.items, examples), 4)[0].tolist()
    assert set(shown[:2]) == left
    assert shown[2:] == [-1, -1]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_sessions_give_no_scores(method: Method) -> None:
    drawn = drawn_for(method, seed=5, sessions=1)
    assert method.scores(drawn.items, drawn.examples.take(numbers())).values.shape == (0, len(drawn.items))


@pytest.mark.parametrize("method", ON_VECTORS, ids=str)
def test_learning_puts_the_examples_own_cloud_first(method: Method) -> None:
    chance = np.random.default_rng(0)
    near, far = chance.poisson(4.0, (30, 8)), chance.poisson(4.0, (30, 8))
    near[:, :4] += 12
    far[:, 4:] += 12
    items = Items.of(np.concatenate([near, far]))
    scored = method.scores(items, Examples.single(range(5), range(30, 34), query=near[0]))
    assert scored.failed == ("",)
    first = scored.order()[0, :30]
    assert np.count_nonzero(first < 30) >= 25


@pytest.mark.parametrize("method", ON_VECTORS, ids=str)
def test_no_method_forgets_the_query(method: Method) -> None:
    drawn = drawn_for(method, seed=3, sessions=1, plain=True)
    picked = [2, 3, 5, 7, 8, 9]
    results = [
        method.scores(
            drawn.items,
            Examples.single(
                [query, *picked], [20, 21], query=drawn.items.matrix[query], displays=[([*picked, 20, 21], picked)]
            ),
        )
        for query in (10, 11, 12, 13)  # items a user began with, so that they are on no display
    ]
    assert {each.failed for each in results} == {("",)}
    assert not all(np.allclose(results[0].values, each.values) for each in results[1:])  # some support no vector


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_method_tells_where_it_comes_from_and_what_it_needs(method: Method) -> None:
    assert method.source
    assert type(method).__doc__
    assert set(method.needs) <= KNOWN_NEEDS
    assert ("our reading" in (type(method).__doc__ or "").lower()) == method.dagger
    assert CATALOGUE.parse(method.name) == method
    assert CATALOGUE.parse(str(method)) == method
    with pytest.raises((FrozenInstanceError, AttributeError)):
        method.name = "other"  # type: ignore[misc]


def test_names_differ_and_the_daggers_are_those_of_the_method() -> None:
    assert CATALOGUE.own_names() == tuple(kind.name for kind in CATALOGUE.own())
    daggers = {kind.name for kind in CATALOGUE.own() if kind.dagger}
    assert daggers == {"wu-zhang", "biased-svm", "retin", "aspects", "active-aspects", "log-based-svm"} | set(
        FROM_REVIEWS
    )


def test_a_method_is_read_with_its_parameters() -> None:
    assert CATALOGUE.parse("rocchio(gamma=0.25, metric=cosine)") == Rocchio(gamma=0.25, metric="cosine")
    assert str(Rocchio(gamma=0.25, metric="cosine")) == "rocchio(gamma=0.25,metric=cosine)"
    assert CATALOGUE.parse("svm(gamma=none, fallback=background)") == CATALOGUE.parse("svm(fallback=background)")
    assert CATALOGUE.parse("rm3(terms=5)").terms == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rochio", "did you mean 'rocchio'?"),
        ("svm(cost=1)", "svm has no option 'cost'. It has: C, fallback, gamma"),
        ("rocchio(gama=1)", "did you mean 'gamma'?"),
        ("rocchio(gamma=1,gamma=2)", "gamma is given twice"),
        ("rocchio(.25,alpha=.5,.5,1,cosine,true)", "has no option for 'true'"),
        ("svm(C=much)", "C must be a number above 0, got 'much'"),
        ("rocchio(metric=l1)", "metric must be one of euclidean, cosine, got 'l1'"),
        ("svm(", "is no feedback method: write NAME or NAME(option=value), as rocchio(gamma=0.25)"),
        ("svm(C=0)", "C must be a number above 0"),
        ("biased-svm(b=2)", "at most 1"),
        ("dba(k=-1)", "at least 0"),
        ("logistic-regression(balanced=perhaps)", "balanced must be True or False, got 'perhaps'"),
        ("random(x=1)", "It has none"),
    ],
)
def test_a_method_written_wrongly_says_what_would_be_right(text: str, words: str) -> None:
    with pytest.raises(SettingError) as told:
        CATALOGUE.parse(text)
    assert words in str(told.value)
