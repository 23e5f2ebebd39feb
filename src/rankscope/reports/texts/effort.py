"""One query explained: decision tables, what a hit costs, and how far to look for a wanted recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.number_texts import how_many
from rankscope.ranks.relevant_ranks import UNKNOWN
from rankscope.reports.formats.rows import table
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.curves.query_effort import SearchEffort


def effort_text(effort: SearchEffort) -> str:
    """All tables of one query of one system."""
    parts = [f"{headline(effort)}\n"]
    for one in effort.at:
        parts += [f"Decision table at scope {one.scope:,}{_named(one.scope, effort.relevant)}\n"]
        parts += [table(one.decision_rows())]
    if effort.scopes:
        parts += ["Scopes\n", table(effort.scope_rows())]
    parts += ["Window for a wanted recall\n", table([each.row() for each in effort.wanted])]
    parts += ["".join(f"! {line}\n" for line in notes(effort))]
    return "\n".join(filter(None, parts))


def headline(effort: SearchEffort) -> str:
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


def notes(effort: SearchEffort) -> list[str]:
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
                "notes": notes(each),
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
