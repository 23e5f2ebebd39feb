"""The waterfall of a pipeline: from the value of the first stage down to that of the last, one bar a stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscope.curves.curve import Curve
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.number_texts import decimal_text, how_many, signed_text
from rankscope.pipeline.statement import StageEntry, Statement
from rankscope.pipeline.words import loss_sentence

THICK = 0.62
HEAD = 1.12  # of the highest mark, so that numbers have room above the bars
ABOVE = 0.035  # of the height, between a bar and its number
ALL_NAMES = 48  # signs of all names below the bars together that a column of a page has room for
LOSS, GAIN = "lost here", "gained here"
END = "end"


@dataclass(frozen=True)
class _Step:
    """The bar of one stage at its place, from the value before it to the value behind it."""

    place: float
    before: float
    entry: StageEntry

    @property
    def likely(self) -> tuple[float, float]:
        """Between which values the bar may end, by the interval of the loss."""
        return self.before - self.entry.loss_high, self.before - self.entry.loss_low

    @property
    def top(self) -> float:
        """The highest of the bar and its interval."""
        return float(np.nanmax([self.before, self.entry.value, self.likely[1]]))


def waterfall(statement: Statement) -> Graph:
    """What each stage takes of recall or p = r, from the first stage to the last; lines: intervals of the losses."""
    first, *later, whole = statement.entries
    steps = list(_steps(statement))
    names = (first.stage, *(each.stage for each in later), END)
    top = _top(statement, steps)
    graph = Graph(
        f"Where {statement.name} goes, from {first.stage} to {statement.account.stages[-1]}",
        Axis(
            "stage",
            domain=(0.5, len(names) + 0.5),
            ticks=tuple(np.arange(1.0, len(names) + 1.0).tolist()),
            texts=tuple(_short(name, max(4, ALL_NAMES // len(names))) for name in names),
        ),
        Axis(f"mean {statement.name}", domain=(0.0, top)),
        subtitle=_subtitle(statement, steps),
        summary=loss_sentence(statement),
        conclusion=loss_sentence(statement),
    )
    ends = Curve(np.array([1.0, len(names)]), np.array([first.value, whole.value]))
    graph = graph.bars(ends, statement.name, thick=THICK, facts={"stage": [first.stage, END]})
    for name, sign in ((LOSS, 1), (GAIN, -1)):
        for step in steps:
            if sign * step.entry.loss > 0:
                line = Curve(np.array([step.place]), np.array([step.entry.value]))
                graph = graph.bars(line, name, base=step.before, thick=THICK, facts=_facts(step.entry))
    return _with_numbers(graph.guides(_joints(statement)).guides(_intervals(steps)), statement, steps, top)


def _steps(statement: Statement) -> Iterator[_Step]:
    for place, (before, each) in enumerate(pairwise(statement.entries[:-1]), 2):
        yield _Step(float(place), before.value, each)


def _joints(statement: Statement) -> list[Curve]:
    """Level lines from each bar to the next, and through stages that change nothing."""
    half = THICK / 2
    return [
        Curve(np.array([place + (half if each.loss else -half), place + 1 - half]), np.full(2, each.value))
        for place, each in enumerate(statement.entries[:-1], 1)
    ]


def _intervals(steps: list[_Step]) -> list[Curve]:
    """Upright lines where chance leaves an end of a bar open."""
    known = [step for step in steps if np.isfinite(step.likely).all() and step.likely[0] < step.likely[1]]
    return [Curve(np.full(2, step.place), np.clip(step.likely, 0.0, 1.0)) for step in known]


def _with_numbers(graph: Graph, statement: Statement, steps: list[_Step], top: float) -> Graph:
    """Values above the first and the last bar, and what each stage changes above the others."""
    first, whole = statement.entries[0], statement.entries[-1]
    words = [(1.0, first.value, decimal_text(first.value))]
    words += [(step.place, min(1.0, step.top), signed_text(-step.entry.loss)) for step in steps]
    words += [(len(steps) + 2.0, whole.value, decimal_text(whole.value))]
    for place, height, text in words:
        graph = graph.text(place, height + ABOVE * top, text, "center")
    return graph


def _facts(each: StageEntry) -> dict[str, list[object]]:
    """What to tell of a stage: its interval and how many items it moved, where they are known."""
    known = {
        "from": None if np.isnan(each.loss_low) else each.loss_low,
        "to": None if np.isnan(each.loss_high) else each.loss_high,
        "lost": each.lost,
        "demoted": each.demoted,
        "promoted": each.promoted,
        "brought back": each.brought_back,
    }
    told: dict[str, list[object]] = {"stage": [each.stage], "loss": [each.loss]}
    return told | {name: [value] for name, value in known.items() if value is not None}


def _top(statement: Statement, steps: list[_Step]) -> float:
    highest = max([statement.entries[0].value, *(min(1.0, step.top) for step in steps)])
    return HEAD * highest if highest > 0 else 1.0


def _subtitle(statement: Statement, steps: list[_Step]) -> str:
    """How many queries, what the lines are, and what the first stage lacks already."""
    lacking = decimal_text(float(statement.account.never_found))
    level = f"{100 * statement.of_losses.level:.3g}%"
    drawn = f"lines: {level} intervals, {statement.of_losses.words}" if _intervals(steps) else ""
    never = f"never found by {statement.entries[0].stage}: {lacking}" if lacking != decimal_text(0.0) else ""
    return "; ".join(filter(None, (how_many(statement.queries), drawn, never)))


def _short(name: str, most: int) -> str:
    """A name that does not run into its neighbour's.

    >>> _short("rerank", 9), _short("cross-encoder", 9)
    ('rerank', 'cross-en…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}\u2026"
