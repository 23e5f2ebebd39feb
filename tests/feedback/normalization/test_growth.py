"""Example-set testing: residual lists, paired sessions, and results that every measure takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.analysis.curves.averaging import radial_curves
from rankscope.analysis.statistics.named_tests import paired_tests
from rankscope.core.errors import SettingError
from rankscope.core.settings import Settings
from rankscope.feedback.methods import Ideal, NearestNeighbour, QueryPoint, RandomRanking
from rankscope.feedback.normalization.example_sets import ExampleGrowth, growth
from rankscope.measures import AP, P
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.quadruple import random_average_precision
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.feedback.normalization.test_baselines import Broken
from tests.feedback.problems import drawn

ITEMS, TARGET = drawn(40, 160, 1.5)
TOPICS = {"b": TARGET, "a": ~TARGET & (np.arange(200) % 3 == 0)}


def grown(**settings: object) -> ExampleGrowth:
    methods = [QueryPoint(), NearestNeighbour()]
    return growth(ITEMS, TOPICS, methods, [1, 4, (8, 2)], repeats=5, **settings)  # type: ignore[arg-type]


def test_examples_leave_the_list_and_c_and_d_shrink() -> None:
    result = grown()
    assert result.sizes == ((1, 1), (4, 4), (8, 2))
    for ranks, (positives, negatives) in zip(result.ranks["query-point"], result.sizes, strict=True):
        assert ranks.queries[:2] == ("a/1", "a/2")
        assert ranks.classes == ("a",) * 5 + ("b",) * 5
        assert set(ranks.collection.tolist()) == {200 - positives - negatives}
        assert ranks.relevant.tolist() == [int(TOPICS[name].sum()) - positives for name in ranks.classes]
        assert ranks.system == f"query-point, {positives} + {negatives}"


def test_a_common_residual_scores_all_sizes_on_the_same_items() -> None:
    for ranks in grown(common=True).ranks["query-point"]:
        assert set(ranks.collection.tolist()) == {200 - 12}


def test_a_ranking_is_the_one_the_method_makes_of_its_set() -> None:
    from rankscope.feedback.normalization.example_sets import ExampleSets, topic_seed

    ranks = grown().ranks["query-point"][1]
    session = ExampleSets.drawn(TARGET, 5, (8, 4), seed=topic_seed("b", 0)).of_size(4, 4)[2]
    distance = ((ITEMS.matrix - ITEMS.matrix[session.positives].mean(axis=0)) ** 2).sum(axis=1)
    order = [item for item in np.argsort(distance).tolist() if item not in session.examples]
    expected = [rank for rank, item in enumerate(order, 1) if TARGET[item]]
    assert ranks.judged.lists("rank")[ranks.queries.index("b/3")] == expected


def test_the_curve_is_the_mean_over_topics_of_the_mean_over_sets() -> None:
    result = grown()
    curve = result.curve("nearest-neighbour", P(5))
    values = [P(5).of(each) for each in result.ranks["nearest-neighbour"]]
    np.testing.assert_allclose(curve.y, [(each[:5].mean() + each[5:].mean()) / 2 for each in values])
    assert curve.x.tolist() == [1, 4, 8]
    assert curve.error is not None
    np.testing.assert_allclose(curve.error, [abs(each[:5].mean() - each[5:].mean()) / 2 for each in values])
    assert curve.y_name == "P@5"


def test_more_examples_help_on_a_topic_that_can_be_learnt() -> None:
    result = growth(ITEMS, {"b": TARGET}, [QueryPoint()], [1, 16], repeats=20, common=True)
    one, many = (AP().of(each).mean() for each in result.ranks["query-point"])
    assert many > one + 0.05


def test_controls_take_part() -> None:
    result = growth(ITEMS, {"b": TARGET}, [Ideal(), RandomRanking()], [2], repeats=200)
    assert (AP().of(result.ranks["ideal"][0]) == 1).all()
    values = AP().of(result.ranks["random"][0])
    assert values.mean() == pytest.approx(random_average_precision(196, 38), abs=4 * values.std() / np.sqrt(200))


def test_measures_curves_tests_and_files_take_the_rankings(tmp_path: Path) -> None:
    small, _, large = grown(common=True).ranks["query-point"]
    scores = evaluate_ranks([small, large], ["AP", "nDCG@10"], Settings())
    assert scores.to_polars().height > 0
    assert all(0 <= each.p <= 1 for each in paired_tests(AP().of(large) - AP().of(small)) if each.test != "bootstrap")
    assert len(radial_curves(small)) == 2
    save_ranks(small, tmp_path / "small.ranks.parquet")
    np.testing.assert_array_equal(AP().of(load_ranks(tmp_path / "small.ranks.parquet")), AP().of(small))


def test_a_failed_session_is_left_out_and_counted() -> None:
    result = growth(ITEMS, {"b": TARGET}, [Broken()], [1], repeats=3)
    assert result.failed == {"broken": 3}
    assert np.isnan(result.curve("broken").y).all()


def test_what_cannot_be_tested_is_told() -> None:
    with pytest.raises(SettingError, match="nothing left to find: small"):
        growth(ITEMS, {"small": np.arange(200) < 4}, [QueryPoint()], [4])
    with pytest.raises(SettingError, match="at least one topic and one method"):
        growth(ITEMS, {}, [QueryPoint()])
    with pytest.raises(SettingError, match="may be there once"):
        growth(ITEMS, TOPICS, [QueryPoint(), QueryPoint()])
