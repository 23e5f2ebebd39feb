"""An estimate over queries lies between its limits, and within what is certain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope
from rankscope.analysis.sampling.intervals import SpreadRules, mean_spread, ratio_spread
from rankscope.analysis.statistics.mean_intervals import mean_intervals

SHARES = st.floats(0.0, 1.0)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=8), SHARES, SHARES)
def test_an_estimate_lies_between_its_limits_and_within_what_is_certain(
    rows: list[tuple[float, float]], one: float, other: float
) -> None:
    values, variances = np.array(rows).T
    certain = (min(one, other), max(one, other))
    found = mean_spread(values, variances, SpreadRules(certain=certain, possible=(0.0, 1.0)))
    assert certain[0] <= found.these.low <= found.value <= found.these.high <= certain[1]
    assert found.population.low <= found.value <= found.population.high


@pytest.mark.parametrize("queries", [2, 3, 5, 10, 25, 40])
@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_queries_that_are_all_alike_say_nothing_certain_of_others(queries: int, value: float) -> None:
    values, nothing = np.full(queries, value), np.zeros(queries)
    found = mean_spread(values, nothing, SpreadRules(possible=(0.0, 1.0)))
    assert (found.these.low, found.these.high) == pytest.approx((value, value))
    made = mean_intervals(values[:, None], how="bounded")
    assert [found.population.low, found.population.high] == [made.low[0], made.high[0]]
    assert made.high[0] - made.low[0] > 0.05
    ratio = ratio_spread(4 * values, np.full(queries, 4.0), 0.0, SpreadRules(possible=(0.0, 1.0)))
    assert [ratio.population.low, ratio.population.high] == pytest.approx([made.low[0], made.high[0]])
    endless = mean_spread(values, nothing, SpreadRules(possible=(0.0, np.inf)))
    assert [str(each) for each in (endless.population.low, endless.population.high)] == ["nan", "nan"]


def test_few_queries_have_limits_as_far_out_as_an_unseen_one_may_move_them() -> None:
    """Of ten precisions of 1 and one of .9, t ends at .969: one more query could be 0."""
    values = np.array([1.0] * 10 + [0.9])
    found = mean_spread(values, np.zeros(11), SpreadRules(possible=(0.0, 1.0))).population
    made = mean_intervals(values[:, None])
    assert (found.low, found.high) == (made.low[0], 1.0)
    assert found.low < 0.8
    wide = mean_spread(values, np.full(11, 4.0), SpreadRules(possible=(0.0, 1.0))).population
    assert (wide.low, wide.high) == (0.0, 1.0)


def test_a_list_of_which_all_is_judged_has_the_hits_that_were_seen() -> None:
    queries = [f"q{number}" for number in range(16)]
    qrels = {query: {"a": 1, "b": row % 2, "c": -1, "d": 0} for row, query in enumerate(queries)}
    run = {query: {"a": 2.0, "b": 1.0} for query in queries}
    estimates = rankscope.estimate_runs(qrels, {"all judged": run}).to_polars()
    row = estimates.filter(quantity="mean P@10").row(0, named=True)
    assert [row[each] for each in ("estimate", "these: low", "these: high")] == pytest.approx([0.15] * 3, abs=1e-12)
    assert estimates.filter(quantity="mean nDCG@10")["estimate"].item() == 1.0
