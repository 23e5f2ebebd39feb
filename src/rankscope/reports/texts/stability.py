"""How stable a leaderboard is, and which sources of variance make a mean uncertain, in tables and in words."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.analysis.comparison.leaderboard import LeaderboardStability, OrderStability
from rankscope.analysis.statistics.variance_components import Components, VarianceComponent
from rankscope.core.rendering import as_json, markdown_table, text_table
from rankscope.core.wording import decimal_text, how_many, join_words, percent_text, plain_number

# How stable a leaderboard is, in tables and in words that follow from them.

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
    make = markdown_table if output_format == "markdown" else text_table
    words = "".join(f"{each}\n" for each in stability_sentences(found))
    return "\n".join([make(found.rows()), make(found.system_rows()), words])


def stability_parts(found: LeaderboardStability) -> list[tuple[str, list[dict[str, object]], str]]:
    """Tables with headings and what must be said below them, as for a page."""
    return [("What becomes of the order", found.rows(), ""), ("What becomes of each system", found.system_rows(), HOW)]


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
        f"{how_many(change.draws, 'draws')} and the best in {change.same_best:.1%}; tau is "
        f"{decimal_text(change.tau[0])} in the mean."
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


# Where uncertainty comes from, in tables and in words that follow from them.

SOURCES = {
    "query": "queries",
    "class": "classes",
    "assessor": "assessors",
    "seed": "seeds",
    "collection": "collections",
}


def components_text(found: Sequence[Components], output_format: str = "table") -> str:
    """All of it: a table with a sentence for each system and difference, or JSON."""
    if output_format == "json":
        return components_json(found)
    make, lead, gap = (markdown_table, "### ", "\n") if output_format == "markdown" else (text_table, "", "")
    parts = []
    for each in found:
        lines = [f"{lead}{each.what}: mean {each.mean:.4f}\n", make([component_row(part) for part in each.parts])]
        if each.slopes:
            lines += ["\n", make([slope.row() for slope in each.slopes])]
        parts.append("".join([*lines, gap, f"{sentence_of(each)}\n", *(f"! {note}\n" for note in each.notes)]))
    return "\n".join(parts)


def component_row(part: VarianceComponent) -> dict[str, object]:
    """A source as a row of a table."""
    return {
        "source": part.source,
        "levels": part.levels,
        "variance": short_number(part.variance),
        "low": short_number(part.low),
        "high": short_number(part.high),
        "share": f"{part.share:.1%}",
        "share of the mean's variance": f"{part.of_mean:.1%}",
    }


def short_number(value: float) -> str:
    """Three digits, however small; a dash where there is none.

    >>> short_number(0.000071234), short_number(0.0), short_number(float("nan"))
    ('7.12e-05', '0', '-')
    """
    return "-" if value != value else f"{value:.3g}"


def sentence_of(found: Components) -> str:
    """Which source makes the mean uncertain, with its share and the standard error.

    >>> from rankscope.analysis.statistics.variance_components import components
    >>> from rankscope.analysis.statistics.variance_components import FactorTable
    >>> sentence_of(components(FactorTable.of([0.1, 0.3, 0.5], {"query": [1, 2, 3]}, what="AP of bm25")))
    'The mean of 3 queries has a standard error of .115; 100% of its variance comes from queries.'
    """
    if not found.total:
        return f"All values of {found.what} are equal."
    most = max(found.parts, key=lambda each: each.of_mean)
    over = join_words([f"{number:,} {SOURCES.get(name, name)}" for name, number in found.sizes.items() if number > 1])
    return (
        f"The mean of {over} has a standard error of {plain_number(found.error)}; {most.of_mean:.0%} of its variance "
        f"comes from {source_words(most.source)}."
    )


def source_words(source: str) -> str:
    """A source in a sentence.

    >>> source_words("assessor"), source_words("query x seed"), source_words("rest")
    ('assessors', 'what queries make of seeds', 'what is left')
    """
    if source == "rest":
        return "what is left"
    first, _, second = source.partition(" x ")
    return f"what {SOURCES[first]} make of {SOURCES[second]}" if second else SOURCES[first]


def components_json(found: Sequence[Components]) -> str:
    parts = [
        {
            "of": each.what,
            "mean": each.mean,
            "error": each.error,
            "sizes": dict(each.sizes),
            "balanced": each.balanced,
            "components": [part.row() for part in each.parts],
            "covariates": [slope.row() for slope in each.slopes],
            "sentence": sentence_of(each),
            "notes": list(each.notes),
        }
        for each in found
    ]
    level = found[0].level if found else None
    return as_json({"format": "rankscope.components", "version": 1, "level": level, "parts": parts})
