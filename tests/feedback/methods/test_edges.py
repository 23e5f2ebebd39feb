"""Sessions that go another way: failures with reasons, missing knowledge, odd parameters, displays that ask."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import InputError, MissingExtra, SettingError
from rankscope.feedback import CannotScore, Examples, Items, Method, Session
from rankscope.feedback.methods import (
    DBA,
    RM3,
    SVM,
    AllLabels,
    BiasedSVM,
    Boosting,
    Diffusion,
    GaussianProcess,
    Ideal,
    LogBasedSVM,
    LogisticRegression,
    MindReader,
    NearestNeighbour,
    NoFeedback,
    OneClassSVM,
    PicHunter,
    QueryPoint,
    RandomRanking,
    Retin,
    Rocchio,
    ShrinkageLDA,
    WuZhang,
)
from rankscope.feedback.methods.kernel_methods import sklearn_part
from tests.feedback.methods.drawn import drawn_from, numbers
from tests.feedback.methods.worked import FOUR, SIX, TOY, toy_scores

ALIKE = Items.of(np.ones((5, 3)))


# failures stay with their session


def test_an_infeasible_nu_is_told_for_its_session_alone() -> None:
    examples = Examples.of([[0, 1], [0]], [[4], [2, 3, 4, 5]])
    scored = BiasedSVM(0.5, 0.6, gamma=0.5).scores(SIX, examples)
    assert scored.good.tolist() == [True, False]
    assert scored.failed[1] == "nu 0.6 is infeasible, 1 of 5 examples are in P: at most 0.2667"
    assert np.isnan(scored.values[1]).all()
    np.testing.assert_allclose(scored.values[0, 0], 0.602449, atol=1e-5)


def test_the_largest_feasible_nu_is_feasible() -> None:
    assert BiasedSVM(0.5, 2 / (5 * 1.5)).scores(SIX, Examples.single([0], [2, 3, 4, 5])).failed == ("",)


def test_weights_that_are_all_zero_are_told() -> None:
    examples = Examples.of([[0, 4], [0, 1]], [[5], [4]])
    scored = WuZhang().scores(SIX, examples)
    assert "all weights are 0" in scored.failed[0]
    assert scored.failed[1] == ""
    np.testing.assert_array_equal(scored.values[1], WuZhang().scores(SIX, examples.take(numbers(1))).values[0])


def test_a_singular_covariance_is_told_unless_there_is_a_ridge() -> None:
    flat = Items.of([[0, 0], [1, 1], [2, 2], [3, 1], [4, 4]])
    on_a_line = Examples.single([0, 1, 2, 4])
    assert "singular" in MindReader(ridge=0).scores(flat, on_a_line).failed[0]
    assert "agree exactly" in MindReader(ridge=0).scores(SIX, Examples.single([0, 1])).failed[0]
    assert MindReader().scores(flat, on_a_line).failed == ("",)
    assert MindReader().scores(SIX, Examples.of([[0], [0, 1], [0, 1, 2]])).failed == ("", "", "")


def test_goodness_of_nothing_is_told() -> None:
    examples = Examples.of([[0, 1], [0, 1, 2]], grades=[[0, 0], [1, 0, 1]])
    assert MindReader().scores(SIX, examples).failed == ("the goodness of the positives adds up to 0", "")


def test_no_spread_within_the_classes_is_told() -> None:
    examples = Examples.of([[0], [0, 1]], [[4], [4]])
    scored = ShrinkageLDA(0.5, "examples").scores(SIX, examples)
    assert "no spread" in scored.failed[0]
    assert scored.failed[1] == ""
    assert ShrinkageLDA().scores(SIX, examples).failed == ("", "")


def test_features_that_are_no_counts_are_told() -> None:
    items = Items.of([[1.0, -1.0], [1.0, 2.0]])
    assert "negative" in RM3().scores(items, Examples.single([0], query=[1.0, 0.0])).failed[0]
    empty = Examples.of([[0], [1]], queries=[[0.0, 0.0], [1.0, 0.0]])
    assert RM3().scores(Items.of([[1, 0], [1, 2]]), empty).failed == ("the query has no words", "")


def test_nothing_that_tells_positives_from_negatives_is_told() -> None:
    items = Items.of([[0, 0], [0, 0], [1, 1]])
    assert "no threshold" in Boosting().scores(items, Examples.single([0], [1])).failed[0]


def test_any_method_may_fail_one_session_and_scores_the_others() -> None:
    class Odd(Method):
        name = "odd"
        source = "a test"

        def score_one(self, items: Items, session: Session) -> FloatArray:
            if session.positives[0] == 1:
                raise CannotScore("one is odd")
            if session.positives[0] == 2:
                raise np.linalg.LinAlgError("Singular matrix")
            return np.full(len(items), np.nan if session.positives[0] == 3 else 1.0)

    scored = Odd().scores(SIX, Examples.of([[0], [1], [2], [3]]))
    assert scored.failed == ("", "one is odd", "Singular matrix", "scores are not finite")
    assert np.isfinite(scored.values[0]).all()
    assert np.isnan(scored.values[1:]).all()


def test_a_method_that_writes_no_score_says_so() -> None:
    class Empty(Method):
        name = "empty"
        source = "a test"

    with pytest.raises(NotImplementedError, match="neither score_one nor score_many"):
        Empty().scores(SIX, TOY)


@pytest.mark.parametrize(
    "method",
    [
        QueryPoint(),
        NearestNeighbour(),
        SVM(),
        OneClassSVM(),
        LogisticRegression(),
        GaussianProcess(),
        ShrinkageLDA(),
        DBA(),
    ],
    ids=str,
)
def test_items_that_are_all_alike_score_alike(method: Method) -> None:
    values = toy_scores(method, Examples.single([0, 1], [2]), ALIKE)
    np.testing.assert_allclose(values, values[0], atol=1e-9)


def test_one_item_is_a_collection_too() -> None:
    items = Items.of([[1.0, 2.0]])
    assert toy_scores(QueryPoint(), Examples.single([0]), items).tolist() == [0]
    assert toy_scores(Diffusion(), Examples.single([0]), items).tolist() == [1]
    assert SVM(fallback="background").scores(items, Examples.single([0])).flags == (
        "fallback: query point, no negative example",
    )


# what is not known


def test_without_a_query_the_mean_of_the_positives_stands_for_it() -> None:
    examples = Examples.of([[0, 1], [0, 1]], queries=[[0.5, 0.0], [np.nan, np.nan]])
    scored = Rocchio().scores(SIX, examples)
    np.testing.assert_allclose(scored.values[0], scored.values[1])
    assert scored.flags == ("", "no query: the mean of the positives stands for it")


def test_weights_that_add_up_to_one_do_not_care_where_zero_is() -> None:
    moved = Items.of(SIX.matrix + 100)
    there = Examples.single([0, 1], [4], query=[100.5, 100.5])
    method = Rocchio()
    np.testing.assert_allclose(toy_scores(method), toy_scores(method, there, moved), atol=1e-9)


def test_controls_that_need_the_truth_say_so() -> None:
    for method in (Ideal(), AllLabels()):
        assert "needs the truth" in method.scores(SIX, TOY).failed[0]
    assert toy_scores(Ideal(), Examples.single([], truth=[1, 3])).tolist() == [0, 1, 0, 1, 0, 0]
    assert "cannot be split" in AllLabels().scores(SIX, Examples.single([], truth=[1])).failed[0]


def test_no_feedback_is_the_start_ranking_or_nearness_to_the_query() -> None:
    assert toy_scores(NoFeedback(), Examples.single([0], start=[3, 1, 2, 0, 0, 9])).tolist() == [3, 1, 2, 0, 0, 9]
    np.testing.assert_allclose(toy_scores(NoFeedback()), -np.square(SIX.matrix - 0.5).sum(axis=1))
    assert toy_scores(NoFeedback(), Examples.single([0])).tolist() == [0] * 6


def test_random_rankings_follow_the_seed() -> None:
    one = RandomRanking().scores(SIX, Examples.of([[], [], []], seeds=[4, 4, 5])).values
    np.testing.assert_array_equal(one[0], one[1])
    assert not np.array_equal(one[0], one[2])


def test_a_log_changes_what_is_learnt_and_rows_can_be_kept_from_a_session() -> None:
    log = np.array([[1, 0, 0, 1, -1, 0], [-1, 0, 1, 0, 0, 0]])
    items = Items.of(SIX.matrix, log=log)
    method = LogBasedSVM(gamma=0.5)
    plain = SVM(gamma=0.5).scores(SIX, TOY).values[0]
    np.testing.assert_allclose(toy_scores(method), plain, atol=1e-6)
    with_log = toy_scores(method, Examples.single([0, 1], [4]), items)
    assert with_log[3] > plain[3]
    hidden = toy_scores(method, Examples.single([0, 1], [4], log_rows=[]), items)
    np.testing.assert_allclose(hidden, plain, atol=1e-6)
    with pytest.raises(InputError, match="rows of the log up to 2, but it has 2"):
        method.scores(items, Examples.single([0], [1], log_rows=[2]))


# what is shown


def test_the_gaussian_process_asks_where_it_knows_least() -> None:
    method = GaussianProcess(0.1, "variance", gamma=0.5)
    assert method.query(SIX, TOY, method.scores(SIX, TOY), 2).tolist() == [[3, 2]]


def test_retin_asks_around_its_rank_and_the_rank_follows_the_answers() -> None:
    method = Retin(gamma=0.5)
    scored = method.scores(SIX, TOY)
    second = Examples.single([0, 1], [4], around=4)
    assert scored.order()[0].tolist()[2:5] == [5, 2, 3]
    assert method.query(SIX, second, scored, 1).tolist() == [[2]]
    assert method.next_rank(numbers(20, 2), numbers(5, 0), numbers(1, 4)).tolist() == [28, 1]


def test_retin_shows_items_unlike_each_other() -> None:
    items = Items.of([[0.0], [3.0], [1.0], [1.0001], [1.5], [1.51]])
    method, examples = Retin(gamma=5.0), Examples.single([0], [1], around=3)
    shown = method.query(items, examples, method.scores(items, examples), 2)[0].tolist()
    assert len({2, 3} & set(shown)) <= 1
    assert len({4, 5} & set(shown)) <= 1


def test_pichunter_can_ask_for_the_display_that_tells_most() -> None:
    drawn = drawn_from(0, sessions=2, plain=True)
    method = PicHunter(display="entropy")
    scored = method.scores(drawn.items, drawn.examples)
    shown = method.query(drawn.items, drawn.examples, scored, 3)
    probable = PicHunter().query(drawn.items, drawn.examples, scored, 3)
    for row in range(2):
        told, plain = (
            method.expected_entropy(drawn.items, scored.values[row], each[row]) for each in (shown, probable)
        )
        assert told <= plain + 0.05
    assert (shown == method.query(drawn.items, drawn.examples, scored, 3)).all()


def test_pichunter_reads_displays_and_says_when_it_has_none() -> None:
    displays = [[([1, 3, 4], [1])], []]
    scored = PicHunter(sigma=1).scores(SIX, Examples.of([[], [1]], [[], [3, 4]], displays=displays))
    assert scored.flags == ("", "no displays: the examples stand for one display")
    np.testing.assert_allclose(scored.values[0], scored.values[1])


def test_pichunter_does_not_forget_what_was_on_no_display() -> None:
    display = [([1, 3, 4], [1])]
    told = [
        PicHunter(sigma=1).scores(SIX, Examples.single([0, 1], [3, 4], displays=display, **more)).values[0]
        for more in ({}, {"query": [0.0, 0.0]})
    ]
    np.testing.assert_allclose(told[0], told[1])  # a single example brought along is a query
    alone = PicHunter(sigma=1).scores(SIX, Examples.single([], displays=display)).values[0]
    assert not np.allclose(told[0], alone)
    both = PicHunter(sigma=1).scores(SIX, Examples.single([0, 1], [2, 3, 4], displays=display)).values[0]
    again = PicHunter(sigma=1).scores(SIX, Examples.single([], displays=[*display, ([0, 2], [0])])).values[0]
    np.testing.assert_allclose(both, again)  # with a negative it is one more display


# parameters and inputs


@pytest.mark.parametrize(
    "make",
    [
        lambda: SVM(fallback="none"),
        lambda: Rocchio(metric="l1"),
        lambda: Rocchio(0.1, 0.1, 0.5),
        lambda: PicHunter(display="all"),
        lambda: GaussianProcess(display="all"),
        lambda: ShrinkageLDA(covariance="none"),
        lambda: SVM(gamma=-1),
        lambda: Diffusion(alpha=1.0),
        lambda: AllLabels(folds=1),
        lambda: ShrinkageLDA(shrinkage=0),
    ],
)
def test_a_parameter_out_of_range_is_refused_at_once(make: object) -> None:
    assert callable(make)
    with pytest.raises(SettingError):
        make()


@pytest.mark.parametrize(
    ("examples", "words"),
    [
        (Examples.single([6]), "items are numbered 0 to 5, got 6"),
        (Examples.single([0], query=[1.0]), "queries have 1 features, the items 2"),
        (Examples.single([0], start=[1, 2]), "start scores of 2 items, but there are 6"),
    ],
)
def test_examples_that_do_not_fit_the_items_are_an_error(examples: Examples, words: str) -> None:
    with pytest.raises(InputError, match=words):
        QueryPoint().scores(SIX, examples)


def test_a_missing_part_of_scikit_learn_names_the_extra() -> None:
    with pytest.raises(MissingExtra, match=r"rankscope\[feedback\]"):
        sklearn_part("no_such_module")


def test_diffusion_gives_an_item_without_neighbours_its_own_mark() -> None:
    items = Items.of([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]])
    assert toy_scores(Diffusion(k=1), Examples.single([0]), items)[2] == 0
    assert toy_scores(Diffusion(k=1), Examples.single([2]), items).tolist() == [0, 0, 1]


def test_negatives_push_down_in_a_diffusion() -> None:
    without, having = (toy_scores(Diffusion(k=2), Examples.single([0], each), FOUR) for each in ([], [3]))
    assert (having[1:] < without[1:]).all()
