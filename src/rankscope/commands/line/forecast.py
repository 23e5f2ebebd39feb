"""`rankscope forecast` and `rankscope homogeneity`: what is left of the quality when the collection grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.defaults import FORECAST
from rankscope.commands.line.command import GuardedCommand, Input
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import (
    VERBOSE,
    input_options,
    level_option,
    measure_option,
    reading_options,
    setting_options,
    table_or_json_option,
)
from rankscope.commands.line.output import print_result, say_warnings
from rankscope.core.errors import SettingError
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.settings import LEVEL

if TYPE_CHECKING:
    from rankscope.analysis.forecast.backtest import OtherQueries


# `rankscope forecast`: what is left of the quality when the collection grows.


@click.command("forecast", cls=GuardedCommand, short_help="What is left when the collection grows?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN | RANKS.parquet")
@click.option(
    "--to",
    required=True,
    metavar="10x|N",
    help="Size of the larger collection: how many times as many items, or how many items.",
)
@measure_option(
    help=f"Measures to forecast: AP, P@k, R@k, Rprec, nDCG, nDCG@k. Repeat it or separate by commas. "
    f"Default: {', '.join(FORECAST)}."
)
@click.option(
    "--model",
    metavar="NAME",
    help="Model: pareto, tail (with scores), between, trend, jeffreys (ranks alone). Default: pareto where the "
    "run has real"
    " scores, with as many of them as the back-test finds best, else between.",
)
@click.option(
    "--force", is_flag=True, help="Forecast even beyond 32 times as many items, or where the back-test fails."
)
@level_option(0.9)
@click.option(
    "--other-queries",
    type=click.Choice(["all", "another-set"]),
    default="all",
    show_default=True,
    help="What the second interval is for: the mean over all queries of the kind, or another set of as many queries, "
    "which lies farther off.",
)
@click.option("--backtest", is_flag=True, help="Show the back-test of every model too.")
@reading_options
@table_or_json_option
@click.option("--quiet", is_flag=True, help="Only the numbers: no assumptions and no warnings.")
@setting_options
def forecast_command(
    files: tuple[str, ...],
    to: str,
    measures: tuple[str, ...],
    model: str | None,
    force: bool,
    level: float,
    other_queries: OtherQueries,
    backtest: bool,
    output_format: str,
    quiet: bool,
    **given: Any,
) -> None:
    """What is left of my quality when the collection grows? Means in a larger collection, with an interval.

    The collection is thinned to 1/2, 1/4 and 1/16, as far as enough is left, and the model forecasts the present from
    that; its errors are shown with its forecast. Two intervals: for these very queries, and for the mean over all
    queries of the kind (over all classes, where every member of a class was a query) or for another set of as many.
    The size of the collection must be known.

    \b
    rankscope forecast qrels.txt bm25.run --to 10x --collection-size 171332
    rankscope forecast icons.ranks.parquet --to 200000 -m Rprec -m nDCG@10
    """
    from rankscope.analysis.forecast.growth import forecast_json, forecast_text
    from rankscope.commands.forecast import forecast_of

    inputs = Inputs.of(files, given)
    # A forecast is for one system.

    saved = sum(path.endswith(RANKS_SUFFIX) for path in inputs.files)
    if len(inputs.files) != (1 if saved else 2):
        raise SettingError("a forecast is for one system: give QRELS and one RUN, or one NAME.ranks.parquet")
    scores = inputs.scores("forecast", ["num_q"], keep_scores=True)
    result = forecast_of(
        scores,
        measures or FORECAST,
        to=to,
        model=model,
        force=force,
        level=level,
        other_queries=other_queries,
        backtest=backtest,
    )
    print_result(forecast_json(result) if output_format == "json" else forecast_text(result, backtest, quiet))


# `rankscope homogeneity`: does quality depend on the generality alone?


@click.command("homogeneity", cls=GuardedCommand, short_help="Does quality depend on the generality alone?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-n",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="N",
    help="Scope in class sizes.",
)
@level_option(LEVEL)
@input_options
@table_or_json_option
@click.option("--quiet", is_flag=True, help="Only the numbers: no warnings.")
@VERBOSE
@setting_options
def homogeneity_command(
    files: tuple[str, ...], n: float, level: float, output_format: str, quiet: bool, verbose: bool, **given: Any
) -> None:
    """Does quality depend on the generality d/c alone, or on the class size too? Two ways to vary it are compared.

    At equal generality index G = log2(d/c) stand classes of that size in the whole collection, and one set of queries
    in collections from which distractors were left out at random. A gap beyond both intervals means that curves by
    class size say nothing about a growing collection. Needs the size of the collection.

    \b
    rankscope homogeneity demo-output/edges.ranks.parquet
    rankscope homogeneity qrels.txt bm25.run --collection-size 171332
    """
    from rankscope.analysis.statistics.generality_estimate import (
        homogeneity_rows,
        homogeneity_text,
        homogeneity_verdict,
    )
    from rankscope.commands.forecast import homogeneity_of
    from rankscope.core.rendering import as_json

    scores = Inputs.of(files, given).scores("homogeneity", ["num_q"])
    results = homogeneity_of(scores, n=n, level=level)
    if output_format == "json":
        systems = {
            name: {"rows": homogeneity_rows(each), "verdict": homogeneity_verdict(each)}
            for name, each in results.items()
        }
        print_result(as_json({"format": "rankscope.homogeneity", "version": 1, "level": level, "systems": systems}))
    else:
        print_result("\n".join(homogeneity_text(name, each) for name, each in results.items()))
    if not quiet:
        say_warnings(scores, verbose)
