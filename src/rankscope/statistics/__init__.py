"""What chance does to the numbers: intervals, bands, tests of differences, and how many queries they need.

Names load when they are used, from the rooms in which they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.catalogue import later, load_attribute

if TYPE_CHECKING:
    from rankscope.statistics.intervals.bands import band as band
    from rankscope.statistics.intervals.bands import difference_band as difference_band
    from rankscope.statistics.intervals.bootstrap import bootstrap_means as bootstrap_means
    from rankscope.statistics.intervals.collection_band import collection_band as collection_band
    from rankscope.statistics.intervals.generality_estimate import generality_band as generality_band
    from rankscope.statistics.intervals.generality_estimate import generality_estimate as generality_estimate
    from rankscope.statistics.intervals.homogeneity import Homogeneity as Homogeneity
    from rankscope.statistics.intervals.homogeneity import homogeneity as homogeneity
    from rankscope.statistics.pairs.equivalence import equivalence as equivalence
    from rankscope.statistics.pairs.pairwise import compare_pairs as compare_pairs
    from rankscope.statistics.table.balanced import balanced_subset as balanced_subset
    from rankscope.statistics.table.score_table import ScoreTable as ScoreTable
    from rankscope.statistics.table.transformations import logit as logit
    from rankscope.statistics.table.transformations import rank_transform as rank_transform
    from rankscope.statistics.tests import Test as Test
    from rankscope.statistics.variance.anova import anova as anova
    from rankscope.statistics.variance.assumptions import assumptions as assumptions
    from rankscope.statistics.variance.blocked_tukey import blocked_tukey as blocked_tukey
    from rankscope.statistics.variance.comparison_intervals import comparison_intervals as comparison_intervals
    from rankscope.statistics.variance.games_howell import games_howell as games_howell
    from rankscope.statistics.variance.mixed import mixed as mixed
    from rankscope.statistics.variance.paired_and_unpaired import paired_and_unpaired as paired_and_unpaired
    from rankscope.statistics.variance.randomised_tukey import randomised_tukey as randomised_tukey
    from rankscope.statistics.variance.tukey import tukey as tukey
    from rankscope.statistics.variance.two_way import repeated_measures as repeated_measures
    from rankscope.statistics.variance.two_way import two_way as two_way
    from rankscope.statistics.variance.welch import welch as welch
    from rankscope.statistics.verdicts.compare import compare as compare
    from rankscope.statistics.verdicts.rank_intervals import rank_intervals as rank_intervals

    ALL: tuple[Test, ...]

_NAMES = {  # by the module in which they stand
    "intervals.bands": (
        "band",
        "difference_band",
    ),
    "intervals.bootstrap": ("bootstrap_means",),
    "intervals.collection_band": ("collection_band",),
    "intervals.generality_estimate": (
        "generality_band",
        "generality_estimate",
    ),
    "intervals.homogeneity": (
        "Homogeneity",
        "homogeneity",
    ),
    "pairs.equivalence": ("equivalence",),
    "pairs.pairwise": ("compare_pairs",),
    "table.balanced": ("balanced_subset",),
    "table.score_table": ("ScoreTable",),
    "table.transformations": (
        "logit",
        "rank_transform",
    ),
    "tests": ("Test",),
    "variance.anova": ("anova",),
    "variance.assumptions": ("assumptions",),
    "variance.blocked_tukey": ("blocked_tukey",),
    "variance.comparison_intervals": ("comparison_intervals",),
    "variance.games_howell": ("games_howell",),
    "variance.mixed": ("mixed",),
    "variance.paired_and_unpaired": ("paired_and_unpaired",),
    "variance.randomised_tukey": ("randomised_tukey",),
    "variance.tukey": ("tukey",),
    "variance.two_way": (
        "repeated_measures",
        "two_way",
    ),
    "variance.welch": ("welch",),
    "verdicts.compare": ("compare",),
    "verdicts.rank_intervals": ("rank_intervals",),
}
_ENTRIES = later(__name__, {name: f"{module}:{name}" for module, names in _NAMES.items() for name in names})

__all__ = ["ALL", *_ENTRIES]


def __getattr__(name: str) -> Any:
    if name == "ALL":
        from rankscope.statistics.tests import TABLE_TESTS

        return TABLE_TESTS.own()  # in the order of rankscope.statistics.tests
    return load_attribute(_ENTRIES, name)


def __dir__() -> list[str]:
    return __all__
