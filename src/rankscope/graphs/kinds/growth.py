"""The growth graph: what more examples bring, in a measure or in mean efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import numpy as np

from rankscope.curves.curve import Curve
from rankscope.errors import SettingError
from rankscope.feedback.normalization.convergence import Convergence, mean_convergence
from rankscope.feedback.normalization.growth import ExampleGrowth
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import MOST_BANDS, band_of, facts_of, said
from rankscope.graphs.option import Option
from rankscope.measures.notation import parse_measures
from rankscope.number_texts import how_many

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
    graph = Graph(f"{measure} as examples grow", _across(curves), Axis("mean", measure, domain=(0, 1)))
    graph = _with_curves(graph, curves, topics)
    missing = sum(results.failed.values())
    subtitle += [f"{how_many(missing, 'session', 'sessions')} failed"] if missing else []
    bands = len(curves) if topics > 1 else 0
    return graph.described(subtitle=said(subtitle, bands), summary=f"{measure} over examples of {', '.join(curves)}.")


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
    graph = _with_curves(graph, curves, topics)
    for name, end in ends.items():
        last = Curve(np.append(curves[name].x[-1], end.x), np.append(curves[name].y[-1], end.y))
        graph = graph.curve(last, name, light=True, markers=0).points(end, name, open=True)
    feasible = f"approach {results[0].approach}; {how_many(topics, 'topic', 'topics')}"
    left = sorted({each.topic for each in results if not each.full.feasible})
    subtitle = [feasible, "hollow: all training examples", f"infeasible, left out: {', '.join(left)}" if left else ""]
    bands = len(curves) if topics > 1 else 0
    return graph.described(subtitle=said(subtitle, bands), summary=f"MAE over examples of {', '.join(curves)}.")


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


def _with_curves(graph: Graph, curves: Mapping[str, Curve], topics: int) -> Graph:
    for name, curve in curves.items():
        around = band_of(curve) if topics > 1 and len(curves) <= MOST_BANDS else None
        graph = graph if around is None else graph.band(around, name)
        ends = f"{curve.y[0]:.2f} to {curve.y[-1]:.2f}"
        graph = graph.curve(curve, name, ends, facts=facts_of(curve), markers=range(len(curve)))
    return graph
