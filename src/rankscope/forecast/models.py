"""The models there are, the one that did best on many collections first; the back-test may choose another."""

from __future__ import annotations

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError
from rankscope.forecast.between import Between
from rankscope.forecast.jeffreys import Jeffreys
from rankscope.forecast.model import Model
from rankscope.forecast.pareto import Pareto
from rankscope.forecast.tail import Tail
from rankscope.forecast.trend import Trend

ALL: tuple[Model, ...] = (Pareto(16), Pareto(8), Pareto(32), Tail(5), Tail(3), Between(), Trend(), Jeffreys())


def candidates(name: str | None, scores: bool) -> tuple[Model, ...]:
    """The models to choose from: all that can be used, or those of one family or of one name.

    >>> [str(model) for model in candidates("tail", scores=True)]
    ['tail(5)', 'tail(3)']
    """
    usable = tuple(model for model in ALL if scores or not model.needs_scores)
    if name is None:
        return usable
    asked = tuple(model for model in ALL if name in (model.family, str(model)))
    if not asked:
        known = dict.fromkeys(text for model in ALL for text in (model.family, str(model)))
        raise SettingError(f"no growth model '{name}'{did_you_mean(name, known)} There are: {', '.join(known)}")
    if not set(asked) & set(usable):
        raise SettingError(
            f"the model {name} needs the scores of the hits and of the best distractors: reduce with keep_scores=True "
            "(the forecast command does), at the grade the scores were kept for"
        )
    return tuple(model for model in asked if model in usable)
