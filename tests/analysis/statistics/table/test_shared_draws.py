"""Draws that are kept are those that would be drawn anew."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.statistics import resampling
from rankscope.analysis.statistics import resampling as shared_draws
from rankscope.analysis.statistics.resampling import Queries, batches, exponential_weights, resampled_times


@pytest.mark.parametrize("kept", [0, 5_000_000])
@pytest.mark.parametrize("at_once", [100, 1_000_000])
def test_kept_draws_are_those_of_a_generator_of_the_same_seed(
    kept: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_draws, "KEPT_WEIGHTS", kept)
    monkeypatch.setattr(shared_draws, "KEPT_TIMES", kept)
    monkeypatch.setattr(resampling, "AT_ONCE", at_once)
    for seed in (0, 7, 7):
        chance = np.random.default_rng(seed)
        expected = chance.standard_gamma(0.5, 60)
        gamma, weights = exponential_weights(13, 60, seed, 0.5)
        np.testing.assert_array_equal(gamma, expected)
        np.testing.assert_array_equal(np.concatenate(list(weights)), chance.standard_exponential((60, 13)))
        chance, draw = np.random.default_rng(seed), Queries(13)
        plain = [draw.times(chance, some) for some in batches(60, 13)]
        found = list(resampled_times(13, 60, seed))
        assert [len(each) for each in found] == [len(each) for each in plain]
        np.testing.assert_array_equal(np.concatenate(found), np.concatenate(plain))


def test_work_on_kept_counts_changes_none_of_them() -> None:
    first = next(resampled_times(5, 20, seed=1))
    first[:] = -1.0
    assert next(resampled_times(5, 20, seed=1)).min() >= 0
