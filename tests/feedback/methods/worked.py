"""The six items and four unit vectors of the worked values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import FloatArray
from rankscope.feedback import Examples, Items, Method

SIX = Items.of([[0, 0], [1, 0], [0, 2], [3, 1], [4, 4], [1, 1]])
TOY = Examples.single([0, 1], [4], query=[0.5, 0.5])
FOUR = Items.of([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
TWO_FOUND = Examples.single([0, 1], query=[1.0, 0.0])


def toy_scores(method: Method, examples: Examples = TOY, items: Items = SIX) -> FloatArray:
    """The scores of one session, which must not have failed."""
    scored = method.scores(items, examples)
    assert scored.failed == ("",), scored.failed
    return scored.values[0]


def check(values: ArrayLike, *expected: float, within: float = 5e-7) -> None:
    """Equal to the printed digits: six decimals unless said otherwise."""
    np.testing.assert_allclose(np.asarray(values), np.array(expected), rtol=0, atol=within)
