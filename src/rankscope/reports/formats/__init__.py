"""Scores as people and programs want them: a table, trec_eval's lines, CSV, JSON, LaTeX, Markdown, Parquet, metrics.

Each is loaded when it renders.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.catalogue import Catalogue, Later

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores


@dataclass(frozen=True)
class OutputFormat:
    """A format of output: its suffixes, what it is in one sentence, and the address of the function that renders it."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    place: str
    binary: bool = False

    def render(self, scores: Scores, per_query: bool = False, colour: bool = False) -> str | bytes:
        """The scores in this format: bytes where it is binary."""
        rendered: str | bytes = Later(self.place).load()(scores, per_query, colour)
        return rendered


OUTPUT_FORMATS: Catalogue[OutputFormat] = Catalogue(  # a new format of output adds itself here
    "output format",
    (
        OutputFormat(
            "table",
            (".txt",),
            "A table for the terminal: plain text, with colour where a terminal is attached.",
            "rankscope.reports.formats.table:render",
        ),
        OutputFormat(
            "trec",
            (".trec",),
            "Exactly trec_eval's lines, so that `diff` shows agreement: name padded to 22, tab, query, tab, value.",
            "rankscope.reports.formats.trec:render",
        ),
        OutputFormat("csv", (".csv",), "CSV: one row per value.", "rankscope.reports.formats.csv:render"),
        OutputFormat(
            "json",
            (".json",),
            "JSON with a version, for programs: everything the other formats show, and where it came from.",
            "rankscope.reports.formats.json:render",
        ),
        OutputFormat(
            "latex",
            (".tex",),
            "Tables for a paper: booktabs, decimals aligned by dcolumn, the best of each measure in bold, as wide as a "
            "column.",
            "rankscope.reports.formats.latex:render",
        ),
        OutputFormat(
            "markdown",
            (".md",),
            "A Markdown table, the best of each measure in bold.",
            "rankscope.reports.formats.markdown:render",
        ),
        OutputFormat(
            "parquet",
            (".parquet",),
            "The long table as Parquet.",
            "rankscope.reports.formats.parquet:render",
            binary=True,
        ),
        OutputFormat(
            "metrics",
            (".metrics.json",),
            "Flat JSON for trackers of experiments: each mean with its interval and its number of queries, under a "
            "plain name.",
            "rankscope.reports.formats.metrics:render",
        ),
    ),
)
