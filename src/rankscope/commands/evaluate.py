"""How good is it? Means and values per query, and what a system does for one query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.line.questions import (
    LATEX_COLUMNS,
    LATEX_MARKS,
    ON,
    QUIET,
    VERBOSE,
    Request,
    command,
    measure_option,
)
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.options import INPUT, OUTPUT, WHERE, Option, Writes
from rankscope.core.settings import SETTINGS, InputChoices
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.analysis.curves.effort import SearchEffort
    from rankscope.core.parts import Runner
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.parts.resources import Where
    from rankscope.ranks.reduction import Progress


@strict_keywords
def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Annotated[
        Asked,
        measure_option(
            "Measures to compute: P@10, nDCG(gain=exp)@20, P(rel=2)@10, all_trec, ...; `rankscope measures` lists all.",
            defaults.EVALUATE,
        ),
    ] = defaults.EVALUATE,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    on: Annotated[str | Runner, ON] = "home",
    memory: Annotated[
        str | int | None,
        Option(
            "Work within this much memory, as 1GB; a run that needs more is reduced in parts.",
            metavar="SIZE",
            default="half of what is free",
            panel=WHERE,
        ),
    ] = None,
    work: Annotated[
        str | Path | None,
        Option(
            "Keep finished parts here until the work has ended well, so that stopped work continues.",
            metavar="FOLDER",
            kind=Writes(folder=True),
            default="next to the file of saved ranks",
            panel=WHERE,
        ),
    ] = None,
    shuffle: Annotated[
        Literal["auto", "none"],
        Option(
            "auto brings the rows of a query together where a large run has them scattered; none counts them where "
            "they lie, in two passes.",
            panel=WHERE,
        ),
    ] = "auto",
    digest: Annotated[bool, Option("Note the SHA-256 of large runs.", panel=WHERE)] = True,
    both_levels: Annotated[
        bool, Option("With a roll-up: chunks and documents, two rows for each system.", panel=INPUT)
    ] = False,
    **given: Unpack[InputChoices],
) -> Scores:
    """How good is it? Means and values per query, of one run or several against judgements.

    `qrels` and each run: a path, a nested dictionary, a polars or pandas frame, three arrays, or an object of another
    library (`rankscope.commands.adapters`); several runs are a list, or a dictionary by name. Without `runs`,
    reductions made before: ranks, or NAME.ranks.parquet files. `measures` as people write them, or as classes:
    "nDCG@10", or nDCG @ 10. `keep_scores` leaves scores in the ranks of the result, for graphs and forecasts that read
    them.

    A folder of files or a pattern is one system. A run that does not fit into `memory` ("1GB"; None: half of what is
    free) is reduced in parts, `on` "home", "processes:4", "dask://HOST:PORT" or "spark"; no number depends on it.
    `work` is a folder in which finished parts wait for the rest, `shuffle="none"` counts rows where they lie, and
    `digest=False` leaves the SHA-256 of large runs out. With `roll_up`, `both_levels` shows chunks and documents.
    >>> scores = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    >>> scores["AP"], scores["RR"]
    (0.5, 0.5)
    """
    from rankscope.commands.scores import scores_of

    where = None
    if (on, memory, work, shuffle, digest) != ("home", None, None, "auto", True):
        from rankscope.ranks.parts.resources import Where

        where = Where(on=on, memory=memory, work=work, shuffle=shuffle, digest=digest)
    return scores_of(
        qrels, runs, measures, keep_scores=keep_scores, progress=progress, where=where, both_levels=both_levels, **given
    )


# What does a system do for one query?


@strict_keywords
def explain_query(qrels: Any, runs: Any = None, query: str = "", **given: Unpack[InputChoices]) -> SearchEffort:
    """Decision tables of one query of one system, what its hits cost, and how far to look for a wanted recall.

    Takes what `evaluate` takes. Decision tables and windows to expect need the size of the collection:
    `collection_size=20000`.
    >>> effort = explain_query({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "q", collection_size=100)
    >>> effort.at[0].contingency, effort.wanted[-1].window
    (Contingency(true_positives=1, false_positives=0, false_negatives=1, true_negatives=98), 3.0)
    """
    from rankscope.commands.scores import scores_of

    scores = scores_of(qrels, runs, ["num_q"], **given)
    if len(scores.systems) != 1:
        raise SettingError(f"a query is explained for one system, got {len(scores.systems)}")
    return efforts_of(scores, [query])[0]


def efforts_of(scores: Scores, queries: Sequence[str]) -> list[SearchEffort]:
    """What each system does for each query, query by query."""
    from rankscope.analysis.curves.effort import search_effort

    systems = scores.ranks
    return [search_effort(system, query) for query in queries for system in systems]


# `rankscope evaluate`.


@command(evaluate, files="QRELS RUN... | RANKS.parquet...", short="How good is it?")
def evaluate_command(
    request: Request,
    *,
    per_query: Annotated[bool, Option("Show the values of each query too, with its status.", "-q --per-query")] = False,
    explain: Annotated[
        tuple[str, ...],
        Option(
            "Explain this query in place of means: decision tables, what a hit costs, how far to look for a wanted "
            "recall. Repeat it for several.",
            metavar="QUERY",
            many=True,
        ),
    ] = (),
    output_format: Annotated[
        str | None,
        Option(
            "Format of the result: table, trec (trec_eval's lines), csv, json, latex, markdown, parquet, metrics (flat "
            "JSON for MLflow and W&B).",
            "--format",
            metavar="FORMAT",
            default="by -o's suffix, else table",
            panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "Write the result to this file. NAME.ranks.parquet saves the reduction itself.",
            "-o --output",
            metavar="FILE",
            kind=Writes(("saved ranks",)),
            panel=OUTPUT,
        ),
    ] = None,
    latex_columns: Annotated[str, LATEX_COLUMNS] = "1",
    latex_marks: Annotated[Literal["auto", "letters", "daggers", "none"], LATEX_MARKS] = "auto",
    quiet: Annotated[bool, QUIET] = False,
    verbose: Annotated[bool, VERBOSE] = False,
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
    from rankscope.commands.line.output import Output, say_warnings
    from rankscope.core.machine import limit_threads

    limit_threads(1)  # no matrix is multiplied here
    where = request.where()
    if explain:
        _explain(request, explain, output_format, output, where)
        return
    target = Output.chosen(output, output_format, latex_columns, latex_marks)
    if target.saves_ranks:
        _save(request, target, where)
        return
    scores = request.scores(where=where, both_levels=request.own["both_levels"])
    target.write(scores, per_query, quiet, verbose)
    if not quiet and not target.tells_warnings:
        say_warnings(scores, verbose)


def _explain(
    request: Request, queries: tuple[str, ...], output_format: str | None, output: str | None, where: Where | None
) -> None:
    """What each system does for each of the queries, as text or as JSON."""
    from rankscope.analysis.curves.effort import effort_json
    from rankscope.commands.line.output import write_text
    from rankscope.core.rendering import as_json

    if output is not None and output.endswith(RANKS_SUFFIX):
        raise SettingError("--explain shows queries and saves no ranks: leave out one of --explain and -o")
    chosen = output_format or ("json" if str(output).endswith(".json") else "table")
    if chosen not in ("table", "json"):
        raise SettingError(f"an explanation is text or JSON: --format table or json, got {chosen}")
    as_text = chosen == "table"
    scores = request.scores(measures=["num_q"], where=where)
    efforts = efforts_of(scores, queries)
    shown = "\n".join(each.render() for each in efforts) if as_text else as_json(effort_json(efforts))
    write_text(shown, output)


def _save(request: Request, target: Any, where: Where | None) -> None:
    """One run to one reduction, with the scores the growth forecast needs."""
    from rankscope.commands.line.output import say
    from rankscope.inputs.mix_ups import refuse_swapped
    from rankscope.inputs.qrels import Qrels, read_junk
    from rankscope.inputs.run import Run, all_problems
    from rankscope.measures.evaluation.coverage import warnings_of
    from rankscope.measures.evaluation.evaluate import input_notes
    from rankscope.measures.evaluation.scores import SystemScores
    from rankscope.ranks.parts.resources import reduce_where
    from rankscope.ranks.relevant_ranks import FIXED_BY_REDUCTION
    from rankscope.ranks.storage import save_ranks

    inputs = request.inputs
    if len(inputs.files) != 2:
        raise SettingError("a .ranks.parquet file holds one system: give QRELS and one RUN")
    (name,) = inputs.named(inputs.files[1:]) or [""]
    settings = inputs.settings
    reading = inputs.reading(settings)
    junk = inputs.choices.get("junk")
    unwanted = read_junk(junk, reading) if junk else ()
    try:
        run = Run.of(inputs.files[1], reading, name=name)
        with all_problems([run], partial(Qrels.of, inputs.files[0], reading)), request.progress() as progress:
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
    if not request.quiet:
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
