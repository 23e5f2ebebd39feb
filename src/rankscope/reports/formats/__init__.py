"""Scores as people and programs want them: a table, trec_eval's lines, CSV, JSON, LaTeX, Markdown, Parquet, metrics.

Each is loaded when it is named.
"""

from __future__ import annotations

from types import ModuleType

from rankscope.catalogue import Catalogue, Later, later

ALL: dict[str, Later] = later(  # a new format of output adds its line here
    "rankscope.reports.formats",
    {name: name for name in ("table", "trec", "csv", "json", "latex", "markdown", "parquet", "metrics")},
)
OUTPUT_FORMATS: Catalogue[ModuleType] = Catalogue("output format", ALL)
