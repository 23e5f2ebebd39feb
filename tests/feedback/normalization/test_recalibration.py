"""Re-calibration: equal to dividing anew, topic by topic, and wrong for means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.core.errors import SettingError
from rankscope.feedback.methods import NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.efficiency import (
    Efficiency,
    efficiency,
    recalibrated,
    recalibrated_all,
    recalibrated_values,
)
from rankscope.feedback.normalization.example_sets import fully_trained
from tests.feedback.problems import SMALL, SMALL_FOLDS, SMALL_TARGET

positive = arrays(np.float64, 5, elements=st.floats(0.01, 1))


def test_the_worked_example_by_equation_six_equals_direct_division() -> None:
    old = Efficiency.of([1, 1, 1 / 3, 2 / 5, 5 / 11], [1, 1, 1, 0.9, 0.75])
    better = [1, 1, 1, 1, 0.9]
    new = recalibrated(old, better, "a better one")
    np.testing.assert_allclose(new.values, [1, 1, 0.333333, 0.4, 0.505051], atol=1e-6)
    np.testing.assert_allclose(recalibrated_values(old.values, old.baseline, better), new.values)
    assert new.mae == pytest.approx(0.647677, abs=1e-6)
    assert new.winner == "a better one"


def test_means_over_topics_cannot_be_recalibrated() -> None:
    topics = [Efficiency.of([p], [best], topic=name) for name, p, best in (("one", 0.4, 0.8), ("two", 0.3, 0.4))]
    assert np.mean([each.mae for each in topics]) == pytest.approx(0.625)
    better = {"one": 0.9, "two": 0.6}
    right = np.mean([recalibrated(each, [better[each.topic]]).mae for each in topics])
    assert right == pytest.approx(0.472222, abs=1e-6)
    wrong = recalibrated_values(0.625, np.mean([0.8, 0.4]), np.mean([0.9, 0.6]))
    assert wrong == pytest.approx(0.5)


@given(positive, positive, positive)
def test_equation_six_is_direct_division_everywhere(p: np.ndarray, old: np.ndarray, new: np.ndarray) -> None:
    np.testing.assert_allclose(recalibrated_values(p / old, old, new), p / new, rtol=1e-12)


def test_results_meet_the_new_baseline_of_their_topic() -> None:
    first, second = (
        baseline(SMALL, SMALL_TARGET, [each], folds=SMALL_FOLDS, permutations=9)
        for each in (QueryPoint(), NearestNeighbour())
    )
    runs = fully_trained(QueryPoint(), SMALL, SMALL_TARGET, SMALL_FOLDS)
    old = efficiency(runs, first, levels=3)
    assert old.mae == 1.0
    (new,) = recalibrated_all([old], {"topic": second})
    np.testing.assert_array_equal(new.values, efficiency(runs, second, levels=3).values)
    assert new.mae == pytest.approx((1 / 3 + 0.4 + 0.5) / 3)
    assert recalibrated_all([old], {}) == (old,)


def test_what_cannot_be_recalibrated_is_refused() -> None:
    result = baseline(SMALL, SMALL_TARGET, [QueryPoint()], folds=SMALL_FOLDS, permutations=9)
    with pytest.raises(SettingError, match="topic 'other' cannot be divided by the baseline of 'topic'"):
        recalibrated(Efficiency.of([1], [1], topic="other"), result)
    with pytest.raises(SettingError, match="one at each place, got 2"):
        recalibrated(Efficiency.of([1], [1]), [1, 1])
    with pytest.raises(SettingError, match="computed anew"):
        recalibrated(replace(Efficiency.of([1], [1]), thinned=True), result)
