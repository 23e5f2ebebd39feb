"""A method that breaks down in some sessions says so there, and stops no other session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.errors import RankscopeError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored

if TYPE_CHECKING:
    from rankscope.feedback.methods.method import Method


def tolerant_scores(method: Method, items: Items, examples: Examples) -> Scored:
    """Scores as the method gives them; where it raises what it should not, session by session, with the reason.

    What rankscope raises on purpose (a package that is not installed) is for the caller, and passes.
    """
    try:
        return method.scores(items, examples)
    except RankscopeError:
        raise
    except Exception as error:
        if len(examples) == 1:
            reason = f"{type(error).__name__}: {error}"
            return Scored(np.full((1, len(items)), np.nan), ("",), (reason,))
        parts = [tolerant_scores(method, items, examples.take(np.array([row]))) for row in range(len(examples))]
        return Scored(
            np.concatenate([part.values for part in parts]),
            tuple(flag for part in parts for flag in part.flags),
            tuple(reason for part in parts for reason in part.failed),
        )
