"""One measure of one system as a column of values: in a peer's way, and over the orders of equal scores if asked."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.measure import Measure
from rankscope.measures.scores import Column
from rankscope.measures.summary import counted_queries, summary_of, zero_where_nothing_is_relevant
from rankscope.ranks.expectation import extreme_order, random_orders
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings, peer

RANDOM_ORDERS = 1000


def seen_of(ranks: RelevantRanks, settings: Settings) -> RelevantRanks:
    """The rankings as far as they count: cut at the depth, then without what is not judged."""
    cut = ranks.cut(settings.depth)
    if not settings.judged_only:
        return cut
    return replace(cut.condensed(), provenance={**cut.provenance, "condensed": True})


def column_of(asked: Measure, whole: RelevantRanks, seen: RelevantRanks, settings: Settings) -> Column:
    """A measure's values, which queries count and the summary; under `ties="expected"` the extremes too."""
    measure = in_peers_way(asked, settings).bind(seen)
    if settings.ties != "expected" or whole.ties.size == 0:
        values, error = measure.of(seen), None
    else:
        values, error = _over_all_orders(measure, whole, settings)
    counted = counted_queries(measure, seen, settings)
    values = zero_where_nothing_is_relevant(values, measure, seen, settings)
    column = Column(
        measure, str(asked), values, counted, summary_of(measure, values, counted, seen, settings), error=error,
        words=measure.words(seen), word=measure.word(seen),
    )  # fmt: skip
    if settings.ties != "expected":
        return column
    extremes = [
        zero_where_nothing_is_relevant(
            measure.of(seen_of(extreme_order(whole, best), settings)), measure, seen, settings
        )
        for best in (False, True)
    ]
    summaries = [summary_of(measure, each, counted, seen, settings) for each in extremes]
    return replace(column, worst=extremes[0], best=extremes[1], extremes=(summaries[0], summaries[1]))


def _over_all_orders(
    measure: Measure, whole: RelevantRanks, settings: Settings
) -> tuple[FloatArray, FloatArray | None]:
    """The mean over all orders of equal scores: exact where there is a closed form, else over seeded random orders."""
    if settings.depth is None and not settings.judged_only:
        exact = measure.expected(whole)
        if exact is not None:
            return exact, None
    total, squares, count = np.zeros(len(whole)), np.zeros(len(whole)), 0
    for several in random_orders(whole, RANDOM_ORDERS, settings.seed):
        values = measure.of(seen_of(several, settings)).reshape(-1, len(whole))
        total += values.sum(axis=0)
        squares += (values * values).sum(axis=0)
        count += values.shape[0]
    mean = total / count
    variance = np.maximum(squares / count - mean * mean, 0.0)
    return mean, np.sqrt(variance / (count - 1))


def in_peers_way(measure: Measure, settings: Settings) -> Measure:
    """The measure with the parameters that a peer has fixed, unless they were written by hand."""
    if settings.compat is None:
        return measure
    habits = peer(settings.compat).measures.get(measure.name, {})
    plain = {each.name: each.default for each in fields(measure)}
    changed = {name: value for name, value in habits.items() if getattr(measure, name) == plain[name]}
    return replace(measure, **changed) if changed else measure
