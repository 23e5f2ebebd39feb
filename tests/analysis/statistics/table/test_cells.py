"""Cells and the queries that a design uses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rankscope.analysis.statistics.design import Cells, cells_of, design_of
from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.multiple_comparisons import (
    blocked_tukey,
    comparison_intervals,
    games_howell,
    randomised_tukey,
    tukey,
)
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import WORKED

NAN = float("nan")
HOLED = ScoreTable.make({"A": [0.1, NAN, 0.3, 0.4, 0.5], "B": [0.2, 0.2, 0.2, 0.6, 0.1]}, ["x", "x", "", "x", "y"])


def test_cells_stand_class_by_class() -> None:
    cells = cells_of(WORKED)
    assert cells.names == ("A, a", "B, a", "A, b", "B, b", "A, c", "B, c")
    assert cells.n.tolist() == [5, 5, 4, 4, 6, 6]
    assert cells.mean[:2] == pytest.approx([0.34, 0.39])
    assert cells.rows()[2]["sd"] == pytest.approx(np.std([0.55, 0.61, 0.48, 0.52], ddof=1))


def test_incomplete_and_classless_queries_are_left_out_and_counted() -> None:
    design = design_of(HOLED)
    assert design.table.queries == ("q1", "q4", "q5")
    assert (design.left_out.incomplete, design.left_out.unclassed) == (1, 1)
    assert "1 query left out: of no class" in design.note()


def test_without_classes_a_classless_query_stays() -> None:
    design = design_of(HOLED, by_class=False)
    assert len(design.table) == 4
    assert design.labels == ("",)
    assert Cells.of(design).names == ("A", "B")


def test_a_cell_of_one_query_has_no_deviation() -> None:
    assert np.isnan(cells_of(HOLED).sd).tolist() == [False, False, True, True]


def test_nothing_left_is_said_with_the_reason() -> None:
    with pytest.raises(SettingError, match="2 queries left out: a system has no value there"):
        design_of(ScoreTable.make({"A": [NAN, 0.1], "B": [0.1, NAN]}))
    with pytest.raises(SettingError, match="2 queries left out: of no class"):
        design_of(ScoreTable.make({"A": [0.2, 0.1], "B": [0.1, 0.3]}, ["", ""]))


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, NAN])
@pytest.mark.parametrize("test", [tukey, blocked_tukey, games_howell, comparison_intervals, mixed, randomised_tukey])
def test_a_level_is_a_share(test: Callable[..., object], level: float) -> None:
    with pytest.raises(SettingError, match="between 0 and 1"):
        test(WORKED, level=level)


def test_a_comparison_of_one_system_is_refused() -> None:
    with pytest.raises(SettingError, match="needs 2 at least, got 1"):
        design_of(ScoreTable.make({"A": [0.1]}), systems=2)
