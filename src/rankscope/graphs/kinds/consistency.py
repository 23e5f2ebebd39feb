"""The consistency graph: with the answer among the features, how near a method comes to the ideal system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from rankscope.curves.curve import Curve
from rankscope.errors import SettingError
from rankscope.feedback.normalization.consistency import Consistency
from rankscope.feedback.normalization.efficiency_curves import mean_curve, places
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.option import Option
from rankscope.number_texts import how_many

MOST = 8
AIR = 1.15  # beyond the smallest and the largest gain


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
