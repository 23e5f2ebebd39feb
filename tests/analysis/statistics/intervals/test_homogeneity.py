"""Section 4 of the method: does performance depend on d/c alone? Over the sampling units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankscope.analysis.statistics.generality_estimate import homogeneity
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

EASY = [[1, 2]] * 20 + [[1, 3]] * 20
HOPELESS = [list(range(2 + 100 * step, 34 + 100 * step)) for step in range(1, 9)] * 5


def mixed() -> RelevantRanks:
    """Small classes easy, large ones hopeless, as many of each."""
    return RelevantRanks.from_ranks([*EASY, *HOPELESS], depth=1024, collection=1024)


def by_class(queries: RelevantRanks, classes: list[str]) -> RelevantRanks:
    """The same, all items known to be in these classes."""
    return replace(queries, classes=tuple(classes), provenance={"judgements": {"complete": True}})


def test_hits_that_depend_on_class_size_are_found_out() -> None:
    result = homogeneity(mixed())
    assert result.index.tolist() == [5, 9]
    assert result.differs.tolist() == [True, False]
    assert result.gap[0] < 0
    assert result.to_polars().height == 2


def test_the_interval_of_a_bin_is_that_of_its_queries_alone() -> None:
    queries = mixed()
    labels = [f"small {row % 8}" for row in range(40)] + [f"large {row % 10}" for row in range(40)]
    result = homogeneity(by_class(queries, labels))
    hits = np.array([[sum(rank <= 32 for rank in ranks) / 32] for ranks in HOPELESS])
    alone = mean_intervals(hits, labels[40:])
    assert (result.bins_low[0], result.bins_high[0]) == (alone.low[0], alone.high[0])
    assert (result.queries.tolist(), result.units.tolist(), result.unit) == ([40, 40], [10, 8], "classes")


def test_class_mates_are_not_many_queries() -> None:
    """Forty queries of two classes cannot tell what forty independent ones can."""
    random = np.random.default_rng(3)
    classes = [f"class {row // 8}" for row in range(80)]
    ranks = [
        np.sort(random.choice(200 if row // 8 % 2 else 40, 2 if row < 40 else 16, replace=False)) + 1
        for row in range(80)
    ]
    queries = RelevantRanks.from_ranks(ranks, depth=256, collection=256)
    alone, together = homogeneity(queries), homogeneity(by_class(queries, classes))
    wide, narrow = (each.bins_high[0] - each.bins_low[0] for each in (together, alone))
    assert wide > 2 * narrow
    few = homogeneity(by_class(queries, ["left" if row % 2 else "right" for row in range(80)]))
    assert few.units.tolist() == [2, 2]
    assert not few.differs.any()


def test_random_rankings_are_homogeneous() -> None:
    generator = np.random.default_rng(1)
    sizes = [2] * 150 + [8] * 150 + [32] * 150
    ranks = [np.sort(generator.permutation(256)[:size] + 1) for size in sizes]
    queries = RelevantRanks.from_ranks(ranks, depth=256, collection=256)
    result = homogeneity(queries, level=0.99)
    assert result.index.tolist() == [3, 5]
    assert not result.differs.any()
    assert homogeneity(queries, members="varying").index.tolist() == [3, 5, 7]


def test_without_two_queries_nothing_can_be_said_about_homogeneity() -> None:
    one = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=100, collection=100)
    assert homogeneity(one).to_polars().height == 0
    with pytest.raises(SettingError, match="between 0 and 1"):
        homogeneity(one, level=0)
