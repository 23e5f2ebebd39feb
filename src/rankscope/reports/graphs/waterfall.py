"""The ledger of a pipeline as a waterfall: from the value of the first stage to that of the last, one bar a stage."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.pipeline.account import Account, StageEntry, Statement, loss_sentence, statement_of
from rankscope.analysis.statistics.sampling_units import drawn_by_class
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many, signed_text
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.kinds import Option, SystemCount, kind
from rankscope.reports.graphs.systems import LevelOption, Systems, counted_systems

WHAT = "the ledger"
STAGES = SystemCount(2, 12)
ScopeOption = Annotated[
    int | None, Option("look at so many items of each list; none: as many as are relevant", metavar="K", least=1)
]


@kind("ledger", "the stages of a pipeline: what each takes of recall", systems=STAGES, paper_width="full")
def ledger_graph(systems: Systems, scope: ScopeOption = None, level: LevelOption = 0.95, seed: int = 0) -> Graph:
    """What each stage of a pipeline takes of recall, from the first to the last: one bar a stage.

    The systems are the runs behind each stage, in order. The bars add up: they lead from the value of the first stage
    to that of the last. A stage that brings relevant items back rises.
    """
    from rankscope.analysis.pipeline.ledger import main_quantity

    stages = counted_systems(systems, WHAT, STAGES)
    first, relevant = stages[0], stages[0].relevant
    same = [each.queries == first.queries and np.array_equal(each.relevant, relevant) for each in stages]
    others = [each.system for each, alike in zip(stages, same, strict=True) if not alike]
    if others:
        raise SettingError(
            f"{WHAT} follows the same queries and relevant items through all stages; {', '.join(others)} "
            f"{'has' if len(others) == 1 else 'have'} others than {first.system}"
        )
    limit = relevant if scope is None else np.full(relevant.size, scope)
    account = Account(
        name=main_quantity(scope),
        stages=tuple(each.system for each in stages),
        relevant=relevant,
        hits=np.stack([each.hits(limit) for each in stages], axis=1),
        best=np.minimum(relevant, limit),
    )
    drawn = stages[0].classes if drawn_by_class(stages) else None
    return waterfall(statement_of(account, drawn, level=level, seed=seed))


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
        return float(np.nanmax([self.before, self.entry.value, self.likely[1]]))


def waterfall(statement: Statement) -> Graph:
    """What each stage takes of recall or p = r, from the first stage to the last; lines: intervals of the losses."""
    first, *later, whole = statement.entries
    pairs = enumerate(pairwise(statement.entries[:-1]), 2)
    steps = [_Step(float(place), before.value, each) for place, (before, each) in pairs]
    names = (first.stage, *(each.stage for each in later), END)
    highest = max([first.value, *(min(1.0, step.top) for step in steps)])
    top = HEAD * highest if highest > 0 else 1.0
    lacking = decimal_text(float(statement.account.never_found))
    level = f"{100 * statement.of_losses.level:.3g}%"
    drawn = f"lines: {level} intervals, {statement.of_losses.words}" if _intervals(steps) else ""
    never = f"never found by {first.stage}: {lacking}" if lacking != decimal_text(0.0) else ""
    graph = Graph(
        f"Where {statement.name} goes, from {first.stage} to {statement.account.stages[-1]}",
        Axis(
            "stage",
            domain=(0.5, len(names) + 0.5),
            ticks=tuple(np.arange(1.0, len(names) + 1.0).tolist()),
            texts=tuple(short_name(name, max(4, ALL_NAMES // len(names))) for name in names),
        ),
        Axis(f"mean {statement.name}", domain=(0.0, top)),
        subtitle="; ".join(filter(None, (how_many(statement.queries), drawn, never))),
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
    half = THICK / 2
    joints = [  # level lines from each bar to the next, and through stages that change nothing
        Curve(np.array([place + (half if each.loss else -half), place + 1 - half]), np.full(2, each.value))
        for place, each in enumerate(statement.entries[:-1], 1)
    ]
    graph = graph.guides(joints).guides(_intervals(steps))
    words = [(1.0, first.value, decimal_text(first.value))]
    words += [(step.place, min(1.0, step.top), signed_text(-step.entry.loss)) for step in steps]
    words += [(len(steps) + 2.0, whole.value, decimal_text(whole.value))]
    for place, height, text in words:
        graph = graph.text(place, height + ABOVE * top, text, "center")
    return graph


def _intervals(steps: list[_Step]) -> list[Curve]:
    """Upright lines where chance leaves an end of a bar open."""
    known = [step for step in steps if np.isfinite(step.likely).all() and step.likely[0] < step.likely[1]]
    return [Curve(np.full(2, step.place), np.clip(step.likely, 0.0, 1.0)) for step in known]


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


def short_name(name: str, most: int) -> str:
    """A name that does not run into its neighbour's.

    >>> short_name("rerank", 9), short_name("cross-encoder", 9)
    ('rerank', 'cross-en…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}\u2026"
