"""`rankscope report`: one page that tells the whole result, and if asked the tables and figures of a paper."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rankscope.cli.options import chosen_settings, input_options, setting_options

USUAL = ("AP", "nDCG@10", "P@10", "success@1", "RR", "Rprec")
SAVED = ".ranks.parquet"


@click.command("report", short_help="The whole picture as one page.")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | RANKS.parquet...")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE", help="Write the page here.")
@click.option("--latex", metavar="FOLDER", help="Tables (.tex) and figures (.pdf) for a paper too, into this folder.")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAMES",
    help="What to compute; the first is the one that decides. Repeat it or separate by commas. "
    f"Default: {', '.join(USUAL)}.",
)  # fmt: skip
@click.option("--title", default="", metavar="TEXT", help="Title of the page. Default: names of the systems.")
@input_options
@click.option("--quiet", is_flag=True, help="No progress, no word at the end.")
@setting_options
def command(
    files: tuple[str, ...],
    output: str,
    latex: str | None,
    measures: tuple[str, ...],
    title: str,
    junk: str | None,
    classes: str | None,
    input_format: str | None,
    encoding: str,
    quiet: bool,
    compat: str | None,
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
    from rankscope.settings import Settings

    if Path(output).is_dir():
        raise SettingError(f"{output} is a folder: give a file, for instance -o {Path(output) / 'report.html'}")
    settings = Settings.make(compat=compat, **chosen_settings(given))
    with progress_line(quiet) as progress:
        scores = _scores(files, measures or USUAL, settings, junk, classes, (input_format, encoding), progress)
        written = write_report(scores, output, title, latex, progress)
    if not quiet:
        for line in scores.warnings():
            say(f"! {line}")
        say(f"{output}: {written}")


def write_report(
    scores: Any, path: str | Path, title: str = "", latex: str | None = None, progress: Any = None, helper: Any = None
) -> str:
    """Make the page and, if asked, the folder for a paper; says in a few words what was written."""
    from rankscope.files import atomic
    from rankscope.reports import html
    from rankscope.reports.contents import Report
    from rankscope.reports.helper import Helper
    from rankscope.reports.paper import write_paper

    with helper or Helper(wanted=(os.cpu_count() or 1) > 1) as second:
        report = Report.of(scores, title, progress, second)
    page = html.render(report).encode()
    made = write_paper(report, latex, progress) if latex else []
    with atomic(path, "wb") as file:
        file.write(page)
    count = sum(figure.graph is not None for figure in report.figures)
    also = f"; {len(made)} files in {latex}" if latex else ""
    return f"{count} graphs, {len(page) / 1e6:.1f} MB, opens offline{also}"


def _scores(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    settings: Any,
    junk: str | None,
    classes: str | None,
    how: tuple[str | None, str],
    progress: Any,
) -> Any:
    """Scores whose ranks still know the scores of hits and distractors, which some graphs show."""
    from rankscope.errors import SettingError
    from rankscope.inputs.reading import Reading
    from rankscope.measures.evaluate import evaluate, evaluate_ranks
    from rankscope.ranks.storage import load_ranks

    if all(path.endswith(SAVED) for path in files):
        return evaluate_ranks([load_ranks(path) for path in files], measures, settings, classes)
    if len(files) < 2:
        raise SettingError("a report needs judgements and at least one run: rankscope report QRELS RUN...")
    if any(path.endswith(SAVED) for path in files):
        raise SettingError("saved ranks hold their judgements already: give NAME.ranks.parquet files alone")
    qrels, runs, ranks = _reduced(files, settings, junk, Reading(*how, settings.comments), progress)
    if settings.compat is None and settings.mean != "micro":
        return evaluate_ranks(ranks, measures, settings, classes)
    given = {name: getattr(settings, name) for name in settings.given}
    scores = evaluate(qrels, runs, measures, junk=junk, classes=classes, compat=settings.compat, **given)
    return _with_ranks(scores, ranks, settings)


def _reduced(
    files: tuple[str, ...], settings: Any, junk: str | None, reading: Any, progress: Any
) -> tuple[Any, list[Any], list[Any]]:
    """Judgements, runs and their reductions; all problems of all files come in one error."""
    from rankscope.errors import InputError
    from rankscope.inputs.checks import raise_all
    from rankscope.inputs.junk import read_junk
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.several import named_runs
    from rankscope.ranks.reduce import check_run, reduce

    errors: list[InputError] = []
    qrels, unwanted, ranks = None, [], []
    try:
        qrels = Qrels.of(files[0], reading)
        if settings.compat is not None:
            qrels.need_whole_grades(settings.compat)
    except InputError as error:
        errors.append(error)
    try:
        unwanted = list(read_junk(junk, reading)) if junk else []
    except InputError as error:
        errors.append(error)
    runs = named_runs(list(files[1:]), reading, errors)
    for run in runs:
        try:
            if qrels is None:
                check_run(run, settings)
            else:
                ranks.append(reduce(qrels, run, settings, junk=unwanted, keep_scores=True, progress=progress))
        except InputError as error:
            errors.append(error)
    raise_all(errors)
    return qrels, runs, ranks


def _with_ranks(scores: Any, ranks: list[Any], settings: Any) -> Any:
    """The same scores with the ranks that know their scores."""
    from rankscope.measures.columns import seen_of

    systems = []
    for system, own in zip(scores.systems, ranks, strict=True):
        whole = replace(own.with_collection(settings.collection_size), classes=system.ranks.classes)
        systems.append(replace(system, ranks=seen_of(whole, settings).at(rel=settings.rel)))
    return replace(scores, systems=tuple(systems))
