"""Graphs of feedback: rounds, efficiency, growth with more examples, and consistency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.statistics.bootstrap import Intervals
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.feedback.normalization.consistency import Consistency
from rankscope.feedback.normalization.efficiency import Efficiency, mean_curve, places
from rankscope.feedback.normalization.example_sets import (
    Convergence,
    ExampleGrowth,
    mean_convergence,
    topic_convergence,
)
from rankscope.feedback.study.loop import OF_ONE_DISPLAY
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import NO_FEEDBACK, SEEN, Summary, compared_methods
from rankscope.measures.notation import parse_measures
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.kinds import Option, StudyGraphs, kind, left_out_words
from rankscope.reports.graphs.systems import MOST_BANDS, facts_of

if TYPE_CHECKING:
    from rankscope.feedback.normalization.generalisation import Normalised


# The rounds graph: what each round of feedback brings.

MOST = 8
MOST_ROUND_BANDS = 3  # more over each other cannot be read: then the best and no feedback have one
REFERENCES = ("ideal", "all-labels", "random")
APART = 0.12  # of the height: guides that run closer than this would have their names over each other


def _rounds_study(results: Results, normalised: Normalised) -> StudyGraphs:
    """In what decides, and in relevant items seen; of the same methods, so that a colour is one method in both."""
    same = shown_methods(Summary(results, results.measures[0]))
    yield "rounds-measure", lambda: rounds_graph(results, methods=same)
    yield "rounds-recall", lambda: rounds_graph(results, SEEN, methods=same)


@kind("rounds", "what each round of feedback brings", needs=("feedback",), study_graphs=_rounds_study)
def rounds_graph(
    results: Results,
    measure: Annotated[str | None, Option("of the scored list, or a share of what was shown")] = None,
    methods: Annotated[Sequence[str] | None, Option("a method to be shown")] = None,
) -> Graph:
    """A measure against the round of feedback, one curve per method: which learns fastest, and does feedback help.

    Round 0 is the ranking before feedback. Means over sessions, with 95 % intervals of topics drawn anew. `measure` is
    a measure of the scored list or a share of what was shown; the one that decides unless told. Of more than eight
    methods the best of the last round are shown, and of those that rank alike one.
    """
    quantity = measure or results.measures[0]
    summary = Summary(results, quantity)
    shown = shown_methods(summary, methods)
    highest = max([1.0, *(float(np.nanmax(summary.means(name)[0], initial=0.0)) for name in shown)])
    last = results.last
    graph = Graph(
        f"{quantity} as feedback goes on",
        Axis("round of feedback", domain=(-0.1, last + 0.1), whole=True),
        Axis("mean", quantity, domain=(0, highest), lower_is_better=results.lower_is_better(quantity)),
    )
    number = np.arange(last + 1, dtype=np.float64)
    graph = graph.guides(_references(summary, shown, number), dashed=True, at=1.0, side="above left")
    for name in shown:
        mean, low, high = summary.means(name)
        facts = {"low": low.tolist(), "high": high.tolist()}
        ends = f"{mean[0]:.2f} to {mean[-1]:.2f}"
        graph = graph.curve(_curve(summary, name, number), name, ends, facts=facts, markers=range(last + 1))
    banded = set(shown) if len(shown) <= MOST_ROUND_BANDS else {shown[0], NO_FEEDBACK}
    for name in shown:
        _, low, high = summary.means(name)
        if name in banded and np.isfinite(low).any():
            graph = graph.band(Region(number, low, high), name)
    told = f"{quantity} by round of {', '.join(shown)}."
    same = {name: group[0] for group in results.alike() for name in group[1:]}  # whose curve is theirs too
    left_out = [
        f"{name} (as {same[name]})" if same.get(name) in shown else f"{name} ({summary.means(name)[0][-1]:.2f})"
        for name in summary.ordered
        if name not in shown
    ]
    parts = [*_rounds_words(summary, shown, banded), *left_out_words(left_out)]
    return graph.described(subtitle="; ".join(parts), summary=told)


def shown_methods(summary: Summary, methods: Sequence[str] | None = None) -> list[str]:
    """Those asked for, or the best in the last round, and no feedback."""
    if methods is not None:
        unknown = [name for name in methods if name not in summary.results.methods]
        if unknown or not 1 <= len(methods) <= MOST:
            asked, there = ", ".join(methods), ", ".join(summary.results.methods)
            raise SettingError(
                f"the rounds graph shows 1 to {MOST} methods of the study, got {asked}; there are {there}"
            )
        return list(methods)
    again = {name for group in summary.results.alike() for name in group[1:]}
    ordered = [name for name in summary.ordered if name not in again]
    plain = [NO_FEEDBACK] if NO_FEEDBACK in summary.controls else []
    return [*ordered[: MOST - len(plain)], *plain]


def _references(summary: Summary, shown: Sequence[str], number: FloatArray) -> list[Curve]:
    """What cannot be beaten and what chance gives; of two that run together the first.

    A system that has shown everything has nothing left to show: on one display alone `ideal` is no limit, so it is
    drawn only where it cannot be beaten.
    """
    curves: list[Curve] = []
    for name in REFERENCES:
        limit = name != "ideal" or summary.quantity not in OF_ONE_DISPLAY
        if limit and name in summary.results.methods and name not in shown:
            curve = _curve(summary, name, number)
            if not curves or abs(curves[-1].y[-1] - curve.y[-1]) > APART:
                curves.append(curve)
    return curves


def _curve(summary: Summary, name: str, number: FloatArray) -> Curve:
    return Curve(x=number, y=summary.means(name)[0], name=name, x_name="round", y_name=summary.quantity)


def _rounds_words(summary: Summary, shown: Sequence[str], banded: set[str]) -> list[str]:
    results, quantity = summary.results, summary.quantity
    how = results.about["protocol"]
    parts = [
        how_many(len(results.topics), "topic", "topics"),
        f"user {results.about['user']}",
        f"{how_many(how['scope'], 'items')} shown",
        *([f"{how['scored']} list"] if quantity in results.measures else []),
    ]
    if len(results.topics) > 1:
        some = "" if banded >= set(shown) else f" of {' and '.join(name for name in shown if name in banded)}"
        parts.append(f"bands{some}: 95% intervals of the mean, {summary.intervals.words}")
    return parts


# The efficiency graph: how much of what can be learnt from the features each feedback method has learnt.

AIR = 1.15  # beyond the last places of a log axis
TITLES = {
    "recall": ("Efficiency of precision over recall", "precision efficiency", "p/p~"),
    "precision-scope": ("Efficiency of precision over scope", "precision efficiency", "p/p~"),
    "recall-scope": ("Efficiency of recall over scope", "recall efficiency", "r/r~"),
}
Efficiencies: TypeAlias = Efficiency | Sequence[Efficiency]


def _efficiency_study(results: Results, normalised: Normalised) -> StudyGraphs:
    yield "efficiency", lambda: _mean_efficiencies(normalised, compared_methods(results))


def _mean_efficiencies(normalised: Normalised, methods: Sequence[str]) -> Graph:
    """Means over feasible topics, of the best methods where there are many; the others are named."""
    chosen = [each for each in normalised.mean_curves() if each.method in methods]
    curves = sorted(chosen, key=lambda each: -np.nan_to_num(each.mae))
    examples = f"{normalised.examples} + {normalised.examples} examples, user {normalised.users}"
    parts = [f"mean over {how_many(len(normalised.feasible), 'feasible topics')}", examples]
    parts += left_out_words([f"{each.method} (MAE {each.mae:.2f})" for each in curves[MOST:]])
    return efficiency_graph(curves[:MOST]).described(subtitle="; ".join(parts))


@kind(
    "efficiency",
    "how much of what can be learnt a feedback method has learnt",
    needs=("feedback",),
    study_graphs=_efficiency_study,
)
def efficiency_graph(
    results: Efficiencies, corrected: Annotated[bool, Option("without what chance gives")] = False
) -> Graph:
    """Efficiency against recall or scope: the curve of each method divided by that of the baseline.

    1 is the baseline, the best that was learnt out of fold from all labels but those tested; a curve may rise above it.
    The legend has the mean efficiency (MAE). `corrected` takes off what chance gives: then 0 is a random order.
    """
    shown = [results] if isinstance(results, Efficiency) else list(results)
    if not 1 <= len(shown) <= MOST:
        raise SettingError(f"the efficiency graph shows 1 to {MOST} results, got {len(shown)}")
    if len({each.over for each in shown}) != 1:
        raise SettingError("results over recall and over scope do not go on one graph")
    title, quantity, symbol = TITLES[shown[0].over]
    words = ("chance-corrected efficiency", "") if corrected else (quantity, symbol)
    values = np.concatenate([each.curve(corrected).y for each in shown])
    values = values[np.isfinite(values)]
    domain = min(0.0, float(values.min(initial=0.0))), 1.05 * max(1.0, float(values.max(initial=1.0)))
    if shown[0].over == "recall":
        x = Axis("recall", "r", domain=(0, 1.04))
    else:
        low, high = (float(end(end(each.at) for each in shown)) for end in (min, max))
        x = Axis("relevant scope", "a = s/c", "log2", domain=(low / AIR, high * AIR))
    graph = Graph(title, x, Axis(*words, domain=domain)).rule(y=1.0, label="baseline")
    names = _names(shown)
    for each, name in zip(shown, names, strict=True):
        curve = each.curve(corrected)
        mean = each.corrected_mae if corrected else each.mae
        facts = {"method": each.reached.tolist(), "baseline": each.baseline.tolist()}
        graph = graph.curve(curve, name, f"MAE {mean:.2f}", facts=facts, markers=range(len(curve)))
    winners = sorted({each.winner for each in shown} - {""})
    topics = sorted({each.topic for each in shown})
    told = [
        f"topic {topics[0]}" if len(topics) == 1 else how_many(len(topics), "topic", "topics"),
        f"baseline: {', '.join(winners)}" if winners else "",
        "0 is a random order" if corrected else "",
        *sorted({flag for each in shown for flag in each.flags}),
    ]
    return graph.described(subtitle="; ".join(filter(None, told)), summary=f"{title}: {', '.join(names)}.")


def _names(shown: Sequence[Efficiency]) -> list[str]:
    """Methods; with their topics where there are several."""
    topics = {each.topic for each in shown}
    names = [each.method if len(topics) == 1 else f"{each.topic}: {each.method}" for each in shown]
    if len(set(names)) < len(names):
        raise SettingError("two results of one method on one topic would have the same name on a graph")
    return names


# The growth graph: what more examples bring, in a measure or in mean efficiency.

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
    graph = Graph(f"{measure} as examples grow", _examples_axis(curves), axis)
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
    axis = _examples_axis({**curves, **{f"{name} in full": end for name, end in ends.items()}})
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


def _examples_axis(curves: Mapping[str, Curve]) -> Axis:
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


# The consistency graph: with the answer among the features, how near a method comes to the ideal system.


@kind("consistency", "what a method learns with the answer among the features", needs=("feedback",))
def consistency_graph(
    results: Sequence[Consistency],
    against: Annotated[Literal["recall", "gain"], Option("what it is drawn against")] = "recall",
    gain: Annotated[float | None, Option("strength of the answer, in mean standard deviations")] = None,
) -> Graph:
    """Precision against recall with the answer as one more feature; the ideal system is 1 everywhere.

    Hollow: the same sessions without it. `gain` says how strong the feature is, in mean standard deviations (none: 0 or
    1 as it is). Against gain it shows AP: a consistent method needs little to reach 1.
    """
    shown = [each for each in results if (each.gain is not None if against == "gain" else each.gain == gain)]
    methods = list(dict.fromkeys(each.method for each in shown))
    if not 1 <= len(methods) <= MOST:
        there = sorted({"none" if each.gain is None else f"{each.gain:g}" for each in results})
        raise SettingError(
            f"the consistency graph shows 1 to {MOST} methods, got {len(methods)}; gains: {', '.join(there)}"
        )
    graph = _over_gain(shown, methods) if against == "gain" else _over_recall(shown, gain)
    sessions = how_many(len(shown[0].plain), "session", "sessions")
    parts = [f"topic {shown[0].topic}", sessions, graph.subtitle]
    return graph.described(subtitle="; ".join(filter(None, parts)), summary=f"Consistency of {', '.join(methods)}.")


def _over_recall(shown: Sequence[Consistency], gain: float | None) -> Graph:
    words = "0 or 1" if gain is None else f"gain {gain:g}"
    graph = Graph(
        "With the answer among the features",
        Axis("recall", "r", domain=(0, 1.04)),
        Axis("precision", "p", domain=(0, 1.05)),
        subtitle=f"indicator of the target {words}; hollow: without it",
    ).rule(y=1.0, label="ideal")
    at = places("recall")
    for each in shown:
        before, after = each.average_precision
        graph = graph.curve(each.efficiency().curve(), each.method, f"AP {before:.2f} to {after:.2f}", markers=0)
        plain = Curve(at, mean_curve(each.plain.take(np.flatnonzero(each.plain.answered)), "recall", at))
        graph = graph.points(plain, each.method, open=True)
    return graph


def _over_gain(shown: Sequence[Consistency], methods: Sequence[str]) -> Graph:
    gains = sorted({each.gain for each in shown if each.gain is not None})
    low, high = gains[0], max(gains[-1], 2 * gains[0])
    graph = Graph(
        "With the answer among the features",
        Axis("gain of the indicator", "in mean sd", "log2", domain=(low / AIR, high * AIR)),
        Axis("mean", "AP", domain=(0, 1.05)),
    ).rule(y=1.0, label="ideal")
    for method in methods:
        results = sorted((each for each in shown if each.method == method), key=lambda each: each.gain or 0.0)
        values = np.array([each.average_precision for each in results])
        curve = Curve(np.array([each.gain for each in results], dtype=np.float64), values[:, 1])
        graph = graph.curve(curve, method, f"{values[0, 0]:.2f} without", markers=range(len(curve)))
    return graph
