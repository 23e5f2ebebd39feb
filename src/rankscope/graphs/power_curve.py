"""Power against the number of queries: how many are needed to show a difference that matters."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.class_tables import score_table
from rankscope.graphs.describing import Systems, counted_systems, how_many
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.paired_t import spread
from rankscope.statistics.power import paired_power, queries_needed, smallest_effect
from rankscope.statistics.units import class_deviations, unit_classes

WHAT = "the power curve"
EFFECTS = (0.01, 0.02, 0.05)
WANTED = 0.8
Unit = tuple[str, str]  # one of them, several of them
FEWEST = 4
POINTS = 121
FARTHEST = 2**20


@kind("power-curve")
def power_curve_graph(systems: Systems, measure: str = "AP", effects: tuple[float, ...] = EFFECTS) -> Graph:
    """The chance to show a true difference of two systems, against the number of queries.

    The spread of the differences is that of the queries at hand; the test is the two-sided paired t test at 5%. Where
    queries of a class look for the same items the class is the unit: so many classes are needed, with as many queries
    as those at hand have. An open point marks where a curve reaches 80%. Each of `effects` has its curve.
    """
    if isinstance(systems, RelevantRanks) or len(systems) != 2:
        raise SettingError(f"{WHAT} shows two systems, got {1 if isinstance(systems, RelevantRanks) else len(systems)}")
    if not effects or min(effects) <= 0:
        raise SettingError(f"{WHAT}: effects are mean differences above 0")
    first, second = counted_systems(systems, WHAT)
    table = score_table([first, second], measure, WHAT)
    if not table.differences(first.system, second.system).size:
        raise SettingError(f"{first.system} and {second.system} share no query with a value")
    by_class = all(unit_classes(each) is not None for each in (first, second))
    units = class_deviations(table.complete()) if by_class else table
    differences = units.differences(first.system, second.system)
    sd, now = spread(differences), differences.size
    unit = ("class", "classes") if by_class else ("query", "queries")
    empty = _empty(first.system, second.system, measure, sd, now, unit)
    return _drawn(empty, sd, now, sorted(set(effects)), unit)


def _empty(first: str, second: str, measure: str, sd: float, now: int, unit: Unit) -> Graph:
    can = f"sd of differences {sd:.3f}; {how_many(now, *unit)} find {smallest_effect(now, sd):.3f}" if sd > 0 else (
        f"{how_many(now, *unit)}: no spread of differences to tell power from"
    )  # fmt: skip
    return Graph(
        f"{unit[1].capitalize()} needed to tell {second} from {first}",
        Axis(f"number of {unit[1]}", "n", "log2", domain=(FEWEST, max(2.0 * now, 64.0))),
        Axis("power", domain=(0, 1)),
        subtitle=f"{measure}, two-sided t test at 5%; {can}" + (" in 80% of cases" if sd > 0 else ""),
        summary=f"Power to show a difference in {measure} between {first} and {second} over the number of {unit[1]}.",
    )


def _drawn(graph: Graph, sd: float, now: int, effects: list[float], unit: Unit) -> Graph:
    graph = graph.rule(y=WANTED, label="80%")
    if not sd > 0:
        return graph
    needed = {effect: queries_needed(effect, sd) for effect in effects}
    last = min(float(FARTHEST), max(2.0 * now, 64.0, 1.3 * max(needed.values())))
    graph = graph.described(x=graph.x.over(FEWEST, last)).rule(x=float(max(now, FEWEST)), label=f"now, n = {now:,}")
    for effect in reversed(effects):
        line = _curve(effect, sd, last)
        name, note = f"difference of {effect:g}", f"needs {how_many(needed[effect], *unit)}"
        graph = graph.curve(line, name, note, markers=0)
        if FEWEST <= needed[effect] <= last:
            reached = paired_power(effect, sd, needed[effect])
            at = Curve(np.array([float(needed[effect])]), np.array([float(reached)]))
            graph = graph.points(at, name, open=True, facts={f"{unit[1]} needed": [needed[effect]]})
    return graph


def _curve(effect: float, sd: float, last: float) -> Curve:
    count: FloatArray = np.geomspace(FEWEST, last, POINTS)
    return Curve(count, paired_power(effect, sd, count))
