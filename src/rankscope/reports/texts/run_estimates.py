"""What a judged sample says of runs, in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.number_texts import decimal_text, how_many
from rankscope.reports.formats.rows import table
from rankscope.statistics.intervals.bootstrap import ENOUGH

if TYPE_CHECKING:
    from rankscope.sampling.run_estimates import RunEstimates

LISTED = 8  # strata named one by one
GRIP = "GRiP, "


def estimates_text(done: RunEstimates, per_query: bool = False) -> str:
    """The tables, each below a line that says what it shows, then warnings."""
    parts = [f"{sample_line(done)}\n", _means(done)]
    if len(done.runs) > 1:
        parts.append(_titled("Differences of runs", [each.row() for each in done.differences]))
    parts.append(_titled("Items to inspect for one more hit", [each.row() for each in done.inspections], places=1))
    parts.append(_plan(done))
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
        f"({judged / size:.1%}), "
        f"{relevant:,} of them relevant"
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
    """All rows, for programs."""
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
            {
                "run": each.run,
                "first": each.first,
                "last": each.last,
                "these": vars(each.these),
                "population": vars(each.population),
            }
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
    return _titled(title, [each.row() for each in plain], places) + f"{_kinds(done)}\n" + notes + _grip(done)


def _kinds(done: RunEstimates) -> str:
    """Which intervals these are."""
    few = (
        f"; below {ENOUGH} queries at least as far out as one unseen query at an end of the range may move the mean"
        if len(done.frame.queries) < ENOUGH
        else ""
    )
    return f"Limits by Student's t, within what is possible{few}."


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


def _plan(done: RunEstimates) -> str:
    rows = [each.row() for each in done.plan.bands]
    return _titled("What to judge next", rows) + "".join(f"{line}\n" for line in plan_lines(done))


def _titled(title: str, rows: list[dict[str, object]], places: int = 4) -> str:
    return f"{title}\n{table(rows, places)}"


def _percent(done: RunEstimates) -> str:
    return f"{100 * done.chosen.level:.3g} %"
