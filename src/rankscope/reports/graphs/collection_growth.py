"""Quality as the collection grows: the forecast, and what happens where relevant items and distractors grow alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region, known_sizes
from rankscope.analysis.statistics.bands import Band
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.query_curves import QueryCurves
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many, percent_text, plain_number
from rankscope.measures.measure import Measure
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.kinds import ONE, Option, kind
from rankscope.reports.graphs.systems import (
    Systems,
    band_around,
    band_words,
    counted_systems,
    generality_words,
    pointwise_facts,
    random_name,
    shown_of,
    with_band,
)

if TYPE_CHECKING:
    from rankscope.analysis.curves.thinning import EvenGrowth
    from rankscope.analysis.forecast.backtest import ForecastInterval, OtherQueries
    from rankscope.analysis.forecast.growth import Forecast


# The growth forecast: what smaller collections gave, exactly, and what larger ones will give, with intervals.

FORECAST_GRAPH = "the forecast graph"
HALVINGS = 5
STEPS = 2  # between today and the end


@dataclass(frozen=True, eq=False)
class _Grown:
    """One system: sizes and means from the past on, and forecasts with their intervals."""

    past: Curve
    future: Curve
    these: Region  # for the same queries
    others: Region  # for the mean over all queries of the kind, or for another set of as many
    last: Forecast


@kind(
    "forecast",
    "a measure as the collection grows",
    needs=("collection size",),
    uses=("scores",),
    enough=250,
    costly=True,
)
def forecast_graph(
    systems: Systems,
    to: Annotated[float | str, Option("to how many items, or how many times more", metavar="N|10x")] = "10x",
    measure: Annotated[str, Option("the measure", "-m --measure")] = "Rprec",
    model: str | None = None,
    force: Annotated[bool, Option("a graph even where the back-test says no")] = False,
    other_queries: Annotated[
        Literal["all", "another-set"],
        Option("what the light band is for, the mean over all queries of the kind or another set of as many"),
    ] = "all",
) -> Graph:
    """A measure against the size of the collection: exact for smaller ones, forecast for larger ones.

    Class sizes stay. To the left of today random distractors are left out, an exact mean; to the right a model looks
    ahead, from scores where there are real ones and else from ranks alone, with 90% intervals: the dark band is for
    these queries, the light one for the mean over all queries of the kind, or for another set of as many. New items
    must come from the same population. `to` is how many times (10x) or how many items. Needs the size of the
    collection.
    """
    shown = counted_systems(systems, FORECAST_GRAPH)
    asked = parse_measures([measure], shown[0].rel)
    if len(asked) != 1:
        raise SettingError(f"{FORECAST_GRAPH} shows one measure, got {measure!r}")
    for queries in shown:
        known_sizes(queries, "a forecast")  # what has none is refused before anything is loaded that looks ahead
    grown = [_grown(queries, asked[0], to, model, force, other_queries) for queries in shown]
    first = grown[0].last
    low = min(float(each.past.x.min()) for each in grown)
    graph = Graph(
        f"{measure} as the collection grows",
        Axis("collection size", "d", "log2", domain=(low, max(float(each.last.target) for each in grown))),
        Axis("mean", measure, domain=(0, 1)),
        subtitle=f"{percent_text(first.level)} bands: these queries dark, {_others(first)} light; {_error(grown[0])}",
        summary=f"{measure} of {', '.join(each.last.system for each in grown)} over collection size.",
    )
    graph = graph.rule(x=float(first.collection), label=f"today, d = {first.collection:,}")
    for queries, each in zip(shown, grown, strict=True):
        graph = _with_forecast(graph, each, queries)
    return graph


def _with_forecast(graph: Graph, grown: _Grown, queries: RelevantRanks) -> Graph:
    name, result = queries.system, grown.last.measures[0]
    note = f"{how_many(result.queries)}, {result.now:.3f} to {result.forecast:.3f} by {result.model}"
    told = {"model": ["exact"] * len(grown.past)}
    ahead = {
        "model": [result.model] * len(grown.future),
        "these queries": _texts(grown.these),
        _others(grown.last): _texts(grown.others),
    }
    graph = graph.band(grown.others, name).band(grown.these, name).curve(grown.past, name, note, markers=0)
    graph = graph.curve(grown.future, name, markers=0, light=True)
    graph = graph.points(grown.past, name, facts=told)
    return graph.points(grown.future, name, open=np.arange(len(grown.future)) > 0, facts=ahead)


def _others(result: Forecast) -> str:
    """What the light band is for."""
    one = result.measures[0]
    return f"all such {one.unit}" if result.other_queries == "all" else f"another {how_many(one.units, one.unit)}"


def _grown(
    queries: RelevantRanks, measure: Measure, to: float | str, model: str | None, force: bool, others: OtherQueries
) -> _Grown:
    from rankscope.analysis.forecast.backtest import ForecastInterval
    from rankscope.analysis.forecast.growth import forecast_course

    course = forecast_course(queries, to, measure, model, steps=STEPS, force=force, other_queries=others)
    last, now = course[-1], course[-1].measures[0].now
    ahead = [each.measures[0] for each in course]
    size = np.array([last.collection, *(each.target for each in course)], dtype=np.float64)
    middle = np.array([now, *(each.forecast for each in ahead)])
    these = _region(size, [ForecastInterval(now, now), *(each.these for each in ahead)])
    light = _region(size, [_today(queries, measure, last), *(each.others(others) for each in ahead)])
    return _Grown(
        past=_past(queries, measure, last.collection, now),
        future=Curve(size, middle),
        these=these,
        others=light,
        last=last,
    )


def _today(queries: RelevantRanks, measure: Measure, last: Forecast) -> ForecastInterval:
    """What other queries would give today: the interval of the mean that every command gives, wider for another set."""
    from rankscope.analysis.forecast.backtest import ForecastInterval

    some = queries.take(np.flatnonzero(measure.defined(queries)))
    intervals = mean_intervals(measure.of(some)[:, None], unit_classes(some), level=last.level, bounds=measure.bounds())
    now, (low, high) = float(intervals.mean[0]), measure.bounds()
    if not intervals.ways[0]:  # one query says nothing of others, as in the forecast itself
        return ForecastInterval(low if np.isfinite(low) else now, high if np.isfinite(high) else now)
    wider = 1.0 if last.other_queries == "all" else float(np.sqrt(2.0))
    ends = [now + wider * (float(end[0]) - now) for end in (intervals.low, intervals.high)]
    return ForecastInterval(max(low, ends[0]), min(high, ends[1]))


def _region(size: FloatArray, intervals: Sequence[ForecastInterval]) -> Region:
    return Region(size, np.array([each.low for each in intervals]), np.array([each.high for each in intervals]))


def _texts(region: Region) -> list[str]:
    return [f"{low:.3f} to {high:.3f}" for low, high in zip(region.low, region.high, strict=True)]


def _past(queries: RelevantRanks, measure: Measure, collection: int, now: float) -> Curve:
    """Exact means in collections of half the size, a quarter, ... as long as every query keeps a distractor."""
    from rankscope.analysis.curves.thinning import expected_value

    sizes: list[float] = [float(collection)]
    means = [now]
    for halving in range(1, HALVINGS + 1):
        kept = queries.collection // 2**halving - queries.relevant
        if (kept < 1).any():
            break
        value: FloatArray = expected_value(queries, kept, measure).low
        sizes.append(collection / 2**halving)
        means.append(float(np.nanmean(value)))
    return Curve(np.array(sizes[::-1]), np.array(means[::-1]))


def _error(grown: _Grown) -> str:
    """How wrong the model was about today, at the largest factor tried."""
    tests = grown.last.measures[0].own_tests
    if not tests:
        return "no back-test possible"
    farthest = max(tests, key=lambda test: test.factor)
    return f"back-test at {farthest.factor:g}x errs by {farthest.error:+.3f}".replace("-0", "\N{MINUS SIGN}0")


# Quality while a collection grows as a whole, and while only its distractors do (Huijsmans & Sebe 2001, 1).

EVEN_GROWTH_GRAPH = "growth of a whole collection"
ALIKE, ALONE = "relevant items and distractors grow alike", "only distractors grow"


@kind(
    "even-growth",
    "quality while relevant items and distractors grow alike",
    systems=ONE,
    needs=("collection size",),
    enough=500,
)
def even_growth_graph(
    systems: Systems,
    shares: Annotated[
        Sequence[float] | None,
        Option(
            "shares of today's collection, as 0.25,0.5,1. Default: 1, 1/2, 1/4, 1/8, as far as half of the queries "
            "have a relevant item left",
            metavar="X,X",
            above=0,
        ),
    ] = None,
) -> Graph:
    """Precision = recall (at scope c) of one system while the whole collection grows, its relevant items too.

    Where relevant items and distractors grow alike the generality stays, and so should quality, at a scope that grows
    with the class; where only distractors grow it falls. From shares of today's collection: members of the class and
    distractors are left out at random, exact means over all ways to do so. Only queries whose class has a member left
    at the least of the `shares` are followed. Needs the size of the collection.
    """
    (queries,) = counted_systems(systems, EVEN_GROWTH_GRAPH, ONE)
    known_sizes(queries, EVEN_GROWTH_GRAPH)
    from rankscope.analysis.curves.thinning import even_growth

    grown = even_growth(queries, shares)
    y = Axis("precision = recall", "p = r", domain=(0, 1))
    ticks = tuple(sorted(grown.shares.tolist()))
    x = Axis("share of today's collection", "", "log2", domain=(ticks[0], ticks[-1]), ticks=ticks)
    graph = Graph(f"{queries.system} while the whole collection grows", x, y)
    order = np.argsort(grown.shares)
    both, alone = (values.mean(axis=0)[order] for values in (grown.chance, grown.chance_alone))
    name = random_name(grown.chance[:, 0])
    graph = graph.guides([Curve(grown.shares[order], both, name)], dashed=True, at=1.0, side="above left")
    graph = graph.guides([Curve(grown.shares[order], alone)], dashed=True)
    bands: list[Band] = []
    for name, values in ((ALIKE, grown.alike), (ALONE, grown.alone)):
        graph, around = _with_growth(graph, grown, name, values)
        bands.append(around)
    told = [each for each in band_words(bands) if "sampling units" not in each]
    who = shown_of(grown.queries, grown.counted)
    if len(grown.queries) < grown.counted:
        who += f" with c >= {int(np.ceil(1 / grown.shares.min() - 1e-9))}"
    words = [who, generality_words([grown.queries]), "exact means over all ways to leave items out", *told]
    means = [values.mean(axis=0)[order].tolist() for values in (grown.alike, grown.alone)]
    ends = [f"{decimal_text(each[0])} to {decimal_text(each[-1])}" for each in means]
    return graph.described(
        subtitle="; ".join(words),
        summary=f"Quality of {queries.system} while relevant items and distractors grow.",
        conclusion=(
            f"From {plain_number(ticks[0])} of the collection to all of it, precision at scope c goes from {ends[0]} "
            f"where relevant items grow too, and from {ends[1]} where only distractors grow."
        ),
    )


def _with_growth(graph: Graph, grown: EvenGrowth, name: str, values: FloatArray) -> tuple[Graph, Band]:
    """One curve with its band; its facts are the mean scope and class."""
    own = grown.queries
    order = np.argsort(grown.shares)
    curves = QueryCurves(
        x=grown.shares[order], values=values[:, order], queries=own.queries, classes=own.classes, system=own.system
    )
    around = band_around(curves, own)
    scope = grown.members if name == ALIKE else np.broadcast_to(own.relevant[:, None], grown.members.shape)
    mean_scope = [f"{each:.4g}" for each in scope[:, order].mean(axis=0)]
    facts = {"mean scope": mean_scope, **pointwise_facts(curves, own)}
    return with_band(graph, around, name, facts=facts, markers=range(order.size), shaded=True), around
