"""Power against the number of queries: how many are needed to show a difference that matters."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.score_values import MeasureOption, unit_table
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import TWO
from rankscope.number_texts import decimal_text, how_many

WHAT = "the power curve"
EFFECTS = (0.01, 0.02, 0.05)
WANTED = 0.8
FEWEST = 4
POINTS = 121
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

    The spread of the differences is that of the queries at hand, or of their classes where these are what chance draws;
    the test is the two-sided paired t test at 5%. An open point marks where a curve reaches 80%: so many are needed.
    Each of `effects` has its curve.
    """
    if not effects:
        raise SettingError(f"{WHAT} needs at least one difference to be found")
    first, second = counted_systems(systems, WHAT, TWO)
    from rankscope.statistics.pairs.paired_t import spread

    table, unit = unit_table([first, second], measure, WHAT)
    differences = table.differences(first.system, second.system)
    sd, now = spread(differences), differences.size
    return _drawn(_empty(first.system, second.system, measure, sd, now, unit), sd, now, sorted(set(effects)), unit)


def _empty(first: str, second: str, measure: str, sd: float, now: int, unit: str) -> Graph:
    from rankscope.statistics.pairs.power import smallest_effect

    have = how_many(now, *ONE_AND_MANY[unit])
    can = (
        f"sd of differences {sd:.3f}; {have} find {smallest_effect(now, sd):.3f}"
        if sd > 0
        else f"{have}: differences have no spread, so power is unknown"
    )
    return Graph(
        f"{unit.capitalize()} needed to distinguish {second} from {first}",
        Axis(f"number of {unit}", "n", "log2", domain=(FEWEST, max(2.0 * now, 64.0))),
        Axis("power", domain=(0, 1)),
        subtitle=f"{measure}, two-sided t test at 5%; {can}" + (" in 80% of cases" if sd > 0 else ""),
        summary=f"Power to show a difference in {measure} between {first} and {second} over the number of {unit}.",
    )


def _drawn(graph: Graph, sd: float, now: int, effects: list[float], unit: str) -> Graph:
    from rankscope.statistics.pairs.power import paired_power, queries_needed

    graph = graph.rule(y=WANTED, label="80%")
    if not sd > 0:
        return graph
    needed = {effect: queries_needed(effect, sd) for effect in effects}
    last = min(float(FARTHEST), max(2.0 * now, 64.0, 1.3 * max(needed.values())))
    graph = graph.described(x=graph.x.over(FEWEST, last)).rule(x=float(max(now, FEWEST)), label=f"now, n = {now:,}")
    graph = graph.described(conclusion=_conclusion(needed, now, unit))
    for effect in reversed(effects):
        line = _curve(effect, sd, last)
        name, note = f"difference of {effect:g}", f"needs {how_many(needed[effect], *ONE_AND_MANY[unit])}"
        graph = graph.curve(line, name, note, markers=0)
        if FEWEST <= needed[effect] <= last:
            reached = paired_power(effect, sd, needed[effect])
            at = Curve(np.array([float(needed[effect])]), np.array([float(reached)]))
            graph = graph.points(at, name, open=True, facts={f"{unit} needed": [needed[effect]]})
    return graph


def _conclusion(needed: dict[float, int], now: int, unit: str) -> str:
    """How many queries the largest and the smallest difference need, beside how many there are."""
    have = how_many(now, *ONE_AND_MANY[unit])
    told = [f"a true difference of {decimal_text(each)} takes {needed[each]:,} {unit}" for each in sorted(needed)[::-1]]
    shown = list(dict.fromkeys([told[0], told[-1]]))
    enough = [each for each, count in needed.items() if count <= now]
    can = f"enough for one of {decimal_text(min(enough))}" if enough else "enough for none of these"
    return f"To be shown in 80 % of such experiments, {' and '.join(shown)}. There are {have}: {can}."


def _curve(effect: float, sd: float, last: float) -> Curve:
    from rankscope.statistics.pairs.power import paired_power

    count: FloatArray = np.geomspace(FEWEST, last, POINTS)
    return Curve(count, paired_power(effect, sd, count))
