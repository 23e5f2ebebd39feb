"""`rankscope components`: where does the uncertainty come from?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.options import level_option
from rankscope.cli.varied_inputs import FORMAT, MEASURE, split_inputs, varied_options


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
@level_option(0.95)
@FORMAT
@varied_options
def command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
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
    from rankscope.cli.output import print_result
    from rankscope.facade.planning import variance_components
    from rankscope.reports.texts.components import components_text

    print_result(components_text(variance_components(**split_inputs(files, given)), output_format))
