"""The growth graph: what more examples bring, in a measure or in mean efficiency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve, Region
from rankscope.errors import SettingError
from rankscope.feedback.normalization.convergence import Convergence, mean_convergence, topic_convergence
from rankscope.feedback.normalization.growth import ExampleGrowth
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import MOST_BANDS, facts_of
from rankscope.graphs.option import Option
from rankscope.measures.notation import parse_measures
from rankscope.number_texts import how_many
from rankscope.statistics.intervals.bootstrap import Intervals
from rankscope.statistics.intervals.mean_intervals import mean_intervals

MOST = 8
AIR = 1.15  # beyond the smallest and the largest set
GrowthResults: TypeAlias = ExampleGrowth | Sequence[Convergence]


@kind("growth", "what more examples bring", needs=("feedback",))
def growth_graph(
    results: GrowthResults,
    measure: Annotated[str, Option("the measure, of example-set testing")] = "AP",
    corrected: Annotated[bool, Option("without what chance gives, of convergence")] = False,
) -> Graph:
    """A measure, or mean efficiency, against the number of examples: which method learns from the fewest.

    Example sets are nested, so that every step is paired. From example-set testing it shows the measure asked for; from
    convergence the MAE, where a hollow point stands for the whole training part and 1 is the baseline.
    """
    if isinstance(results, ExampleGrowth):
        return _measured(results, measure)
    return _converging(list(results), corrected)


def _measured(results: ExampleGrowth, measure: str) -> Graph:
    asked = parse_measures([measure], 1.0)
    if len(asked) != 1:
        raise SettingError(f"the growth graph shows one measure, got {measure!r}")
    curves = {name: results.curve(name, asked[0]) for name in results.ranks}
    one = next(iter(results.ranks.values()))[0]
    topics = len(set(one.classes or ()))
    subtitle = [
        how_many(topics, "topic", "topics"),
        f"{how_many(results.repeats, 'example set', 'example sets')} of each",
    ]
    axis = Axis("mean", measure, domain=(0, 1), lower_is_better=asked[0].lower_is_better)
    graph = Graph(f"{measure} as examples grow", _across(curves), axis)
    bounds = asked[0].bounds()
    made = _intervals({name: results.topic_means(name, asked[0]) for name in curves}, bounds)
    graph = _with_curves(graph, curves, made)
    missing = sum(results.failed.values())
    subtitle += [f"{how_many(missing, 'session', 'sessions')} failed"] if missing else []
    return graph.described(subtitle=_told(subtitle, made), summary=f"{measure} over examples of {', '.join(curves)}.")


def _converging(results: list[Convergence], corrected: bool) -> Graph:
    if not results or len({each.approach for each in results}) != 1:
        raise SettingError("the growth graph shows at least one convergence, all with baselines of one approach")
    by_method: dict[str, list[Convergence]] = {}
    for each in results:
        by_method.setdefault(each.method, []).append(each)
    curves = {name: mean_convergence(result, corrected) for name, result in by_method.items()}
    topics = len({each.topic for each in results})
    ends = {name: _end(result, corrected) for name, result in by_method.items()}
    axis = _across({**curves, **{f"{name} in full": end for name, end in ends.items()}})
    top = max(1.0, *(float(np.nanmax(each.y)) for each in (*curves.values(), *ends.values())))
    symbol = "chance-corrected MAE" if corrected else "MAE"
    graph = Graph("Efficiency as examples grow", axis, Axis("mean efficiency", symbol, domain=(0, 1.05 * top)))
    graph = graph.rule(y=1.0, label="baseline")
    made = _intervals(
        {name: topic_convergence(result, corrected)[1] for name, result in by_method.items()},
        (-math.inf if corrected else 0.0, math.inf),
    )
    graph = _with_curves(graph, curves, made)
    for name, end in ends.items():
        last = Curve(np.append(curves[name].x[-1], end.x), np.append(curves[name].y[-1], end.y))
        graph = graph.curve(last, name, light=True, markers=0).points(end, name, open=True)
    feasible = f"approach {results[0].approach}; {how_many(topics, 'topic', 'topics')}"
    left = sorted({each.topic for each in results if not each.full.feasible})
    subtitle = [feasible, "hollow: all training examples", f"infeasible, left out: {', '.join(left)}" if left else ""]
    return graph.described(subtitle=_told(subtitle, made), summary=f"MAE over examples of {', '.join(curves)}.")


def _end(convergences: Sequence[Convergence], corrected: bool) -> Curve:
    """The mean over feasible topics with all training examples, at the mean number of them."""
    there = [each for each in convergences if each.full.feasible]
    values = [each.full.corrected_mae if corrected else each.full.mae for each in there]
    return Curve(np.array([np.mean([each.most for each in there])]), np.array([np.mean(values)]))


def _across(curves: Mapping[str, Curve]) -> Axis:
    if not 1 <= len(curves) <= 2 * MOST:
        raise SettingError(f"the growth graph shows 1 to {MOST} methods, got {len(curves)}")
    low, high = (end(float(end(each.x)) for each in curves.values()) for end in (min, max))
    return Axis("positive examples", "n", "log2", domain=(low / AIR, AIR * (high if high > low else 2 * low)))


def _intervals(values: Mapping[str, FloatArray], bounds: tuple[float, float]) -> dict[str, Intervals]:
    """Of the means over topics (rows) at each size, where so few curves have bands that they can be distinguished."""
    if len(values) > MOST_BANDS:
        return {}
    made = {name: mean_intervals(table, bounds=bounds) for name, table in values.items()}
    return {name: replace(each, unit="topics") for name, each in made.items() if each.units > 1}


def _told(parts: Sequence[str], made: Mapping[str, Intervals]) -> str:
    """A subtitle of its parts, with which intervals the bands are where there are any."""
    bands = [f"bands: 95% intervals of the mean, {each.words}" for each in list(made.values())[:1]]
    return "; ".join([*filter(None, parts), *bands])


def _with_curves(graph: Graph, curves: Mapping[str, Curve], made: Mapping[str, Intervals]) -> Graph:
    most = graph.y.domain[1] if graph.y.domain else math.inf
    for name, curve in curves.items():
        if name in made:
            low, high = (np.minimum(end, most) for end in (made[name].low, made[name].high))
            graph = graph.band(Region(curve.x, low, high), name)
        ends = f"{curve.y[0]:.2f} to {curve.y[-1]:.2f}"
        graph = graph.curve(curve, name, ends, facts=facts_of(curve), markers=range(len(curve)))
    return graph
