"""`rankscope agreement`: how far do assessors agree, and does it change which system is best?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile
from rankscope.cli.options import BY, level_option, map_options, setting_options
from rankscope.number_texts import how_many

if TYPE_CHECKING:
    from rankscope.statistics.agreement.agreement import Agreement

FORMAT = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Format of the result.",
)
RUNS = click.option("--runs", type=Input(), multiple=True, metavar="RUN", help="Systems to put in order. Repeat it.")


@click.command("agreement", cls=GuardedCommand, short_help="How far do assessors agree, and does it matter?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS QRELS... | PROJECT")
@RUNS
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
@level_option(0.95)
@FORMAT
@click.option("--quiet", is_flag=True, help="No messages, only the result and errors.")
@BY
@map_options
@setting_options
def command(
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
    from rankscope.errors import SettingError

    maps = {name: given.pop(name) for name in ("columns", "map_qrels", "map_runs")}
    chosen = {name: value for name, value in given.items() if value is not None}
    if (merge is None) != (output is None):
        raise SettingError("--merge RULE and -o FILE belong together: how grades are merged, and where they go")
    if len(files) == 1 and (Path(files[0]) / "project.toml").is_file():
        if merge or classes:
            raise SettingError("a project knows its classes, and is merged with: rankscope project export --merge RULE")
        if any(maps.values()):
            raise SettingError("a project's judgements need no map of columns; leave it out")
        show_project(files[0], runs, measure, level=level, output_format=output_format, **chosen)
        return
    if len(files) < 2:
        raise SettingError("agreement needs two assessors: a file of judgements for each, or the folder of a project")
    if merge is not None and output is not None:
        _merge(files, merge, open_pairs, output, quiet)
    show_files(files, runs, measure, classes, level=level, output_format=output_format, **maps, **chosen)


def show_files(
    files: tuple[str, ...],
    runs: tuple[str, ...],
    measure: str,
    classes: str | None,
    *,
    level: float,
    output_format: str,
    **settings: Any,
) -> None:
    """Print how far the makers of some files agree."""
    from rankscope.facade.agreeing import agreement

    found = agreement(list(files), list(runs) or None, measure, classes=classes, level=level, **settings)
    show(found, output_format)


def show_project(
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
    from rankscope.errors import SettingError
    from rankscope.facade.agreeing import with_orders
    from rankscope.workbench.project import Project

    with Project.open(folder, database=database, readonly=True) as project:
        found = project.agreement(level=level)
        own = [str(path) for path in project.sources.runs]
    if found.found is None:
        raise SettingError(f"{folder}: no two assessors have judged anything in common yet")
    systems = list(runs) or own
    whole = found.found if len(systems) < 2 else with_orders(found.found, systems, measure, **settings)
    show(whole, output_format, machines=found.machines, again=found.again)


def show(found: Agreement, output_format: str, **more: Any) -> None:
    """Print it, as tables or as JSON; `more` are machines against people, and people asked again."""
    from rankscope.cli.output import print_result
    from rankscope.reports.formats.rows import as_json
    from rankscope.reports.texts.agreement import agreement_text, beside_text

    if output_format == "table":
        print_result(agreement_text(found) + beside_text(more))
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


def _merge(files: tuple[str, ...], merge: str, open_pairs: str | None, output: str, quiet: bool) -> None:
    from rankscope.cli.output import say
    from rankscope.facade.merging import merge_files

    done = merge_files(files, output, merge, open_pairs)
    if not quiet:
        left = f", {done.left_out:,} open and left out" if done.left_out else ""
        say(f"{output}: {how_many(done.pairs, 'pairs')} by '{done.rule}'{left}")
