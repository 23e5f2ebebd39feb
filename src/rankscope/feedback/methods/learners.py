"""What several methods share: checks of parameters, kernel expansions, and the door to scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import MissingExtra
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import expansion
from rankscope.feedback.examples.segments import join_examples
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import Method
from rankscope.ranks.ragged import Ragged


def sklearn_part(name: str) -> Any:
    """A module of scikit-learn, or a message that says how to install it."""
    try:
        return import_module(f"sklearn.{name}")
    except ModuleNotFoundError:
        raise MissingExtra("scikit-learn", "feedback") from None


@dataclass(frozen=True)
class KernelMethod(Method):
    """Score = sum over the examples of coefficient * exp(-gamma |x_i - x|²) + intercept.

    A subclass finds the coefficients, of one session or of all. `gamma` None is 1 / (features * variance).
    """

    gamma: float | None = field(default=None, kw_only=True)
    above: ClassVar[Mapping[str, float]] = {"gamma": 0}

    def width(self, items: Items) -> float:
        """The gamma used for these items."""
        return items.gamma if self.gamma is None else self.gamma

    def trained_on(self, items: Items, examples: Examples) -> Ragged:
        """The items of each session that carry a coefficient, with their labels."""
        return join_examples(examples.positives, examples.negatives)

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """Coefficients of one session's examples (positives, then negatives) and the intercept."""
        raise NotImplementedError

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """Coefficients of all sessions one behind the other, and one intercept per session."""
        fitted = [self.fit(items, session) for session in examples]
        flat = np.concatenate([np.empty(0), *(each[0] for each in fitted)])
        return flat, np.array([each[1] for each in fitted])

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Fit each session, then one expansion for all."""
        coefficients, intercepts = self.fit_many(items, examples)
        values = expansion(items, self.trained_on(items, examples), coefficients, self.width(items))
        values += intercepts.astype(values.dtype)[:, None]
        return values
