"""Systems that are the same under two names."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable, repeated_systems


def test_values_decide_not_their_sign_of_zero_and_what_is_missing_is_equal() -> None:
    nan = np.nan
    table = ScoreTable.make({"A": [0.0, nan, 1.0], "B": [0.0, 0.5, 1.0], "C": [-0.0, nan, 1.0], "D": [0.0, 0.0, 1.0]})
    assert repeated_systems([table]) == {"C": "A"}


def test_a_difference_in_any_measure_parts_two_systems() -> None:
    same, other = (
        ScoreTable.make({"A": [0.1], "B": [0.1], "C": [0.1]}),
        ScoreTable.make({"A": [0.2], "B": [0.3], "C": [0.2]}),
    )
    assert repeated_systems([same, other]) == {"C": "A"}


def test_where_all_are_equal_two_stay() -> None:
    assert repeated_systems([ScoreTable.make({"A": [0.1], "B": [0.1], "C": [0.1]})]) == {"C": "A"}
