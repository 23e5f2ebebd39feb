"""Per-query differences of two systems, sorted: who wins where, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve, Region
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.score_values import MeasureOption, compared_values
from rankscope.graphs.marks import Facts
from rankscope.graphs.system_count import TWO
from rankscope.measures.direction import EQUAL, tally, turn
from rankscope.measures.notation import parse_measures
from rankscope.number_texts import how_many, signed_text
from rankscope.ranks.relevant_ranks import RelevantRanks

MOST_BARS = 150
WHAT = "the graph of per-query differences"


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
    first, second = counted_systems(systems, WHAT, TWO)
    chosen = parse_measures([measure], first.rel)
    if len(chosen) != 1:
        raise SettingError(f"{WHAT} shows one measure, got {measure}")
    pairs = _paired(first, second, chosen[0].bind(first).of(first), chosen[0].bind(second).of(second))
    lower = chosen[0].lower_is_better
    better, worse, equal = tally(pairs.difference, lower)
    mean = float(pairs.difference.mean())
    count = len(pairs.queries)
    graph = Graph(
        f"{measure}: {second.system} minus {first.system}",
        Axis("queries, by difference", domain=(0.5, count + 0.5), whole=True),
        Axis("difference in", measure, domain=_domain(pairs.difference)),
        subtitle=f"mean difference {_signed(mean)}{_interval([first, second], measure)}{_equal(equal)}",
        summary=f"{second.system} is better on {better}, {first.system} on {worse} of {how_many(count, 'queries')}.",
        conclusion=_conclusion(pairs, (first.system, second.system), (worse, better), lower),
    )
    graph = _drawn(graph, pairs, (first.system, second.system), lower, measure)
    return graph.rule(y=0.0, dashed=False).rule(y=mean, label="mean")


def _drawn(graph: Graph, pairs: _PairedValues, names: tuple[str, str], lower: bool, measure: str) -> Graph:
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


def _conclusion(pairs: _PairedValues, names: tuple[str, str], counts: tuple[int, int], lower: bool) -> str:
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
    compared = compared_values(systems, measure, WHAT)
    main = compared.main
    if not main.pairs or not math.isfinite(main.pairs[0].low + main.pairs[0].high):
        return ""
    low, high = _signed(main.pairs[0].low), _signed(main.pairs[0].high)
    return f" ({100 * compared.level:g}% interval {low} to {high}, {len(main.units):,} {main.unit})"


def _equal(count: int) -> str:
    return f"; {how_many(count)} equal" if count else ""


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")


def _domain(difference: FloatArray) -> tuple[float, float]:
    low, high = min(0.0, float(difference.min())), max(0.0, float(difference.max()))
    room = 0.05 * (high - low) or 0.1
    return low - room, high + room


def _facts(pairs: _PairedValues, chosen: IntArray, names: tuple[str, str], measure: str) -> Facts:
    rows = chosen.tolist()
    facts: dict[str, list[object]] = {"query": [pairs.queries[i] for i in rows]}
    if pairs.classes is not None:
        facts["class"] = [pairs.classes[i] for i in rows]
    facts[f"{measure} of {names[0]}"] = [float(pairs.first[i]) for i in rows]
    facts[f"{measure} of {names[1]}"] = [float(pairs.second[i]) for i in rows]
    return facts
