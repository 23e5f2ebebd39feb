"""What a user has to look at: one query explained (decision tables, costs, windows), and all queries of each system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.core.rendering import text_table
from rankscope.core.wording import how_many, setting_usage
from rankscope.ranks.relevant_ranks import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.analysis.curves.effort import SearchEffort
    from rankscope.ranks.relevant_ranks import RelevantRanks


# One query explained: decision tables, what a hit costs, and how far to look for a wanted recall.


def effort_text(effort: SearchEffort) -> str:
    """All tables of one query of one system."""
    parts = [f"{effort_headline(effort)}\n"]
    for one in effort.at:
        parts += [f"Decision table at scope {one.scope:,}{_named(one.scope, effort.relevant)}\n"]
        parts += [text_table(one.decision_rows())]
    if effort.scopes:
        parts += ["Scopes\n", text_table(effort.scope_rows())]
    parts += ["Window for a wanted recall\n", text_table([each.row() for each in effort.wanted])]
    parts += ["".join(f"! {line}\n" for line in effort_notes(effort))]
    return "\n".join(filter(None, parts))


def effort_headline(effort: SearchEffort) -> str:
    """The sizes in a line."""
    c, d = effort.relevant, effort.collection
    sizes = f"c = {c:,} relevant {'item' if c == 1 else 'items'}"
    if d != UNKNOWN:
        from rankscope.measures.quadruple import Quadruple

        one = Quadruple(d, c, 1, int(d == c))
        sizes += f" in d = {d:,}: generality g = {one.generality:.3g}, G = {one.generality_index:.2f}"
    return (
        f"{effort.system}, query {effort.query}: {sizes}; {how_many(effort.depth, 'items')} ranked, "
        f"{effort.found:,} of c found"
    )


def effort_notes(effort: SearchEffort) -> list[str]:
    """What must be read next to the tables."""
    lines = []
    if effort.collection == UNKNOWN:
        usage = setting_usage("collection_size", "D")
        lines.append(f"without the size of the collection there is no decision table and no generality: give {usage}")
    if effort.plane:
        lines.append(f"window to expect: k/p, with the mean precision at recall k/c of queries of {effort.plane}")
    if effort.found < effort.relevant:
        lines.append(
            f"the ranking ends at {effort.depth:,} with "
            f"{how_many(effort.relevant - effort.found, 'relevant items')} not found: "
            "what they cost is not known, and a dash stands there"
        )
    return lines


def effort_json(efforts: Sequence[SearchEffort]) -> dict[str, Any]:
    """The same as one object."""
    return {
        "format": "rankscope.explanation",
        "version": 1,
        "explained": [
            {
                "system": each.system,
                "query": each.query,
                "relevant": each.relevant,
                "collection": None if each.collection == UNKNOWN else each.collection,
                "depth": each.depth,
                "found": each.found,
                "decision_tables": [{"scope": one.scope, **vars(one.contingency)} for one in each.at],
                "scopes": each.scope_rows(),
                "wanted": [one.row() for one in each.wanted],
                "same_generality": each.plane,
                "notes": effort_notes(each),
            }
            for each in efforts
        ],
    }


def _named(scope: int, relevant: int) -> str:
    """What the scope is of the class size."""
    names = {max(1, relevant // 2): "s = c/2", 2 * relevant: "s = 2c", relevant: "s = c"}
    if relevant == 1 and scope == 1:
        return " (s = c)"
    half = scope == relevant // 2 and relevant % 2
    return f" ({'s = c/2, rounded down' if half else names[scope]})" if scope in names else ""


# The part of a report that says what a user of each system has to look at: windows, costs, decision tables.

Part = tuple[str, list[dict[str, object]], str, int]  # heading, rows, note, and how many places numbers have


def effort_parts(systems: Sequence[RelevantRanks]) -> list[Part]:
    """Tables with one row for each system: windows, what a hit costs, and the decision tables added up."""
    from rankscope.analysis.curves.effort import median_effort, pooled_contingency

    efforts = [median_effort(each) for each in systems if (each.relevant > 0).any()]
    if not efforts:
        return []
    parts: list[Part] = []
    for heading, column, note in (
        ("Median window for a wanted recall", "median window", WINDOWS),
        ("Items to look at for each further hit", "median items per further hit", COSTS),
    ):
        rows: list[dict[str, object]] = [
            {"system": each.system, **{f"recall {row['recall']:g}": row[column] for row in each.rows()}}
            for each in efforts
        ]
        parts.append((heading, rows, note, 1))
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
