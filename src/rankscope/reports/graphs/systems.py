"""What the kinds of graph share: the systems asked for, one measure of them, bands of curves, words of the legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region, with_relevant_items
from rankscope.analysis.statistics.bands import CAUTION, DEFAULT, Band, band
from rankscope.analysis.statistics.bootstrap import SHORT
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.query_curves import QueryCurves
from rankscope.analysis.statistics.sampling_units import FEW_UNITS, drawn_by_class, unit_classes
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.measures.evaluation.scores import Scores, SystemScores
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, chosen_distractors
from rankscope.reports.graphs.graph import Facts, Graph
from rankscope.reports.graphs.kinds import SEVERAL, Option, SystemCount

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared


Systems: TypeAlias = RelevantRanks | Scores | Sequence[RelevantRanks] | Mapping[str, RelevantRanks]
MOST_BANDS = 2  # more than two bands over each other cannot be read


def ranks_of_systems(systems: Any, kind: str = "") -> list[RelevantRanks]:
    """The ranks of each system: of ranks, of scores, of several of them, or of a dictionary by name.

    >>> ranks = RelevantRanks.from_ranks([[1, 3]])
    >>> [each.system for each in ranks_of_systems({"mine": ranks, "yours": ranks})]
    ['mine', 'yours']
    """
    if isinstance(systems, RelevantRanks):
        return [systems]
    if isinstance(systems, Scores):
        return list(systems.ranks)
    if isinstance(systems, SystemScores):
        return [systems.ranks]
    if isinstance(systems, Mapping) and all(isinstance(each, RelevantRanks) for each in systems.values()):
        return [replace(ranks, system=str(name)) for name, ranks in systems.items()]
    if isinstance(systems, list | tuple):
        return [ranks for each in systems for ranks in ranks_of_systems(each, kind)]
    raise SettingError(
        f"a graph shows scores or ranks, got {type(systems).__name__}. Of judgements and runs: "
        f"rankscope.graph({kind or 'precision-recall'!r}, qrels, runs)"
    )


def counted_systems(systems: Systems, what: str, count: SystemCount = SEVERAL) -> list[RelevantRanks]:
    """The systems with the queries that count, each under a name of its own."""
    given = ranks_of_systems(systems)
    count.check(len(given), what)
    empty = [each.system for each in given if not (each.relevant > 0).any()]
    if empty:
        raise SettingError(f"{what}: no query of {', '.join(empty)} has a relevant item at grade {given[0].rel:g}")
    seen: dict[str, int] = {}
    named = []
    for each in map(with_relevant_items, given):
        again = seen[each.system] = seen.get(each.system, 0) + 1
        named.append(each if again == 1 else replace(each, system=f"{each.system} ({again})"))
    return named


def number(value: float) -> str:
    """A number for a legend: three digits, no exponent for what is not tiny.

    >>> number(0.012345), number(3979), number(0.00004)
    ('0.0123', '3,979', '4e-05')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def size_note(queries: RelevantRanks) -> str:
    """How many queries, of how many classes where these are the sampling unit, their relevant items and others.

    >>> size_note(RelevantRanks.from_ranks([[1, 3], [2]], collection=5_345)), size_note(RelevantRanks.from_ranks([[1]]))
    ('2 queries, c = 1 to 2 of d = 5,345', '1 query, c = 1')
    """
    known = bool((queries.collection != UNKNOWN).all())
    return f"{unit_note(queries)}, c = {from_to(queries.relevant)}" + known * f" of d = {from_to(queries.collection)}"


def from_to(values: IntArray | FloatArray) -> str:
    """One value, or the least and the largest, as far as they differ: of counts all digits, else three.

    >>> from_to(np.array([1200, 1201])), from_to(np.array([4.0, 5.25]))
    ('1,200 to 1,201', '4 to 5.25')
    """
    whole = np.issubdtype(values.dtype, np.integer)
    low, high = (f"{end:,}" if whole else number(float(end)) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def unit_note(queries: RelevantRanks) -> str:
    """How many queries, and of how many classes where the class is the sampling unit."""
    classes = unit_classes(queries)
    count = how_many(len(queries))
    return count if classes is None else f"{count} of {how_many(len(set(classes)), 'class', 'classes')}"


def domain_note(queries: RelevantRanks, *more: str) -> str:
    """The distractors among which each class was ranked, where these were chosen, and what else is to be said.

    >>> narrow = replace(RelevantRanks.from_ranks([[1]]), provenance={"settings": {"distractors": "nearest(9)"}})
    >>> domain_note(narrow, "1 query"), domain_note(RelevantRanks.from_ranks([[1]]))
    ('1 query, among nearest(9)', '')
    """
    chosen = chosen_distractors(queries.provenance)
    return ", ".join(filter(None, (*more, f"among {chosen}" if chosen else "")))


def shown_of(shown: RelevantRanks, everyone: int) -> str:
    """Which queries of how many are shown, and of how many classes where these are the sampling unit.

    >>> shown_of(RelevantRanks.from_ranks([[1], [2]]), 3), shown_of(RelevantRanks.from_ranks([[1], [2]]), 2)
    ('the 2 of 3 queries', 'all 2 queries')
    """
    classes = unit_classes(shown)
    units = "" if classes is None else f" ({how_many(len(set(classes)), 'class', 'classes')})"
    if len(shown) < everyone:
        return f"the {len(shown):,} of {how_many(everyone, 'queries')}{units}"
    return f"{'all ' if everyone > 1 else ''}{how_many(everyone)}{units}"


def size_known(systems: Iterable[RelevantRanks]) -> bool:
    """Whether every query of every system knows the size of its collection."""
    return all(bool((each.collection != UNKNOWN).all()) for each in systems)


def rows_of_size(queries: RelevantRanks, relevant: int) -> IntArray:
    """The queries with so many relevant items; refuses a number that none has."""
    rows = np.flatnonzero(queries.relevant == relevant)
    if not rows.size:
        sizes, count = np.unique(queries.relevant, return_counts=True)
        most = ", ".join(str(each) for each in sizes[np.argsort(-count, kind="stable")][:5])
        raise SettingError(f"{queries.system} has no query with {relevant} relevant items. Most have: {most}")
    return rows


def facts_of(curve: Curve) -> Facts:
    """What to tell of each point of a curve: queries, scope and the like."""
    facts: dict[str, Sequence[object]] = {}
    if curve.queries is not None:
        facts["queries"] = curve.queries.tolist()
    for name, column in curve.more.items():
        facts[name] = column.tolist()
    if curve.lower_bound is not None and curve.lower_bound.any():
        facts["lower bound"] = ["yes" if each else "no" for each in curve.lower_bound.tolist()]
    return facts


def chosen_scopes(longest: int, each_octave: int = 8) -> IntArray:
    """Scopes that are dense enough for the eye on a log2 axis: every one at first, then so many between doublings."""
    steps = max(1, int(np.log2(max(longest, 1)) * each_octave))
    return np.unique(np.concatenate([np.rint(np.geomspace(1, longest, steps + 1)), [1, longest]]).astype(np.int64))


# One measure of the systems of a graph as a table, for graphs that show what a test says.

MeasureOption: TypeAlias = Annotated[str, Option("the measure", "-m --measure", deciding=True)]
LevelOption: TypeAlias = Annotated[
    float, Option("level of confidence of bands and intervals", metavar="SHARE", above=0, below=1)
]


def score_values(systems: list[RelevantRanks], measure: str, what: str) -> ScoreTable:
    """A row for each query that any system has; NaN where one does not have it. The names must differ."""
    chosen = parse_measures([measure], systems[0].rel)
    if len(chosen) != 1:
        raise SettingError(f"{what} shows one measure, got {measure}")
    queries = sorted({query for each in systems for query in each.queries}, key=str.encode)
    row = {query: number for number, query in enumerate(queries)}
    values = np.full((len(queries), len(systems)), np.nan)
    for number, each in enumerate(systems):
        values[[row[query] for query in each.queries], number] = chosen[0].bind(each).of(each)
    names = tuple(each.system for each in systems)
    return ScoreTable(
        measure=measure,
        systems=names,
        queries=tuple(queries),
        values=values,
        classes=_classes(systems, row),
        lower_is_better=chosen[0].lower_is_better,
        bounds=chosen[0].bounds(),
    )


def _classes(systems: list[RelevantRanks], row: dict[str, int]) -> tuple[str, ...] | None:
    labels = [""] * len(row)
    for each in systems:
        if each.classes is None:
            return None
        for query, label in zip(each.queries, each.classes, strict=True):
            labels[row[query]] = label
    return tuple(labels)


def compared_values(
    systems: list[RelevantRanks], measure: str, what: str, level: float = 0.95, seed: int = 0
) -> Compared:
    """The verdict on one measure, as every command gives it."""
    from rankscope.analysis.comparison.compare import compare

    return compare([score_values(systems, measure, what)], by_unit=drawn_by_class(systems), level=level, seed=seed)


# Of which generality curves are, in words: with it goes the level of a random order (Sebe et al. 2004, section 4).

MIXED_CAUTION = "levels depend on the mix of queries"
APART = 0.05  # of the height: random levels that lie closer than this share a name


def generality_words(systems: Sequence[RelevantRanks]) -> str:
    """c, d, G and the random level of queries of one generality; of others what they range over, and a caution.

    >>> one, other = (RelevantRanks.from_ranks([ranks], collection=64) for ranks in ([1, 2], [1, 2, 3, 4]))
    >>> generality_words([one])
    'c = 2, d = 64, G = 5, random level 0.0312'
    >>> generality_words([one, other])
    'mixed generality: c = 2 to 4, d = 64, G = 4 to 5, levels depend on the mix of queries'
    >>> generality_words([RelevantRanks.from_ranks([[1, 2]])])
    'c = 2, d not known: generality and random level unknown'
    >>> generality_words([RelevantRanks.from_ranks([[1, 2], [3]])])
    'mixed generality: c = 1 to 2, d not known, levels depend on the mix of queries'
    """
    relevant = np.concatenate([each.relevant for each in systems])
    collection = np.concatenate([each.collection for each in systems])
    classes = f"c = {from_to(relevant)}"
    if (collection == UNKNOWN).any():
        if np.ptp(relevant) == 0:
            return f"{classes}, d not known: generality and random level unknown"
        return f"mixed generality: {classes}, d not known, {MIXED_CAUTION}"
    index = np.log2(collection / relevant)
    sizes = f"{classes}, d = {from_to(collection)}, G = {from_to(index)}"
    if np.ptp(relevant) == np.ptp(collection) == 0:
        return f"{sizes}, random level {number(float(relevant[0] / collection[0]))}"
    return f"mixed generality: {sizes}, {MIXED_CAUTION}"


def legend_notes(systems: Sequence[RelevantRanks]) -> list[str]:
    """For the legend: the queries of each system, and their sizes where these differ between systems."""
    same = len({(each.relevant.tobytes(), each.collection.tobytes()) for each in systems}) == 1
    return [unit_note(each) if same else size_note(each) for each in systems]


def random_name(levels: FloatArray) -> str:
    """The name of a line at the random level: its value, or the mean of several.

    >>> random_name(np.array([0.25, 0.25])), random_name(np.array([0.25, 0.5]))
    ('random 0.25', 'mean random 0.375')
    """
    return f"{'mean random' if np.ptp(levels) > 0 else 'random'} {number(float(levels.mean()))}"


def with_random_level(graph: Graph, queries: RelevantRanks) -> Graph:
    """A level line where a random order of these queries lies, if that is known."""
    if not size_known([queries]):
        return graph
    share = queries.relevant / queries.collection
    return graph.rule(y=float(share.mean()), label=random_name(share))


def with_random_levels(graph: Graph, levels: Sequence[float]) -> Graph:
    """A line for each of several random levels; those that run together share the name of the highest."""
    ordered = sorted(set(levels), reverse=True)
    named: list[list[float]] = []
    for level in ordered:
        if named and named[-1][0] - level < APART:
            named[-1].append(level)
        else:
            named.append([level])
    for first, *others in named:
        graph = graph.rule(y=first, label=f"random {'up to ' if others else ''}{number(first)}")
        for level in others:
            graph = graph.rule(y=level)
    return graph


# A mean curve with its band on a graph: limits shaded, points on few units thin, and what the band promises.

PROMISE = {
    "unseen-unit": "bounded {bands} for the whole curve",
    "bonferroni": f"Bonferroni {{bands}} for the whole curve, {CAUTION}",
    "sup-t": f"sup-t {{bands}} for the whole curve, {CAUTION}",
    "t": "t {bands}, each point by itself",
}


def promise_of(around: Band, count: int = 1) -> str:
    """What one band or several of a kind promise.

    >>> from rankscope.analysis.statistics.bands import band
    >>> promise_of(band([[0.1], [0.2]]), count=2), promise_of(band([[0.1], [0.2]], how="t"))
    ('95% bounded bands for the whole curve', '95% t band, each point by itself')
    """
    return f"{100 * around.level:g}% {PROMISE[around.how].format(bands='bands' if count > 1 else 'band')}"


def with_band(
    graph: Graph,
    around: Band,
    name: str,
    note: str = "",
    *,
    facts: Facts | None = None,
    markers: int | Sequence[int] = 6,
    shaded: bool = True,
) -> Graph:
    """The mean curve, its limits shaded where wanted and where they exist, its points that rest on few units thin."""
    graph = graph.band(around.drawn(), name) if shaded and around.exists else graph
    told = {**(facts or facts_of(around.curve())), **band_facts(around, shaded)}
    thin = np.flatnonzero(around.few).tolist() if around.exists else []  # one query decides all there is
    return graph.curve(around.curve(), name, note, facts=told, markers=markers, thin=thin)


def band_facts(around: Band, limits: bool = True, told: Region | None = None) -> Facts:
    """What to tell of each point: its limits where wanted, how many units decide it, and whether these are few.

    `told` are the limits in another quantity.
    """
    ends = told or around.drawn()
    what = f"{100 * around.level:g}% band, {'whole curve' if around.simultaneous else 'pointwise'}"
    return {
        **({what: range_texts(ends.low, ends.high)} if limits and around.exists else {}),
        f"deciding {around.unit}": [round(each, 2) for each in around.deciding.tolist()],
        "few": ["yes" if each else "no" for each in around.few.tolist()],
    }


def band_words(bands: Sequence[Band]) -> list[str]:
    """What kind of band, what it promises, over which units, and where it rests on few of them.

    >>> from rankscope.analysis.statistics.bands import band
    >>> band_words([band([[0.1], [0.2], [0.3], [0.4], [0.2], [0.9]])])
    ['95% bounded band for the whole curve', 'thin: fewer than 5 queries decide']
    """
    there = [each for each in bands if each.exists]
    if not there:
        return [each.note for each in bands[:1]]
    first = there[0]
    units = "sampling units: classes" if first.unit == "classes" else ""
    return [*filter(None, (promise_of(first, len(there)), units, thin_words(there)))]


def thin_words(bands: Sequence[Band]) -> str:
    """What a thin part of a curve means, where there is one, whether or not bands are shaded.

    >>> from rankscope.analysis.statistics.bands import band
    >>> thin_words([band([[0.1], [0.2], [0.3]])]), thin_words([band([[0.1]])])
    ('thin: fewer than 5 queries decide', '')
    """
    few = [each for each in bands if each.exists and each.few.any()]
    return f"thin: fewer than {FEW_UNITS} {few[0].unit} decide" if few else ""


# What graphs ask of chance: a band for the whole curve, to be drawn, and an interval of each point, to be told.

LEVEL = 0.95


def band_around(curves: QueryCurves, queries: RelevantRanks, drawn: bool = True) -> Band:
    """The band of these queries' curves by the rule of all bands; where it is not drawn chance need not be asked."""
    return band(curves, how=DEFAULT if drawn else "t", level=LEVEL, classes=unit_classes(queries))


def pointwise_facts(
    curves: QueryCurves, queries: RelevantRanks, times: FloatArray | float = 1.0, of: str = ""
) -> Facts:
    """The pointwise interval of the mean of each column, in the quantity that is so many times the mean."""
    bounds = (curves.lowest, curves.highest)
    made = mean_intervals(curves.values, unit_classes(queries), level=LEVEL, bounds=bounds)
    return interval_facts(made.low * times, made.high * times, made.ways, of)


def interval_facts(low: FloatArray, high: FloatArray, ways: Sequence[str], of: str = "") -> Facts:
    """The interval of each point, named pointwise, and which one it is: bounded, BCa or Student's t."""
    return {
        f"{100 * LEVEL:g}% interval{of}, pointwise": range_texts(low, high),
        "kind of interval": [SHORT.get(way, "none") for way in ways],
    }


def range_texts(low: FloatArray, high: FloatArray) -> Sequence[str]:
    """Intervals in words.

    >>> import numpy as np
    >>> range_texts(np.array([0.25, np.nan]), np.array([0.5, np.nan]))
    ['0.2500 to 0.5000', 'none']
    """
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return ["none" if a != a or b != b else f"{a:.4f} to {b:.4f}" for a, b in ends]
