"""`rankscope project questionnaire` and `times`: how people got on with the judging."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile

OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("folder", type=Input(), metavar="FOLDER"),
    click.option(
        "-o",
        "--output",
        type=OutputFile(),
        metavar="FILE",
        help="Write it there: .txt, .json or .csv. Default: print it.",
    ),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json", "csv"]),
        help="Format of the result. Default: as the name of the file says, else text.",
    ),
    click.option("--names", is_flag=True, help="Name the people; else they are numbered."),
    click.option(
        "--database",
        metavar="ADDRESS",
        help="Where the journal is in PostgreSQL: postgresql://USER@HOST/NAME or service=NAME. The password comes from "
        "PGPASSWORD or a passfile.",
    ),
)


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of both commands."""
    for each in reversed(OPTIONS):
        function = each(function)
    return function


@click.command("questionnaire", cls=GuardedCommand, short_help="How people find the judging: SUS scores.")
@with_options
def questionnaire(**given: Any) -> None:
    """What people answered in the page /questionnaire: the System Usability Scale, 0 to 100, more is better.

    The mean over people has a t interval. The last answers of a person to a task count. Statements are listed by what
    they add, so that you see where the trouble is.

    \b
    rankscope project questionnaire judging
    rankscope project questionnaire judging -o answers.csv
    """
    from rankscope.workbench.usability.reports import QUESTIONNAIRE

    _show(QUESTIONNAIRE, **given)


@click.command("times", cls=GuardedCommand, short_help="How long judgements and searches took.")
@with_options
def times(**given: Any) -> None:
    """How long judgements took, by person and by query, and how long feedback sessions did.

    The time of a judgement is how long its item was visible before the mark, as the page measured it, five minutes at
    most.

    \b
    rankscope project times judging
    rankscope project times judging --names --format json
    """
    from rankscope.workbench.usability.reports import TIMES

    _show(TIMES, **given)


def _show(
    formats: Mapping[str, Callable[..., str]],
    folder: str,
    output: str | None,
    output_format: str | None,
    names: bool,
    database: str | None,
) -> None:
    from rankscope.cli.output import chosen_format, print_result
    from rankscope.files import atomic
    from rankscope.workbench.project import Project
    from rankscope.workbench.usability.reports import SUFFIXES

    chosen = chosen_format(output, output_format, SUFFIXES, "text")
    with Project.open(folder, database=database, readonly=True) as project:
        text = formats[chosen](project, names)
    if output is None or output == "-":
        print_result(text)
        return
    with atomic(output, "w") as file:
        file.write(text)
