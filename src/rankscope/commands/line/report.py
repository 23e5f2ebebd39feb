"""`rankscope report`: one page that tells the whole result, and if asked the tables and figures of a paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rankscope.commands.defaults import REPORT
from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import VERBOSE, input_options, latex_options, measure_option, setting_options
from rankscope.commands.line.output import print_result, progress_line, say, say_warnings
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many


@click.command("report", cls=GuardedCommand, short_help="The whole picture as one page.")
@click.argument("files", nargs=-1, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
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
@latex_options
@measure_option(
    help=f"Measures to compute; the first decides. Repeat it or separate by commas. Default: {', '.join(REPORT)}."
)
@click.option("--baseline", metavar="NAME", help="The system the others are compared with. Default: the first.")
@click.option(
    "--suite",
    type=Input(),
    metavar="FILE",
    help="Compare systems over the tasks of this file (TOML) in place of runs: see docs/how-to/suite.md.",
)
@click.option(
    "--history", type=Input(), metavar="FILE", help="Draw the history of a gate in place of runs; see rankscope gate."
)
@click.option(
    "--topics", type=Input(), metavar="FILE", help="File with the words of the queries: TREC, TSV, JSON lines, ..."
)
@click.option(
    "--docs",
    metavar="WHERE",
    help="What the items are that stand first: a file or folder of texts, a folder of pictures, an index, or a "
    "template of links with {id}. The page shows it and fetches nothing. The size of an index is that of the "
    "collection unless --collection-size says another.",
)
@click.option(
    "--assessor",
    "assessors",
    type=Input(),
    multiple=True,
    metavar="FILE",
    help="Judgements of one of several people; once for each. The page then says how far they agree, and whether that "
    "changes the order of the systems.",
)
@click.option("--title", default="", metavar="TEXT", help="Title of the page. Default: names of the systems.")
@input_options
@click.option("--quiet", is_flag=True, help="No progress, no message at the end.")
@VERBOSE
@setting_options
def report_command(
    files: tuple[str, ...],
    output: str,
    latex: str | None,
    latex_columns: str,
    latex_marks: str,
    measures: tuple[str, ...],
    baseline: str | None,
    suite: str | None,
    history: str | None,
    topics: str | None,
    docs: str | None,
    assessors: tuple[str, ...],
    title: str,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """The whole picture of one or several systems as one HTML file that opens offline.

    A summary in plain words, all measures with 95 % intervals, every graph whose data exist with its numbers to save, a
    table of queries to sort and search, warnings, settings and provenance. The first system is the one the others are
    compared with. Graphs over generality and the forecast need --collection-size, or an index behind --docs.

    \b
    rankscope report qrels.txt bm25.run dense.run -o report.html --collection-size 528155
    rankscope report pixels.ranks.parquet edges.ranks.parquet --latex paper/
    rankscope report --suite suite.toml -o suite.html
    rankscope report --history gate.jsonl -o history.html
    """
    from rankscope.commands.report import check_sources, size_of_docs, with_size_of_docs
    from rankscope.commands.scores import choices_of_ranks

    check_page(output)
    inputs = Inputs.of(files, given)
    named = {"measures": measures, "baseline": baseline, "systems": inputs.systems}
    also = {"latex": latex, "topics": topics, "docs": docs, "assessors": assessors}
    check_sources(files, suite, history, {**named, **also, **inputs.choices})
    if history is not None:
        say_history(history, output, title, quiet)
        return
    if suite is not None:
        say_suite(suite, measures, baseline, output, title, quiet, verbose)
        return
    with progress_line(quiet) as progress:
        size, runs = size_of_docs(docs, inputs.choices), inputs.named_runs
        assumed = size is not None and "collection_size" not in inputs.choices and runs is not None
        if assumed:
            inputs = replace(inputs, choices={**inputs.choices, "collection_size": size})
        asked = replace(inputs, choices=choices_of_ranks(inputs.choices, runs, topics, docs))
        scores = asked.scores("report", measures or REPORT, progress, keep_scores=True)
        scores = with_size_of_docs(scores, docs, size, assumed)
        found = inputs.found_items(scores, topics=topics, docs=docs, baseline=baseline or "")
        paper = None
        if latex:
            from rankscope.core.latex import width_of_columns

            paper = latex, width_of_columns(latex_columns), latex_marks
        written = write_report(
            scores,
            output,
            title,
            progress,
            paper=paper,
            baseline=baseline or "",
            found=found,
            assessors=list(assessors) or None,
            runs=runs,
            given=inputs.choices,
        )
    if not quiet:
        say_warnings(scores, verbose)
        say(f"{output}: {written}")


def say_suite(
    suite: str,
    measures: tuple[str, ...],
    baseline: str | None,
    output: str,
    title: str,
    quiet: bool,
    verbose: bool = False,
) -> None:
    """Write the page of a suite, and print what it shows."""
    from rankscope.commands.report import write_page
    from rankscope.commands.suite import suite as compared_suite
    from rankscope.commands.suite import suite_page

    with progress_line(quiet) as progress:
        found = compared_suite(suite, measures or None, baseline=baseline, progress=progress)
        size = write_page(suite_page(found, title), output)
    print_result(found.main.render())
    if not quiet:
        for line in found.warnings(verbose):
            say(f"! {line}")
        say(f"{output}: {size / 1e6:.1f} MB, opens offline")


def say_history(history: str, output: str, title: str, quiet: bool) -> None:
    """Write the page of a history; tell what is damaged in it, and the last build."""
    from rankscope.analysis.comparison.gate_history import (
        history_headline,
        history_sentences,
        history_warnings,
        read_history,
    )
    from rankscope.commands.report import write_page
    from rankscope.reports.page.result_pages import render_history

    found = read_history(history)
    size = write_page(render_history(found, title), output)
    if quiet:
        return
    print_result("\n".join([history_headline(found), *history_sentences(found)]) + "\n")
    for line in history_warnings(found):
        say(f"! {history}: {line}")
    say(f"{output}: {size / 1e6:.1f} MB, opens offline")


def check_page(path: str) -> None:
    """Refuse what is no file for a page: a folder, or a name that says something else than HTML."""
    if Path(path).is_dir():
        raise SettingError(f"{path} is a folder: give a file, for instance -o {Path(path) / 'report.html'}")
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise SettingError(f"{path}: the report is a page of HTML. Give -o {Path(path).with_suffix('.html')}")


def write_report(
    scores: Any,
    path: str | Path,
    title: str = "",
    progress: Any = None,
    paper: tuple[str, float, str] | None = None,
    **what: Any,
) -> str:
    """Make the page and, for a `paper`, its folder, with tables so wide and such marks; says what was written.

    `what` are keywords of `report_of`.
    """
    from rankscope.commands.report import report_of, write_page
    from rankscope.reports.page.html import render_report

    whole = report_of(scores, title, progress, **what)
    page = render_report(whole)
    also = ""
    if paper is not None:
        from rankscope.reports.page.paper import write_paper

        folder, width, marks = paper
        also = f"; {how_many(len(write_paper(whole, folder, progress, width, marks)), 'files')} in {folder}"
    size = write_page(page, path)
    count = sum(figure.graph is not None for figure in whole.figures)
    return f"{how_many(count, 'graphs')}, {size / 1e6:.1f} MB, opens offline{also}"
