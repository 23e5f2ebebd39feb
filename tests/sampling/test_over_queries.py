"""An estimate over queries lies between its limits, and within what is certain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope
from rankscope.sampling.over_queries import SpreadRules, mean_spread

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


def test_a_list_of_which_all_is_judged_has_the_hits_that_were_seen() -> None:
    queries = [f"q{number}" for number in range(16)]
    qrels = {query: {"a": 1, "b": row % 2, "c": -1, "d": 0} for row, query in enumerate(queries)}
    run = {query: {"a": 2.0, "b": 1.0} for query in queries}
    estimates = rankscope.estimate_runs(qrels, {"all judged": run}).to_polars()
    row = estimates.filter(quantity="mean P@10").row(0, named=True)
    assert [row[each] for each in ("estimate", "these: low", "these: high")] == pytest.approx([0.15] * 3, abs=1e-12)
    assert estimates.filter(quantity="mean nDCG@10")["estimate"].item() == 1.0
