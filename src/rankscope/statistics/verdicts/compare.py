"""The one decision procedure: which systems differ, by how much, and on which kind of query.

Every command, graph and report that calls one system better calls this. The primary measure, the first one, decides
alone: its family is its pairs of systems. Other measures and classes of queries are secondary and corrected together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.catalogue import unknown_name
from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores
from rankscope.statistics.intervals.bootstrap import Intervals
from rankscope.statistics.intervals.mean_intervals import WAYS, mean_intervals
from rankscope.statistics.pairs.corrections import CORRECTIONS, adjust, tested_levels
from rankscope.statistics.pairs.equivalence import Equivalence, equivalence_p
from rankscope.statistics.pairs.family import Families, Family
from rankscope.statistics.pairs.pair_test import limits_within
from rankscope.statistics.pairs.pairwise import (
    Comparison,
    PairTests,
    compare_pairs,
    correct_comparison,
    with_limits,
)
from rankscope.statistics.pairs.trust import decide_limits
from rankscope.statistics.table.repeats import repeats
from rankscope.statistics.table.score_table import MOST_CLASSES, ScoreTable
from rankscope.statistics.table.units import class_sums, classes_are_targets, unit_sums, units_of
from rankscope.statistics.tests import EVERY_TEST, named_test
from rankscope.statistics.variance.assumptions import assumptions
from rankscope.statistics.variance.paired_and_unpaired import paired_and_unpaired
from rankscope.statistics.variance.randomised_tukey import randomised_tukey
from rankscope.statistics.verdicts.class_effects import ClassEffects, class_effects, judged_together
from rankscope.statistics.verdicts.compared import Compared, MeasureCompared
from rankscope.statistics.verdicts.rank_intervals import rank_intervals
from rankscope.validation import COUNT, SEED, SHARE, Number, OneOf, Optional, check_fields, check_for_each
from rankscope.wording import setting_value

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class _CompareOptions:
    """How to compare."""

    every_pair: bool
    by_unit: bool
    correction: str
    intervals: str
    level: float
    resamples: int | None
    permutations: int
    seed: int
    tests: tuple[str, ...]
    margins: tuple[float, ...]  # one for each measure, or none

    def __post_init__(self) -> None:
        check_fields(
            self,
            correction=OneOf(CORRECTIONS.names()),
            intervals=OneOf(tuple(WAYS)),
            level=SHARE,
            resamples=Optional(COUNT),
            permutations=COUNT,
            seed=SEED,
        )


def compare(
    scores: Scores | Sequence[ScoreTable],
    *,
    baseline: str | None = None,
    every_pair: bool = True,
    by_unit: bool | None = None,
    correction: str = "holm",
    intervals: str = "auto",
    level: float = 0.95,
    resamples: int | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    tests: Sequence[str] = (),
    equivalent_within: float | Sequence[float] | None = None,
) -> Compared:
    """Compare systems: the first measure decides, all others and classes of queries are secondary.

    Every pair is compared, or with `every_pair=False` each system with the baseline, which is the first one unless
    named. Queries for which some system has no value are left out and counted; nothing is filled in. Where classes are
    what queries look for (`by_unit`; found out by itself from scores), the class is the sampling unit. A system whose
    values all equal those of an earlier one is compared once, under the earlier name. `intervals` of the means as
    `mean_intervals` makes them: auto, bca, bounded or t. `tests` are made too, by name; no verdict rests on them.
    `equivalent_within`: the smallest difference that matters, of all measures or of each; every pair is then tested for
    equivalence too.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.4, 0.4, 0.6, 0.7, 0.8]})
    >>> compare([table]).main.pairs[0].better
    'B'
    """
    tables = _tables(scores)
    by_target = isinstance(scores, Scores) and classes_are_targets(scores) if by_unit is None else by_unit
    choices = _CompareOptions(
        every_pair=every_pair,
        by_unit=by_target,
        correction=correction,
        intervals=intervals,
        level=level,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
        tests=tuple(EVERY_TEST.spell(each) for each in tests),
        margins=() if equivalent_within is None else margins_of(equivalent_within, tables),
    )
    ordered = _ordered(tables, baseline)
    same = repeats(ordered)
    distinct = [table.select(*(name for name in table.systems if name not in same)) for table in ordered]
    measures, families = _judged(_undecided(distinct, choices), choices)
    if choices.margins:
        measures = _with_equivalence(measures, choices)
    complete = tuple(_with_asked(_with_ranks(each, choices), choices) for each in measures)
    return Compared(
        measures=complete,
        families=families,
        level=choices.level,
        seed=choices.seed,
        same=same,
        baseline=ordered[0].systems[0] if baseline or not every_pair else "",
    )


def margins_of(equivalent_within: float | Sequence[float], tables: Sequence[ScoreTable]) -> tuple[float, ...]:
    """The margin of each measure, from one for all or one for each; no two systems can differ by more than a range.

    >>> margins_of(0.02, [ScoreTable.make({"A": [0.1], "B": [0.2]}, measure="P@10")] * 2)
    (0.02, 0.02)
    """
    given = check_for_each("equivalent_within", equivalent_within, len(tables), Number(above=0))
    for margin, table in zip(given, tables, strict=True):
        if margin >= table.difference_bounds[1]:
            usage = setting_value("equivalent_within", margin)
            most = f"{table.difference_bounds[1]:g}"
            raise SettingError(f"{usage}: no difference in {table.measure} exceeds {most}; give less than that")
    return given


def _undecided(tables: Sequence[ScoreTable], choices: _CompareOptions) -> list[MeasureCompared]:
    """Each measure with everything but its pairs."""
    whole = [_shared(table) for table in tables]
    results = [
        MeasureCompared(
            table=table,
            units=units_of(table, choices.by_unit),
            tested=class_sums(table) if choices.by_unit else table,
            left_out=len(given) - len(table),
            means=means,
            pairs=(),
        )
        for given, table, means in zip(tables, whole, _means(whole, choices), strict=True)
    ]
    return [_by_class(each, choices) for each in results]


def _shared(table: ScoreTable) -> ScoreTable:
    """The queries that every system has."""
    whole = table.complete()
    if not len(whole):
        raise SettingError(_nothing_shared(table))
    return whole


def _means(tables: Sequence[ScoreTable], choices: _CompareOptions) -> list[Intervals]:
    """Intervals of all means; measures that share their queries share the resamples too."""
    if any(table.queries != tables[0].queries for table in tables):
        return [_means([each], choices)[0] for each in tables]
    values = np.hstack([table.values for table in tables])
    classes = tables[0].labels if choices.by_unit else None
    width = len(tables[0].systems)
    intervals = mean_intervals(
        values,
        classes,
        how=choices.intervals,
        level=choices.level,
        resamples=choices.resamples,
        seed=choices.seed,
        bounds=tuple(np.array([table.bounds for table in tables]).T.repeat(width, axis=1)),
    )
    return [intervals.take(np.arange(start, start + width)) for start in range(0, values.shape[1], width)]


def _judged(measures: list[MeasureCompared], choices: _CompareOptions) -> tuple[list[MeasureCompared], Families]:
    """The pairs of every measure: those of the first corrected by themselves, everything else together."""
    main, *others = measures
    pairs = partial(
        compare_pairs,
        baseline=None if choices.every_pair else main.table.systems[0],
        level=choices.level,
        limits=False,
    )
    primary = pairs(main.tested, correction=choices.correction)
    raw = pairs([one.tested for one in others], correction="none") if others else None
    families = Families(primary.family, _secondary_families(measures, raw, choices.correction))
    results = [effects for one in measures for effects in one.classes]
    comparisons = raw.comparisons if raw is not None else ()
    family = families.of("") if families.secondary else ""
    classes, adjusted, levels = judged_together(
        results, [each.p for each in comparisons], choices.correction, family, choices.level
    )
    secondary = [
        correct_comparison(each, p, _lower_is_better(others, each), choices.level, tested)
        for each, p, tested in zip(comparisons, adjusted, levels, strict=True)
    ]
    decided = [*primary.comparisons, *secondary]
    return [_with_verdicts(one, decided, classes) for one in measures], families


def _secondary_families(
    measures: Sequence[MeasureCompared], raw: PairTests | None, correction: str
) -> tuple[Family, ...]:
    """Pairs by the other measures, and classes of queries by every measure that has them."""
    found = [replace(raw.family, correction=correction)] if raw is not None else []
    for one in measures:
        if one.classes:
            pairs = tuple((each.first, each.second) for each in one.classes)
            labels = tuple(sorted(each.label for each in one.classes[0].effects))
            found.append(Family(pairs, (one.measure,), labels, correction))
    return tuple(found)


def _lower_is_better(measures: Sequence[MeasureCompared], pair: Comparison) -> bool:
    return next(one.table.lower_is_better for one in measures if one.measure == pair.measure)


def _with_verdicts(
    one: MeasureCompared, pairs: Sequence[Comparison], classes: Sequence[ClassEffects]
) -> MeasureCompared:
    """A measure with its own pairs and classes, decided."""
    own = [each for each in pairs if each.measure == one.measure]
    effects = tuple(each for each in classes if each.measure == one.measure)
    return replace(one, pairs=_limited(own, one), classes=effects)


def _tables(scores: Scores | Sequence[ScoreTable]) -> list[ScoreTable]:
    if not isinstance(scores, Scores):
        return list(scores)
    names = [column.asked for column in scores.systems[0].columns if column.measure.summary == "mean"]
    if not names:
        raise SettingError(f"compare needs measures that are means over queries, got {', '.join(scores.measures)}")
    return [ScoreTable.of(scores, name) for name in names]


def _ordered(tables: list[ScoreTable], baseline: str | None) -> list[ScoreTable]:
    """The baseline first."""
    names = tables[0].systems
    if len(names) < 2:
        raise SettingError(f"compare needs two systems at least, got {', '.join(names) or 'none'}")
    if any(table.systems != names for table in tables):
        raise SettingError("every table must hold the same systems in the same order")
    if baseline is None:
        return tables
    if baseline not in names:
        raise SettingError(unknown_name("system", baseline, names))
    return [table.select(baseline, *(name for name in names if name != baseline)) for table in tables]


def _nothing_shared(table: ScoreTable) -> str:
    counts = ", ".join(
        f"{name} {count:,}" for name, count in zip(table.systems, (~np.isnan(table.values)).sum(axis=0), strict=True)
    )
    return f"no query has a value of {table.measure} for every system, so nothing can be compared (values: {counts})"


def _limited(comparisons: Sequence[Comparison], one: MeasureCompared) -> tuple[Comparison, ...]:
    """The comparisons with the limits of the tests that decided, over what chance draws."""
    differences, sizes = _tested_differences(comparisons, one)
    limited = with_limits(comparisons, differences, sizes=sizes, ranges=one.table.difference_bounds)
    return tuple(replace(each, queries=len(one.table)) for each in limited)


def _tested_differences(
    comparisons: Sequence[Comparison], one: MeasureCompared
) -> tuple[FloatArray, FloatArray | None]:
    """What chance draws of each pair (a column), and how many queries each row sums, scaled to 1 in the mean."""
    first, second = ([one.tested.number(getattr(each, side)) for each in comparisons] for side in ("first", "second"))
    differences = one.tested.values[:, second] - one.tested.values[:, first]
    if one.tested is one.table:
        return differences, None
    size = unit_sums(one.table.values[:, :1], one.table.labels).size[:, 0]
    return differences, np.asarray(size * (len(size) / len(one.table)), dtype=np.float64)


def _with_equivalence(measures: Sequence[MeasureCompared], choices: _CompareOptions) -> list[MeasureCompared]:
    """Every pair held against its margin: those of the first measure corrected by themselves, all others together."""
    pairs = list(zip(measures, choices.margins, strict=True))
    return [one for group in (pairs[:1], pairs[1:]) if group for one in _equivalence_of(group, choices)]


def _equivalence_of(group: Sequence[tuple[MeasureCompared, float]], choices: _CompareOptions) -> list[MeasureCompared]:
    """Measures of one family, each with its margin, and what two one-sided tests say of their pairs."""
    tested = [_tested_differences(one.pairs, one) for one, _ in group]
    p = np.concatenate([equivalence_p(gaps, margin, of) for (gaps, of), (_, margin) in zip(tested, group, strict=True)])
    corrected = adjust(p, choices.correction).p.tolist()
    tails = tested_levels(p, choices.correction, 1 - choices.level).tolist()
    family = zip(p.tolist(), corrected, tails, strict=True)
    made = []
    for (one, margin), (differences, sizes) in zip(group, tested, strict=True):
        own = list(islice(family, len(one.pairs)))
        limits = decide_limits(differences, [1 - 2 * tail for _, _, tail in own], sizes)
        low, high = (each.tolist() for each in limits_within(*limits, one.table.difference_bounds))
        found = tuple(
            Equivalence(
                margin=margin,
                estimate=pair.difference,
                low=low[place],
                high=high[place],
                p=raw,
                p_different=pair.adjusted,
                queries=pair.queries,
                alpha=1 - choices.level,
                first=pair.first,
                second=pair.second,
                adjusted=adjusted,
                tail=tail,
            )
            for place, (pair, (raw, adjusted, tail)) in enumerate(zip(one.pairs, own, strict=True))
        )
        made.append(replace(one, equivalences=found))
    return made


def _with_ranks(comparison: MeasureCompared, choices: _CompareOptions) -> MeasureCompared:
    """Ranks where every pair was compared; of three systems or more a test of all together."""
    if len(comparison.table.systems) > 2:
        comparison = replace(
            comparison, tukey=randomised_tukey(comparison.tested, choices.level, choices.permutations, choices.seed)
        )
    if not choices.every_pair:
        return comparison
    ranks = rank_intervals(
        comparison.tested,
        correction=choices.correction,
        level=choices.level,
        resamples=choices.resamples,
        seed=choices.seed,
        adjusted=np.array([pair.adjusted for pair in comparison.pairs]),
    )
    return replace(comparison, ranks=ranks)


def _with_asked(comparison: MeasureCompared, choices: _CompareOptions) -> MeasureCompared:
    """The tests asked for by name, on what chance draws."""
    options = {
        "level": choices.level,
        "correction": choices.correction,
        "permutations": choices.permutations,
        "resamples": choices.resamples,
        "seed": choices.seed,
    }
    return replace(comparison, asked=tuple(named_test(name, comparison.tested, **options) for name in choices.tests))


def _by_class(comparison: MeasureCompared, choices: _CompareOptions) -> MeasureCompared:
    """What kinds of queries add, where there are not too many of them; a class that chance draws is no kind."""
    table = comparison.table
    if choices.by_unit or table.classes is None or not 0 < len(table.class_names) <= MOST_CLASSES:
        return comparison
    return replace(
        comparison,
        classes=_class_effects(table, choices),
        cells=paired_and_unpaired(table, choices.level),
        assumed=assumptions(table),
    )


def _class_effects(table: ScoreTable, choices: _CompareOptions) -> tuple[ClassEffects, ...]:
    first, *others = table.systems
    return tuple(
        class_effects(table, first, each, correction=choices.correction, level=choices.level) for each in others
    )
