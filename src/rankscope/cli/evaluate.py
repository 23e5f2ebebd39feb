"""`rankscope evaluate`: judgements and runs to numbers."""

from __future__ import annotations

import sys
from typing import Any

import click

from rankscope.cli.options import chosen_settings, input_options, setting_options

USUAL = ("AP", "nDCG@10", "P@10", "RR", "Rprec")
SAVED = ".ranks.parquet"


@click.command("evaluate", short_help="How good is it?")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAMES",
    help="What to compute: P@10, nDCG(gain=exp)@20, P(rel=2)@10, all_trec, ... Repeat it or separate by commas. "
    f"Default: {', '.join(USUAL)}. `rankscope measures` lists all.",
)  # fmt: skip
@click.option("-q", "--per-query", is_flag=True, help="Values of each query too, with its status.")
@click.option(
    "--format", "output_format", metavar="FORMAT",
    help="table, trec (trec_eval's lines), csv, json, latex, markdown, parquet. Default: by -o's suffix, else table.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write here. NAME.ranks.parquet saves the reduction itself.")
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@setting_options
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    output_format: str | None,
    output: str | None,
    junk: str | None,
    classes: str | None,
    input_format: str | None,
    encoding: str,
    quiet: bool,
    compat: str | None,
    **given: Any,
) -> None:
    """How good is it? Means, or values per query, of one or several runs against judgements.

    QRELS and RUN are TREC text, CSV, TSV, JSON, JSON lines, Parquet or Arrow, compressed or not; - is standard input.
    Several runs give one row each. All problems of all files are reported at once (exit code 2).

    \b
    rankscope evaluate qrels.txt bm25.run dense.run -m AP -m nDCG@10
    rankscope evaluate qrels.txt bm25.run -m all_trec -q --format trec --compat trec_eval-10
    """
    from rankscope.cli.output import Output, progress_line

    target = Output.chosen(output, output_format)
    settings = chosen_settings(given)
    with progress_line(quiet) as progress:
        if target.saves_ranks:
            _save(files, target, settings, compat, junk, input_format, encoding)
            return
        scores = _scores(files, measures or USUAL, settings, compat, junk, classes, input_format, encoding, progress)
    target.write(scores, per_query)
    if not quiet and not target.tells_warnings:
        for line in scores.warnings():
            click.echo(f"! {line}", err=True)


def _scores(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    settings: dict[str, Any],
    compat: str | None,
    junk: str | None,
    classes: str | None,
    input_format: str | None,
    encoding: str,
    progress: Any,
) -> Any:
    from rankscope.measures.evaluate import evaluate, evaluate_ranks
    from rankscope.ranks.storage import load_ranks
    from rankscope.settings import Settings

    if all(path.endswith(SAVED) for path in files):
        ranks = [load_ranks(path) for path in files]
        return evaluate_ranks(ranks, measures, Settings.make(compat=compat, **settings), classes)
    qrels, *runs = files
    _need_runs(runs)
    return evaluate(
        qrels, runs, measures, junk=junk, classes=classes, format=input_format, encoding=encoding, progress=progress,
        compat=compat, **settings,
    )  # fmt: skip


def _need_runs(runs: list[str]) -> None:
    from rankscope.errors import SettingError

    if not runs:
        raise SettingError("evaluate needs judgements and at least one run: rankscope evaluate QRELS RUN...")
    if any(run.endswith(SAVED) for run in runs):
        raise SettingError("saved ranks hold their judgements already: give NAME.ranks.parquet files alone")
    if sys.stdin is None and "-" in runs:
        raise SettingError("there is no standard input to read")


def _save(
    files: tuple[str, ...],
    target: Any,
    settings: dict[str, Any],
    compat: str | None,
    junk: str | None,
    input_format: str | None,
    encoding: str,
) -> None:
    """One run to one reduction, with the scores the growth forecast needs."""
    from rankscope.errors import SettingError
    from rankscope.inputs.junk import read_junk
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run
    from rankscope.ranks.reduce import reduce
    from rankscope.ranks.storage import save_ranks
    from rankscope.settings import Settings

    if len(files) != 2:
        raise SettingError("a .ranks.parquet file holds one system: give QRELS and one RUN")
    chosen = Settings.make(compat=compat, **settings)
    reading = Reading(input_format, encoding, chosen.comments)
    unwanted = read_junk(junk, reading) if junk else ()
    ranks = reduce(Qrels.of(files[0], reading), Run.of(files[1], reading), chosen, junk=unwanted, keep_scores=True)
    save_ranks(ranks, target.path)
    click.echo(f"{len(ranks)} queries saved in {target.path}", err=True)
