"""`rankscope report`: one page that tells the whole result, and if asked the tables and figures of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.cli.loading import Inputs
from rankscope.cli.options import input_options, measure_option, setting_options
from rankscope.facade.usual import REPORT


@click.command("report", cls=GuardedCommand, short_help="The whole picture as one page.")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    type=OutputFile(),
    metavar="FILE",
    help="Write the page here.",
)
@click.option(
    "--latex",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write tables (.tex) and figures (.pdf) for a paper too, into this folder.",
)
@measure_option(
    help=f"Measures to compute; the first decides. Repeat it or separate by commas. Default: {', '.join(REPORT)}.",
)
@click.option("--baseline", metavar="NAME", help="The system the others are compared with. Default: the first.")
@click.option(
    "--topics", type=Input(), metavar="FILE", help="File with the words of the queries: TREC, TSV, JSON lines, ..."
)
@click.option(
    "--docs",
    metavar="WHERE",
    help="What the items are that stand first: a file or folder of texts, a folder of pictures, an index, or a "
    "template of links with {id}. The page shows it and fetches nothing.",
)
@click.option("--title", default="", metavar="TEXT", help="Title of the page. Default: names of the systems.")
@input_options
@click.option("--quiet", is_flag=True, help="No progress, no message at the end.")
@setting_options
def command(
    files: tuple[str, ...],
    output: str,
    latex: str | None,
    measures: tuple[str, ...],
    baseline: str | None,
    topics: str | None,
    docs: str | None,
    title: str,
    quiet: bool,
    **given: Any,
) -> None:
    """The whole picture of one or several systems as one HTML file that opens offline.

    A summary in plain words, all measures with 95 % intervals, every graph whose data exist with its numbers to save, a
    table of queries to sort and search, warnings, settings and provenance. The first system is the one the others are
    compared with. Graphs over generality and the forecast need --collection-size.

    \b
    rankscope report qrels.txt bm25.run dense.run -o report.html --collection-size 528155
    rankscope report pixels.ranks.parquet edges.ranks.parquet --latex paper/
    """
    from rankscope.cli.output import progress_line, say
    from rankscope.errors import SettingError

    if Path(output).is_dir():
        raise SettingError(f"{output} is a folder: give a file, for instance -o {Path(output) / 'report.html'}")
    with progress_line(quiet) as progress:
        inputs = Inputs.of(files, given)
        scores = inputs.scores("report", measures or REPORT, progress, keep_scores=True)
        found = inputs.found_items(scores, topics=topics, docs=docs, baseline=baseline or "")
        written = write_report(scores, output, title, latex, progress, baseline=baseline or "", found=found)
    if not quiet:
        for line in scores.warnings():
            say(f"! {line}")
        say(f"{output}: {written}")


def write_report(
    scores: Any,
    path: str | Path,
    title: str = "",
    latex: str | None = None,
    progress: Any = None,
    compared: Any = None,
    baseline: str = "",
    found: Any = None,
) -> str:
    """Make the page and, if asked, the folder for a paper; says in a few words what was written."""
    from rankscope.facade.showing import page_of, whole_report, write_page, write_paper

    whole = whole_report(scores, title, progress, compared, baseline, found)
    page = page_of(whole)
    files = write_paper(whole, latex, progress) if latex else []
    size = write_page(page, path)
    count = sum(figure.graph is not None for figure in whole.figures)
    also = f"; {len(files)} files in {latex}" if latex else ""
    return f"{count} graphs, {size / 1e6:.1f} MB, opens offline{also}"
