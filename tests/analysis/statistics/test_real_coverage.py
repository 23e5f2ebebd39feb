"""Bands on samples of real rankings: the whole true curve lies within as often as they say, where the spread fails."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from benchmarks import small_samples
from benchmarks.coverage import bands, interval_coverage, relative_width
from benchmarks.real_units import ROBUST_RUNS, Population, populations
from tests.data import data_folder

TRIALS = 150
NOISE = 2.5 * math.sqrt(0.95 * 0.05 / TRIALS)


@pytest.fixture(scope="module")
def robust() -> dict[str, Population]:
    """Runs of Robust 2003; of rutcor03100 few queries decide at every level."""
    data_folder("trec-robust03")
    return {each.run: each for each in islice(populations(), len(ROBUST_RUNS))}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("run", ["rutcor03100", "oce03noXbmD"])
@pytest.mark.parametrize("units", [10, 25])
def test_the_default_band_holds_the_whole_curve_of_real_runs(
    robust: dict[str, Population], run: str, units: int
) -> None:
    ours, theirs = (bands(robust[run], how, units, TRIALS) for how in ("unseen-unit", "bonferroni"))
    assert ours.coverage >= 0.95 - NOISE
    assert theirs.coverage < 0.85
    assert ours.levels.min() == 10
    assert relative_width(ours, theirs) < 1.7


def test_samples_draw_whole_units_with_replacement() -> None:
    curves = np.arange(12.0)[:, None]
    classes = tuple("aaabbcccccdd")
    sample = Population("", "", curves, curves[:, 0], classes).sample(np.random.default_rng(0), 50)
    assert sample.classes is not None
    for unit in range(50):
        rows = sample.scores[[name == str(unit) for name in sample.classes]].tolist()
        assert rows in ([0, 1, 2], [3, 4], [5, 6, 7, 8, 9], [10, 11])


def test_bounded_intervals_hold_the_mean_of_skewed_real_scores_more_often(robust: dict[str, Population]) -> None:
    bca, bounded = (interval_coverage(robust["rutcor03100"], how, 10, 400) for how in ("bca", "bounded"))
    assert bca < 0.92
    assert bounded >= 0.95 - 2.5 * math.sqrt(0.95 * 0.05 / 400)


def test_the_default_interval_holds_for_few_units_where_bca_and_t_do_not_and_is_never_flat() -> None:
    data_folder("text")
    known = small_samples.scored_runs()
    medline = known["Medline RR"][0]
    ours, bca, t = (small_samples.held(medline, how, 5, trials=400) for how in small_samples.INTERVALS)
    assert ours.coverage >= 0.95
    assert (ours.flat, ours.beyond) == (0.0, 0.0)
    assert max(bca.coverage, t.coverage) < 0.9
    assert bca.flat > 0.1
    assert t.beyond > 0.3


def test_samples_of_classes_are_filled_to_the_longest_and_drawn_with_replacement() -> None:
    scored = small_samples.Scored("", np.arange(6.0), (0.0, 5.0), tuple("aabbbc"))
    (table, names), *_ = scored.samples(units=4, trials=7)
    assert table.shape == (12, 7)
    assert names == [str(unit) for unit in range(4) for _ in range(3)]
    for column in table.T:
        rows = [part[~np.isnan(part)].tolist() for part in column.reshape(4, 3)]
        assert all(row in ([0, 1], [2, 3, 4], [5]) for row in rows)
