"""What is chance between systems: differences query by query, the power to show one, and possible ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from rankscope.analysis.comparison.rank_intervals import RankIntervals
from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.statistics.sampling_units import drawn_by_class, units_of
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many, percent_text, signed_text
from rankscope.measures.direction import EQUAL, tally, turn
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Facts, Graph
from rankscope.reports.graphs.kinds import TWO, Option, SystemCount, Variant, Variants, kind
from rankscope.reports.graphs.systems import (
    LevelOption,
    MeasureOption,
    Systems,
    compared_values,
    counted_systems,
    score_values,
)

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.statistics.power import ShownEffects


# Per-query differences of two systems, sorted: who wins where, and by how much.

MOST_BARS = 150
DIFFERENCES_GRAPH = "the graph of per-query differences"


@dataclass(frozen=True, eq=False)
class _PairedValues:
    """Values of both systems for the queries that both have, largest difference first."""

    queries: tuple[str, ...]
    classes: tuple[str, ...] | None
    first: FloatArray
    second: FloatArray

    @property
    def difference(self) -> FloatArray:
        return self.second - self.first


@kind("per-query-differences", "two systems query by query, sorted", systems=TWO, compares=True, paper_width="full")
def per_query_differences_graph(systems: Systems, measure: MeasureOption = "AP") -> Graph:
    """Differences of two systems query by query, sorted: second minus first.

    Above the line the second system has more, below it the first; the colour says which is better. A mean can hide
    many losses: here they are seen.
    """
    first, second = counted_systems(systems, DIFFERENCES_GRAPH, TWO)
    chosen = parse_measures([measure], first.rel)
    if len(chosen) != 1:
        raise SettingError(f"{DIFFERENCES_GRAPH} shows one measure, got {measure}")
    pairs = _paired(first, second, chosen[0].bind(first).of(first), chosen[0].bind(second).of(second))
    lower = chosen[0].lower_is_better
    better, worse, equal = tally(pairs.difference, lower)
    mean = float(pairs.difference.mean())
    count = len(pairs.queries)
    low, high = min(0.0, float(pairs.difference.min())), max(0.0, float(pairs.difference.max()))
    room = 0.05 * (high - low) or 0.1
    equally = f"; {how_many(equal)} equal" if equal else ""
    (won, lost), name = ((-1, 0) if lower else (0, -1)), (first.system, second.system)  # places of the largest
    ends = [f"{name[1]} is better on {better:,} of {how_many(count)}, {name[0]} on {worse:,}"]
    ends += [f"the largest win of {name[1]} is query {_at(pairs, won)}"] if better else []
    ends += [f"the largest of {name[0]} is query {_at(pairs, lost)}"] if worse else []
    graph = Graph(
        f"{measure}: {second.system} minus {first.system}",
        Axis("queries, by difference", domain=(0.5, count + 0.5), whole=True),
        Axis("difference in", measure, domain=(low - room, high + room)),
        subtitle=f"mean difference {_signed(mean)}{_interval([first, second], measure)}{equally}",
        summary=f"{second.system} is better on {better}, {first.system} on {worse} of {how_many(count, 'queries')}.",
        conclusion=f"{'; '.join(ends)}.",
    )
    graph = _with_differences(graph, pairs, name, lower, measure)
    return graph.rule(y=0.0, dashed=False).rule(y=mean, label="mean")


def _with_differences(graph: Graph, pairs: _PairedValues, names: tuple[str, str], lower: bool, measure: str) -> Graph:
    difference = pairs.difference
    place = np.arange(1.0, difference.size + 1)
    for name, sign in zip(names, (-turn(lower), turn(lower)), strict=True):
        chosen = np.flatnonzero(sign * difference > EQUAL)
        title, note = f"{name} is better", how_many(chosen.size)
        facts = _facts(pairs, chosen, names, measure)
        if difference.size <= MOST_BARS:
            line = Curve(place[chosen], difference[chosen])
            graph = graph.bars(line, title, note, thick=0.8, facts=facts)
            continue
        x = np.repeat(place[chosen], 2) + np.tile([-0.5, 0.5], chosen.size)
        y = np.repeat(difference[chosen], 2)
        graph = graph.band(Region(x, np.minimum(y, 0), np.maximum(y, 0)), title)
        graph = graph.curve(Curve(place[chosen], difference[chosen]), title, note, facts=facts, markers=0)
    return graph


def _at(pairs: _PairedValues, place: int) -> str:
    return f"{pairs.queries[place]} ({signed_text(float(pairs.difference[place]))})"


def _paired(first: RelevantRanks, second: RelevantRanks, one: FloatArray, other: FloatArray) -> _PairedValues:
    row = {query: number for number, query in enumerate(second.queries)}
    both = [
        (i, row[query])
        for i, query in enumerate(first.queries)
        if query in row and np.isfinite(one[i]) and np.isfinite(other[row[query]])
    ]
    if not both:
        raise SettingError(f"{first.system} and {second.system} share no query with a value")
    left, right = np.array(both, dtype=np.int64).T
    order = np.argsort(-(other[right] - one[left]), kind="stable")
    rows = left[order]
    classes = None if first.classes is None else tuple(first.classes[i] for i in rows)
    return _PairedValues(tuple(first.queries[i] for i in rows), classes, one[rows], other[right[order]])


def _interval(systems: list[RelevantRanks], measure: str) -> str:
    """The limits of the mean difference, as `compare` gives them, where there are enough units for any."""
    compared = compared_values(systems, measure, DIFFERENCES_GRAPH)
    main = compared.main
    if not main.pairs or not math.isfinite(main.pairs[0].low + main.pairs[0].high):
        return ""
    low, high = _signed(main.pairs[0].low), _signed(main.pairs[0].high)
    return f" ({100 * compared.level:g}% interval {low} to {high}, {len(main.units):,} {main.unit})"


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")


def _facts(pairs: _PairedValues, chosen: IntArray, names: tuple[str, str], measure: str) -> Facts:
    rows = chosen.tolist()
    facts: dict[str, list[object]] = {"query": [pairs.queries[i] for i in rows]}
    if pairs.classes is not None:
        facts["class"] = [pairs.classes[i] for i in rows]
    facts[f"{measure} of {names[0]}"] = [float(pairs.first[i]) for i in rows]
    facts[f"{measure} of {names[1]}"] = [float(pairs.second[i]) for i in rows]
    return facts


# Power against the number of queries: how many are needed to show a difference that matters.

POWER_CURVE = "the power curve"
EFFECTS = (0.01, 0.02, 0.05)
WANTED = 0.8
TAIL = 0.025  # on each side
FEWEST = 4
FEWEST_DIFFERING = 5
POINTS = 49
FARTHEST = 2**20
ONE_AND_MANY = {"queries": ("query", "queries"), "classes": ("class", "classes")}


@kind("power-curve", "how many queries it takes to distinguish two systems", systems=TWO, compares=True)
def power_curve_graph(
    systems: Systems,
    measure: MeasureOption = "AP",
    effects: Annotated[
        tuple[float, ...], Option("a difference to be found; repeat it", "--effect", metavar="E", above=0)
    ] = EFFECTS,
) -> Graph:
    """The chance to show a true difference of two systems, against the number of queries.

    Simulated with the tests of `compare`, on differences drawn again from the queries at hand, or from their classes
    where these are what chance draws; two-sided at 5 %, of one pair. An open point marks where a curve reaches 80 %: so
    many are needed. Each of `effects` has its curve.
    """
    if not effects:
        raise SettingError(f"{POWER_CURVE} needs at least one difference to be found")
    first, second = counted_systems(systems, POWER_CURVE, TWO)
    from rankscope.analysis.statistics.power import ShownEffects

    whole = score_values([first, second], measure, POWER_CURVE).complete()
    if not len(whole):
        raise SettingError(f"{first.system} and {second.system} share no query with a value")
    by_class = drawn_by_class([first, second])
    table, unit = units_of(whole, by_class), "classes" if by_class else "queries"
    differences = table.differences(first.system, second.system)
    if max(effects) > table.difference_bounds[1]:
        raise SettingError(
            f"no two systems differ in {measure} by more than {table.difference_bounds[1]:g}: there is no effect of "
            f"{max(effects):g}"
        )
    if 0 < np.count_nonzero(differences) < FEWEST_DIFFERING:
        differ = how_many(int(np.count_nonzero(differences)), *ONE_AND_MANY[unit])
        raise SettingError(
            f"{POWER_CURVE} draws from the differences at hand; only {differ} of {differences.size} differ, "
            f"and at least {FEWEST_DIFFERING} must"
        )
    shown = ShownEffects(differences, TAIL)
    graph = _empty_power_curve(first.system, second.system, measure, shown, unit)
    return _with_power(graph, shown, sorted(set(effects)), unit)


def _empty_power_curve(first: str, second: str, measure: str, shown: ShownEffects, unit: str) -> Graph:
    now, least = shown.differences.size, shown.smallest()
    have = how_many(now, *ONE_AND_MANY[unit])
    if math.isfinite(least):
        can = f"{have} find {least:.3f} in 80% of cases"
    else:
        can = f"{have}: differences have no spread, so power is unknown" if math.isnan(least) else f"{have} find none"
    return Graph(
        f"{unit.capitalize()} needed to distinguish {second} from {first}",
        Axis(f"number of {unit}", "n", "log2", domain=(FEWEST, max(2.0 * now, 64.0))),
        Axis("power", domain=(0, 1)),
        subtitle=f"{measure}, the tests of compare, two-sided at 5%; {can}",
        summary=f"Power to show a difference in {measure} between {first} and {second} over the number of {unit}.",
    )


def _with_power(graph: Graph, shown: ShownEffects, effects: list[float], unit: str) -> Graph:
    graph = graph.rule(y=WANTED, label="80%")
    now = shown.differences.size
    if math.isnan(shown.smallest()):
        return graph
    needed = {effect: shown.needed(effect) for effect in effects}
    last = min(float(FARTHEST), max(2.0 * now, 64.0, 1.3 * max(needed.values())))
    graph = graph.described(x=graph.x.over(FEWEST, last)).rule(x=float(max(now, FEWEST)), label=f"now, n = {now:,}")
    takes = [f"a true difference of {decimal_text(each)} takes {needed[each]:,} {unit}" for each in effects[::-1]]
    enough = [each for each, count in needed.items() if count <= now]
    can = f"enough for one of {decimal_text(min(enough))}" if enough else "enough for none of these"
    told = (
        f"{' and '.join(dict.fromkeys([takes[0], takes[-1]]))}. There are {how_many(now, *ONE_AND_MANY[unit])}: {can}."
    )
    graph = graph.described(conclusion=f"To be shown in 80 % of such experiments, {told}")
    counts = sorted({round(each) for each in np.geomspace(FEWEST, last, POINTS).tolist()} | {*needed.values()})
    for effect in reversed(effects):
        power = np.array([shown.power(effect, count) for count in counts if count <= last])
        line = Curve(np.array(counts[: power.size], dtype=np.float64), power)
        name, note = f"difference of {effect:g}", f"needs {how_many(needed[effect], *ONE_AND_MANY[unit])}"
        graph = graph.curve(line, name, note, markers=0)
        if FEWEST <= needed[effect] <= last:
            at = Curve(np.array([float(needed[effect])]), np.array([shown.power(effect, needed[effect])]))
            graph = graph.points(at, name, open=True, facts={f"{unit} needed": [needed[effect]]})
    return graph


# Rank intervals: which places in the list of systems are chance, and how often each is taken over draws.

RANK_INTERVALS = "the graph of rank intervals"
RANKED = SystemCount(2, 60, worth=3)
NAMED = 4  # so many systems stand in the subtitle by name
MOST_LETTERS = 0.035  # room for a letter, as a share of the ranks


SHOWN = Variants(
    "show",
    "Show",
    (
        Variant("intervals", "ranks that remain possible", chosen=True),
        Variant("chances", "how often each rank is taken"),
    ),
)


@kind(
    "rank-intervals",
    "which ranks of several systems are chance",
    systems=RANKED,
    compares=True,
    variants=lambda systems: SHOWN,
)
def rank_intervals_graph(
    systems: Systems,
    measure: MeasureOption = "AP",
    level: LevelOption = 0.95,
    show: Annotated[
        Literal["intervals", "chances"],
        Option("the ranks that tests leave possible, or how often each is taken when queries are drawn again"),
    ] = "intervals",
    seed: int = 0,
    compared: Compared | None = None,
) -> Graph:
    """Systems by their mean, and the ranks that each can have; those that share a letter do not differ significantly.

    The verdict of `compare`: sign-flip and skew-t tests of all pairs, Holm's correction; all intervals hold together
    with the level asked for. The point is the rank of the mean itself. `show` chances: a tile for each system and rank,
    with the share of draws of queries in which it is taken. `compared`: a verdict that was made before.
    """
    shown = counted_systems(systems, RANK_INTERVALS, RANKED)
    result = compared or compared_values(shown, measure, RANK_INTERVALS, level, seed)
    if result.main.ranks is None:
        raise SettingError(f"{RANK_INTERVALS} needs every pair compared, not only those with the baseline")
    if show == "chances":
        return rank_chances_graph(result.main.ranks)
    return _intervals_graph(result.main.ranks, result)


def _intervals_graph(result: RankIntervals, comparison: Compared) -> Graph:
    count = len(result.systems)
    rows = np.arange(float(count), 0.0, -1.0)  # the best system stands highest
    who = ", ".join(result.systems) if count <= NAMED else how_many(count, "systems")
    letters = max(len(each) for each in result.letters)
    right = count + 0.4 + max(0.3, count * (0.02 + MOST_LETTERS * letters))
    drawn = how_many(len(comparison.main.table))
    if comparison.main.unit != "queries":
        drawn += f" of {how_many(len(comparison.main.units), 'classes')}"
    best = [name for name, low in zip(result.systems, result.low, strict=True) if low == 1]
    may = f"{best[0]} alone can be the best" if len(best) == 1 else f"{len(best)} of {count} systems can be the best"
    alone = int((result.low == result.high).sum())
    sure = {0: "no system has a rank of its own", 1: "1 system has a rank of its own"}
    own_rank = sure.get(alone, f"{alone} systems have a rank of their own")
    graph = Graph(
        f"Ranks by {result.measure} that remain possible",
        Axis("rank", domain=(min(0.5, 1 - 0.03 * count), right), ticks=_ticks(count)),
        Axis(
            "system", domain=(0.3, count + 0.7), ticks=tuple(rows[::-1].tolist()), texts=result.systems[::-1], rows=1.15
        ),
        subtitle=f"{who}; {drawn}; intervals hold together at {percent_text(result.level)}; no "
        "significant difference between systems that share a letter"
        + "".join(f"; {name} is {other}" for name, other in comparison.same.items()),
        summary=f"Rank intervals of {who} by {result.measure}.",
        conclusion=f"By {result.measure} {may}; {own_rank}.",
    )
    facts = {
        "system": list(result.systems),
        f"mean {result.measure}": [round(each, 4) for each in result.mean.tolist()],
        "ranks": [f"{a} to {b}" for a, b in zip(result.low.tolist(), result.high.tolist(), strict=True)],
        "group": list(result.letters),
    }
    low, high = result.low.astype(np.float64), result.high.astype(np.float64)
    graph = graph.spans(rows, low, high, "ranks possible", "the point is the rank of the mean")
    graph = graph.points(Curve(np.arange(1.0, count + 1), rows), "ranks possible", facts=facts)
    for row, own in zip(rows.tolist(), result.letters, strict=True):
        graph = graph.text(count + 0.4 + 0.02 * count, row, own)
    return graph


def _ticks(count: int) -> tuple[float, ...]:
    step = max(1, -(-count // 8))
    return tuple(float(each) for each in range(1, count + 1) if each == 1 or each % step == 0)


# How often each system takes each rank when queries are drawn again, as numbers on coloured tiles.

MOST = 16  # systems and ranks: more tiles cannot be read
LEAST = 0.005  # a share below is no number on a tile


def rank_chances_graph(result: RankIntervals) -> Graph:
    """Systems by their mean, ranks from left to right; the darker, the more often."""
    count = min(MOST, len(result.systems))
    chance = result.chance[:count, :count]
    names = result.systems[:count]
    everyone = how_many(len(result.systems), "systems")
    who = everyone if count == len(result.systems) else f"the {count} best of {everyone}"
    ranks = np.arange(1.0, count + 1)
    own = np.diag(result.chance)
    kept = f"{int((own > 0.5).sum())} of {how_many(len(own), 'systems')} keep their rank in more than half of them"
    graph = Graph(
        f"How often each system takes each rank by {result.measure}",
        Axis("rank", domain=(0.5, count + 0.5), ticks=tuple(ranks.tolist())),
        Axis("system", domain=(-count - 0.5, -0.5), ticks=tuple((-ranks).tolist()), texts=names, rows=1.4),
        subtitle=f"{who}; {how_many(result.queries)} drawn again with replacement; percent of the draws",
        summary=f"Chances of ranks of {who} by {result.measure}.",
        conclusion=f"{result.systems[0]} is the best in {float(own[0]):.1%} of the draws; {kept}.",
    )
    rank, row = np.meshgrid(ranks, ranks)
    shares = chance.ravel().tolist()
    return graph.tiles(
        rank.ravel(),
        -row.ravel(),
        chance.ravel(),
        [tile_percent(each) for each in shares],
        name="share of draws",
        facts={
            "system": [name for name in names for _ in names],
            "rank": rank.ravel().astype(int).tolist(),
            "share of draws": [round(each, 4) for each in shares],
        },
    )


def tile_percent(share: float) -> str:
    """A share on a tile: nothing where it rounds to 0, and 100 only for all.

    >>> tile_percent(0.004), tile_percent(0.426), tile_percent(0.9974), tile_percent(1.0)
    ('', '43', '>99', '100')
    """
    if share < LEAST:
        return ""
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"
