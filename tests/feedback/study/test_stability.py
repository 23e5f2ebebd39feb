from __future__ import annotations

import warnings

import numpy as np
import pytest

from rankscope.feedback.study.loop import area_over_rounds, rounds_to_recall
from rankscope.feedback.study.sensitivity import stability, variance_components


def test_variance_components_are_those_of_a_mixed_model() -> None:
    import statsmodels.api as sm

    chance = np.random.default_rng(5)
    values = (0.5 + 0.2 * chance.normal(size=(8, 1)) + 0.1 * chance.normal(size=(8, 6))).ravel()
    topics = np.repeat([f"t{number}" for number in range(8)], 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sm.MixedLM(values, np.ones(values.size), groups=topics).fit(reml=True)
    result = stability(values, topics.tolist())
    assert result.start == pytest.approx(float(fitted.scale), rel=1e-4)
    assert result.topic == pytest.approx(float(fitted.cov_re[0, 0]), rel=1e-3)
    assert result.share_of_start == pytest.approx(result.start / (result.start + result.topic))


def test_mean_squares_are_those_of_the_analysis_of_variance() -> None:
    from scipy.stats import f_oneway

    groups = [np.array([0.1, 0.3, 0.2]), np.array([0.6, 0.8]), np.array([0.4, 0.5, 0.9, 0.2])]
    within, topic = variance_components(groups)
    sizes = np.array([3, 2, 4])
    usual = (9 - (sizes**2).sum() / 9) / 2
    assert f_oneway(*groups).statistic == pytest.approx((within + usual * topic) / within)


def test_a_variance_among_topics_below_zero_is_zero_and_said() -> None:
    result = stability([0.1, 0.9, 0.2, 0.8], ["a", "a", "b", "b"])
    assert (result.topic, result.share_of_start) == (0.0, 1.0)
    assert result.note == "the variance of topics comes out below 0 and counts as 0"
    assert stability([0.1, 0.2, 0.8, 0.9], ["a", "a", "b", "b"]).note == ""


def test_undefined_values_are_left_out() -> None:
    assert stability([0.1, 0.3, np.nan], ["a", "a", "a"]).sd == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert np.isnan(stability([0.1, 0.3], ["a", "b"]).share_of_start)


def test_the_area_under_a_straight_line_is_its_middle() -> None:
    assert area_over_rounds(np.array([[0.0, 0.25, 0.5, 0.75, 1.0], [0.5] * 5])) == pytest.approx([0.5, 0.5])
    assert area_over_rounds(np.array([[0.3]])).tolist() == [0.3]


def test_recall_that_is_never_reached_takes_for_ever() -> None:
    assert rounds_to_recall(np.array([[0.5, 0.6], [0.1, 0.2]]), 0.5).tolist() == [0.0, np.inf]
