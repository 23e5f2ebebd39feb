"""Curves are values: arrays of one length, and a table of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.curves.scope import precision_scope
from tests.analysis.curves.examples import THREE


def test_a_curve_has_one_value_of_everything_for_each_point() -> None:
    with pytest.raises(ValueError, match="not so: error"):
        Curve(np.zeros(3), np.zeros(3), error=np.zeros(2))
    with pytest.raises(ValueError, match="not so: y"):
        Curve(np.zeros(3), np.zeros(2))


def test_a_table_has_the_axes_as_columns_and_null_where_there_is_no_point() -> None:
    curve = Curve(np.array([1.0, 2.0]), np.array([0.5, np.nan]), "bm25", "scope", "precision", more={"n": np.arange(2)})
    table = curve.to_polars()
    assert table.columns == ["curve", "scope", "precision", "n"]
    assert table["precision"].to_list() == [0.5, None]
    assert table["curve"].to_list() == ["bm25", "bm25"]


def test_a_region_is_a_table_too() -> None:
    region = Region(np.array([0.5]), np.array([0.1]), np.array([1.0]))
    assert region.to_polars().rows() == [(0.5, 0.1, 1.0)]


def test_a_mean_carries_its_queries_and_errors_into_the_table() -> None:
    columns = ["curve", "scope", "precision", "error", "queries", "lower_bound"]
    assert precision_scope(THREE, [1, 4]).to_polars().columns == columns
