"""`rankscope estimate`: what can be said without complete ground truth, and how many items to judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFolder
from rankscope.commands.line.options import (
    level_option,
    map_options,
    measure_option,
    system_option,
    table_or_json_option,
)
from rankscope.commands.line.output import print_result, say
from rankscope.core.errors import SettingError
from rankscope.core.settings import LEVEL

TYPED = ("scope", "hits", "judged", "found", "method", "needed", "relevant")  # for one query, by hand
OF_BOTH = ("files", "collection", "level", "output_format", "force", "debug")


@click.command("estimate", cls=GuardedCommand, short_help="What can be said without complete judgements?")
@click.argument("files", nargs=-1, type=Input(), metavar="[QRELS RUN...]")
@measure_option(
    help="What to estimate of the runs: num_rel, generality, R@K, P@K, DCG@K, nDCG@K, AP, GRiP; with --machine any "
    "measure. Repeat it or separate by commas. Default: num_rel,R@100,P@10,DCG@10,nDCG@10,AP and, with "
    "--collection-size, generality and GRiP; with --machine AP."
)
@click.option(
    "--drawn",
    metavar="POOL",
    help="How the judged items were drawn, where QRELS does not say it: 'sample(1-10:all, 11-100:20%)' of the ranks of "
    "these runs, or collection, at random from all items.",
)
@click.option(
    "--machine",
    type=Input(),
    metavar="FILE",
    help="Judgements by a machine, of the queries of QRELS (judged by people) and of others: means are corrected.",
)
@click.option(
    "--tuned-on",
    type=Input(),
    metavar="FILE|none|all",
    help="File with the queries that the machine was tuned on, an id on each line: they are left out. all is refused.",
)
@click.option(
    "--correct-from",
    type=click.IntRange(10),
    metavar="N",
    help="With --machine: people alone are told where they judged fewer than N queries. Choose it before you look. "
    "Default: 20.",
)
@click.option(
    "--more",
    type=click.IntRange(1),
    metavar="N",
    help="Plan so many judgements more. Default: as many as halve the interval of the class size.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show each query too.")
@click.option(
    "--graphs", type=OutputFolder(), metavar="FOLDER", help="Draw intervals and what to judge next, as SVG, into it."
)
@click.option("--rel", type=float, default=1.0, show_default=True, metavar="N", help="Lowest grade that is relevant.")
@click.option(
    "--resamples",
    type=click.IntRange(20),
    default=200,
    show_default=True,
    help="Resamples within strata, for the interval of AP.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the resamples.")
@system_option
@click.option("--input-format", metavar="NAME", help="Format of the input files, where it cannot be recognised.")
@map_options
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
@click.option(
    "--collection-size",
    "collection",
    type=click.IntRange(min=1),
    metavar="D",
    help="Number of items in the collection.",
)
@click.option(
    "--scope",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="S",
    help="Number of items judged from the top of the list.",
)
@click.option(
    "--hits",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="V",
    help="Number of relevant items among the first S.",
)
@click.option(
    "--judged",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Number of items drawn at random from those below the scope, and judged.",
)
@click.option(
    "--found",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="X",
    help="Number of relevant items among the N drawn.",
)
@level_option(LEVEL)
@click.option(
    "--method",
    default="hypergeometric",
    show_default=True,
    metavar="NAME",
    help="Kind of interval: hypergeometric (exact), clopper-pearson or wilson.",
)
@click.option(
    "--needed",
    type=float,
    metavar="ERROR",
    help="Say how many items to judge for this relative error of the class size, .2 for 20 %; needs --relevant.",
)
@click.option("--relevant", type=click.IntRange(min=1), metavar="C", help="Class size to plan for, with --needed.")
@table_or_json_option
def estimate_command(
    files: tuple[str, ...],
    collection: int | None,
    scope: int,
    hits: int,
    judged: int,
    found: int,
    level: float,
    method: str,
    needed: float | None,
    relevant: int | None,
    output_format: str,
    per_query: bool,
    graphs: str | None,
    **of_runs: Any,
) -> None:
    """What can still be said without complete ground truth? Class size, recall, precision and AP, from a judged sample.

    QRELS holds judgements of items drawn at random, with the probability of each (a fifth column, or a column pi as
    `rankscope project export --probabilities` writes it), with strata, or with -1 for what was not judged of a pool.
    Everything is estimated for these queries and for queries like these, with intervals where they hold; then what to
    judge next, and how many items a user inspects for one more hit. With --machine, people's judgements of some queries
    correct a machine's judgements of all.

    Without files, for one query by hand: the first S items are judged and V of them are relevant; of N items drawn at
    random from all those below, X are.

    \b
    rankscope estimate sample.txt bm25.run dense.run
    rankscope estimate judged.txt bm25.run --drawn 'sample(1-10:all, 11-100:20%, 101-1000:5%)' -q
    rankscope estimate people.txt bm25.run dense.run --machine llm.txt -m AP,nDCG@10
    rankscope estimate --collection-size 20000 --scope 100 --hits 6 --judged 500 --found 3
    rankscope estimate --collection-size 20000 --needed .2 --relevant 64
    """
    _refuse_mixture(bool(files))
    if files:
        given = {**of_runs, "collection_size": collection, "level": level}
        _check_files(files, given)
        if of_runs["machine"] is not None:
            _refuse_with_machine(per_query, graphs)
        _show_runs(files, output_format, per_query, graphs, given)
        return
    if collection is None:
        raise SettingError(
            "give judgements and runs, rankscope estimate QRELS RUN..., or the numbers of one query, which begin with "
            "--collection-size D"
        )
    from rankscope.analysis.sampling.estimate import estimate, needed_sample

    if (needed is None) != (relevant is None):
        raise SettingError("--needed ERROR and --relevant C belong together: the class size to plan for")
    if needed is not None and relevant is not None:
        planned = needed_sample(collection, relevant, needed, level)
        _show("sample_size", planned.rows(), output_format)
        return
    said = estimate(collection, scope, hits, judged, found, level, method)
    _show("estimate", said.rows(), output_format, level=level, method=method)


def _refuse_mixture(has_files: bool) -> None:
    """Options of one query by hand next to files, or those of files without any, do nothing: that is told."""
    from click.core import ParameterSource

    context = click.get_current_context()
    useless = [
        each for each in context.command.params if (each.name in TYPED) == has_files and each.name not in OF_BOTH
    ]
    given = {each.name: each.opts[-1] for each in useless}
    used = [
        option
        for name, option in given.items()
        if context.get_parameter_source(name or "") is ParameterSource.COMMANDLINE
    ]
    why = "is for one query by hand and does nothing with files" if has_files else "needs files: QRELS RUN..."
    if used:
        raise SettingError.of([f"{option} {why}" for option in used])


def _refuse_with_machine(per_query: bool, graphs: str | None) -> None:
    given = {"--per-query": per_query, "--graphs": graphs is not None}
    used = [f"{option} does nothing with --machine" for option, is_given in given.items() if is_given]
    if used:
        raise SettingError.of(used)


def _show(name: str, rows: list[dict[str, object]], output_format: str, **more: Any) -> None:
    from rankscope.core.rendering import as_json, text_table

    if output_format == "json":
        print_result(as_json({"format": f"rankscope.{name}", "version": 1, **more, "rows": rows}))
        return
    print_result(text_table(rows, places=6) + "".join(f"{key}: {value}\n" for key, value in more.items()))


# `rankscope estimate QRELS RUN...`: from files and options to what is printed.


def _show_runs(files: tuple[str, ...], output_format: str, per_query: bool, graphs: str | None, given: Any) -> None:
    """What the judged sample says of the runs; or with a machine's judgements their corrected means."""
    from rankscope.commands.estimate import estimate_runs, estimate_with_machine

    systems, measures, machine = given.pop("systems"), given.pop("measures"), given.pop("machine")
    runs = dict(zip(systems, files[1:], strict=True)) if systems else list(files[1:])
    if machine is not None:
        of_samples = ("drawn", "collection_size", "more", "resamples", "seed")
        kept = {name: value for name, value in given.items() if value is not None and name not in of_samples}
        corrected = estimate_with_machine(files[0], machine, runs, measures or "AP", **kept)
        print_result(corrected.render(output_format))
        return
    kept = {name: value for name, value in given.items() if name not in ("tuned_on", "correct_from")}
    done = estimate_runs(files[0], runs, ",".join(measures) or None, **kept)
    print_result(done.render(output_format, per_query=per_query))
    if graphs is not None:
        for path in _draw(done, graphs):
            say(path)


def _check_files(files: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Everything that cannot be of files and options, at once."""
    count, systems, machine = len(files) - 1, given["systems"], given["machine"]
    problems = []
    if count < 1:
        problems.append("estimate needs judgements and at least one run: rankscope estimate QRELS RUN...")
    if systems and (len(systems) != count or len(set(systems)) < count):
        problems.append(f"--system NAME once for each run, all different: {count} needed, got {len(systems)}")
    names = ("tuned_on", "correct_from") if machine is None else ("drawn", "more", "collection_size")
    used = [f"--{name.replace('_', '-')}" for name in names if given[name] is not None]
    about = "is about a machine judge: give its labels with --machine FILE"
    if machine is not None:
        about = "is about a judged sample and does nothing with --machine"
    problems += [f"{name} {about}" for name in used]
    if problems:
        raise SettingError.of(problems)


def _draw(done: Any, folder: str) -> list[str]:
    from rankscope.core.files import made_folder
    from rankscope.reports.graphs.judged_samples import estimates_graph, strata_graph

    where = made_folder(folder)
    paths = {where / "intervals.svg": estimates_graph(done), where / "judge-next.svg": strata_graph(done)}
    for path, graph in paths.items():
        graph.save(path, width="full")
    return [str(path) for path in paths]
