"""`rankscope plan`: what should be judged next?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.options import level_option
from rankscope.cli.varied_inputs import FORMAT, MEASURE, split_inputs, varied_options


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
@level_option(0.95)
@FORMAT
@varied_options
def command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
    """What should I judge next? More queries, more assessors, deeper pools or more seeds: the width of the interval
    that each promises for the same money, from the variance components of what is judged already.

    More assessors are planned where some queries were judged by two at least, more seeds where a system has two runs,
    deeper pools where the first 20 items of all runs were judged.

    \b
    rankscope plan qrels.txt bm25.run dense.run --budget 2000
    rankscope plan --assessor ann.txt --assessor bob.txt bm25.run dense.run --budget 500 --cost query=10,judgement=1
    rankscope plan values.csv --budget 500 --judgements 100
    """
    from rankscope.cli.output import print_result
    from rankscope.facade.planning import plan_judging
    from rankscope.reports.texts.judging_plan import plans_text

    print_result(plans_text(plan_judging(**split_inputs(files, given)), output_format))
