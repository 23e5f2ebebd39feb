"""Where uncertainty comes from, in tables and in words that follow from them."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.number_texts import join_words, plain_number
from rankscope.reports.formats.rows import as_json, markdown_table, table
from rankscope.statistics.components.components import Components, VarianceComponent

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
    make = markdown_table if output_format == "markdown" else table
    return "\n".join(_part(each, make, "### " if output_format == "markdown" else "") for each in found)


def _part(found: Components, make: object, lead: str) -> str:
    assert callable(make)
    rows = [component_row(each) for each in found.parts]
    lines = [f"{lead}{found.what}: mean {found.mean:.4f}\n", *([""] if lead else []), make(rows)]
    if found.slopes:
        lines += ["\n", make([each.row() for each in found.slopes])]
    lines += ["\n" if lead else "", f"{sentence_of(found)}\n", *(f"! {each}\n" for each in found.notes)]
    return "".join(lines)


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

    >>> from rankscope.statistics.components.components import components
    >>> from rankscope.statistics.components.factor_table import FactorTable
    >>> sentence_of(components(FactorTable.of([0.1, 0.3, 0.5], {"query": [1, 2, 3]}, what="AP of bm25")))
    'The mean of 3 queries has a standard error of .115; 100% of its variance comes from queries.'
    """
    if not found.total:
        return f"All values of {found.what} are equal."
    most = max(found.parts, key=lambda each: each.of_mean)
    over = join_words([_count(name, number) for name, number in found.sizes.items() if number > 1])
    return (
        f"The mean of {over} has a standard error of {plain_number(found.error)}; {most.of_mean:.0%} of its variance "
        f"comes from {source_words(most.source)}."
    )


def _count(name: str, number: int) -> str:
    return f"{number:,} {SOURCES.get(name, name)}"


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
    """For programs."""
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
