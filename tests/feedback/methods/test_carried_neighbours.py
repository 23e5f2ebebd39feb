from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.neighbours import CarriedNeighbours, NearestNeighbour
from rankscope.feedback.study.experiment import Protocol

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
    assert Protocol().examples_only_grow
    assert not Protocol(remember="latest").examples_only_grow
    assert not Protocol(remember="deletions").examples_only_grow
    assert not Protocol(show_seen=True).examples_only_grow
    assert isinstance(METHOD.block_state(ITEMS, 2, growing=True), CarriedNeighbours)
    assert not isinstance(METHOD.block_state(ITEMS, 2, growing=False), CarriedNeighbours)


def test_a_method_built_on_the_nearest_neighbour_scores_for_itself() -> None:
    class Turned(NearestNeighbour):
        def score_many(self, items: Items, examples: Examples) -> FloatArray:
            return -super().score_many(items, examples)

    examples = Examples.of([[1]], [[2]])
    state = Turned().block_state(ITEMS, 1, growing=True)
    assert np.array_equal(state.scores(examples).values, -METHOD.scores(ITEMS, examples).values)
