"""Questions about feedback methods that need no whole study, by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankscope.calling import public
from rankscope.facade.asking_of_examples import consistency, convergence, efficiency, examples
from rankscope.facade.asking_of_sessions import adaptation, resilience, scalability, stability

if TYPE_CHECKING:
    from rankscope.reports.texts.answers import Answer


@public
def ask_feedback(question: str, features: Any, **options: Any) -> Answer:
    """The answer to one question about feedback methods, by its name; options as `rankscope feedback` has them.

    Questions: efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability.
    `features` and topics as for `simulate_feedback`. The answer has `tables`, `text()`, `json()` and the `result`.
    """
    from rankscope.catalogue import Catalogue

    found: Callable[..., Answer] = Catalogue[Any]("question", QUESTIONS).find(question)
    return found(features, **options)


QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability)
}
