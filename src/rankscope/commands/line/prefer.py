"""`rankscope prefer`: which of two systems people prefer, from answers or from clicks in one list of both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.options import BY, MAP, level_option, table_or_json_option
from rankscope.commands.line.output import print_result, say
from rankscope.core.settings import LEVEL

if TYPE_CHECKING:
    from rankscope.analysis.assessors.preferences import Preference


@click.group("prefer", short_help="Which of two systems do people prefer?")
def prefer_command() -> None:
    """Which of two systems do people prefer? Side by side without names, or one list made of both.

    \b
    rankscope prefer score judging/
    rankscope prefer score answers.csv --by kinds.csv
    rankscope prefer interleave bm25.run dense.run -o lists.csv
    rankscope prefer clicks lists.csv clicks.csv

    People compare the runs of a project on the page Compare of `rankscope serve`.
    """


@prefer_command.command("score", cls=GuardedCommand, short_help="Win rates, verdicts and position bias.")
@click.argument("source", type=Input(), metavar="PROJECT|FILE")
@BY
@level_option(LEVEL)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals and tests.")
@table_or_json_option
def score(source: str, classes: str | None, level: float, seed: int, output_format: str) -> None:
    """Who wins? Win rates with limits over queries, a verdict, and how far the side on the page decides.

    Three systems or more are put on one scale too: strengths by the model of Bradley and Terry.

    FILE is CSV, TSV, JSON lines or Parquet with the columns query, left, right and choice (left, right, equal, both
    bad, or the name of a system), and assessor where several answered. Several answers to one query are one query.
    """
    from rankscope.commands.prefer import read_preferences
    from rankscope.workbench.project import Project

    systems: list[str] = []
    if (Path(source) / "project.toml").is_file():
        from rankscope.workbench.sources import run_names

        with Project.open(source, readonly=True) as project:
            answers = project.preferences()
            systems = run_names(project.sources.runs)
            own = {each.id: each.class_ for each in project.queries.values() if each.class_}
        _show(answers, classes or own or None, systems, level, seed, output_format)
        return
    _show(read_preferences(source), classes, systems, level, seed, output_format)


@prefer_command.command("interleave", cls=GuardedCommand, short_help="One list of two runs, for people to click in.")
@click.argument("first", type=Input(), metavar="RUN")
@click.argument("second", type=Input(), metavar="RUN")
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    required=True,
    metavar="FILE",
    help="The lists: .csv, or .jsonl for JSON lines.",
)
@click.option(
    "--method",
    type=click.Choice(["team-draft", "balanced"]),
    default="team-draft",
    show_default=True,
    help="How the lists are mixed; balanced lets random clicks prefer one of two similar runs.",
)
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, metavar="K", help="Items of each list.")
@click.option(
    "--impressions",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Lists for each query, each with coins of its own.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the coins.")
@MAP
@click.option("--quiet", is_flag=True, help="No messages, only errors.")
def interleave(
    first: str,
    second: str,
    output: str,
    method: str,
    depth: int,
    impressions: int,
    seed: int,
    quiet: bool,
    columns: str | None,
) -> None:
    """Mix two runs: in each round of a team draft a coin says who picks first, and each takes its best item left.

    Show people the items of each list in order, without the other columns, and write down what they click.
    """
    from rankscope.commands.prefer import interleave_runs, write_lists

    rows = interleave_runs(
        first, second, method=method, depth=depth, impressions=impressions, seed=seed, columns=columns
    )
    write_lists(rows, output)
    if not quiet:
        lists = len({(row["query"], row["impression"]) for row in rows})
        say(f"{output}: {lists:,} lists of {len({row['query'] for row in rows}):,} queries, {method}")


@prefer_command.command("clicks", cls=GuardedCommand, short_help="What clicks in interleaved lists say.")
@click.argument("lists", type=Input(), metavar="LISTS")
@click.argument("clicks", type=Input(), metavar="CLICKS")
@BY
@level_option(LEVEL)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals and tests.")
@table_or_json_option
def clicks(lists: str, clicks: str, classes: str | None, level: float, seed: int, output_format: str) -> None:
    """Who wins the clicks? LISTS is what `prefer interleave` wrote, CLICKS has query, item, and impression if several.

    The run that gets more clicks wins the list; a list without a click says nothing.
    """
    from rankscope.commands.prefer import preferences_of_clicks, read_lists

    _show(preferences_of_clicks(lists, clicks), classes, list(read_lists(lists)[1]), level, seed, output_format)


def _show(
    answers: list[Preference], classes: object, systems: list[str], level: float, seed: int, output_format: str
) -> None:
    from rankscope.analysis.assessors.win_rates import (
        bias_lines,
        preferences_text,
        rate_rows,
        strength_lines,
        verdict_lines,
    )
    from rankscope.commands.prefer import prefer
    from rankscope.core.rendering import as_json

    found = prefer(answers, classes=classes, systems=systems, level=level, seed=seed)
    if output_format == "table":
        print_result(preferences_text(found.rates, found.bias, level, found.strengths))
        return
    words = [*verdict_lines(found.rates), *strength_lines(found.strengths), *bias_lines(found.bias)]
    strengths = [each.row() for each in found.strengths.systems] if found.strengths else []
    rows = {"rows": rate_rows(found.rates), "strengths": strengths, "sides": found.bias.rows(), "words": words}
    print_result(as_json({"format": "rankscope.prefer", "version": 1, "level": level, **rows}))
