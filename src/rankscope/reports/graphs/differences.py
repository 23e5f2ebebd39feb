"""The difference of two systems: query by query, sorted, and the power to show one against the number of queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many, signed_text
from rankscope.measures.direction import EQUAL, tally, turn
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import TWO, Option, kind
from rankscope.reports.graphs.marks import Facts
from rankscope.reports.graphs.systems import MeasureOption, Systems, compared_values, counted_systems, unit_table

if TYPE_CHECKING:
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
    graph = Graph(
        f"{measure}: {second.system} minus {first.system}",
        Axis("queries, by difference", domain=(0.5, count + 0.5), whole=True),
        Axis("difference in", measure, domain=(low - room, high + room)),
        subtitle=f"mean difference {_signed(mean)}{_interval([first, second], measure)}{equally}",
        summary=f"{second.system} is better on {better}, {first.system} on {worse} of {how_many(count, 'queries')}.",
        conclusion=_differences_conclusion(pairs, (first.system, second.system), (worse, better), lower),
    )
    graph = _with_differences(graph, pairs, (first.system, second.system), lower, measure)
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


def _differences_conclusion(pairs: _PairedValues, names: tuple[str, str], counts: tuple[int, int], lower: bool) -> str:
    """How many queries each system wins, and where the second wins and loses most."""
    first, second = names
    worse, better = counts
    won, lost = (-1, 0) if lower else (0, -1)
    ends = [f"the largest win of {second} is query {_at(pairs, won)}"] if better else []
    ends += [f"the largest of {first} is query {_at(pairs, lost)}"] if worse else []
    told = f"{second} is better on {better:,} of {how_many(len(pairs.queries))}, {first} on {worse:,}"
    return "; ".join([told, *ends]) + "."


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

    table, unit = unit_table([first, second], measure, POWER_CURVE)
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
    return _with_power(
        _empty_power_curve(first.system, second.system, measure, shown, unit), shown, sorted(set(effects)), unit
    )


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
    graph = graph.described(conclusion=_power_conclusion(needed, now, unit))
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


def _power_conclusion(needed: dict[float, int], now: int, unit: str) -> str:
    """How many queries the largest and the smallest difference need, next to how many there are."""
    have = how_many(now, *ONE_AND_MANY[unit])
    told = [f"a true difference of {decimal_text(each)} takes {needed[each]:,} {unit}" for each in sorted(needed)[::-1]]
    shown = list(dict.fromkeys([told[0], told[-1]]))
    enough = [each for each, count in needed.items() if count <= now]
    can = f"enough for one of {decimal_text(min(enough))}" if enough else "enough for none of these"
    return f"To be shown in 80 % of such experiments, {' and '.join(shown)}. There are {have}: {can}."
