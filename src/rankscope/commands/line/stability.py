"""`rankscope stability`, `components` and `plan`: would the order be another one, why, and what to judge next?

They take the same: judgements of one or several assessors, runs of one or several seeds.
"""

from __future__ import annotations

import os
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input
from rankscope.commands.line.options import BY, READING_OPTIONS, level_option, options, setting_options
from rankscope.commands.line.output import print_result
from rankscope.core.errors import SettingError
from rankscope.core.settings import LEVEL

# What commands about chance take: judgements of one or several assessors, runs of one or several seeds.

ASSESSOR = click.option(
    "--assessor",
    "assessors",
    type=Input(),
    multiple=True,
    metavar="FILE",
    help="Judgements of one of several people, in place of QRELS; once for each.",
)
MEASURE = click.option(
    "-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems."
)
FORMAT = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="Format of the result.",
)


varied_options = options(ASSESSOR, *READING_OPTIONS, BY, setting_options)


def split_inputs(files: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of the question: judgements, runs and how to read them."""
    assessors = given.pop("assessors")
    chosen = {name: value for name, value in given.items() if value is not None}
    if assessors:
        return {"assessors": list(assessors), "runs": named_seeds(files), **chosen}
    return {"qrels": files[0] if files else None, "runs": named_seeds(files[1:]) if files[1:] else None, **chosen}


def named_seeds(files: tuple[str, ...]) -> list[str] | dict[str, list[str]]:
    """Runs as they came, or by system where they are written as SYSTEM=RUN; the same system again is another seed.

    >>> named_seeds(("a.run", "b.run")), named_seeds(("new=1.run", "new=2.run", "old=3.run"))
    (['a.run', 'b.run'], {'new': ['1.run', '2.run'], 'old': ['3.run']})
    """
    parts = [each.partition("=") if "=" in each and not os.path.exists(each) else None for each in files]
    if not any(parts):
        return list(files)
    if not all(parts) or not all(part[0] and part[2] for part in parts if part):
        raise SettingError("write every run as SYSTEM=RUN, or none of them")
    found: dict[str, list[str]] = {}
    for system, _, path in filter(None, parts):
        found.setdefault(system, []).append(path)
    return found


# `rankscope stability`: would the order of the systems be another one?


@click.command("stability", cls=GuardedCommand, short_help="Would the leaderboard look the same again?")
@click.argument("files", nargs=-1, type=Input(), metavar="QRELS RUN RUN... | RUN RUN... --assessor FILE...")
@MEASURE
@click.option(
    "--left-out",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="The share of the collection's items that is left out in each draw; relevant ones stay.",
)
@click.option(
    "--draws",
    default=50,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="How many collections are drawn; 0: none.",
)
@click.option(
    "--resamples", type=click.IntRange(1), metavar="N", help="How often queries are drawn. Default: 2,000 to 10,000."
)
@level_option(LEVEL)
@FORMAT
@varied_options
def stability_command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
    """Would the leaderboard look the same again? How often systems change their order when queries, assessors or a
    tenth of the collection are others, and which systems may be the best.

    \b
    rankscope stability qrels.txt runs/*.run -m nDCG@10
    rankscope stability --assessor ann.txt --assessor bob.txt --assessor eve.txt runs/*.run
    """
    from rankscope.commands.stability import stability

    print_result(stability(**split_inputs(files, given)).render(output_format))


# `rankscope components`: where does the uncertainty come from?


@click.command("components", cls=GuardedCommand, short_help="Where does the uncertainty come from?")
@click.argument("files", nargs=-1, type=Input(), metavar="QRELS RUN... | RUN... --assessor FILE... | VALUES.csv")
@MEASURE
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with. Default: the first.")
@click.option(
    "--collection",
    type=click.Choice(["none", "random", "exact"]),
    default="none",
    show_default=True,
    help="Also what other items would do: from random halves of the collection, or exactly (P, R and Rprec, of each "
    "system; needs --collection-size).",
)
@click.option("--draws", default=20, show_default=True, type=click.IntRange(2), help="Random halves of the collection.")
@click.option(
    "--covariate",
    "covariates",
    multiple=True,
    metavar="NAME",
    help="Numbers of each query whose effect is taken out first: class-size, generality. Repeat it.",
)
@click.option(
    "--explain-by",
    type=Input(),
    metavar="CSV",
    help="More of them, such as the length of a query (columns query, and one of numbers for each).",
)
@level_option(LEVEL)
@FORMAT
@varied_options
def components_command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
    """Where does the uncertainty come from? The variance of a measure, shared out over queries, classes, assessors,
    collections and seeds: of every system, and of its difference from the baseline.

    Several assessors: --assessor FILE once for each, in place of QRELS. Several seeds: SYSTEM=RUN, once for each run.
    Or a table of values made elsewhere, with columns query and value, and any of system, measure, class, assessor, seed
    and collection. Then ask rankscope plan what to judge next.

    \b
    rankscope components qrels.txt bm25.run dense.run -m nDCG@10 --by kinds.csv
    rankscope components --assessor ann.txt --assessor bob.txt bm25.run dense.run
    rankscope components qrels.txt old=old.run new=seed1.run new=seed2.run new=seed3.run
    rankscope components values.csv -m AP
    """
    from rankscope.analysis.statistics.variance_components import components_text
    from rankscope.commands.plan import variance_components

    print_result(components_text(variance_components(**split_inputs(files, given)), output_format))


# `rankscope plan`: what should be judged next?


@click.command("plan", cls=GuardedCommand, short_help="What should I judge next?")
@click.argument("files", nargs=-1, type=Input(), metavar="QRELS RUN... | RUN... --assessor FILE... | VALUES.csv")
@click.option(
    "--budget",
    required=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="What may be spent beyond what is judged already, in the unit of --cost.",
)
@click.option(
    "--cost",
    default="judgement=1",
    show_default=True,
    metavar="COSTS",
    help="What one of each costs: query, judgement, assessor, seed; as query=5,judgement=1. What is not named is free, "
    "but for judgements, which cost 1.",
)
@click.option(
    "--judgements",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Judgements that a query takes of one assessor. Default: as many as there are; pools get no deeper with it.",
)
@click.option(
    "--pool-depth",
    type=click.IntRange(4),
    metavar="K",
    help="How many items of each run are judged. Default: the deepest of 5, 10, 20, ... of whose pool 90 % is.",
)
@MEASURE
@click.option("--baseline", metavar="NAME", help="The system that the other is compared with. Default: the first.")
@click.option(
    "--of",
    metavar="NAME",
    help="The system whose difference from the baseline is to be known; the baseline's name: that system alone. "
    "Default: the second.",
)
@level_option(LEVEL)
@FORMAT
@varied_options
def plan_command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
    """What should I judge next? More queries, more assessors, deeper pools or more seeds: the width of the interval
    that each promises for the same money, from the variance components of what is judged already.

    More assessors are planned where some queries were judged by two at least, more seeds where a system has two runs,
    deeper pools where the first 20 items of all runs were judged.

    \b
    rankscope plan qrels.txt bm25.run dense.run --budget 2000
    rankscope plan --assessor ann.txt --assessor bob.txt bm25.run dense.run --budget 500 --cost query=10,judgement=1
    rankscope plan values.csv --budget 500 --judgements 100
    """
    from rankscope.analysis.sampling.judging_plan import plans_text
    from rankscope.commands.plan import plan_judging

    print_result(plans_text(plan_judging(**split_inputs(files, given)), output_format))
