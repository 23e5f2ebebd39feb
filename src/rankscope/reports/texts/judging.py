"""Judgements in words, numbers and graphs: judged samples, what to judge next, reuse, machine judges, likely misses."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.core.errors import SettingError
from rankscope.core.rendering import as_json, markdown_table, text_table
from rankscope.core.wording import decimal_text, how_many, percent_text, plain_number, setting_usage
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.analysis.sampling.judging_plan import JudgingPlans
    from rankscope.analysis.sampling.machine_judge import MachineJudged
    from rankscope.analysis.sampling.reuse import Reuse
    from rankscope.analysis.sampling.run_estimates import EstimatedMean, RunEstimates
    from rankscope.engines.nearest.label_check import LabelCheck, LikelyMiss


# What a judged sample says of runs, in words and numbers.

LISTED = 8  # strata named one by one
GRIP = "GRiP, "


def estimates_text(done: RunEstimates, per_query: bool = False) -> str:
    """The tables, each below a line that says what it shows, then warnings."""
    parts = [f"{sample_line(done)}\n", _means(done)]
    if len(done.runs) > 1:
        parts.append(_titled("Differences of runs", [each.row() for each in done.differences]))
    parts.append(_titled("Items to inspect for one more hit", [each.row() for each in done.inspections], places=1))
    plan = _titled("What to judge next", [each.row() for each in done.plan.bands])
    parts.append(plan + "".join(f"{line}\n" for line in plan_lines(done)))
    if per_query:
        parts.append(_titled(f"Each query, intervals of {_percent(done)}", done.query_rows()))
    parts += [f"! {line}\n" for line in done.warnings]
    return "\n".join(parts)


def sample_line(done: RunEstimates) -> str:
    """What was judged of what."""
    strata = done.frame.strata
    judged, size, relevant = int(strata.judged.sum()), int(strata.size.sum()), int(done.frame.found.sum())
    return (
        f"{how_many(len(done.frame.queries), 'queries')}: {judged:,} of {how_many(size, 'items')} judged "
        f"({judged / size:.1%}), {relevant:,} of them relevant"
    )


def plan_lines(done: RunEstimates) -> list[str]:
    """How many to judge next, what that brings, and where to begin."""
    plan = done.plan
    if not plan.more:
        return ["Everything is judged: nothing is left to chance."]
    lines = [
        f"{how_many(plan.more, 'more judgements')}, spent as the last column says, make the interval of the class size "
        f"{decimal_text(plan.shrinks_to)} times as wide (for these queries)."
    ]
    first = plan.bands[0]
    if len(plan.bands) > 1:
        lines.append(f"One more judgement helps most in stratum {first.name}.")
    named = [f"{done.frame.queries[query]} ({name}: {more:,})" for query, name, more in plan.by_query(LISTED)]
    return [*lines, f"Begin with these queries: {', '.join(named)}."]


def estimates_json(done: RunEstimates) -> dict[str, Any]:
    return {
        "format": "rankscope.run_estimates",
        "version": 1,
        "level": done.chosen.level,
        "queries": len(done.frame.queries),
        "judged": int(done.frame.strata.judged.sum()),
        "items": int(done.frame.strata.size.sum()),
        "means": [_mean_json(each) for each in done.means],
        "differences": [_mean_json(each) for each in done.differences],
        "inspection": [
            {"run": each.run, "first": each.first, "last": each.last}
            | {"these": vars(each.these), "population": vars(each.population)}
            for each in done.inspections
        ],
        "plan": {
            "more": done.plan.more,
            "shrinks_to": done.plan.shrinks_to,
            "strata": [vars(each) for each in done.plan.bands],
        },
        "by_query": done.query_rows(),
        "warnings": done.warnings,
    }


def _mean_json(each: Any) -> dict[str, Any]:
    return {
        "run": each.run,
        "quantity": each.quantity,
        "estimate": each.spread.value,
        "these": vars(each.spread.these),
        "population": vars(each.spread.population),
        "reason": each.reason,
    }


def _means(done: RunEstimates) -> str:
    title = f"Over queries, intervals of {_percent(done)}: for these queries, and for queries like these"
    plain = [each for each in done.means if not each.quantity.startswith(GRIP)]
    reasons = dict.fromkeys((each.quantity, each.reason) for each in plain if each.reason)
    notes = "".join(f"{name}: {reason}.\n" for name, reason in reasons)
    places = 6 if any("generality" in each.quantity for each in plain) else 4
    kinds = "Limits by Student's t, within what is possible"
    if len(done.frame.queries) < ENOUGH:
        kinds += (
            f"; below {ENOUGH} queries at least as far out as one unseen query at an end of the range may move the mean"
        )
    return _titled(title, [each.row() for each in plain], places) + f"{kinds}.\n" + notes + _grip(done)


def _grip(done: RunEstimates) -> str:
    """A row for each level of G, each run with the interval for queries like these."""
    rows: dict[str, dict[str, object]] = {}
    for each in done.means:
        if each.quantity.startswith(GRIP):
            name, range_ = each.quantity.removeprefix(GRIP), each.spread.population
            cells = {each.run: range_.value, f"{each.run}: low": range_.low, f"{each.run}: high": range_.high}
            rows.setdefault(name, {"level": name}).update(cells)
    title = "\nGRiP: precision = recall at scope c over G = log2(d/c), intervals for queries like these"
    return _titled(title, [*rows.values()]) if rows else ""


def _titled(title: str, rows: list[dict[str, object]], places: int = 4) -> str:
    return f"{title}\n{text_table(rows, places)}"


def _percent(done: RunEstimates) -> str:
    return f"{100 * done.chosen.level:.3g} %"


# What to judge next, in a table and in words that follow from it.


def plans_text(plans: JudgingPlans, output_format: str = "table") -> str:
    """The plans, the narrowest first, and which is best."""
    if output_format == "json":
        return _plans_json(plans)
    rows: list[dict[str, object]] = [
        each.row() | {"cost": plain_number(each.cost)} for each in (plans.now, *plans.plans)
    ]
    shown = markdown_table(rows) if output_format == "markdown" else text_table(rows)
    lines = [f"{plans.forecast.found.what}, budget {plain_number(plans.budget)}\n", shown]
    lines += ["\n" if output_format == "markdown" else "", *(f"{each}\n" for each in plan_sentences(plans))]
    return "".join(lines)


def plan_sentences(plans: JudgingPlans) -> list[str]:
    """Which plan narrows the interval most, which most for its cost, and what cannot be said."""
    best, cheap = plans.best, plans.best_per_cost
    if best is None or cheap is None:
        nothing = "No plan within this budget narrows the interval."
        if math.isnan(plans.now.width):
            nothing = "All values are equal: nothing tells how wide an interval would be."
        return [nothing, *_missing(plans)]
    width = plans.now.width
    lines = [
        f"{best.name[0].upper()}{best.name[1:]} ({best.design}) narrow{'s' if best.name == 'mixed' else ''} the "
        f"{percent_text(plans.forecast.level)} interval most: from {width:.4f} to {best.width:.4f}, "
        f"{best.narrower / width:.1%} less, for {plain_number(best.cost)}."
    ]
    if cheap is not best:
        lines.append(
            f"For what it costs, {cheap.name} ({cheap.design}) comes first: to {cheap.width:.4f} for "
            f"{plain_number(cheap.cost)}."
        )
    if part := plans.now.of_pools:  # why the width that is there is not that of other commands
        told = f"{part:.4f} of the present width of {width:.4f} is what items outside of the pools may still move"
        pair = f"; compare, which takes the judgements as they are, has {width - part:.4f} for this pair alone"
        lines.append(f"{told}{'' if plans.forecast.differences is None else pair}.")
    return [*lines, *_missing(plans)]


def _missing(plans: JudgingPlans) -> list[str]:
    """What the budget does not reach, and what the data say nothing of."""
    lines = [
        f"! {name}: the least costs {plain_number(cost)}, beyond the budget of {plain_number(plans.budget)}"
        for name, cost in plans.too_dear
    ]
    if plans.forecast.found.sizes.get("assessor", 1) < 2:
        people = setting_usage("assessors", "FILE")
        lines.append(f"! nothing is said of more assessors: let some queries be judged by two ({people} for each)")
    if plans.forecast.pools is None:
        lines.append(
            "! nothing is said of deeper pools: at least the first 20 items of every run must be judged, those that "
            "are not relevant too"
        )
    return lines


def _plans_json(plans: JudgingPlans) -> str:
    return as_json(
        {
            "format": "rankscope.plan",
            "version": 1,
            "of": plans.forecast.found.what,
            "budget": plans.budget,
            "level": plans.forecast.level,
            "costs": vars(plans.forecast.costs),
            "now": plans.now.row(),
            "plans": [each.row() for each in plans.plans],
            "sentences": plan_sentences(plans),
        }
    )


# Whether judgements can be used for a system outside the pool, in words and numbers.


def reuse_text(done: Reuse) -> str:
    """The table, then what it says."""
    return text_table([each.row() for each in done.systems]) + "\n" + "".join(f"{line}\n" for line in reuse_lines(done))


def reuse_lines(done: Reuse) -> list[str]:
    """What follows for a new system: nothing beyond the numbers above."""
    change, worst = done.mean_change, done.worst
    mean, loss, order = "as much as in it", "none loses", "all values are equal, so that there is no order to compare"
    if abs(change) >= 0.0005:
        mean = f"{abs(change):.1%} {'less' if change < 0 else 'more'}"
    if not done.loss(worst) <= 0:
        loss = f"the largest loss is that of {worst.system}, {worst.outside - worst.pooled:+.4f}"
    if not math.isnan(done.tau):
        order = f"Kendall's tau of the values in the pool and outside is {done.tau:.3f}"
    lines = [
        f"{done.measure}, pool of the first {how_many(done.depth, 'items')} of {how_many(len(done.systems), 'runs')}. "
        "Outside: without the judgements that only this run (or its team) has brought in.",
        f"In the mean a run outside the pool has {mean}; {loss}.",
        f"{done.moved or 'None'} of {len(done.systems)} would stand at another place; {order}.",
    ]
    if all(each.unique == 0 for each in done.systems):
        lines.append(
            "! every judged item is in the pool of at least two runs: nothing is left out, and nothing can be learnt"
        )
    return lines


# What may be believed of a machine judge, in words and numbers.

ASSUMED = (
    "This holds if the queries that people judged were drawn at random from all, not chosen as hard or frequent ones."
)


def machine_text(done: MachineJudged) -> str:
    """Agreement, means, differences, then what must be said with them."""
    parts = [f"{machine_line(done)}\n"]
    if done.agreement is not None:
        parts.append(f"Agreement of the machine with people, relevant or not\n{text_table([done.agreement.row()])}")
    parts.append(f"{_title(done, 'Means')}\n{text_table([each.row() for each in done.rows])}")
    if done.differences:
        parts.append(f"{_title(done, 'Differences')}\n{text_table([each.row() for each in done.differences])}")
    parts.append("".join(f"{line}\n" for line in machine_lines(done)))
    parts += [f"! {line}\n" for line in done.warnings]
    return "\n".join(parts)


def machine_line(done: MachineJudged) -> str:
    return (
        f"{how_many(done.queries, 'queries')} judged by people and by the machine, {done.others:,} by the machine alone"
    )


def machine_lines(done: MachineJudged) -> list[str]:
    """What follows: why nothing is corrected, or how much the machine adds and where it alone would mislead."""
    if done.reason:
        return [f"Nothing is corrected: {done.reason}. Believe the columns of people."]
    first, worth = done.rows[0], done.rows[0].mean.worth
    if math.isnan(worth):
        lines = [f"{first.measure} of {first.run} does not vary: the machine adds nothing to it."]
    else:
        lines = [
            f"For {first.measure} of {first.run} the corrected interval is as short as that of {worth:.0f} queries "
            f"judged by people: {done.queries} were."
        ]
    every = [*done.rows, *done.differences]
    outside = [each for each in every if not each.mean.corrected.low <= each.mean.machine <= each.mean.corrected.high]
    if outside:
        named = ", ".join(f"{each.measure} of {each.run}" for each in outside[:4])
        more = f" and {len(outside) - 4} more" if len(outside) > 4 else ""
        lines.append(f"The machine alone lies outside of the corrected interval for {named}{more}.")
    else:
        lines.append("The machine alone lies within every corrected interval.")
    return [*lines, ASSUMED]


def machine_json(done: MachineJudged) -> dict[str, Any]:
    return {
        "format": "rankscope.machine_judge",
        "version": 1,
        "level": done.level,
        "queries": done.queries,
        "others": done.others,
        "agreement": None if done.agreement is None else done.agreement._asdict(),
        "reason": done.reason,
        "means": [each.row() for each in done.rows],
        "differences": [each.row() for each in done.differences],
        "warnings": list(done.warnings),
    }


def _title(done: MachineJudged, what: str) -> str:
    return f"{what} over queries, intervals of {100 * done.level:.3g} %: corrected, people alone, machine alone"


# Likely misses of labels as text, CSV and JSON.

MISSES = "Items outside a class that most of its members find as they find each other"
STRANGERS = "Members that no other member of their class finds"


def label_check_text(done: LabelCheck, limit: int) -> str:
    """The surest first, at most so many."""
    parts = [f"{done.facts()}\n", *_part(MISSES, done.misses, limit), *_part(STRANGERS, done.strangers, limit)]
    closing = (
        f"Found by more than {done.least:.0%} of the members among the first c items, c the number of the other "
        "members. They are alike by these features; whether they belong is for a person to say.\n"
    )
    return "\n".join([*parts, closing])


def label_check_csv(done: LabelCheck) -> str:
    """All rows, with the kind of each."""
    rows = label_check_rows(done)
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=[*(rows[0] if rows else {"kind": ""})], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def label_check_json(done: LabelCheck) -> str:
    """The same as one object."""
    whole = {"format": "rankscope.labels", "version": 1, "metric": done.metric, "least": done.least}
    return as_json({**whole, "rows": label_check_rows(done)})


def label_check_rows(done: LabelCheck) -> list[dict[str, object]]:
    """Likely misses, then strangers, one row each."""
    kinds = (("likely miss", done.misses), ("stranger", done.strangers))
    return [{"kind": kind, **each.row()} for kind, listed in kinds for each in listed]


def _part(heading: str, listed: tuple[LikelyMiss, ...], limit: int) -> list[str]:
    if not listed:
        return [f"{heading}: none\n"]
    more = f", the first {limit}" if len(listed) > limit else ""
    return [f"{heading}: {len(listed):,}{more}\n", text_table([each.row() for each in listed[:limit]])]


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
