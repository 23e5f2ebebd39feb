"""`rankscope ledger`: which stage of a pipeline loses the relevant items, and how much each one costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.ledger import SETTINGS_OF_A_LEDGER, ledger
from rankscope.commands.line.command import GuardedCommand, Input, NamedInput, OutputFile
from rankscope.commands.line.options import (
    BY,
    LATEX_COLUMNS,
    chosen_setting_options,
    intervals_option,
    level_option,
    map_options,
    resamples_option,
    text_file_options,
)
from rankscope.commands.line.output import chosen_format, progress_line, say, write_text
from rankscope.core.errors import SettingError
from rankscope.core.settings import LEVEL

if TYPE_CHECKING:
    from rankscope.analysis.pipeline.ledger import Ledger


TEXTS = {".txt": "table", ".md": "markdown", ".json": "json", ".csv": "csv", ".tex": "latex"}
PICTURES = dict.fromkeys((".svg", ".pdf", ".png", ".html"), "table")  # next to the picture, the table is printed
ITEM_FILES = (".csv", ".parquet")


@click.command("ledger", cls=GuardedCommand, short_help="Where did my recall go, stage by stage?")
@click.argument("qrels", type=Input(), metavar="QRELS")
@click.argument("stages", nargs=-1, required=True, type=NamedInput(), metavar="STAGE=RUN STAGE=RUN...")
@click.option(
    "--scope",
    type=int,
    metavar="K",
    help="Follow items within the first K of each list. Default: as many as the query has relevant items, where "
    "precision = recall.",
)
@BY
@click.option(
    "--unit",
    type=click.Choice(["queries", "classes"]),
    default="queries",
    show_default=True,
    help="What intervals rest on: queries, or the classes of --by, for queries of one class that look for the same.",
)
@intervals_option
@level_option(LEVEL)
@resamples_option
@click.option("--limit", default=10, show_default=True, type=click.IntRange(0), help="Number of worst queries shown.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "markdown", "json", "csv", "latex"]),
    help="Format of the result. Default: by -o's suffix (.txt, .md, .json, .csv, .tex), else a table.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("a picture"),
    metavar="FILE",
    help="Write the result to this file, as its suffix says; .svg, .pdf and .png draw it, one bar a stage; .html is a "
    "page with graphs and tables that opens offline.",
)
@click.option(
    "--per-item",
    type=OutputFile(),
    metavar="FILE",
    help="Write every relevant item at every stage too: its rank, and what became of it (.csv or .parquet).",
)
@LATEX_COLUMNS
@click.option("--junk", type=Input(), metavar="FILE", help="File of items that are removed first (query 0 item 0).")
@click.option(
    "--input-format", "format", metavar="NAME", help="Format of the input files, where it cannot be recognised."
)
@map_options
@text_file_options
@click.option("--quiet", is_flag=True, help="No progress and no notes.")
@chosen_setting_options(*SETTINGS_OF_A_LEDGER)
def ledger_command(
    qrels: str,
    stages: tuple[str, ...],
    limit: int,
    output_format: str | None,
    output: str | None,
    per_item: str | None,
    latex_columns: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Where did my recall go? Give the run behind each stage of a pipeline, in order, each under a name.

    Every relevant item is followed by id: kept, lost at a stage (no longer in the list), demoted below the scope,
    promoted or brought back. The loss of recall is divided among the stages, and the shares add up to the whole loss
    exactly; a stage that brings items back has a share below 0. An item that a list does not hold is not retrieved, and
    a query that a stage does not answer has lost all its items there.

    \b
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run filter=filtered.run rerank=final.run --scope 10
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run --by kinds.csv -o where.svg
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run --per-item items.csv
    """
    chosen = chosen_format(output, output_format, TEXTS | PICTURES, "table")
    drawn = output is not None and output.lower().endswith(tuple(PICTURES))

    if per_item is not None and not per_item.lower().endswith(ITEM_FILES):
        raise SettingError(f"--per-item {per_item}: items are written as NAME.csv or NAME.parquet")
    with progress_line(quiet) as progress:
        told = ledger(qrels, stages, progress=progress, **given)
    write_text(_rendered(told, chosen, limit, not quiet, latex_columns), None if drawn else output)
    if drawn:
        _draw(told, str(output), limit)
    if per_item is not None:
        _write_items(told, per_item)
    if not quiet and chosen in ("json", "csv"):
        for line in told.notes:
            say(f"! {line}")


def _rendered(told: Ledger, format: str, worst: int, notes: bool, columns: str) -> str:
    from rankscope.analysis.pipeline.ledger import LEDGER_FORMATS, ledger_latex

    if format != "latex":
        return LEDGER_FORMATS[format](told, worst, notes)
    from rankscope.core.latex import width_of_columns

    return ledger_latex(told, width_of_columns(columns), notes)


def _draw(told: Ledger, path: str, worst: int) -> None:
    if path.lower().endswith(".html"):
        from rankscope.reports.page.result_pages import render_ledger

        write_text(render_ledger(told, worst), path)
        return
    from rankscope.reports.graphs.waterfall import waterfall

    waterfall(told.main).save(path, width="full")


def _write_items(told: Ledger, path: str) -> None:
    from rankscope.core.files import atomic
    from rankscope.reports.output_formats import frame_csv

    frame = told.frame()
    with atomic(path, "wb") as file:
        if path.lower().endswith(".parquet"):
            frame.write_parquet(file)
        else:
            file.write(frame_csv(frame).encode())
