"""What is left when the collection grows, and on what that depends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from rankscope.commands import defaults
from rankscope.commands.evaluate import scores_of
from rankscope.core.display import ShownByName
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.measures.notation import parse_measures

if TYPE_CHECKING:
    from rankscope.analysis.forecast.backtest import OtherQueries
    from rankscope.analysis.forecast.growth import Forecast
    from rankscope.analysis.statistics.generality_estimate import Homogeneity
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


@strict_keywords
def forecast_growth(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.FORECAST,
    *,
    to: int | float | str,
    model: str | None = None,
    force: bool = False,
    level: float = 0.9,
    other_queries: OtherQueries = "all",
    backtest: bool = False,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Forecast:
    """What is left of the quality of one system when the collection has `to` items, or "10x" as many.

    Takes what `evaluate` takes, and the size of the collection must be known: `collection_size=20000`. Beyond 32 times,
    and where the back-test fails, it is an error unless `force`. `backtest` tries every model. What is shown
    next to these queries is the mean over all queries of the kind, or another set of as many, which lies farther off
    (`other_queries="another-set"`).
    """
    scores = scores_of(qrels, runs, ["num_q"], keep_scores=True, progress=progress, **given)
    return forecast_of(
        scores, measures, to=to, model=model, force=force, level=level, other_queries=other_queries, backtest=backtest
    )


def forecast_of(
    scores: Scores,
    measures: Asked,
    *,
    to: int | float | str,
    model: str | None,
    force: bool,
    level: float,
    other_queries: OtherQueries,
    backtest: bool,
) -> Forecast:
    """The forecast for the one system that was scored."""
    from rankscope.analysis.forecast.growth import forecast

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


@strict_keywords
def homogeneity(
    qrels: Any,
    runs: Any = None,
    *,
    n: float = 1.0,
    level: float = LEVEL,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> ShownByName[Homogeneity]:
    """Does quality depend on the generality d/c alone? At scope n c, for each system.

    Takes what `evaluate` takes, and the size of the collection must be known. Classes of different sizes in the whole
    collection are compared with queries in collections from which distractors were left out, at equal generality.
    """
    return homogeneity_of(scores_of(qrels, runs, ["num_q"], progress=progress, **given), n=n, level=level)


def homogeneity_of(scores: Scores, *, n: float, level: float) -> ShownByName[Homogeneity]:
    """The test of each system that was scored."""
    from rankscope.analysis.statistics.generality_estimate import homogeneity as homogeneous

    return ShownByName({each.system: homogeneous(each, n, level) for each in scores.ranks})
