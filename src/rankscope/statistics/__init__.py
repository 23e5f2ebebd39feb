"""What chance does to the numbers: intervals, bands, tests of differences, and how many queries they need."""

from __future__ import annotations

from rankscope.statistics.intervals.bands import band, difference_band
from rankscope.statistics.intervals.bootstrap import bootstrap_means
from rankscope.statistics.intervals.generality_estimate import generality_band, generality_estimate
from rankscope.statistics.intervals.homogeneity import Homogeneity, homogeneity
from rankscope.statistics.pairs.equivalence import equivalence
from rankscope.statistics.pairs.pairwise import compare_pairs
from rankscope.statistics.table.balanced import balanced_subset
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.transformations import logit, rank_transform
from rankscope.statistics.tests import TABLE_TESTS, Test
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

ALL: tuple[Test, ...] = TABLE_TESTS.own()  # in the order of rankscope.statistics.tests

__all__ = [
    "ALL",
    "Homogeneity",
    "ScoreTable",
    "Test",
    "anova",
    "assumptions",
    "balanced_subset",
    "band",
    "blocked_tukey",
    "bootstrap_means",
    "compare",
    "compare_pairs",
    "comparison_intervals",
    "difference_band",
    "equivalence",
    "games_howell",
    "generality_band",
    "generality_estimate",
    "homogeneity",
    "logit",
    "mixed",
    "paired_and_unpaired",
    "randomised_tukey",
    "rank_intervals",
    "rank_transform",
    "repeated_measures",
    "tukey",
    "two_way",
    "welch",
]
