"""What chance does to the numbers: intervals, bands, tests of differences, and how many queries they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope.statistics.anova import anova
from rankscope.statistics.assumptions import assumptions
from rankscope.statistics.bands import band, difference_band
from rankscope.statistics.blocked_tukey import blocked_tukey
from rankscope.statistics.bootstrap import bootstrap_means
from rankscope.statistics.compare import compare
from rankscope.statistics.comparison_intervals import comparison_intervals
from rankscope.statistics.games_howell import games_howell
from rankscope.statistics.generality_estimate import generality_band, generality_estimate
from rankscope.statistics.homogeneity import Homogeneity, homogeneity
from rankscope.statistics.mixed import mixed
from rankscope.statistics.paired_and_unpaired import paired_and_unpaired
from rankscope.statistics.pairwise import compare_pairs
from rankscope.statistics.randomised_tukey import randomised_tukey
from rankscope.statistics.rank_intervals import rank_intervals
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.tukey import tukey
from rankscope.statistics.two_way import repeated_measures, two_way
from rankscope.statistics.welch import welch

Test = Callable[[ScoreTable], Any]
ALL: tuple[Test, ...] = (  # a table to a result with rows(); a new test adds its import and its name here
    compare_pairs,
    rank_intervals,
    randomised_tukey,
    two_way,
    blocked_tukey,
    repeated_measures,
    mixed,
    paired_and_unpaired,
    anova,
    tukey,
    comparison_intervals,
    welch,
    games_howell,
    assumptions,
)

__all__ = [
    "ALL", "Homogeneity", "ScoreTable", "Test", "anova", "assumptions", "band", "blocked_tukey", "bootstrap_means",
    "compare", "compare_pairs", "comparison_intervals", "difference_band", "games_howell", "generality_band",
    "generality_estimate", "homogeneity", "mixed", "paired_and_unpaired", "randomised_tukey", "rank_intervals",
    "repeated_measures", "tukey", "two_way", "welch",
]  # fmt: skip
