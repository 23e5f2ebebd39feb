from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import linregress

from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.response_times import growth_slope, response
from tests.feedback.cases import clusters

ITEMS, _ = clusters()


def test_times_say_what_they_depend_on() -> None:
    result = response(METHODS.parse("rocchio"), ITEMS, Examples.of([[0, 4]] * 12, [[1, 2, 3]] * 12), most=8)
    assert 0 < result.median <= result.p95
    assert (result.items, result.features, result.positives, result.negatives, result.sessions) == (240, 6, 2, 3, 8)
    assert result.row()["median ms"] == pytest.approx(1000 * result.median)


def test_the_slope_is_that_of_a_regression_of_logarithms() -> None:
    sizes, seconds = [1000, 2000, 4000, 8000], [0.011, 0.019, 0.045, 0.078]
    assert growth_slope(sizes, seconds) == pytest.approx(linregress(np.log(sizes), np.log(seconds)).slope)
    with pytest.raises(SettingError, match="two different sizes"):
        growth_slope([1000, 1000], [0.1, 0.2])
