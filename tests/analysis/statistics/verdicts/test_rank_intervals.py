"""Rank intervals and groups: what the pairwise tests do not rule out, and letters that say which systems differ."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.comparison.pairwise import compare_pairs
from rankscope.analysis.comparison.rank_intervals import (
    groups_of,
    letters_of,
    needed_groups,
    rank_chances,
    rank_intervals,
)
from rankscope.analysis.statistics.resampling import resampled_times
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray
from rankscope.core.errors import SettingError


@st.composite
def tables_of_differences(draw: st.DrawFn) -> BoolArray:
    count = draw(st.integers(1, 7))
    table = np.zeros((count, count), dtype=np.bool_)
    for one, other in combinations(range(count), 2):
        table[one, other] = table[other, one] = draw(st.booleans())
    return table


@given(tables_of_differences())
def test_two_systems_differ_exactly_if_they_share_no_letter(different: BoolArray) -> None:
    letters = letters_of(different)
    for one, other in combinations(range(len(different)), 2):
        assert different[one, other] == (not set(letters[one]) & set(letters[other]))
    assert all(letters)


@given(tables_of_differences())
def test_groups_are_all_the_largest_sets_without_a_difference(different: BoolArray) -> None:
    every = range(len(different))
    alike = [
        set(some)
        for size in range(1, len(different) + 1)
        for some in combinations(every, size)
        if not different[np.ix_(some, some)].any()
    ]
    largest = {tuple(sorted(each)) for each in alike if not any(each < other for other in alike)}
    assert set(groups_of(different)) == largest
    assert set(needed_groups(different)) <= largest


def test_a_table_that_is_not_symmetric_is_an_error() -> None:
    with pytest.raises(SettingError, match="symmetric"):
        groups_of(np.array([[False, True], [False, False]]))


def several(queries: int = 40, seed: int = 0) -> ScoreTable:
    chance = np.random.default_rng(seed)
    easy = chance.beta(0.5, 1, queries)
    gains = {"A": 0.0, "B": 0.02, "C": 0.04, "D": 0.3}
    return ScoreTable.make({name: easy + chance.normal(gain, 0.08, queries) for name, gain in gains.items()})


def test_a_rank_is_bounded_by_the_systems_shown_to_be_better_and_worse() -> None:
    table = several()
    intervals = rank_intervals(table, resamples=200)
    pairs = compare_pairs(table).comparisons
    for row, system in enumerate(intervals.systems):
        better = sum(each.better not in ("", system) for each in pairs if system in (each.first, each.second))
        worse = sum(each.better == system for each in pairs)
        assert (intervals.low[row], intervals.high[row]) == (1 + better, 4 - worse)
    assert intervals.systems[0] == "D"
    assert (intervals.low[0], intervals.high[0]) == (1, 1)
    assert (np.diff(intervals.mean) <= 0).all()
    assert (intervals.low <= np.arange(1, 5)).all()
    assert (intervals.high >= np.arange(1, 5)).all()


def test_equal_systems_can_have_any_rank_in_at_least_95_of_100_cases() -> None:
    chance, held = np.random.default_rng(3), 0
    for trial in range(200):
        table = ScoreTable.make({str(name): chance.beta(0.5, 1, 12) for name in range(4)})
        intervals = rank_intervals(table, resamples=1, seed=trial)
        held += bool((intervals.low == 1).all() and (intervals.high == 4).all())
    assert held >= 183  # the lower end of the 99 % interval around 95 % of 200


def test_less_is_better_turns_the_list_round() -> None:
    table = several()
    turned = ScoreTable("cost", table.systems, table.queries, table.values, None, lower_is_better=True)
    intervals = rank_intervals(turned, resamples=100)
    assert intervals.systems == rank_intervals(table, resamples=100).systems[::-1]
    assert intervals.mean[0] == pytest.approx(table.values[:, table.number(intervals.systems[0])].mean())


def test_chances_add_up_over_ranks_and_over_systems() -> None:
    values = rank_chances(several().values, resamples=500)
    assert values.sum(axis=0) == pytest.approx(np.ones(4))
    assert values.sum(axis=1) == pytest.approx(np.ones(4))
    assert values[3, 0] == 1.0


def test_only_queries_that_all_systems_have_count() -> None:
    table = several()
    values = table.values.copy()
    values[:10, 2] = np.nan
    intervals = rank_intervals(ScoreTable(table.measure, table.systems, table.queries, values), resamples=100)
    assert intervals.queries == 30
    assert intervals.rows()[0] == {
        "system": "D",
        "AP": intervals.mean[0],
        "best rank": 1,
        "worst rank": 1,
        "group": "a",
    }


def test_one_system_or_no_common_query_is_an_error() -> None:
    with pytest.raises(SettingError, match="two systems"):
        rank_intervals(ScoreTable.make({"A": [0.1]}))
    with pytest.raises(SettingError, match="no query"):
        rank_intervals(ScoreTable.make({"A": [0.1, np.nan], "B": [np.nan, 0.1]}))


def test_the_queries_drawn_are_those_of_the_intervals_of_means() -> None:
    """So that they are drawn once for both: with two systems the share of resamples in which one is ahead."""
    gains = np.random.default_rng(6).random((30, 2))
    times = np.concatenate([*resampled_times(30, 10_000, 3)])
    ahead = (np.diff(times @ gains, axis=1) < 0).mean()
    assert rank_chances(gains, seed=3)[0] == pytest.approx([ahead, 1 - ahead], abs=1e-12)
