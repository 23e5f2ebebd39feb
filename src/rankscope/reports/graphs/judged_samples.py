"""Judgements in words, numbers and graphs: judged samples, what to judge next, reuse, machine judges, likely misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many
from rankscope.reports.graphs.graph import Axis, Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.analysis.sampling.run_estimates import EstimatedMean, RunEstimates


# Graphs of estimates from a judged sample: intervals of every run, and which stratum to judge next.

APART = 0.16  # of a row, between the interval for these queries and that for queries like these
THESE, ALIKE = "these queries", "queries like these"


def estimates_graph(done: RunEstimates) -> Graph:
    """Every quantity from 0 to 1 that has an interval, for these queries and for queries like these."""
    from rankscope.analysis.curves.curve import Curve

    found = [
        each
        for each in done.means
        if each.quantity.startswith(("R@", "mean P@", "AP,"))
        and np.isfinite((each.spread.population.low, each.spread.population.high)).all()
    ]
    quantities = list(dict.fromkeys(each.quantity for each in found))
    shown = sorted(found, key=lambda each: quantities.index(each.quantity))
    if not shown:
        raise SettingError("nothing that was estimated lies from 0 to 1 and has an interval: there is nothing to draw")
    rows = np.arange(float(len(shown)), 0.0, -1.0)
    value = np.array([each.spread.value for each in shown])
    narrow, wide = (
        np.array([[getattr(each.spread, which).low, getattr(each.spread, which).high] for each in shown]).T
        for which in ("these", "population")
    )
    graph = Graph(
        f"Estimates from {how_many(int(done.frame.strata.judged.sum()), 'judged items')}",
        Axis("estimate", domain=(0.0, min(1.0, 1.05 * float(np.nanmax([*wide[1], *narrow[1]]))))),
        Axis(
            "",
            domain=(0.4, len(shown) + 0.6),
            ticks=tuple(rows[::-1].tolist()),
            texts=tuple(_name(each) for each in shown)[::-1],
            rows=1.6,
        ),
        subtitle=f"{how_many(len(done.frame.queries), 'queries')}; intervals of {100 * done.chosen.level:.3g} %",
        summary=", ".join(f"{_name(each)} {each.spread.value:.3f}" for each in shown) + ".",
        conclusion=_width_words(shown),
    )
    for name, (low, high), shift in ((THESE, narrow, APART), (ALIKE, wide, -APART)):
        facts = {"quantity": [_name(each) for each in shown], "from": low.tolist(), "to": high.tolist()}
        graph = graph.spans(rows + shift, low, high, name).points(Curve(value, rows + shift), name, facts=facts)
    return graph


def strata_graph(done: RunEstimates) -> Graph:
    """For each stratum its share of the variance of the class size, and its share of the judgements to add."""
    from rankscope.analysis.curves.curve import Curve

    by_name = {each.name: each for each in done.plan.bands}
    ordered = [by_name[name] for name in dict.fromkeys(done.frame.strata.name)]
    more = max(done.plan.more, 1)
    places = np.arange(1.0, len(ordered) + 1.0)
    variance = np.array([each.variance_share for each in ordered])
    judge = np.array([each.more / more for each in ordered])
    graph = Graph(
        f"What to judge next: {how_many(done.plan.more, 'items')}",
        Axis(
            "stratum",
            domain=(0.4, len(ordered) + 0.6),
            ticks=tuple(places.tolist()),
            texts=tuple(each.name for each in ordered),
        ),
        Axis("share", domain=(0.0, 1.0)),
        subtitle="share of the variance of the class size, and of the judgements to add",
        summary="; ".join(f"{each.name}: {each.variance_share:.0%} of the variance" for each in ordered) + ".",
        conclusion=_strata_words(done),
    )
    facts: dict[str, Sequence[object]] = {
        "stratum": [each.name for each in ordered],
        "judge": [each.more for each in ordered],
    }
    graph = graph.bars(Curve(places - 0.17, variance), "variance", thick=0.3, facts=facts)
    return graph.bars(Curve(places + 0.17, judge), "judgements to add", thick=0.3, facts=facts)


def _name(each: EstimatedMean) -> str:
    return f"{each.quantity.removeprefix('mean ').partition(',')[0]}, {each.run}"


def _width_words(shown: list[EstimatedMean]) -> str:
    """Which is known best, and how much of the width the sampled judgements explain."""
    widths = {each: each.spread.population.high - each.spread.population.low for each in shown}
    widest = max(shown, key=lambda each: widths[each])
    drawn = widest.spread.these.high - widest.spread.these.low
    return (
        f"The widest interval for queries like these is that of {_name(widest)}, {decimal_text(widths[widest])}; for "
        f"these queries it is {decimal_text(drawn)}."
    )


def _strata_words(done: RunEstimates) -> str:
    plan = done.plan
    if not plan.more:
        return "Everything is judged."
    most = max(plan.bands, key=lambda each: each.more)
    return (
        f"{most.more:,} of {how_many(plan.more, 'judgements')} go to stratum {most.name}; the interval of the "
        f"class size then is {decimal_text(plan.shrinks_to)} times as wide."
    )
