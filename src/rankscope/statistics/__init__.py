"""What chance does to the numbers: intervals, bands, tests of differences, and how many queries they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope.statistics.intervals.bands import band, difference_band
from rankscope.statistics.intervals.bootstrap import bootstrap_means
from rankscope.statistics.intervals.generality_estimate import generality_band, generality_estimate
from rankscope.statistics.intervals.homogeneity import Homogeneity, homogeneity
from rankscope.statistics.pairs.pairwise import compare_pairs
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.anova import anova
from rankscope.statistics.variance.assumptions import assumptions
from rankscope.statistics.variance.blocked_tukey import blocked_tukey
from rankscope.statistics.variance.comparison_intervals import comparison_intervals
from rankscope.statistics.variance.games_howell import games_howell
from rankscope.statistics.variance.mixed import mixed
from rankscope.statistics.variance.paired_and_unpaired import paired_and_unpaired
from rankscope.statistics.variance.randomised_tukey import randomised_tukey
from rankscope.statistics.variance.tukey import tukey
from rankscope.statistics.variance.two_way import repeated_measures, two_way
from rankscope.statistics.variance.welch import welch
from rankscope.statistics.verdicts.compare import compare
from rankscope.statistics.verdicts.rank_intervals import rank_intervals

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
    "ALL",
    "Homogeneity",
    "ScoreTable",
    "Test",
    "anova",
    "assumptions",
    "band",
    "blocked_tukey",
    "bootstrap_means",
    "compare",
    "compare_pairs",
    "comparison_intervals",
    "difference_band",
    "games_howell",
    "generality_band",
    "generality_estimate",
    "homogeneity",
    "mixed",
    "paired_and_unpaired",
    "randomised_tukey",
    "rank_intervals",
    "repeated_measures",
    "tukey",
    "two_way",
    "welch",
]
