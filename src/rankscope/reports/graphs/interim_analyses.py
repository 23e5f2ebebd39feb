"""A sequential test: what an interim analysis found, as text, Markdown, JSON, and as a graph of all of them."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.comparison.gate import signed_text, size_text, with_side
from rankscope.analysis.comparison.sequential_state import LookCheck, Question, SequentialState
from rankscope.analysis.curves.curve import Curve, Region
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many, join_words
from rankscope.measures.direction import turn
from rankscope.reports.graphs.graph import Axis, Graph

# A graph of looks: the change with limits that hold at all looks together, over the queries that counted.

MOST_CHECKS = 4
AIR = 1.15  # of the largest limit that is in view


def sequential_graph(state: SequentialState) -> Graph:
    """The looks of a state, one curve with its limits for each pair and measure; hollow points are not decided yet."""
    names = _names(state)
    if len(names) > MOST_CHECKS:
        raise SettingError(f"{len(names)} pairs and measures make no readable graph; {MOST_CHECKS} at most")
    counts = np.array([look.queries for look in state.looks], dtype=np.float64)
    rows = [[look.checks[number] for look in state.looks] for number in range(len(names))]
    graph = Graph(
        _title(state, names),
        Axis("queries counted", whole=True, domain=(0.0, float(counts[-1]) * 1.04)),
        Axis("change", domain=_domain(rows)),
        subtitle=f"{how_many(len(counts), 'looks')}; band: limits that hold at all of them together; hollow: not "
        "decided yet",
        summary=". ".join(
            _summary(name, checks[-1], better == "lower")
            for name, checks, better in zip(names, rows, state.question.better_of_checks, strict=True)
        )
        + ".",
    )
    for name, checks in zip(names, rows, strict=True):
        graph = _with_check(graph, name, counts, checks, _domain(rows))
    graph = graph.rule(y=0.0, label="no change")
    for loss, label in _losses(state.question):
        graph = graph.rule(y=loss, label=label)
    return graph


def _with_check(
    graph: Graph, name: str, counts: FloatArray, checks: list[LookCheck], view: tuple[float, float]
) -> Graph:
    """One more check; its band ends where the axis does."""
    change, low, high = (np.array([getattr(each, key) for each in checks]) for key in ("change", "low", "high"))
    line = Curve(counts, change)
    facts: dict[str, list[object]] = {
        "queries": [int(each) for each in counts],
        "low": low.round(4).tolist(),
        "high": high.round(4).tolist(),
        "decision": [each.decision for each in checks],
    }
    graph = graph.band(Region(counts, low.clip(*view), high.clip(*view)), name).curve(line, name, markers=0)
    return graph.points(line, name, open=[each.decision == "not yet" for each in checks], facts=facts)


def _losses(question: Question) -> list[tuple[float, str]]:
    """Where the smallest losses that matter lie; whose they are where they lie on both sides."""
    found: dict[float, list[str]] = {}
    for measure, better, effect in zip(question.measures, question.better, question.min_effect, strict=True):
        if effect > 0:
            found.setdefault(-effect * turn(better == "lower"), []).append(measure)
    whose = len(set(question.better)) > 1
    return [
        (loss, f"loss {size_text(abs(loss))}{f' of {join_words(measures)}' if whose else ''}")
        for loss, measures in sorted(found.items())
    ]


def _title(state: SequentialState, names: list[str]) -> str:
    if len(names) == 1 and state.question.kind == "gate":
        return f"{names[0]}: {state.systems[1]} minus {state.systems[0]}"
    return names[0] if len(names) == 1 else "Changes, look by look"


def _names(state: SequentialState) -> list[str]:
    question = state.question
    if question.kind == "gate":
        return list(question.measures)
    measures = [f" {each}" if len(question.measures) > 1 else "" for each in question.measures]
    names = state.systems
    return [f"{names[second]} minus {names[first]}{each}" for each in measures for first, second in question.pairs]


def _summary(name: str, last: LookCheck, lower_is_better: bool) -> str:
    decided = "not decided yet" if last.decision == "not yet" else f"decided: {last.decision}"
    change, low, high = with_side(last.change, lower_is_better), signed_text(last.low), signed_text(last.high)
    return f"{name} at the last look: {change} from {low} to {high}, {decided}"


def _domain(rows: list[list[LookCheck]]) -> tuple[float, float]:
    """What the limits of the second half of the looks need, so that the width of the first look hides nothing."""
    late = [each for checks in rows for each in checks[len(checks) // 2 :]]
    reach = max(abs(each) for check in late for each in (check.low, check.high, check.change))
    largest = max(abs(check.change) for checks in rows for check in checks)
    bound = min(1.0, AIR * max(reach, largest))
    return -bound, bound
