"""What is left when the collection grows, and on what that depends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.line.questions import (
    FORMAT_TABLE_OR_JSON,
    LEVEL_OPTION,
    VERBOSE,
    Request,
    command,
    measure_option,
)
from rankscope.core.display import ShownByName
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.options import DECIDES, OUTPUT, NumberRange, Option
from rankscope.core.settings import LEVEL, InputChoices

if TYPE_CHECKING:
    from rankscope.analysis.forecast.growth import Forecast
    from rankscope.analysis.statistics.generality_estimate import Homogeneity
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


@strict_keywords
def forecast_growth(
    qrels: Any,
    runs: Any = None,
    measures: Annotated[
        Asked, measure_option("Measures to forecast: AP, P@k, R@k, Rprec, nDCG, nDCG@k.", defaults.FORECAST)
    ] = defaults.FORECAST,
    *,
    to: Annotated[
        int | float | str,
        Option("Size of the larger collection: how many times as many items, or how many items.", metavar="10x|N"),
    ],
    model: Annotated[
        str | None,
        Option(
            "Model: pareto, tail (with scores), between, trend, jeffreys (ranks alone).",
            metavar="NAME",
            default="pareto where the run has real scores, with as many of them as the back-test finds best, else "
            "between",
            panel=DECIDES,
        ),
    ] = None,
    force: Annotated[
        bool,
        Option("Forecast even beyond 32 times as many items, or where the back-test fails.", panel=DECIDES),
    ] = False,
    level: Annotated[float, LEVEL_OPTION] = 0.9,
    other_queries: Annotated[
        Literal["all", "another-set"],
        Option(
            "What the second interval is for: the mean over all queries of the kind, or another set of as many "
            "queries, which lies farther off."
        ),
    ] = "all",
    backtest: Annotated[bool, Option("Show the back-test of every model too.", panel=OUTPUT)] = False,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Forecast:
    """What is left of the quality of one system when the collection has `to` items, or "10x" as many.

    Takes what `evaluate` takes, and the size of the collection must be known: `collection_size=20000`. Beyond 32 times,
    and where the back-test fails, it is an error unless `force`. `backtest` tries every model. What is shown
    next to these queries is the mean over all queries of the kind, or another set of as many, which lies farther off
    (`other_queries="another-set"`).
    """
    from rankscope.analysis.forecast.growth import forecast
    from rankscope.commands.scores import scores_of
    from rankscope.measures.notation import parse_measures

    scores = scores_of(qrels, runs, ["num_q"], keep_scores=True, progress=progress, **given)
    if len(scores.systems) != 1:
        raise SettingError(f"a forecast is for one system, got {len(scores.systems)}")
    settings = scores.settings
    asked = parse_measures(measures, settings.rel, settings.compat)
    return forecast(
        scores.systems[0].ranks,
        to,
        asked,
        model,
        force=force,
        seed=settings.seed,
        level=level,
        every_model=backtest,
        other_queries=other_queries,
    )


@command(
    forecast_growth,
    files="QRELS RUN | RANKS.parquet",
    short="What is left when the collection grows?",
    without=("classes",),
)
def forecast_command(
    request: Request,
    *,
    output_format: Annotated[Literal["table", "json"], FORMAT_TABLE_OR_JSON] = "table",
    quiet: Annotated[bool, Option("Only the numbers: no assumptions and no warnings.", panel=OUTPUT)] = False,
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
    from rankscope.commands.line.output import print_result

    saved = sum(path.endswith(RANKS_SUFFIX) for path in request.files)
    if len(request.files) != (1 if saved else 2):
        raise SettingError("a forecast is for one system: give QRELS and one RUN, or one NAME.ranks.parquet")
    scores = request.scores(measures=["num_q"], keep_scores=True)
    result = forecast_growth(scores, measures=request.measures, **request.own)
    shown = result.render(output_format, backtest=request.own["backtest"], quiet=quiet)
    print_result(shown)


@strict_keywords
def homogeneity(
    qrels: Any,
    runs: Any = None,
    *,
    n: Annotated[float, Option("Scope in class sizes.", "-n", metavar="N", kind=NumberRange(0, low_open=True))] = 1.0,
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> ShownByName[Homogeneity]:
    """Does quality depend on the generality d/c alone? At scope n c, for each system.

    Takes what `evaluate` takes, and the size of the collection must be known. Classes of different sizes in the whole
    collection are compared with queries in collections from which distractors were left out, at equal generality.
    """
    from rankscope.analysis.statistics.generality_estimate import homogeneity as homogeneous
    from rankscope.commands.scores import scores_of

    scores = scores_of(qrels, runs, ["num_q"], progress=progress, **given)
    return ShownByName({each.system: homogeneous(each, n, level) for each in scores.ranks})


@command(homogeneity, files="QRELS RUN... | RANKS.parquet...", short="Does quality depend on the generality alone?")
def homogeneity_command(
    request: Request,
    *,
    output_format: Annotated[Literal["table", "json"], FORMAT_TABLE_OR_JSON] = "table",
    quiet: Annotated[bool, Option("Only the numbers: no warnings.", panel=OUTPUT)] = False,
    verbose: Annotated[bool, VERBOSE] = False,
) -> None:
    """Does quality depend on the generality d/c alone, or on the class size too? Two ways to vary it are compared.

    At equal generality index G = log2(d/c) stand classes of that size in the whole collection, and one set of queries
    in collections from which distractors were left out at random. A gap beyond both intervals means that curves by
    class size say nothing about a growing collection. Needs the size of the collection.

    \b
    rankscope homogeneity demo-output/edges.ranks.parquet
    rankscope homogeneity qrels.txt bm25.run --collection-size 171332
    """
    from rankscope.analysis.statistics.generality_estimate import homogeneity_rows, homogeneity_verdict
    from rankscope.commands.line.output import print_result, say_warnings
    from rankscope.core.rendering import as_json

    scores = request.scores(measures=["num_q"])
    results = homogeneity(scores, **request.own)
    if output_format == "json":
        systems = {
            name: {"rows": homogeneity_rows(each), "verdict": homogeneity_verdict(each)}
            for name, each in results.items()
        }
        level = request.own["level"]
        print_result(as_json({"format": "rankscope.homogeneity", "version": 1, "level": level, "systems": systems}))
    else:
        print_result("\n".join(each.render(system=name) for name, each in results.items()))
    if not quiet:
        say_warnings(scores, verbose)
