"""The rounds graph: what each round of feedback brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np

from rankscope.curves.curve import Curve, Region
from rankscope.errors import SettingError
from rankscope.feedback.study.display_quality import OF_ONE_DISPLAY
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import Summary
from rankscope.feedback.study.verdicts import NO_FEEDBACK, SEEN
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import StudyGraphs, kind
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import left_out_words
from rankscope.number_texts import how_many

if TYPE_CHECKING:
    from rankscope.feedback.normalization.normalised import Normalised

MOST = 8
MOST_BANDS = 3  # more over each other cannot be read: then the best and no feedback have one
REFERENCES = ("ideal", "all-labels", "random")
APART = 0.12  # of the height: guides that run closer than this would have their names over each other


def _study_graphs(results: Results, normalised: Normalised) -> StudyGraphs:
    """In what decides, and in relevant items seen; of the same methods, so that a colour is one method in both."""
    same = shown_methods(Summary(results, results.measures[0]))
    yield "rounds-measure", lambda: rounds_graph(results, methods=same)
    yield "rounds-recall", lambda: rounds_graph(results, SEEN, methods=same)


@kind("rounds", "what each round of feedback brings", needs=("feedback",), study_graphs=_study_graphs)
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
    banded = set(shown) if len(shown) <= MOST_BANDS else {shown[0], NO_FEEDBACK}
    for name in shown:
        _, low, high = summary.means(name)
        if name in banded and np.isfinite(low).any():
            graph = graph.band(Region(number, low, high), name)
    told = f"{quantity} by round of {', '.join(shown)}."
    subtitle = "; ".join([_subtitle(summary, shown, banded), *left_out_words(_not_drawn(summary, shown))])
    return graph.described(subtitle=subtitle, summary=told)


def shown_methods(summary: Summary, methods: Sequence[str] | None = None) -> list[str]:
    """Those asked for, or the best in the last round, and no feedback."""
    if methods is not None:
        unknown = [name for name in methods if name not in summary.results.methods]
        if unknown or not 1 <= len(methods) <= MOST:
            there = ", ".join(summary.results.methods)
            asked = ", ".join(methods)
            raise SettingError(
                f"the rounds graph shows 1 to {MOST} methods of the study, got {asked}; there are {there}"
            )
        return list(methods)
    again = {name for group in summary.results.alike() for name in group[1:]}
    ordered = [name for name in summary.ordered if name not in again]
    plain = [NO_FEEDBACK] if NO_FEEDBACK in summary.controls else []
    return [*ordered[: MOST - len(plain)], *plain]


def _not_drawn(summary: Summary, shown: Sequence[str]) -> list[str]:
    """The methods that have no curve, with the mean of the last round, or the method whose curve is theirs too."""
    same = {name: group[0] for group in summary.results.alike() for name in group[1:]}
    return [
        f"{name} (as {same[name]})" if same.get(name) in shown else f"{name} ({summary.means(name)[0][-1]:.2f})"
        for name in summary.ordered
        if name not in shown
    ]


def _references(
    summary: Summary, shown: Sequence[str], number: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> list[Curve]:
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


def _curve(summary: Summary, name: str, number: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Curve:
    return Curve(x=number, y=summary.means(name)[0], name=name, x_name="round", y_name=summary.quantity)


def _subtitle(summary: Summary, shown: Sequence[str], banded: set[str]) -> str:
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
    return "; ".join(parts)
