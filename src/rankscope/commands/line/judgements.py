"""`rankscope agreement`, `reuse` and `labels`: how far assessors agree, and what judgements and labels are good for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.options import (
    BY,
    label_options,
    level_option,
    map_options,
    setting_options,
    system_option,
    table_or_json_option,
)
from rankscope.commands.line.output import print_result, progress_line, say
from rankscope.core.errors import SettingError
from rankscope.core.settings import LEVEL
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.analysis.assessors.agreement import Agreement


# `rankscope agreement`: how far do assessors agree, and does it change which system is best?

RUNS_OPTION = click.option(
    "--runs", type=Input(), multiple=True, metavar="RUN", help="Systems to put in order. Repeat it."
)


@click.command("agreement", cls=GuardedCommand, short_help="How far do assessors agree, and does it matter?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS QRELS... | PROJECT")
@RUNS_OPTION
@click.option("-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems.")
@click.option(
    "--merge", metavar="RULE", help="Also write one grade for each pair, by majority, median, any, all, equal."
)
@click.option(
    "--open",
    "open_pairs",
    type=click.Choice(["lower", "higher", "leave-out"]),
    help="What becomes of pairs that --merge does not decide; else they are listed and nothing is written.",
)
@click.option("-o", "--output", type=OutputFile("judgements"), metavar="FILE", help="Where --merge writes judgements.")
@level_option(LEVEL)
@table_or_json_option
@click.option("--quiet", is_flag=True, help="No messages, only the result and errors.")
@BY
@map_options
@setting_options
def agreement_command(
    files: tuple[str, ...],
    runs: tuple[str, ...],
    measure: str,
    merge: str | None,
    open_pairs: str | None,
    output: str | None,
    level: float,
    output_format: str,
    quiet: bool,
    classes: str | None,
    **given: Any,
) -> None:
    """How far do assessors agree? One file of judgements for each of them, or a project that they judged in.

    Raw agreement, Cohen's kappa (also weighted), Krippendorff's alpha, Fleiss' kappa, Gwet's AC1 and AC2, overlap and
    positive agreement, with limits over queries; by class with --by. With --runs also what counts most: whether systems
    come in another order, and whether verdicts turn round, when somebody else judges.

    \b
    rankscope agreement ann.txt bob.txt eve.txt
    rankscope agreement ann.txt bob.txt --runs bm25.run --runs dense.run -m nDCG@10
    rankscope agreement ann.txt bob.txt eve.txt --merge majority --open lower -o qrels.txt
    rankscope agreement judging/
    """
    maps = {name: given.pop(name) for name in ("columns", "map_qrels", "map_runs")}
    chosen = {name: value for name, value in given.items() if value is not None}
    if (merge is None) != (output is None):
        raise SettingError("--merge RULE and -o FILE belong together: how grades are merged, and where they go")
    if len(files) == 1 and (Path(files[0]) / "project.toml").is_file():
        if merge or classes:
            raise SettingError("a project knows its classes, and is merged with: rankscope project export --merge RULE")
        if any(maps.values()):
            raise SettingError("a project's judgements need no map of columns; leave it out")
        show_agreement_in_project(files[0], runs, measure, level=level, output_format=output_format, **chosen)
        return
    if len(files) < 2:
        raise SettingError("agreement needs two assessors: a file of judgements for each, or the folder of a project")
    from rankscope.commands.judgements import agreement, merge_files

    if merge is not None and output is not None:
        done = merge_files(files, output, merge, open_pairs)
        left = f", {done.left_out:,} open and left out" if done.left_out else ""
        if not quiet:
            say(f"{output}: {how_many(done.pairs, 'pairs')} by '{done.rule}'{left}")
    found = agreement(list(files), list(runs) or None, measure, classes=classes, level=level, **maps, **chosen)
    show_agreement(found, output_format)


def show_agreement_in_project(
    folder: str,
    runs: tuple[str, ...],
    measure: str,
    *,
    level: float,
    output_format: str,
    database: str | None = None,
    **settings: Any,
) -> None:
    """Print how far the assessors of a project agree; its own runs are put in order unless others are given."""
    from rankscope.commands.judgements import with_orders
    from rankscope.workbench.project import Project

    with Project.open(folder, database=database, readonly=True) as project:
        found = project.agreement(level=level)
        own = [str(path) for path in project.sources.runs]
    if found.found is None:
        raise SettingError(f"{folder}: no two assessors have judged anything in common yet")
    systems = list(runs) or own
    whole = found.found if len(systems) < 2 else with_orders(found.found, systems, measure, **settings)
    show_agreement(whole, output_format, machines=found.machines, again=found.again)


def show_agreement(found: Agreement, output_format: str, **more: Any) -> None:
    """Print it, as tables or as JSON; `more` are machines against people, and people asked again."""
    from rankscope.analysis.assessors.agreement import beside_text
    from rankscope.core.rendering import as_json

    if output_format == "table":
        print_result(found.render() + beside_text(more))
        return
    parts = {
        "two": found.two,
        "together": [found.together],
        "two_by_class": found.two_by_class,
        "together_by_class": found.together_by_class,
        **more,
    }
    rows = {name: [row for each in part for row in each.rows()] for name, part in parts.items()}
    orders = {"orders": [each.row() for each in found.orders]}
    print_result(as_json({"format": "rankscope.agreement", "version": 1, "level": found.level, **rows, **orders}))


# `rankscope reuse`: can judgements be used for a system that was not in the pool?


@click.command("reuse", cls=GuardedCommand, short_help="Can the judgements be used for a new system?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN RUN...")
@click.option("-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems.")
@click.option(
    "--pool-depth",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    metavar="K",
    help="How many items of each run went into the pool.",
)
@click.option(
    "--teams",
    type=Input(),
    metavar="CSV",
    help="File with the team of each run (columns run, team): what only one team brought in is left out.",
)
@table_or_json_option
@system_option
@map_options
@setting_options
def reuse_command(
    files: tuple[str, ...],
    measure: str,
    pool_depth: int,
    teams: str | None,
    output_format: str,
    systems: tuple[str, ...],
    **given: Any,
) -> None:
    """Can these judgements be used for a system that was not in the pool? Each run in turn is left out of it.

    A system that comes later may find relevant items that nobody has judged. What that costs is seen by leaving out the
    judgements that one run alone has brought in, and evaluating that run with the rest.

    \b
    rankscope reuse qrels.txt runs/*.run
    rankscope reuse qrels.txt runs/*.run --pool-depth 50 -m nDCG@10 --teams teams.csv
    """
    from rankscope.commands.judgements import pool_reuse
    from rankscope.core.rendering import as_json

    if len(files) < 3:
        raise SettingError("reuse needs judgements and at least two runs: rankscope reuse QRELS RUN RUN...")
    if systems and len(systems) != len(files) - 1:
        raise SettingError(f"--system NAME once for each run: {len(files) - 1} needed, got {len(systems)}")
    runs = dict(zip(systems, files[1:], strict=True)) if systems else list(files[1:])
    chosen = {name: value for name, value in given.items() if value is not None}
    done = pool_reuse(files[0], runs, measure, pool_depth=pool_depth, teams=teams, **chosen)
    if output_format == "table":
        print_result(done.render())
        return
    whole = {"format": "rankscope.reuse", "version": 1, "measure": done.measure, "pool_depth": done.depth}
    whole |= {"tau": done.tau, "mean_change": done.mean_change, "rows": [each.row() for each in done.systems]}
    print_result(as_json(whole))


# `rankscope labels`: which items may belong to a class whose label they do not have?


@click.command("labels", cls=GuardedCommand, short_help="Which items did the labels miss?")
@click.argument("features", type=Input(), metavar="FEATURES")
@click.option("--metric", metavar="NAME", help="Metric, as for `rankscope rank`. Default: the file's own, else cosine.")
@click.option(
    "--least",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    metavar="SHARE",
    help="List an item that more than this share of the members of a class find.",
)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="Number of items shown.")
@click.option(
    "-o", "--output", type=OutputFile(), metavar="NAME.csv", help="Write all of them to this file (CSV or JSON)."
)
@label_options
@click.option("--quiet", is_flag=True, help="Show no progress line.")
def labels_command(features: str, limit: int, output: str | None, quiet: bool, **given: Any) -> None:
    """Which items rank as members of a class whose label they do not have? To be looked at before labels are truth.

    Every member of a class asks in turn and looks at as many items as its class has other members; an item outside the
    class that most members find there may belong to it. Members that no other member finds may not. What is listed is
    alike by these features: whether it belongs is for a person to say.

    \b
    rankscope labels cedd.npz
    rankscope labels clip.npy --labels labels.txt --least 0.7 -o misses.csv
    """
    from rankscope.commands.judgements import check_labels
    from rankscope.engines.nearest.label_check import label_check_csv, label_check_json, label_check_text

    if output is not None and not output.endswith((".csv", ".json")):
        raise click.UsageError(f"the list is written as NAME.csv or NAME.json, got '{output}'")
    with progress_line(quiet) as progress:
        told = None if progress is None else lambda share: progress("classes", share)
        done = check_labels(features, progress=told, **given)
    print_result(label_check_text(done, limit))
    if output is not None:
        from rankscope.core.files import atomic

        with atomic(output) as file:
            file.write(label_check_json(done) if output.endswith(".json") else label_check_csv(done))
