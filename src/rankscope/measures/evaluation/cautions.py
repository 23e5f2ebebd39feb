"""What must be said with some measures: lists shorter than a cut-off, means that were simulated, easy collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.core.arrays import BoolArray
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many
from rankscope.measures.evaluation.coverage import Caution
from rankscope.measures.evaluation.expected_ties import MOST_ORDERS, RANDOM_ORDERS
from rankscope.measures.evaluation.scores import Column
from rankscope.ranks.provenance import chosen_distractors
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

RANDOM_LEVEL = 0.01  # share of the collection that is relevant, above which chance alone does well


def cautions(ranks: RelevantRanks, columns: Sequence[Column], settings: Settings) -> list[Caution]:
    """Everything to be said of one system's columns."""
    return [
        *own_distractors(ranks),
        *short_lists(ranks, columns),
        *simulation_notes(columns, settings),
        *unknown(columns),
    ]


def some(texts: Sequence[str], most: int = 4) -> str:
    """The first few, and how many more there are.

    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def short_lists(ranks: RelevantRanks, columns: Sequence[Column]) -> list[Caution]:
    """Measures that look further down than lists go on, unless these hold the whole collection."""
    going_on = ranks.answered & ((ranks.collection == UNKNOWN) | (ranks.depth < ranks.collection))
    deeper = []
    for column in columns:
        reach = None if column.measure.summary == "none" else column.measure.reach(ranks)  # a short list, a short word
        count = 0 if reach is None else int((going_on & (reach > ranks.depth)).sum())
        deeper += [f"{column.asked} in {count:,}"] if count else []
    if not deeper:
        return []
    held = ranks.depth[ranks.answered]
    text = (
        f"cut deeper than the list goes: {some(deeper)} of {how_many(held.size, 'queries')}; lists hold "
        f"{_span(held.tolist())} "
        "items, and nothing behind their end counts as found"
    )
    return [Caution("Short lists", text, float(held.min()))]


def _span(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def simulation_notes(columns: Sequence[Column], settings: Settings) -> list[Caution]:
    """Means over random orders, with their standard errors."""
    shown = [
        f"{column.asked} (standard error {column.summary_error:.2g})"
        for column in columns
        if column.error is not None and bool((column.error[column.counted] > 0).any())
    ]
    if not shown:
        return []
    text = (
        f"where equal scores have more than {MOST_ORDERS:,} orders, not exact but the mean of {RANDOM_ORDERS:,} random "
        f"orders (seed {settings.seed}): {some(shown, 8)}"
    )
    return [Caution("Simulated", text)]


def unknown(columns: Sequence[Column]) -> list[Caution]:
    """Measures whose worst and best order nobody has proven, where there are too many to go through."""
    shown = [column.asked for column in columns if _unknown(column).any()]
    text = f"the worst and the best order of equal scores are not known for {some(shown, 8)}"
    return [Caution("Unknown orders", text)] if shown else []


def _unknown(column: Column) -> BoolArray:
    if column.worst is None:
        return np.zeros(column.values.size, dtype=np.bool_)
    return np.asarray(column.counted & np.isnan(column.worst) & ~np.isnan(column.values))


def own_distractors(ranks: RelevantRanks) -> list[Caution]:
    """A collection that was cut down to some distractors of each class."""
    chosen = chosen_distractors(ranks.provenance)
    text = f"each class was ranked among its own distractors, {chosen}, not in the whole collection"
    return [Caution("Own distractors", text)] if chosen else []


def easy_collection(systems: Sequence[RelevantRanks]) -> list[Caution]:
    """`few_distractors`, said once of a collection that all systems share."""
    said = [few_distractors(each) for each in systems]
    if said and all(lines == said[0] for lines in said):
        return said[0]
    return [replace(one, system=each.system) for each, own in zip(systems, said, strict=True) for one in own]


def few_distractors(ranks: RelevantRanks) -> list[Caution]:
    """A collection so small for its classes that a random order does well."""
    known = (ranks.collection != UNKNOWN) & (ranks.relevant > 0)
    level = float((ranks.relevant[known] / ranks.collection[known]).mean()) if known.any() else 0.0
    if level <= RANDOM_LEVEL:
        return []
    text = (
        f"too few distractors: in a random order {level:.1%} of the items are relevant "
        f"({_span(ranks.relevant[known].tolist())} of {_span(ranks.collection[known].tolist())}), "
        f"and above {RANDOM_LEVEL:.0%} chance alone does well"
    )
    return [Caution("Few distractors", text, level)]
