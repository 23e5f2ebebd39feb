"""Scores as people and programs want them: a table, trec_eval's lines, CSV, JSON, LaTeX, Markdown, Parquet, metrics."""

from __future__ import annotations

import io
import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rankscope.core.catalogue import Catalogue, Later
from rankscope.core.errors import SettingError
from rankscope.core.names import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from rankscope.core.settings import Settings
    from rankscope.measures.evaluation.scores import Column, Scores, SystemScores


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
            "rankscope.measures.evaluation.score_tables:render_table",
        ),
        OutputFormat(
            "trec",
            (".trec",),
            "Exactly trec_eval's lines, so that `diff` shows agreement: name padded to 22, tab, query, tab, value.",
            "rankscope.reports.output_formats:render_trec",
        ),
        OutputFormat("csv", (".csv",), "CSV: one row per value.", "rankscope.reports.output_formats:render_csv"),
        OutputFormat(
            "json",
            (".json",),
            "JSON with a version, for programs: everything the other formats show, and where it came from.",
            "rankscope.reports.output_formats:render_json",
        ),
        OutputFormat(
            "latex",
            (".tex",),
            "Tables for a paper: booktabs, decimals aligned by dcolumn, the best of each measure in bold, as wide as a "
            "column.",
            "rankscope.reports.output_formats:render_latex",
        ),
        OutputFormat(
            "markdown",
            (".md",),
            "A Markdown table, the best of each measure in bold.",
            "rankscope.measures.evaluation.score_tables:render_markdown",
        ),
        OutputFormat(
            "parquet",
            (".parquet",),
            "The long table as Parquet.",
            "rankscope.reports.output_formats:render_parquet",
            binary=True,
        ),
        OutputFormat(
            "metrics",
            (".metrics.json",),
            "Flat JSON for trackers of experiments: each mean with its interval and its number of queries, under a "
            "plain name.",
            "rankscope.reports.output_formats:render_metrics",
        ),
    ),
)


# Exactly trec_eval's lines, so that `diff` shows agreement: name padded to 22, tab, query, tab, value.


def render_trec(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """Queries in byte order, the summary last; with several systems one after the other. Grades must be whole."""
    for system in scores.systems:
        if bool((system.ranks.levels["grade"] % 1 != 0).any()):
            raise SettingError(
                "trec_eval knows whole grades only, and these judgements have fractions: choose another format"
            )
    lines = [line for system in scores.systems for line in _trec_lines(system, per_query, scores.settings)]
    return "".join(f"{line}\n" for line in lines)


def _trec_lines(system: SystemScores, per_query: bool, settings: Settings) -> Iterator[str]:
    if per_query:
        columns = _trec_columns(system)
        for row, query in enumerate(system.ranks.queries):
            # Release 9 and pytrec_eval leave queries out that are not answered, though 9 counts them in the mean.
            if system.ranks.answered[row] or settings.compat not in ("trec_eval-9", "pytrec_eval", "beir"):
                yield from (_trec_line(column, query, text) for column in columns if (text := _trec_value(column, row)))
    for column in system.columns:
        if column.word is not None:
            yield _trec_line(column, "all", column.word)
        elif column.words is None:
            yield _trec_line(column, "all", _trec_text(column.summary, column.measure.counts))


def _trec_columns(system: SystemScores) -> list[Column]:
    """The columns that have a line for each query: not what trec_eval tells of all queries alone."""
    from rankscope.measures.counts import NumQ

    def of_all(column: Column) -> bool:
        return column.word is not None or column.measure.summary == "geometric" or isinstance(column.measure, NumQ)

    return [column for column in system.columns if column.words is not None or not of_all(column)]


def _trec_line(column: Column, query: str, text: str) -> str:
    return f"{column.measure.trec_name() or column.asked:<22}\t{query}\t{text}"


def _trec_value(column: Column, row: int) -> str | None:
    if column.words is not None:
        return f"'{column.words[row]}'"
    value = float(column.values[row])
    if math.isnan(value) and not column.counted[row]:
        return None
    return _trec_text(value, column.measure.counts)


def _trec_text(value: float, counts: bool) -> str:
    """As C prints it; NaN as glibc prints 0/0. A count that is a mean over orders need not be whole."""
    if math.isnan(value):
        return "  -nan"
    return str(int(value)) if counts and value == int(value) else f"{value:6.4f}"


# Tables for a paper.


def render_latex(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    r"""A tabular to \input. What must be said with the numbers stands above it as comments."""
    from rankscope.core.latex import PLACES, latex_comments, latex_table
    from rankscope.measures.evaluation.score_tables import coverage_lines, query_grid, summary_grid

    grid = query_grid(scores) if per_query else summary_grid(scores, PLACES)
    return latex_comments([*coverage_lines(scores), *scores.warnings()]) + latex_table(grid)


# CSV: one row per value.


def render_csv(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """The long table with all digits, or one row per system and measure."""
    return frame_csv(scores.to_polars() if per_query else summary_table(scores))


def frame_csv(table: pl.DataFrame) -> str:
    """A table as CSV that no spreadsheet takes for formulas."""
    import polars as pl

    guarded = []
    for column in table.select(pl.col(pl.String)).iter_columns():  # few values differ, so each is looked at once
        changed = {value: cell(value) for value in column.unique().to_list() if cell(value) != value}
        guarded.append(column.replace(changed) if changed else column)
    return table.with_columns(guarded).write_csv()


def summary_table(scores: Scores) -> pl.DataFrame:
    """System, measure, value, and how many queries it was made from; over all orders of equal scores its error too."""
    import polars as pl

    columns = [(system, column) for system in scores.systems for column in system.columns]
    numbers = [(system, column) for system, column in columns if column.measure.summary != "none"]
    rows: list[tuple[object, ...]] = [
        (system.name, column.asked, column.summary, column.averaged) for system, column in numbers
    ]
    schema = {"system": pl.String, "measure": pl.String, "value": pl.Float64, "queries": pl.Int64}
    if any(column.extremes is not None for _, column in numbers):
        schema |= dict.fromkeys(("standard_error", "worst", "best"), pl.Float64)
        for place, (_, column) in enumerate(numbers):
            ends = (None, None, None) if column.extremes is None else (column.summary_error, *column.extremes)
            rows[place] += ends
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


# JSON with a version, for programs: everything the other formats show, and where it came from.

VERSION = 1


def render_json(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """One object; undefined values are null."""
    from rankscope.core.rendering import as_json

    whole = {
        "format": "rankscope.scores",
        "version": VERSION,
        "settings": scores.settings_in_effect,
        "measures": [
            {"asked": column.asked, "computed": str(column.measure), "summary": column.measure.summary}
            for column in (scores.systems[0].columns if scores.systems else ())
        ],
        "systems": [_json_system(system, scores, per_query) for system in scores.systems],
        "warnings": scores.warnings(),
    }
    return as_json(whole)


def _json_system(system: SystemScores, scores: Scores, per_query: bool) -> dict[str, Any]:
    numbers = [column for column in system.columns if column.measure.summary != "none"]
    result: dict[str, Any] = {
        "name": system.name,
        "tag": system.ranks.tag,
        "means": {column.asked: column.summary for column in numbers},
        "queries_averaged": {column.asked: column.averaged for column in numbers},
        "coverage": asdict(scores.coverage()[system.name]),
        "provenance": dict(system.ranks.provenance),
    }
    if any(column.extremes for column in numbers):
        result["worst_and_best_order"] = {column.asked: column.extremes for column in numbers}
        result["standard_error"] = {column.asked: column.summary_error for column in numbers}
    if per_query:
        result["queries"] = [_json_query(system, row) for row in range(len(system.ranks))]
    return result


def _json_query(system: SystemScores, row: int) -> dict[str, Any]:
    result: dict[str, Any] = {"query": system.ranks.queries[row], "status": system.status[row]}
    if system.ranks.classes is not None:
        result["class"] = system.ranks.classes[row]
    result["values"] = {
        column.asked: column.words[row] if column.words is not None else float(column.values[row])
        for column in system.columns
        if column.word is None
    }
    errors = {column.asked: float(column.error[row]) for column in system.columns if column.error is not None}
    if errors:
        result["standard_errors"] = errors
    return result


# The long table as Parquet.


def render_parquet(scores: Scores, per_query: bool = False, colour: bool = False) -> bytes:
    """System, query, class, measure, value, status; or one row per system and measure."""
    buffer = io.BytesIO()
    (scores.to_polars() if per_query else summary_table(scores)).write_parquet(buffer)
    return buffer.getvalue()


# Flat JSON for trackers of experiments: each mean with its interval and its number of queries, under a plain name.


def render_metrics(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """One object of numbers, which `mlflow.log_metrics` and `wandb.log` take as it is."""
    from rankscope.reports.trackers import to_metrics

    if per_query:
        raise SettingError("metrics are means: leave out --per-query, or choose csv or json")
    return json.dumps(to_metrics(scores), indent=2, allow_nan=False) + "\n"
