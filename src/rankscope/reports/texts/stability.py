"""How stable a leaderboard is, in tables and in words that follow from them."""

from __future__ import annotations

from rankscope.number_texts import decimal_text, how_many, join_words, percent_text
from rankscope.reports.formats.rows import as_json, markdown_table, table
from rankscope.statistics.verdicts.stability import LeaderboardStability, OrderStability

NAMED = 4
WORDS = {
    "queries": "other queries of the same kind",
    "classes": "other classes of the same kind",
    "assessors": "other assessors of the same kind",
    "collection": "another part of the collection",
}
HOW = (
    "Same order, same best: shares of the draws; equal means leave both as they are. tau: Kendall's, of the order "
    "drawn and the order shown, with the limits of 90 % of the draws. Best in: the share of the draws above in "
    "which a system is the best; rank, low and high: the ranks that it has in 90 % of them. Top set: the systems "
    "that may be the best; the set holds the best in 95 % of cases or more, below 50 queries also where all systems "
    "are equal, then in 94 % (docs/performance.md)."
)


def stability_text(found: LeaderboardStability, output_format: str = "table") -> str:
    """What becomes of the order, and of each system."""
    if output_format == "json":
        return _as_json(found)
    make = markdown_table if output_format == "markdown" else table
    words = "".join(f"{each}\n" for each in stability_sentences(found))
    return "\n".join([make(found.rows()), make(found.system_rows()), words])


def stability_parts(found: LeaderboardStability) -> list[tuple[str, list[dict[str, object]], str]]:
    """Tables with headings and what must be said below them, as for a page."""
    return [
        ("What becomes of the order", found.rows(), ""),
        ("What becomes of each system", found.system_rows(), HOW),
    ]


def stability_sentences(found: LeaderboardStability) -> list[str]:
    """Who may be the best, and how often the order changes."""
    return [top_sentence(found), *(order_sentence(each) for each in found.changes)]


def top_sentence(found: LeaderboardStability) -> str:
    """The top set with its probability."""
    count, every = len(found.top), len(found.systems)
    who = join_words(found.top) if count <= NAMED else f"{', '.join(found.top[:NAMED])} and {count - NAMED} more"
    may = (
        f"{who} alone may be the best of {every}"
        if count == 1
        else f"{count} of {every} systems may be the best: {who}"
    )
    inside = "it is" if count == 1 else "the best is one of them"
    draws = f"{found.top_share:.1%} of the draws of {found.of_queries.source}"
    return f"By {found.measure} {may} ({percent_text(found.level)}; {inside} in {draws})."


def order_sentence(change: OrderStability) -> str:
    """How often the order and the best stay when one thing changes."""
    return (
        f"With {WORDS[change.source]} the whole order stays in {change.same_order:.1%} of "
        f"{how_many(change.draws, 'draws')} and "
        f"the best in {change.same_best:.1%}; tau is {decimal_text(change.tau[0])} in the mean."
    )


def _as_json(found: LeaderboardStability) -> str:
    return as_json(
        {
            "format": "rankscope.stability",
            "version": 1,
            "measure": found.measure,
            "queries": found.queries,
            "level": found.level,
            "top": list(found.top),
            "top_share": found.top_share,
            "changes": [each.row() | {"chance": each.chance.tolist()} for each in found.changes],
            "systems": found.system_rows(),
            "sentences": stability_sentences(found),
        }
    )
