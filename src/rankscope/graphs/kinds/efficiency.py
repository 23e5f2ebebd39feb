"""The efficiency graph: how much of what can be learnt from the features each feedback method has learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from rankscope.errors import SettingError
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.verdicts import compared_methods
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import StudyGraphs, kind
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import left_out_words
from rankscope.number_texts import how_many

if TYPE_CHECKING:
    from rankscope.feedback.normalization.normalised import Normalised

MOST = 8
AIR = 1.15  # beyond the last places of a log axis
TITLES = {
    "recall": ("Efficiency of precision over recall", "precision efficiency", "p/p~"),
    "precision-scope": ("Efficiency of precision over scope", "precision efficiency", "p/p~"),
    "recall-scope": ("Efficiency of recall over scope", "recall efficiency", "r/r~"),
}
Efficiencies: TypeAlias = Efficiency | Sequence[Efficiency]


def _study_graphs(results: Results, normalised: Normalised) -> StudyGraphs:
    yield "efficiency", lambda: _means(normalised, compared_methods(results))


def _means(normalised: Normalised, methods: Sequence[str]) -> Graph:
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
    study_graphs=_study_graphs,
)
def efficiency_graph(
    results: Efficiencies,
    corrected: Annotated[bool, Option("without what chance gives")] = False,
) -> Graph:
    """Efficiency against recall or scope: the curve of each method divided by that of the baseline.

    1 is the baseline, the best that was learnt out of fold from all labels but those tested; a curve may rise above it.
    The legend has the mean efficiency (MAE). `corrected` takes off what chance gives: then 0 is a random order.
    """
    shown = [results] if isinstance(results, Efficiency) else list(results)
    over = _checked(shown)
    title, quantity, symbol = TITLES[over]
    words = ("chance-corrected efficiency", "") if corrected else (quantity, symbol)
    graph = Graph(title, _across(shown), Axis(*words, domain=_range(shown, corrected)))
    graph = graph.rule(y=1.0, label="baseline")
    for each, name in zip(shown, _names(shown), strict=True):
        curve = each.curve(corrected)
        mean = each.corrected_mae if corrected else each.mae
        facts = {"method": each.reached.tolist(), "baseline": each.baseline.tolist()}
        graph = graph.curve(curve, name, f"MAE {mean:.2f}", facts=facts, markers=range(len(curve)))
    return graph.described(subtitle=_subtitle(shown, corrected), summary=f"{title}: {', '.join(_names(shown))}.")


def _checked(shown: Sequence[Efficiency]) -> str:
    if not 1 <= len(shown) <= MOST:
        raise SettingError(f"the efficiency graph shows 1 to {MOST} results, got {len(shown)}")
    if len({each.over for each in shown}) != 1:
        raise SettingError("results over recall and over scope do not go on one graph")
    return shown[0].over


def _across(shown: Sequence[Efficiency]) -> Axis:
    if shown[0].over == "recall":
        return Axis("recall", "r", domain=(0, 1.04))
    low, high = (float(end(end(each.at) for each in shown)) for end in (min, max))
    return Axis("relevant scope", "a = s/c", "log2", domain=(low / AIR, high * AIR))


def _range(shown: Sequence[Efficiency], corrected: bool) -> tuple[float, float]:
    values = np.concatenate([each.curve(corrected).y for each in shown])
    values = values[np.isfinite(values)]
    return min(0.0, float(values.min(initial=0.0))), 1.05 * max(1.0, float(values.max(initial=1.0)))


def _names(shown: Sequence[Efficiency]) -> list[str]:
    """Methods; with their topics where there are several."""
    topics = {each.topic for each in shown}
    names = [each.method if len(topics) == 1 else f"{each.topic}: {each.method}" for each in shown]
    if len(set(names)) < len(names):
        raise SettingError("two results of one method on one topic would have the same name on a graph")
    return names


def _subtitle(shown: Sequence[Efficiency], corrected: bool) -> str:
    winners = sorted({each.winner for each in shown} - {""})
    topics = sorted({each.topic for each in shown})
    told = [
        f"topic {topics[0]}" if len(topics) == 1 else how_many(len(topics), "topic", "topics"),
        f"baseline: {', '.join(winners)}" if winners else "",
        "0 is a random order" if corrected else "",
        *sorted({flag for each in shown for flag in each.flags}),
    ]
    return "; ".join(filter(None, told))
