"""What to judge next, in a table and in words that follow from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.number_texts import percent_text, plain_number
from rankscope.reports.formats.rows import as_json, markdown_table, table
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.sampling.judging_plan import JudgingPlans, WidthPlan


def plans_text(plans: JudgingPlans, output_format: str = "table") -> str:
    """The plans, the narrowest first, and which is best."""
    if output_format == "json":
        return _as_json(plans)
    rows = [_row(each) for each in (plans.now, *plans.plans)]
    shown = markdown_table(rows) if output_format == "markdown" else table(rows)
    lines = [f"{plans.forecast.found.what}, budget {plain_number(plans.budget)}\n", shown]
    lines += ["\n" if output_format == "markdown" else "", *(f"{each}\n" for each in plan_sentences(plans))]
    return "".join(lines)


def _row(plan: WidthPlan) -> dict[str, object]:
    row = plan.row()
    return row | {"cost": plain_number(plan.cost)}


def plan_sentences(plans: JudgingPlans) -> list[str]:
    """Which plan narrows the interval most, which most for its cost, and what cannot be said."""
    best, cheap = plans.best, plans.best_per_cost
    if best is None or cheap is None:
        return [_nothing(plans), *_missing(plans)]
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
    return [*lines, *_of_pools(plans), *_missing(plans)]


def _of_pools(plans: JudgingPlans) -> list[str]:
    """Why the width that is there is not that of other commands."""
    part, whole = plans.now.of_pools, plans.now.width
    if not part:
        return []
    told = f"{part:.4f} of the present width of {whole:.4f} is what items outside of the pools may still move"
    if plans.forecast.differences is None:
        return [f"{told}."]
    return [f"{told}; compare, which takes the judgements as they are, has {whole - part:.4f} for this pair alone."]


def _nothing(plans: JudgingPlans) -> str:
    if math.isnan(plans.now.width):
        return "All values are equal: nothing tells how wide an interval would be."
    return "No plan within this budget narrows the interval."


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


def _as_json(plans: JudgingPlans) -> str:
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
