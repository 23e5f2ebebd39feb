"""The part of the report on what users look at, against the values of single queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.analysis.curves.effort import effort_parts, search_effort
from rankscope.core.rendering import Grid, HeadedTable
from rankscope.ranks.relevant_ranks import RelevantRanks

RANKS = RelevantRanks.from_ranks(
    [[1, 3, 10, 40], [2, 3], [5, 6, 7]], depth=[100] * 3, collection=[100] * 3, system="bm25"
)


def first_row(table: HeadedTable) -> dict[str, Any]:
    assert not isinstance(table.rows, Grid)
    return table.rows[0]


def test_medians_are_those_of_the_single_queries() -> None:
    windows, costs, decisions = effort_parts([RANKS])
    every = [search_effort(RANKS, query) for query in RANKS.queries]
    for place, level in enumerate(("0.1", "0.25", "0.5", "0.75", "1")):
        wanted = np.median([each.wanted[place].window for each in every])
        assert first_row(windows)[f"recall {level}"] == pytest.approx(wanted)
        further = [each.wanted[place].cost for each in every if not np.isnan(each.wanted[place].cost)]
        median = np.median(further) if further else float("nan")
        assert first_row(costs)[f"recall {level}"] == pytest.approx(median, nan_ok=True)
    row = first_row(decisions)
    assert (row["TP"], row["FN"], row["FP"], row["TN"]) == (3, 6, 6, 285)
    assert row["p = r"] == pytest.approx(3 / 9)


def test_without_the_collection_there_are_windows_but_no_decision_table() -> None:
    assert [each.heading for each in effort_parts([RelevantRanks.from_ranks([[1]])])] == [
        "Median window for a wanted recall",
        "Items to look at for each further hit",
    ]
    assert effort_parts([RelevantRanks.from_ranks([[]], relevant=[0])]) == []


def test_the_report_has_the_part() -> None:
    page = rankscope.report(RANKS)
    assert "How far a user has to look" in page
    assert "Decision tables at scope s = c, added up" in page
