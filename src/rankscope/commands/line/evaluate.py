"""`rankscope evaluate`: judgements and runs to numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from rankscope.commands.defaults import EVALUATE
from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import (
    VERBOSE,
    input_options,
    latex_options,
    measure_option,
    scale_options,
    setting_options,
)
from rankscope.commands.line.output import Output, progress_line, say, say_warnings, write_text
from rankscope.core.errors import InputError, SettingError
from rankscope.core.machine import limit_threads
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.settings import SETTINGS
from rankscope.core.wording import how_many


@click.command("evaluate", cls=GuardedCommand, short_help="How good is it?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@measure_option(
    help="Measures to compute: P@10, nDCG(gain=exp)@20, P(rel=2)@10, all_trec, ... Repeat it or separate by commas. "
    f"Default: {', '.join(EVALUATE)}. `rankscope measures` lists all."
)
@click.option("-q", "--per-query", is_flag=True, help="Show the values of each query too, with its status.")
@click.option(
    "--explain",
    multiple=True,
    metavar="QUERY",
    help="Explain this query in place of means: decision tables, what a hit costs, how far to look for a wanted "
    "recall. Repeat it for several.",
)
@click.option(
    "--format",
    "output_format",
    metavar="FORMAT",
    help="Format of the result: table, trec (trec_eval's lines), csv, json, latex, markdown, parquet, metrics (flat "
    "JSON for MLflow and W&B). Default: by -o's suffix, else table.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("saved ranks"),
    metavar="FILE",
    help="Write the result to this file. NAME.ranks.parquet saves the reduction itself.",
)
@latex_options
@click.option("--both-levels", is_flag=True, help="With --roll-up: chunks and documents, two rows for each system.")
@input_options
@scale_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@VERBOSE
@setting_options
def evaluate_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    explain: tuple[str, ...],
    output_format: str | None,
    output: str | None,
    latex_columns: str,
    latex_marks: str,
    both_levels: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """How good is it? Means, or values per query, of one or several runs against judgements.

    QRELS and RUN are TREC text, CSV, TSV, JSON, JSON lines, Parquet or Arrow, compressed or not; - is standard input. A
    folder of files, or a quoted pattern, is one system. Several runs give one row each. All problems of all files are
    reported at once (exit code 2).

    \b
    rankscope evaluate qrels.txt bm25.run dense.run -m AP -m nDCG@10
    rankscope evaluate qrels.txt bm25.run -m all_trec -q --format trec --compat trec_eval-10
    rankscope evaluate qrels.txt bm25.run --explain 301 --collection-size 528155
    rankscope evaluate judged.csv hits.jsonl --map query=search,item=_source.sku,score=_score
    rankscope evaluate qrels.json chunks.run --roll-up '^(.*)#\\d+$' --both-levels -m ContextRecall@5
    rankscope evaluate qrels.parquet 'runs/bm25-*.parquet' --memory 1GB -o bm25.ranks.parquet
    """
    limit_threads(1)  # no matrix is multiplied here

    where = Inputs.where(given, quiet)
    if explain:
        _explain(Inputs.of(files, given), explain, output_format, output, quiet, where)
        return
    target, inputs = Output.chosen(output, output_format, latex_columns, latex_marks), Inputs.of(files, given)
    if target.saves_ranks:
        _save(inputs, target, quiet, where)
        return
    with progress_line(quiet) as progress:
        scores = inputs.scores("evaluate", measures or EVALUATE, progress, where=where, both_levels=both_levels)
    target.write(scores, per_query, quiet, verbose)
    if not quiet and not target.tells_warnings:
        say_warnings(scores, verbose)


def _explain(
    inputs: Inputs, queries: tuple[str, ...], output_format: str | None, output: str | None, quiet: bool, where: Any
) -> None:
    """What each system does for each of the queries, as text or as JSON."""
    from rankscope.analysis.curves.effort import effort_json, effort_text
    from rankscope.commands.evaluate import efforts_of
    from rankscope.core.rendering import as_json

    if output is not None and output.endswith(RANKS_SUFFIX):
        raise SettingError("--explain shows queries and saves no ranks: leave out one of --explain and -o")
    chosen = output_format or ("json" if str(output).endswith(".json") else "table")
    if chosen not in ("table", "json"):
        raise SettingError(f"an explanation is text or JSON: --format table or json, got {chosen}")
    as_text = chosen == "table"
    with progress_line(quiet) as progress:
        scores = inputs.scores("evaluate", ["num_q"], progress, where=where)
    efforts = efforts_of(scores, queries)
    shown = "\n".join(map(effort_text, efforts)) if as_text else as_json(effort_json(efforts))
    write_text(shown, output)


def _save(inputs: Inputs, target: Any, quiet: bool, where: Any) -> None:
    """One run to one reduction, with the scores the growth forecast needs."""
    from rankscope.inputs.mix_ups import refuse_swapped
    from rankscope.inputs.qrels import Qrels, read_junk
    from rankscope.inputs.run import Run, all_problems
    from rankscope.measures.evaluation.coverage import warnings_of
    from rankscope.measures.evaluation.evaluate import input_notes
    from rankscope.measures.evaluation.scores import SystemScores
    from rankscope.ranks.parts.resources import reduce_where
    from rankscope.ranks.relevant_ranks import FIXED_BY_REDUCTION
    from rankscope.ranks.storage import save_ranks

    if len(inputs.files) != 2:
        raise SettingError("a .ranks.parquet file holds one system: give QRELS and one RUN")
    (name,) = inputs.named(inputs.files[1:]) or [""]
    settings = inputs.settings
    reading = inputs.reading(settings)
    junk = inputs.choices.get("junk")
    unwanted = read_junk(junk, reading) if junk else ()
    try:
        run = Run.of(inputs.files[1], reading, name=name)
        with all_problems([run], partial(Qrels.of, inputs.files[0], reading)), progress_line(quiet) as progress:
            qrels = Qrels.of(inputs.files[0], reading)
            ranks = reduce_where(
                qrels,
                run,
                settings,
                junk=unwanted,
                keep_scores=True,
                reading=reading,
                progress=progress,
                where=where,
                result=target.path,
            )
    except InputError:
        refuse_swapped(inputs.files[0], inputs.files[1], reading)
        raise
    notes = input_notes(qrels, [run], reading)
    save_ranks(ranks, target.path)
    if not quiet:
        for caution in warnings_of(SystemScores(ranks, ()), settings):
            say(f"! {ranks.system}: {caution.text}")
        # settings given explicitly that a reduction does not hold: they are made when it is read
        held = (*FIXED_BY_REDUCTION, "collection_size")
        lost = [each.option for each in SETTINGS if each.name in settings.given and each.name not in held]
        if lost:
            notes.append(f"{', '.join(lost)}: not kept in a saved reduction; give it again when the file is read")
        for line in notes:
            say(f"! {line}")
        say(f"{how_many(len(ranks))} saved in {target.path}")
