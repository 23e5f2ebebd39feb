"""The spline against scipy's, against cubics that it must give exactly, and at and beyond its ends."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.interpolate import CubicSpline

from rankscope.analysis.statistics.studentised_range import EvenSpline

VALUES = arrays.arrays(np.float64, st.integers(4, 60), elements=st.floats(-100, 100))


@given(values=VALUES, start=st.floats(-10, 10), length=st.floats(0.1, 100))
def test_it_is_scipys(values: np.ndarray, start: float, length: float) -> None:
    nodes = np.linspace(start, start + length, values.size)
    at = np.linspace(start, start + length, 997)
    theirs = CubicSpline(nodes, values)(at)
    step = length / (values.size - 1)
    slope = np.abs(values).max() * 8 / step  # the steepest that such a spline can be, about
    rounded = np.finfo(float).eps * np.abs([start, start + length]).max()  # of nodes and of points
    tolerance = 1e-12 + 4 * slope * rounded
    np.testing.assert_allclose(
        EvenSpline.through(start, start + length, values)(at), theirs, rtol=1e-12, atol=tolerance
    )


def test_smooth_functions_agree_to_twelve_digits_with_many_nodes() -> None:
    nodes = np.linspace(0.0, 40.0, 2001)
    at = np.linspace(0.0, 40.0, 50_001)
    mine = EvenSpline.through(0.0, 40.0, np.log1p(nodes))(at)
    np.testing.assert_allclose(mine, CubicSpline(nodes, np.log1p(nodes))(at), rtol=1e-12, atol=1e-12)


def test_a_cubic_is_itself_within_its_ends_and_beyond() -> None:
    nodes, at = np.linspace(-1.0, 2.0, 7), np.linspace(-2.0, 3.0, 31)
    spline = EvenSpline.through(-1.0, 2.0, nodes**3 - 2 * nodes + 1)
    np.testing.assert_allclose(spline(at), at**3 - 2 * at + 1, rtol=1e-12, atol=1e-12)


def test_it_goes_through_its_values_and_nan_stays_nan() -> None:
    values = np.array([1.0, -2.0, 0.5, 3.0, 3.0])
    spline = EvenSpline.through(0.0, 1.0, values)
    np.testing.assert_allclose(spline(np.linspace(0.0, 1.0, 5)), values, atol=1e-14)
    assert np.isnan(spline(np.array([np.nan, 0.5]))).tolist() == [True, False]


def test_too_few_values_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 4 values"):
        EvenSpline.through(0.0, 1.0, [1.0, 2.0, 3.0])


def test_nothing_loads_scipys() -> None:
    code = (
        "import sys, numpy as np\n"
        "from rankscope.analysis.statistics.studentised_range import StudentisedRange as Range\n"
        "Range(5).tail(np.linspace(0, 9, 5000), 20.0); Range(5).quantile(0.95, np.linspace(3, 90, 300)); "
        "assert 'scipy.interpolate' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
