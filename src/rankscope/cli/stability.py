"""`rankscope stability`: would the order of the systems be another one?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.options import level_option
from rankscope.cli.varied_inputs import FORMAT, MEASURE, split_inputs, varied_options


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
@level_option(0.95)
@FORMAT
@varied_options
def command(files: tuple[str, ...], output_format: str, **given: Any) -> None:
    """Would the leaderboard look the same again? How often systems change their order when queries, assessors or a
    tenth of the collection are others, and which systems may be the best.

    \b
    rankscope stability qrels.txt runs/*.run -m nDCG@10
    rankscope stability --assessor ann.txt --assessor bob.txt --assessor eve.txt runs/*.run
    """
    from rankscope.cli.output import print_result
    from rankscope.facade.leaderboards import stability
    from rankscope.reports.texts.stability import stability_text

    print_result(stability_text(stability(**split_inputs(files, given)), output_format))
