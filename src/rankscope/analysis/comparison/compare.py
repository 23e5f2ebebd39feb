"""The comparison of systems: which differ, by how much, and on which kind of query; the one decision procedure and its
result.

Every command, graph and report that calls one system better calls this. The primary measure, the first one, decides
alone: its family is its pairs of systems. Other measures and classes of queries are secondary and corrected together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np

from rankscope.analysis.comparison.pairwise import (
    ClassEffects,
    Comparison,
    PairTests,
    class_effects,
    compare_pairs,
    correct_comparison,
    judged_together,
    with_limits,
)
from rankscope.analysis.comparison.rank_intervals import RankIntervals, rank_intervals
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences, write_up_sentences
from rankscope.analysis.statistics.anova import welch
from rankscope.analysis.statistics.assumptions import Assumptions, assumptions
from rankscope.analysis.statistics.bootstrap import Intervals
from rankscope.analysis.statistics.corrections import (
    CORRECTIONS,
    Families,
    Family,
    adjust,
    families_in_words,
    tested_levels,
)
from rankscope.analysis.statistics.deciding_test import DECIDING, caution, decide_limits
from rankscope.analysis.statistics.effect_sizes import standardised_difference
from rankscope.analysis.statistics.equivalence import Equivalence, equivalence_p
from rankscope.analysis.statistics.explanatory_variables import EXPLAINED_HEADING, Explained, explained_words
from rankscope.analysis.statistics.mean_intervals import WAYS, mean_intervals
from rankscope.analysis.statistics.mixed_model import PairedAndUnpaired, paired_and_unpaired
from rankscope.analysis.statistics.multiple_comparisons import RandomisedTukey, games_howell, randomised_tukey
from rankscope.analysis.statistics.named_tests import EVERY_TEST, AskedTest, named_test
from rankscope.analysis.statistics.paired_tests import limits_within
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.sampling_units import class_sums, classes_are_targets, unit_sums, units_of
from rankscope.analysis.statistics.score_table import MOST_CLASSES, ScoreTable, repeated_systems
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import summary_of, unknown_name
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows, as_json, markdown_table, text_table
from rankscope.core.validation import COUNT, SEED, SHARE, Number, OneOf, Optional, check_fields, check_for_each
from rankscope.core.wording import how_many, join_words, percent_text, plain_number, setting_value
from rankscope.measures.direction import EQUAL, tally
from rankscope.measures.evaluation.scores import Scores

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
    same = repeated_systems(ordered)
    distinct = [table.select(*(name for name in table.systems if name not in same)) for table in ordered]
    measures, families = _judged(_undecided(distinct, choices), choices)
    if choices.margins:  # the pairs of the first measure are corrected by themselves, all others together
        pairs = list(zip(measures, choices.margins, strict=True))
        groups = [group for group in (pairs[:1], pairs[1:]) if group]
        measures = [one for group in groups for one in _with_equivalence(group, choices)]
    return Compared(
        measures=tuple(_with_further(each, choices) for each in measures),
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
        counts = ", ".join(
            f"{name} {count:,}"
            for name, count in zip(table.systems, (~np.isnan(table.values)).sum(axis=0), strict=True)
        )
        raise SettingError(
            f"no query has a value of {table.measure} for every system, so nothing can be compared (values: {counts})"
        )
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
    lower_is_better = {one.measure: one.table.lower_is_better for one in others}
    secondary = [
        correct_comparison(each, p, lower_is_better[each.measure], choices.level, tested)
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


def _with_verdicts(
    one: MeasureCompared, pairs: Sequence[Comparison], classes: Sequence[ClassEffects]
) -> MeasureCompared:
    """A measure with its own pairs, with the limits of the tests that decided over what chance draws, and classes."""
    own = [each for each in pairs if each.measure == one.measure]
    differences, sizes = _tested_differences(own, one)
    limited = with_limits(own, differences, sizes=sizes, ranges=one.table.difference_bounds)
    effects = tuple(each for each in classes if each.measure == one.measure)
    return replace(one, pairs=tuple(replace(each, queries=len(one.table)) for each in limited), classes=effects)


def _tables(scores: Scores | Sequence[ScoreTable]) -> list[ScoreTable]:
    if not isinstance(scores, Scores):
        return list(scores)
    names = [column.asked for column in scores.systems[0].columns if column.measure.summary == "mean"]
    if not names:
        raise SettingError(f"compare needs measures that are means over queries, got {', '.join(scores.measures)}")
    return [ScoreTable.of(scores, name) for name in names]


def _ordered(tables: list[ScoreTable], baseline: str | None) -> list[ScoreTable]:
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


def _with_equivalence(
    group: Sequence[tuple[MeasureCompared, float]], choices: _CompareOptions
) -> list[MeasureCompared]:
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


def _with_further(comparison: MeasureCompared, choices: _CompareOptions) -> MeasureCompared:
    """Tests that were asked for, a test of all systems together, and ranks where every pair was compared."""
    options = {
        "level": choices.level,
        "correction": choices.correction,
        "permutations": choices.permutations,
        "resamples": choices.resamples,
        "seed": choices.seed,
    }
    asked = tuple(named_test(name, comparison.tested, **options) for name in choices.tests)
    comparison = replace(comparison, asked=asked)
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


def _by_class(comparison: MeasureCompared, choices: _CompareOptions) -> MeasureCompared:
    """What kinds of queries add, where there are not too many of them; a class that chance draws is no kind."""
    table = comparison.table
    if choices.by_unit or table.classes is None or not 0 < len(table.class_names) <= MOST_CLASSES:
        return comparison
    first, *others = table.systems
    return replace(
        comparison,
        classes=tuple(
            class_effects(table, first, each, correction=choices.correction, level=choices.level) for each in others
        ),
        cells=paired_and_unpaired(table, choices.level),
        assumed=assumptions(table),
    )


# What a comparison of systems gives: numbers for tables and words, per measure.


@dataclass(frozen=True, eq=False, repr=False)
class MeasureCompared(Tabular):
    """One measure of all systems, on the queries that every system has."""

    table: ScoreTable
    units: ScoreTable  # what chance draws: queries, or classes of queries with the same target; for intervals
    tested: ScoreTable  # the same for tests
    left_out: int  # queries for which some system has no value
    means: Intervals  # one per system
    pairs: tuple[Comparison, ...]  # p-values corrected over the family of the measure
    tukey: RandomisedTukey | None = None  # of three systems or more
    ranks: RankIntervals | None = None  # where every pair was compared
    classes: tuple[ClassEffects, ...] = ()  # of each pair with the first system
    cells: PairedAndUnpaired | None = None  # as independent samples and query by query, where there are classes
    assumed: Assumptions | None = None
    asked: tuple[AskedTest, ...] = ()  # tests asked for by name; no verdict rests on them
    equivalences: tuple[Equivalence, ...] = ()  # of each pair, where a margin was given

    @property
    def measure(self) -> str:
        return self.table.measure

    @property
    def order(self) -> tuple[str, ...]:
        """The systems from the best mean to the worst; equal ones as they came."""
        by_mean = np.argsort(-self.table.gains.mean(axis=0), kind="stable").tolist()
        return tuple(self.table.systems[each] for each in by_mean)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The systems with the best mean; equal but for rounding."""
        means = self.table.gains.mean(axis=0)
        return tuple(name for name in self.order if means.max() - means[self.table.number(name)] <= EQUAL)

    def differences(self, pair: Comparison) -> FloatArray:
        """Second minus first, query by query."""
        return self.table.differences(pair.first, pair.second)

    @property
    def unit(self) -> str:
        """What chance draws, in a word."""
        return "queries" if self.units is self.table else "classes"

    @property
    def caution(self) -> str:
        """What so few queries or classes cannot show; nothing from 60 on."""
        return caution(len(self.units), self.unit)

    def detectable(self, pair: Comparison) -> float:
        """The smallest true difference that would be shown in 80 % of such experiments, at the level of the pair.

        NaN where differences have no spread, infinite where none that the measure can have would be shown.
        """
        differences = self.tested.differences(pair.first, pair.second)
        effect = ShownEffects(differences, (1 - pair.level) / 2).smallest()
        return math.inf if effect > self.table.difference_bounds[1] else effect

    def differing(self, pair: Comparison) -> int:
        """How many of what chance draws differ; the smallest p-value that they allow is 2^(1 - number)."""
        return int(np.count_nonzero(self.tested.differences(pair.first, pair.second)))

    @property
    def undecidable(self) -> tuple[Comparison, ...]:
        """Pairs in which too few differ for the smallest possible p-value to pass the level of the pair."""
        return tuple(each for each in self.pairs if 2.0 ** (1 - self.differing(each)) > (1 - each.level) * (1 + 1e-9))

    def system_rows(self) -> list[dict[str, object]]:
        """One row for each system, the best mean first."""
        several = self.ranks is not None and len(self.table.systems) > 2
        places = {row["system"]: row for row in self.ranks.rows()} if self.ranks is not None and several else {}
        rows = []
        for name in self.order:
            each = self.table.number(name)
            row: dict[str, object] = {"system": name, "mean": float(self.means.mean[each])}
            row |= {"low": float(self.means.low[each]), "high": float(self.means.high[each])}
            ranked = places.get(name, {})
            rows.append(row | {key: ranked[key] for key in ("best rank", "worst rank", "group") if key in ranked})
        return rows

    def pair_rows(self, correction: str = "holm") -> list[dict[str, object]]:
        """One row for each pair: the difference with its interval, p-values, its size in standard deviations.

        `won`, `lost`: on how many queries the second is better and worse, whichever way the measure goes.
        """
        tukey: dict[tuple[str, str], float] = {}
        if self.tukey is not None:
            tukey = {(each.first, each.second): each.p for each in self.tukey.pairs}
        rows = []
        for pair in self.pairs:
            differences = self.differences(pair)
            row: dict[str, object] = {"first": pair.first, "second": pair.second, "difference": pair.difference}
            row |= {"low": pair.low, "high": pair.high, "level": pair.level}
            row |= {"p": pair.p, f"p ({correction})": pair.adjusted}
            if tukey:
                row["p (Tukey)"] = tukey.get((pair.first, pair.second), tukey.get((pair.second, pair.first)))
            row |= {"d/sd": standardised_difference(differences)}
            row |= tally(differences, self.table.lower_is_better)._asdict()
            rows.append(row | {"better": pair.better})
        return rows

    def equivalence_rows(self, correction: str = "holm") -> list[dict[str, object]]:
        """One row for each pair that was held against a margin."""
        return [each.row(correction) for each in self.equivalences]

    def class_rows(self) -> list[dict[str, object]]:
        """One row for each class and system compared with the first."""
        return [
            {"first": result.first, "second": result.second, **row} if len(self.classes) > 1 else row
            for result in self.classes
            for row in result.rows()
        ]

    def records(self) -> Rows:
        """One measure alone does not know by which correction its p-values were corrected."""
        return self.pair_rows("corrected")

    def display(self) -> Display:
        systems, pairs = how_many(len(self.table.systems), "systems"), how_many(len(self.pairs), "pair", "pairs")
        title = f"{self.measure} of {systems} on {how_many(len(self.table))}, {pairs} compared"
        return Display.of([title, *filter(None, [self.caution])], self.records())


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Tabular):
    """What `compare` returns: each measure, and the families over which p-values are corrected."""

    measures: tuple[MeasureCompared, ...]
    families: Families
    level: float = 0.95
    seed: int = 0
    same: Mapping[str, str] = field(default_factory=dict)  # systems left out because all their values are another's
    baseline: str = ""  # with which others are compared, where somebody named it

    @property
    def main(self) -> MeasureCompared:
        """The primary measure, asked for first, which decides."""
        return self.measures[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared, the baseline first."""
        return self.main.table.systems

    def equivalence_family(self, measure: str) -> str:
        """In words, over what the p-values of equivalence by a measure are corrected, apart from the differences."""
        primary, *others = (replace(self.families.primary, measures=(one.measure,)) for one in self.measures)
        return families_in_words([primary] if self.families.is_primary(measure) else others)

    def to_markdown(self, every_pair: bool = False, notes: bool = True) -> str:
        """The verdict and all tables, as `rankscope compare --format markdown` prints them."""
        return self.presentation(every_pair, notes, further=True).markdown()

    def to_latex(self, columns: str | float = "1", marks: str = "auto") -> str:
        """The table for a paper: `columns` is how wide it is, `marks` what stands behind numbers, as of `report`."""
        from rankscope.analysis.comparison.paper_tables import comparison_table
        from rankscope.core.latex import width_of_columns

        return comparison_table(self, width_of_columns(columns), marks)

    def write_up(self) -> str:
        """One paragraph for a paper: test, correction, effects with their limits, queries, and what to cite."""
        return " ".join(write_up_sentences(self))

    def stands_for(self, system: str) -> str:
        """The name under which a system was compared: its own, or that of the one it equals."""
        return self.same.get(system, system)

    def names_of(self, system: str) -> list[str]:
        """A system, and those left out because all their values are its own."""
        return [system, *(each for each, other in self.same.items() if other == system)]

    def shown_better(self, one: str, other: str) -> bool:
        """Whether the primary measure shows one system to be better than another."""
        names = {self.stands_for(one), self.stands_for(other)}
        return any(
            {pair.first, pair.second} == names and pair.better == self.stands_for(one) for pair in self.main.pairs
        )

    def places(self) -> dict[str, tuple[int, int, str]]:
        """For each system compared: the best and worst rank that remain possible, and the letters of its groups."""
        ranks = self.main.ranks
        if ranks is None:
            return {}
        return dict(
            zip(ranks.systems, zip(ranks.low.tolist(), ranks.high.tolist(), ranks.letters, strict=True), strict=True)
        )

    def records(self) -> Rows:
        return pair_records(self)

    def display(self) -> Display:
        words = [*verdict_sentences(self), self.main.means.told, *comparison_notes(self)]
        return Display.of(words, self.main.system_rows(), ".to_markdown()")

    def presentation(self, every_pair: bool = False, notes: bool = True, further: bool = False) -> Presentation:
        """The verdict and its tables; of measures after the first only systems and pairs, unless `further`."""
        tables = comparison_parts(self, self.main, every_pair)
        for one in self.measures[1:]:
            parts = comparison_parts(self, one, every_pair)
            tables += parts if further else [*parts[:2], *_equivalent(self, one, every_pair), *_asked(one)]
        said = comparison_notes(self) if notes else []
        return Presentation(verdict_sentences(self), tables, notes=said, bold=True)

    def record(self) -> dict[str, Any]:
        """Everything, every pair and every note included."""
        return {
            "format": "rankscope.compare",
            "version": 1,
            "verdict": verdict_sentences(self),
            "level": self.level,
            "seed": self.seed,
            "primary": self.main.measure,
            "family": str(self.families.primary),
            "families": str(self.families).splitlines(),
            "same": dict(self.same),
            "measures": [_json_measure(self, one) for one in self.measures],
            "notes": comparison_notes(self),
            "write_up": self.write_up(),
        }


MOST_PAIRS = 30
STRICT = ("holm", "bonferroni")  # corrections that multiply the smallest p-values by the size of the family


def comparison_parts(comparison: Compared, one: MeasureCompared, every_pair: bool = False) -> list[HeadedTable]:
    """The tables of one measure, with their headings and notes."""
    pairs = [*_pairs(comparison, one, every_pair), *_equivalent(comparison, one, every_pair)]
    note = one.means.told
    if one.ranks is not None and len(comparison.systems) > 2:
        note += (
            f" No significant difference between systems that share a letter: {comparison.families.of(one.measure)}."
        )
    heading = f"{one.measure}{_role(comparison, one)}: systems"
    parts = (HeadedTable(heading, one.system_rows(), note), *pairs, *_classes(comparison, one), *_asked(one))
    return [part for part in parts if part.rows]


def _role(comparison: Compared, one: MeasureCompared) -> str:
    """What a measure decides, where there are several."""
    if len(comparison.measures) == 1:
        return ""
    return " (primary, decides)" if comparison.families.is_primary(one.measure) else " (secondary)"


def _pairs(comparison: Compared, one: MeasureCompared, every_pair: bool) -> list[HeadedTable]:
    rows, which = _shown_pairs(one, one.pair_rows(comparison.families.correction), every_pair)
    heading = f"{one.measure}{_role(comparison, one)}: second minus first{which}"
    tests = f"p: {DECIDING} test, the larger p; {comparison.families.of(one.measure)}."
    if one.tukey is not None:
        how = f"{one.tukey.permutations:,} {'all' if one.tukey.exact else 'random'} permutations within {one.unit}"
        tests += f" Tukey: randomised HSD over all pairs, {how}; in addition to the verdict, which does not rest on it."
    told, level = _levels_told(rows)
    return [HeadedTable(heading, told, f"{tests} Limits: of these tests, {level}.")]


def _shown_pairs(one: MeasureCompared, rows: Rows, every_pair: bool) -> tuple[Rows, str]:
    """The rows of pairs, of many only neighbours in the ranking; and what the heading says of that."""
    if len(rows) <= MOST_PAIRS or every_pair or one.ranks is None:
        return rows, ""
    order = one.ranks.systems
    neighbours = {frozenset(each) for each in pairwise(order)}
    chosen = [row for row in rows if frozenset((row["first"], row["second"])) in neighbours]
    chosen.sort(key=lambda row: min(order.index(str(row["first"])), order.index(str(row["second"]))))
    return chosen, " (neighbours in the ranking)"


def _equivalent(comparison: Compared, one: MeasureCompared, every_pair: bool) -> list[HeadedTable]:
    """What two one-sided tests say of each pair, where a margin was given."""
    if not one.equivalences:
        return []
    rows, which = _shown_pairs(one, one.equivalence_rows(comparison.families.correction), every_pair)
    margin = plain_number(one.equivalences[0].margin)
    told, level = _levels_told([{key: value for key, value in row.items() if key != "margin"} for row in rows])
    note = (
        f"p: two one-sided {DECIDING} tests against ±{margin}, the larger p; "
        f"{comparison.equivalence_family(one.measure)}. Limits: of these tests, {level}; a pair is equivalent where "
        "both lie within the margin, and different where the table above shows a difference."
    )
    return [HeadedTable(f"{one.measure}: equivalence within ±{margin}{which}", told, note)]


def _levels_told(rows: Rows) -> tuple[Rows, str]:
    """Rows for people, whose level stands in a column only where it differs, and in words at which level limits are."""
    levels = {percent_text(float(str(row["level"]))) for row in rows}
    if len(levels) == 1:
        return [{key: value for key, value in row.items() if key != "level"} for row in rows], f"at {levels.pop()}"
    told = [row | {"level": percent_text(float(str(row["level"])))} for row in rows]
    return told, "each at the level at which the correction held that pair"


def _classes(comparison: Compared, one: MeasureCompared) -> list[HeadedTable]:
    parts: list[HeadedTable] = []
    if one.classes:
        note = f"{one.classes[0].how}; {one.classes[0].note}".rstrip("; ") + "."
        parts.append(HeadedTable(f"{one.measure}: within classes", _levels_told(one.class_rows())[0], note))
    if one.cells is not None and one.cells.rows():
        cells = one.cells
        head = f"One-way analysis of variance of the cells: F = {cells.unpaired.f:.3f}, p = {cells.unpaired.p:.3g}. "
        note = (head + cells.why).replace("F = nan, p = nan. ", "not possible. ")
        heading = f"{one.measure}: cells as independent samples, and query by query"
        parts.append(HeadedTable(heading, [_named(row) for row in cells.rows()], note))
    if one.assumed is not None:
        instead = ""
        if one.assumed.unequal_spread:  # the tests to read
            other, pairs = welch(one.table), games_howell(one.table)
            first = other.note if math.isnan(other.f) else f"Welch F = {other.f:.3f}, p = {other.p:.3g}"
            some = f"{int(pairs.different.sum()):,} of {how_many(pairs.p.size, 'pairs')} of cells"
            instead = f"spreads differ: read instead {first}; Games-Howell calls {some} different"
        note = "; ".join(filter(None, (one.assumed.standing_out, instead, one.assumed.note)))
        heading = f"{one.measure}: what the analysis of variance takes for granted"
        parts.append(HeadedTable(heading, one.assumed.rows(), note))
    return parts


def _asked(one: MeasureCompared) -> list[HeadedTable]:
    """The tests asked for by name."""
    return [
        HeadedTable(
            f"{one.measure}: {each.test}",
            [dict(row) for row in each.rows],
            f"{summary_of(EVERY_TEST.find(each.test))} In addition to the verdict, which does not rest on it.",
        )
        for each in one.asked
    ]


def _named(row: dict[str, object]) -> dict[str, object]:
    """The row of a cell with p-values named as in the other tables, so that none is printed as 0."""
    names = {"unpaired p": "p (unpaired)", "unpaired Tukey p": "p (Tukey)", "paired p": "p (paired)"}
    return {names.get(key, key): value for key, value in row.items()}


def comparison_notes(comparison: Compared) -> list[str]:
    """Queries that were left out, and what so few queries or classes cannot show, or not in so large a family."""
    left_out = [
        f"{one.measure}: {one.left_out:,} {'query' if one.left_out == 1 else 'queries'} left out, because not every "
        "system has a value there"
        for one in comparison.measures
        if one.left_out
    ]
    equal = [
        f"{name} has the values of {other} on every query and is compared once, as {other}"
        for name, other in comparison.same.items()
    ]
    return left_out + equal + few_notes(comparison)


def few_notes(comparison: Compared) -> list[str]:
    """Where no difference, however large, could be shown, by a whole family or some pairs; else what few may lack."""
    lines = []
    hopeless: dict[tuple[str, int, str], list[MeasureCompared]] = {}
    for one in comparison.measures:
        if 2.0 ** (1 - len(one.units)) * _factor(comparison, one) > 1 - comparison.level:
            family = comparison.families.of(one.measure)
            hopeless.setdefault((family, len(one.units), one.unit), []).append(one)
        elif len(comparison.systems) > 2 and one.undecidable:
            some = f"{len(one.undecidable):,} of {how_many(len(one.pairs), 'pair', 'pairs')}"
            most = max(one.differing(each) for each in one.undecidable)
            lines.append(
                f"{one.measure}: in {some} so few {one.unit} differ (at most {most}) that no difference could be "
                "significant at the level of the correction"
            )
    for (family, units, unit), found in hopeless.items():
        least, factor = 2.0 ** (1 - units), _factor(comparison, found[0])
        by = "" if found[0] is comparison.main else f"{join_words([one.measure for one in found])}: "
        corrected = f", {plain_number(min(1.0, least * factor))} when corrected over the {family}" if factor > 1 else ""
        fewer = "Compare fewer systems, or have more" if least <= 1 - comparison.level else "Have more"
        lines.append(
            f"{by}{how_many(units, unit)} cannot make any difference significant: the smallest p-value possible is "
            f"{plain_number(least)}{corrected}. {fewer} {unit}"
        )
    told = comparison.main in [one for found in hopeless.values() for one in found]
    return lines if told or not comparison.main.caution else [*lines, comparison.main.caution]


def _factor(comparison: Compared, one: MeasureCompared) -> int:
    """By how much the correction multiplies the smallest p-values of a family where all are equal."""
    return comparison.families.size_of(one.measure) if comparison.families.correction in STRICT else 1


def _json_measure(comparison: Compared, one: MeasureCompared) -> dict[str, Any]:
    correction, equivalence = comparison.families.correction, None
    if one.equivalences:
        margin, family = one.equivalences[0].margin, comparison.equivalence_family(one.measure)
        equivalence = {"margin": margin, "family": family, "pairs": one.equivalence_rows(correction)}
    return {
        "measure": one.measure,
        "role": "primary" if comparison.families.is_primary(one.measure) else "secondary",
        "queries": len(one.table),
        "unit": one.unit,
        "intervals": one.means.words,
        "left_out": one.left_out,
        "systems": one.system_rows(),
        "pairs": one.pair_rows(correction),
        "equivalence": equivalence,
        "groups": [list(group) for group in one.ranks.groups] if one.ranks is not None else [],
        "classes": one.class_rows(),
        "cells": one.cells.rows() if one.cells is not None else [],
        "why": one.cells.why if one.cells is not None else "",
        "assumptions": one.assumed.rows() if one.assumed is not None else [],
        "tests": {each.test: [dict(row) for row in each.rows] for each in one.asked},
    }


def pair_records(comparison: Compared) -> list[dict[str, object]]:
    """Every pair by every measure as one row, for programs."""
    return [row for one in comparison.measures for row in _csv_rows(comparison, one)]


def _csv_rows(comparison: Compared, one: MeasureCompared) -> Iterator[dict[str, object]]:
    """The pairs of a measure next to the means of both systems, under names without blanks."""
    correction = comparison.families.correction
    names = {f"p ({correction})": "p_adjusted", "p (Tukey)": "p_tukey", "d/sd": "d_sd"}
    means = dict(zip(one.table.systems, one.means.mean.tolist(), strict=True))
    equivalent = [
        {
            "margin": each.margin,
            "equivalence_low": each.low,
            "equivalence_high": each.high,
            "p_equivalence": each.p,
            "p_equivalence_adjusted": each.adjusted,
            "outcome": each.outcome,
        }
        for each in one.equivalences
    ] or [{} for _ in one.pairs]
    for row, last in zip(one.pair_rows(correction), equivalent, strict=True):
        lead = {"measure": one.measure, "first": row["first"], "second": row["second"]}
        both = {"first_mean": means[str(row["first"])], "second_mean": means[str(row["second"])]}
        yield (
            lead
            | both
            | {names.get(key, key): value for key, value in row.items() if key not in lead}
            | {"correction": correction, "queries": len(one.table)}
            | last
        )


def with_explained(text: str, done: Explained, format: str) -> str:
    """A comparison with the table below it: text, Markdown, or a key of its JSON."""
    if format == "json":
        return as_json({**json.loads(text), "explained": {"words": explained_words(done), "rows": done.rows()}})
    if format == "markdown":
        return f"{text.rstrip()}\n\n## {EXPLAINED_HEADING}\n\n{markdown_table(done.rows())}\n{explained_words(done)}\n"
    return f"{text.rstrip()}\n\n{EXPLAINED_HEADING}\n\n{text_table(done.rows())}{explained_words(done)}\n"
