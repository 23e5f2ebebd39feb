"""The part of a report that says what a user of each system has to look at: windows, costs, decision tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.curves.effort_over_queries import EffortOverQueries
    from rankscope.ranks.relevant_ranks import RelevantRanks

Part = tuple[str, list[dict[str, object]], str, int]  # heading, rows, note, and how many places numbers have


def effort_parts(systems: Sequence[RelevantRanks]) -> list[Part]:
    """Tables with one row for each system: windows, what a hit costs, and the decision tables added up."""
    from rankscope.curves.effort_over_queries import median_effort, pooled_contingency

    efforts = [median_effort(each) for each in systems if (each.relevant > 0).any()]
    if not efforts:
        return []
    parts = [
        ("Median window for a wanted recall", [_windows(each) for each in efforts], WINDOWS, 1),
        ("Items to look at for each further hit", [_costs(each) for each in efforts], COSTS, 1),
    ]
    tables = [(each.system, pooled_contingency(each)) for each in systems]
    known = [(name, table) for name, table in tables if table is not None]
    rows = [_decisions(name, vars(table)) for name, table in known]
    return [*parts, *([("Decision tables at scope s = c, added up", rows, DECISIONS, 4)] if rows else [])]


WINDOWS = (
    "How many items hold this share of the relevant ones, in the median over queries; a query whose ranking ends "
    "before counts as infinitely far, and a dash stands where half of them do."
)
COSTS = "Items looked at for each relevant one since the recall before, in the median over queries."
DECISIONS = (
    "Relevant and retrieved (TP), relevant and missed (FN), retrieved for nothing (FP), rightly left alone (TN); "
    "rankscope evaluate explains that of one query."
)


def _windows(effort: EffortOverQueries) -> dict[str, object]:
    return {"system": effort.system} | {f"recall {row['recall']:g}": row["median window"] for row in effort.rows()}


def _costs(effort: EffortOverQueries) -> dict[str, object]:
    return {"system": effort.system} | {
        f"recall {row['recall']:g}": row["median items per further hit"] for row in effort.rows()
    }


def _decisions(name: str, counts: dict[str, int]) -> dict[str, object]:
    hits, missed = counts["true_positives"], counts["false_negatives"]
    items = sum(counts.values())
    return {
        "system": name,
        "TP": hits,
        "FN": missed,
        "FP": counts["false_positives"],
        "TN": counts["true_negatives"],
        "p = r": hits / (hits + missed),
        "g": f"{(hits + missed) / items:.3g}",
    }
