"""One measure of one system as a column of values: in a peer's way, and over the orders of equal scores if asked."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from rankscope.evaluation.scores import Column
from rankscope.evaluation.summary import counted_queries, summary_error, summary_of, zero_where_nothing_is_relevant
from rankscope.evaluation.tied_orders import mean_over_orders, worst_and_best
from rankscope.measures.measure import Measure
from rankscope.peers import peer
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


def column_of(asked: Measure, whole: RelevantRanks, seen: RelevantRanks, settings: Settings) -> Column:
    """A measure's values, which queries count and the summary; under `ties="expected"` the extremes too."""
    measure = in_peers_way(asked, settings).bind(seen)
    if settings.ties == "expected":
        return _over_all_orders(asked, measure, whole, seen, settings)
    counted = counted_queries(measure, seen, settings)
    values = zero_where_nothing_is_relevant(measure.of(seen), measure, seen, settings)
    return Column(
        measure=measure,
        asked=str(asked),
        values=values,
        counted=counted,
        summary=summary_of(measure, values, counted, seen, settings),
        words=measure.words(seen),
        word=measure.word(seen),
    )


def _over_all_orders(
    asked: Measure, measure: Measure, whole: RelevantRanks, seen: RelevantRanks, settings: Settings
) -> Column:
    """The mean over all orders of equal scores, its standard error, and the worst and the best of them."""
    counted = counted_queries(measure, seen, settings)
    mean, error = mean_over_orders(measure, whole, settings)
    values, worst, best = (
        zero_where_nothing_is_relevant(each, measure, seen, settings)
        for each in (mean, *worst_and_best(measure, whole, settings))
    )
    summary = summary_of(measure, values, counted, seen, settings)
    unknown = bool((counted & np.isnan(worst) & ~np.isnan(values)).any())
    extremes = [np.nan if unknown else summary_of(measure, each, counted, seen, settings) for each in (worst, best)]
    return Column(
        measure=measure,
        asked=str(asked),
        values=values,
        counted=counted,
        summary=summary,
        worst=worst,
        best=best,
        error=error,
        words=measure.words(seen),
        word=measure.word(seen),
        extremes=(extremes[0], extremes[1]),
        summary_error=summary_error(measure, values, error, counted, seen, settings),
    )


def in_peers_way(measure: Measure, settings: Settings) -> Measure:
    """The measure with the parameters that a peer has fixed, unless they were written by hand."""
    if settings.compat is None:
        return measure
    habits = peer(settings.compat).measures.get(measure.name, {})
    plain = {each.name: each.default for each in fields(measure)}
    changed = {name: value for name, value in habits.items() if getattr(measure, name) == plain[name]}
    return replace(measure, **changed) if changed else measure
