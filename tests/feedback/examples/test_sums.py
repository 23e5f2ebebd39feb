"""Sums over the items of each session, and nearness to a point, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.feedback.examples import geometry
from rankscope.feedback.examples.geometry import item_sums, squared_distances, squared_nearness
from rankscope.feedback.examples.items import Items
from rankscope.ranks.ragged import Ragged


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sums_of_items_add_one_after_the_other(kind: type[np.floating]) -> None:
    chance = np.random.default_rng(0)
    matrix = chance.normal(size=(40, 3)).astype(kind)
    lists = [chance.choice(40, size, replace=False).tolist() for size in (0, 7, 1, 40, 0, 12)]
    expected = np.zeros((6, 3))
    for row, items in enumerate(lists):
        for item in items:
            expected[row] += matrix[item].astype(np.float64)
    np.testing.assert_array_equal(item_sums(matrix, Ragged.of(lists, "item")), expected)
    assert item_sums(matrix, Ragged.of([], "item")).shape == (0, 3)


@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_nearness_is_minus_the_squared_distance_and_parts_change_nothing(
    shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(1)
    items, points = Items.of(chance.normal(shift, 1.0, (700, 5))), chance.normal(shift, 1.0, (9, 5))
    plain = ((points[:, None, :] - items.matrix[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_nearness(items, points), -plain, rtol=1e-12, atol=1e-12)
    whole = squared_distances(items, points)
    monkeypatch.setattr(geometry, "CACHED", 1)
    monkeypatch.setattr(geometry, "ITEMS_AT_ONCE", 64)
    np.testing.assert_allclose(squared_distances(items, points), whole, rtol=1e-14, atol=1e-13)
    own = squared_distances(items, items.matrix[:1])
    assert own[0, 0] == pytest.approx(0.0, abs=1e-11)
    assert not np.signbit(own).any()
