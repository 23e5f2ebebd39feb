"""The models there are, the one that did best on many collections first; the back-test may choose another."""

from __future__ import annotations

from rankscope.errors import SettingError
from rankscope.forecast.between import Between
from rankscope.forecast.jeffreys import Jeffreys
from rankscope.forecast.model import GrowthModel
from rankscope.forecast.pareto import Pareto
from rankscope.forecast.tail import Tail
from rankscope.forecast.trend import Trend
from rankscope.notation import NamedCatalogue
from rankscope.wording import setting_usage

ALL: tuple[GrowthModel, ...] = (Pareto(16), Pareto(8), Pareto(32), Tail(5), Tail(3), Between(), Trend(), Jeffreys())
MODELS: NamedCatalogue[GrowthModel] = NamedCatalogue(
    "growth model", list(dict.fromkeys(type(model) for model in ALL)), example="pareto(16)"
)


def usable(scores: bool) -> tuple[GrowthModel, ...]:
    """All models that what is known allows."""
    return tuple(model for model in ALL if scores or not model.needs_scores)


def candidates(name: str | None, scores: bool, why_no_scores: str = "") -> tuple[GrowthModel, ...]:
    """The models to choose from: those of the best family for what is known, or those of one family or of one name.

    With scores the choice stays among models that use them: those for ranks continue the very curve that a back-test
    lies on, so it flatters them.
    >>> [str(model) for model in candidates(None, scores=True)]
    ['pareto(16)', 'pareto(8)', 'pareto(32)']
    >>> [str(model) for model in candidates("tail", scores=True)]
    ['tail(5)', 'tail(3)']
    """
    if name is None:
        first = next(model for model in ALL if model.needs_scores == scores)
        return tuple(model for model in ALL if model.name == first.name)
    asked = _asked(name)
    if asked[0].needs_scores and not scores:
        raise SettingError(
            f"the model {name} needs the scores of the hits and of the best distractors, but {why_no_scores}. Reduce a "
            "run that has scores with keep_scores=True (the forecast command does), or leave out "
            f"{setting_usage('model')}"
        )
    return asked


def _asked(name: str) -> tuple[GrowthModel, ...]:
    """All usual models of a family, or the one that is written with its option."""
    kind = MODELS.find(MODELS.take_apart(name).name)
    family = tuple(model for model in ALL if type(model) is kind)
    return (MODELS.parse(name),) if "(" in name else family
