from __future__ import annotations

import numpy as np
import pytest

from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.carried_neighbours import CarriedNeighbours, can_carry
from rankscope.feedback.study.protocol import Protocol

CHANCE = np.random.default_rng(0)
MATRIX = CHANCE.normal(size=(80, 5))
MATRIX[70:] = MATRIX[:10]  # copies
ITEMS = Items.of(MATRIX)
METHOD = METHODS.parse("nearest-neighbour")


def test_scores_of_growing_examples_are_those_of_the_method() -> None:
    order = [CHANCE.permutation(80) for _ in range(6)]
    carried = CarriedNeighbours(METHOD, ITEMS, len(order))
    for size in (0, 3, 9, 20, 30):
        positives = [each[: size + row] for row, each in enumerate(order)]
        negatives = [each[40 : 40 + (size if row else 0)] for row, each in enumerate(order)]
        examples = Examples.of(positives, negatives)
        result, plain = carried.scores(examples), METHOD.scores(ITEMS, examples)
        assert result.values == pytest.approx(plain.values, abs=1e-9)
        assert result.flags == plain.flags
        assert result.failed == plain.failed


def test_only_where_examples_grow_is_anything_carried() -> None:
    assert can_carry(METHOD, Protocol())
    assert not can_carry(METHOD, Protocol(memory="latest"))
    assert not can_carry(METHOD, Protocol(memory="deletions"))
    assert not can_carry(METHOD, Protocol(show_seen=True))
    assert not can_carry(METHODS.parse("stabilised-nearest-neighbour"), Protocol())
