"""Against scikit-learn's own functions, with and without equal scores, and within its cross-validation."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope
from rankscope.commands.adapters.sklearn import make_scorer, score_function
from tests.needs import needed_module

MANY = settings(max_examples=40)


@st.composite
def matrices(draw: st.DrawFn, distinct: bool) -> tuple[Any, Any]:
    """Grades, of which one at least is 1 in each row, and scores."""
    queries, items = draw(st.integers(1, 4)), draw(st.integers(2, 6))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    grades = chance.integers(0, 3, (queries, items))
    grades[:, 0] = 1
    scores = chance.random((queries, items)) if distinct else chance.integers(0, 3, (queries, items)) / 2
    return grades, scores


@MANY
@given(matrices(distinct=False), st.sampled_from([None, 1, 3]))
def test_ndcg_is_theirs_with_equal_scores(given: tuple[Any, Any], k: int | None) -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    ours = score_function("nDCG" if k is None else f"nDCG@{k}")
    assert ours(*given) == pytest.approx(metrics.ndcg_score(*given, k=k), abs=1e-12)


@MANY
@given(matrices(distinct=True))
def test_average_precision_is_theirs_without_equal_scores(given: tuple[Any, Any]) -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    relevant = given[0] > 0
    wanted = np.mean([metrics.average_precision_score(*row) for row in zip(relevant, given[1], strict=True)])
    assert score_function("AP")(relevant, given[1]) == pytest.approx(wanted, abs=1e-12)
    assert score_function("AP")(relevant, given[1]) == pytest.approx(
        metrics.label_ranking_average_precision_score(relevant, given[1]), abs=1e-12
    )


def test_equal_scores_are_one_step_to_them_and_all_orders_to_us() -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    assert metrics.average_precision_score([1, 0], [0.5, 0.5]) == 0.5
    assert score_function("AP")([1, 0], [0.5, 0.5]) == 0.75
    assert score_function("AP", ties="given")([1, 0], [0.5, 0.5]) == 1.0


def test_groups_and_rows_of_a_matrix_are_the_same_queries() -> None:
    chance = np.random.default_rng(5)
    grades, scores = chance.integers(0, 2, (6, 5)), chance.random((6, 5))
    grades[:, 1] = 1
    order = chance.permutation(30)
    groups = np.repeat(["a b", "c", "d", "e", "f", "g"], 5)[order]
    flat = score_function("nDCG@3")(grades.ravel()[order], scores.ravel()[order], groups=groups)
    assert flat == pytest.approx(score_function("nDCG@3")(grades, scores), abs=1e-12)


def test_their_scorer_and_ours_give_the_same_within_their_cross_validation() -> None:
    metrics = needed_module("sklearn.metrics", "feedback")
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score

    chance = np.random.default_rng(6)
    query = np.repeat(np.arange(12), 8)
    features = np.column_stack([query, chance.random((96, 3))])
    target = (features[:, 1] + chance.random(96) > 1).astype(int)
    parts = {"cv": GroupKFold(3), "groups": query}
    ours = cross_val_score(LinearRegression(), features, target, scoring=make_scorer("nDCG@5", groups=0), **parts)
    assert ours.shape == (3,)
    assert (ours > 0.5).all()
    theirs = metrics.make_scorer(score_function("AP"), response_method="predict")
    whole = cross_val_score(LinearRegression(), features, target, scoring=theirs, **parts)
    assert (
        whole.tolist()
        == cross_val_score(LinearRegression(), features, target, scoring=make_scorer("AP"), **parts).tolist()
    )
    likely = LogisticRegression().fit(features, target)
    scorer = make_scorer("AP", groups=lambda table: table[:, 0])
    assert scorer(likely, features, target) == score_function("AP")(
        target, likely.decision_function(features), groups=query
    )


def test_a_column_by_name_says_the_query() -> None:
    pandas = needed_module("pandas", "pandas")
    table = pandas.DataFrame({"qid": [1, 1, 2, 2], "x": [0.9, 0.1, 0.2, 0.8]})

    class ByX:
        def predict(self, given: Any) -> Any:
            return given["x"].to_numpy()

    assert make_scorer("RR", groups="qid")(ByX(), table, [1, 0, 1, 0]) == 0.75
    assert pickle.loads(pickle.dumps(make_scorer("RR", groups="qid")))(ByX(), table, [1, 0, 1, 0]) == 0.75
    with pytest.raises(rankscope.SettingError, match="groups='query': X has no such column"):
        make_scorer("RR", groups="query")(ByX(), table, [1, 0, 1, 0])
    with pytest.raises(rankscope.SettingError, match="has none of decision_function, predict_proba, predict"):
        make_scorer("RR")(object(), table, [1, 0, 1, 0])


def test_what_does_not_fit_together_is_refused() -> None:
    score = score_function("AP")
    with pytest.raises(rankscope.InputError, match=r"one shape, .* got \(2,\) and \(3,\)"):
        score([1, 0], [0.1, 0.2, 0.3])
    with pytest.raises(rankscope.InputError, match="groups are not needed"):
        score([[1, 0]], [[0.1, 0.2]], groups=[1, 1])
    with pytest.raises(rankscope.InputError, match="one query for each of 2 rows"):
        score([1, 0], [0.1, 0.2], groups=[1])
    with pytest.raises(rankscope.MeasureError, match="no measure 'nDCGG'"):
        score_function("nDCGG")
    with pytest.raises(rankscope.InputError, match="score"):
        score([1, 0], [np.nan, 0.2])
