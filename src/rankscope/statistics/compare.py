"""Two systems or many, on the same queries: which differ, by how much, and on which kind of query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.errors import SettingError
from rankscope.measures.scores import Scores
from rankscope.statistics.assumptions import assumptions
from rankscope.statistics.bootstrap import Intervals
from rankscope.statistics.class_effects import ClassEffects, class_effects
from rankscope.statistics.compared import Compared, MeasureCompared
from rankscope.statistics.mean_intervals import mean_intervals
from rankscope.statistics.paired_and_unpaired import paired_and_unpaired
from rankscope.statistics.paired_t import paired_t
from rankscope.statistics.pairwise import Comparison, compare_pairs
from rankscope.statistics.randomised_tukey import randomised_tukey
from rankscope.statistics.rank_intervals import rank_intervals
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.units import class_deviations, class_sums, classes_are_targets

PERMUTATIONS = 10_000
MOST_CLASSES = 50  # with more, a table of classes says nothing to a reader


def compare(
    scores: Scores | Sequence[ScoreTable],
    *,
    baseline: str | None = None,
    every_pair: bool = True,
    by_unit: bool | None = None,
    correction: str = "holm",
    level: float = 0.95,
    resamples: int | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Compared:
    """Compare systems by the first measure and all others; classes of queries where the scores have them.

    Every pair is compared, or with `every_pair=False` each system with the baseline, which is the first one unless
    named. Queries for which some system has no value are left out and counted; nothing is filled in. Where classes are
    what queries look for (`by_unit`; found out by itself from scores), the class is the unit of chance.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.4, 0.4, 0.6, 0.7, 0.8]})
    >>> compare([table]).main.pairs[0].better
    'B'
    """
    tables = _tables(scores)
    names = tables[0].systems
    if len(names) < 2:
        raise SettingError(f"compare needs two systems at least, got {', '.join(names) or 'none'}")
    ordered = [table.select(*_baseline_first(names, baseline)) for table in tables]
    whole = [table.complete() for table in ordered]
    for table, made in zip(ordered, whole, strict=True):
        if not len(made):
            raise SettingError(_nothing_shared(table))
    if by_unit is None:
        by_unit = isinstance(scores, Scores) and classes_are_targets(scores)
    first = None if every_pair else ordered[0].systems[0]
    tested = [class_sums(table) if by_unit else table for table in whole]
    pairs = compare_pairs(tested, baseline=first, correction=correction, level=level, seed=seed)
    units = [class_deviations(table) if by_unit else table for table in whole]
    means = _all_means(whole, by_unit, level, resamples, seed)
    measures = []
    for number, table in enumerate(whole):
        compared = _pairs_of(pairs.comparisons, table, units[number], level)
        left_out = len(ordered[number]) - len(table)
        result = MeasureCompared(table, units[number], left_out, means[number], compared)
        result = _of_several(result, tested[number], correction, level, resamples, permutations, seed)
        measures.append(_by_class(result, correction, level, seed))
    return Compared(tuple(measures), pairs.family, level, seed)


def _tables(scores: Scores | Sequence[ScoreTable]) -> list[ScoreTable]:
    if not isinstance(scores, Scores):
        return list(scores)
    names = [column.asked for column in scores.systems[0].columns if column.measure.summary == "mean"]
    if not names:
        raise SettingError(f"compare needs measures that are means over queries, got {', '.join(scores.measures)}")
    return [ScoreTable.of(scores, name) for name in names]


def _baseline_first(names: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    if baseline is None:
        return names
    if baseline not in names:
        raise SettingError(f"no system '{baseline}'. There are: {', '.join(names)}")
    return (baseline, *(name for name in names if name != baseline))


def _nothing_shared(table: ScoreTable) -> str:
    counts = ", ".join(
        f"{name} {count:,}" for name, count in zip(table.systems, (~np.isnan(table.values)).sum(axis=0), strict=True)
    )
    return f"no query has a value of {table.measure} for every system, so nothing can be compared (values: {counts})"


def _pairs_of(
    comparisons: Sequence[Comparison], table: ScoreTable, units: ScoreTable, level: float
) -> tuple[Comparison, ...]:
    """The comparisons of one measure, with the interval that belongs to the unit of chance."""
    own = tuple(each for each in comparisons if each.measure == table.measure)
    if units is table:
        return own
    made = [paired_t(units.differences(each.first, each.second), level=level) for each in own]
    return tuple(
        replace(each, difference=t.estimate, low=t.low, high=t.high, queries=len(table))
        for each, t in zip(own, made, strict=True)
    )


def _all_means(
    tables: Sequence[ScoreTable], by_unit: bool, level: float, resamples: int | None, seed: int
) -> list[Intervals]:
    """Intervals of all means; measures that share their queries share the resamples too."""
    if any(table.queries != tables[0].queries for table in tables):
        return [_all_means([each], by_unit, level, resamples, seed)[0] for each in tables]
    together = np.hstack([table.values for table in tables])
    classes = tables[0].labels if by_unit else None
    made = mean_intervals(together, classes, level=level, resamples=resamples, seed=seed)
    width = len(tables[0].systems)
    return [made.take(np.arange(start, start + width)) for start in range(0, together.shape[1], width)]


def _of_several(
    made: MeasureCompared,
    tested: ScoreTable,
    correction: str,
    level: float,
    resamples: int | None,
    permutations: int,
    seed: int,
) -> MeasureCompared:
    """What three systems or more have beside their pairs: a test of all together, and ranks."""
    count = len(tested.systems)
    if count < 3:
        return made
    every = len(made.pairs) == count * (count - 1) // 2
    adjusted = np.array([pair.adjusted for pair in made.pairs]) if every else None
    return replace(
        made,
        tukey=randomised_tukey(tested, level, permutations, seed),
        ranks=rank_intervals(
            tested, correction=correction, level=level, resamples=resamples, seed=seed, adjusted=adjusted
        ),
    )


def _by_class(made: MeasureCompared, correction: str, level: float, seed: int) -> MeasureCompared:
    """What classes of queries add, where there are not too many of them."""
    table = made.table
    if table.classes is None or not 0 < len(table.class_names) <= MOST_CLASSES:
        return made
    return replace(
        made,
        classes=_class_effects(table, correction, level, seed),
        cells=paired_and_unpaired(table, level),
        assumed=assumptions(table),
    )


def _class_effects(table: ScoreTable, correction: str, level: float, seed: int) -> tuple[ClassEffects, ...]:
    first, *others = table.systems
    return tuple(class_effects(table, first, each, correction=correction, level=level, seed=seed) for each in others)
