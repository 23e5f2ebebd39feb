"""What variables of the queries explain, in words and tables."""

from __future__ import annotations

import json

from rankscope.number_texts import how_many
from rankscope.reports.formats.rows import as_json, markdown_table, table
from rankscope.statistics.variance.explained import Explained

HEADING = "What variables of the queries explain"


def explained_words(done: Explained) -> str:
    """What was fitted, how to read it, and what the variables take away."""
    shared = (
        "Pairs by their own differences, because the variance of queries comes out below 0."
        if done.paired
        else f"Variance of queries {done.plain_query:.5f} without the variables, {done.query_variance:.5f} with them; "
        f"residual {done.plain_residual:.5f} and {done.residual_variance:.5f}."
    )
    note = f" {done.note}." if done.note else ""
    return (
        f"Mixed model of {done.measure} of {how_many(done.queries, 'queries')}: system * (class + variables) + (1 "
        "| query), REML. "
        f"Slopes are for one standard deviation of a variable. {shared} p values are for each slope alone, and no "
        f"verdict rests on them.{note}"
    )


def with_explained(text: str, done: Explained, format: str) -> str:
    """A comparison with the table below it: text, Markdown, or a key of its JSON."""
    if format == "json":
        return as_json({**json.loads(text), "explained": {"words": explained_words(done), "rows": done.rows()}})
    if format == "markdown":
        return f"{text.rstrip()}\n\n## {HEADING}\n\n{markdown_table(done.rows())}\n{explained_words(done)}\n"
    return f"{text.rstrip()}\n\n{HEADING}\n\n{table(done.rows())}{explained_words(done)}\n"
