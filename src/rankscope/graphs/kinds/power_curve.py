"""Power against the number of queries: how many are needed to show a difference that matters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

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

if TYPE_CHECKING:
    from rankscope.statistics.pairs.power import ShownEffects

WHAT = "the power curve"
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
        raise SettingError(f"{WHAT} needs at least one difference to be found")
    first, second = counted_systems(systems, WHAT, TWO)
    from rankscope.statistics.pairs.power import ShownEffects

    table, unit = unit_table([first, second], measure, WHAT)
    differences = table.differences(first.system, second.system)
    if max(effects) > table.difference_bounds[1]:
        raise SettingError(
            f"no two systems differ in {measure} by more than {table.difference_bounds[1]:g}: there is no effect of "
            f"{max(effects):g}"
        )
    if 0 < np.count_nonzero(differences) < FEWEST_DIFFERING:
        differ = how_many(int(np.count_nonzero(differences)), *ONE_AND_MANY[unit])
        raise SettingError(
            f"{WHAT} draws from the differences at hand; only {differ} of {differences.size} differ, and at least "
            f"{FEWEST_DIFFERING} must"
        )
    shown = ShownEffects(differences, TAIL)
    return _drawn(_empty(first.system, second.system, measure, shown, unit), shown, sorted(set(effects)), unit)


def _empty(first: str, second: str, measure: str, shown: ShownEffects, unit: str) -> Graph:
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


def _drawn(graph: Graph, shown: ShownEffects, effects: list[float], unit: str) -> Graph:
    graph = graph.rule(y=WANTED, label="80%")
    now = shown.differences.size
    if math.isnan(shown.smallest()):
        return graph
    needed = {effect: shown.needed(effect) for effect in effects}
    last = min(float(FARTHEST), max(2.0 * now, 64.0, 1.3 * max(needed.values())))
    graph = graph.described(x=graph.x.over(FEWEST, last)).rule(x=float(max(now, FEWEST)), label=f"now, n = {now:,}")
    graph = graph.described(conclusion=_conclusion(needed, now, unit))
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


def _conclusion(needed: dict[float, int], now: int, unit: str) -> str:
    """How many queries the largest and the smallest difference need, next to how many there are."""
    have = how_many(now, *ONE_AND_MANY[unit])
    told = [f"a true difference of {decimal_text(each)} takes {needed[each]:,} {unit}" for each in sorted(needed)[::-1]]
    shown = list(dict.fromkeys([told[0], told[-1]]))
    enough = [each for each, count in needed.items() if count <= now]
    can = f"enough for one of {decimal_text(min(enough))}" if enough else "enough for none of these"
    return f"To be shown in 80 % of such experiments, {' and '.join(shown)}. There are {have}: {can}."
