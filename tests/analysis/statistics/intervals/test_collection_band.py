"""Bands over the collection: against lists written out, against fresh collections, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.statistics.collection_band import (
    collection_band,
    mean_curves,
    simultaneous_percentiles,
    weighted_curve,
)
from rankscope.core.errors import SettingError

LEVELS = np.linspace(0, 1, 5)


def written_out(ranking: list[int], wanted: set[int], drawn: list[int]) -> list[float]:
    """The same by hand: copies written one after the other, knots at the last copy of each hit."""
    copies = [item for item in ranking for _ in range(drawn[item])]
    total = sum(drawn[item] for item in wanted)
    knots, hits = [], 0
    for place, item in enumerate(copies, start=1):
        hits += item in wanted
        if item in wanted and (place == len(copies) or copies[place] != item):
            knots.append((hits / total, hits / place))
    for item in sorted(wanted - set(ranking)):
        hits += drawn[item]
        if drawn[item]:
            knots.append((hits / total, 0.0))
    x, y = zip(*knots, strict=True)
    return np.interp(LEVELS, x, y).tolist()


def test_copies_are_those_of_a_list_written_out() -> None:
    chance = np.random.default_rng(0)
    for _ in range(200):
        items = 12
        ranking = chance.permutation(items)[: chance.integers(6, items + 1)]
        wanted = np.zeros(items, np.bool_)
        wanted[chance.choice(items, 4, replace=False)] = True
        drawn = chance.poisson(1.0, items)
        mine = weighted_curve(ranking, wanted, drawn[None].astype(np.float64), LEVELS)[0]
        if not drawn[wanted].sum():
            assert np.isnan(mine).all()
            continue
        other = written_out(ranking.tolist(), set(np.flatnonzero(wanted).tolist()), drawn.tolist())
        assert mine == pytest.approx(other, abs=1e-12)


def test_as_it_is_the_curve_is_that_of_the_queries() -> None:
    """The worked hits of three queries (1, 2, 3, 5), (1, 4, 9, 12), (2, 3, 8, 20), c = 4."""
    hits = [(1, 2, 3, 5), (1, 4, 9, 12), (2, 3, 8, 20)]
    order = np.tile(np.arange(20), (3, 1))
    relevant = np.array([[place + 1 in own for place in range(20)] for own in hits])
    mean = mean_curves(order, relevant, np.ones((1, 20)), LEVELS)[0]
    assert mean.round(6).tolist() == [0.833333, 0.833333, 0.722222, 0.569444, 0.444444]


def fresh(chance: np.random.Generator, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rankings of a collection whose items are draws of (scores of both queries, relevance)."""
    rows = scores[chance.integers(0, len(scores), 300)]
    order = np.argsort(-rows[:, :2].T + 1e-9 * np.arange(300), axis=1)
    return order, np.stack([rows[:, 2] > 0, rows[:, 2] > 0])


def test_its_error_is_that_of_fresh_collections_and_it_holds_their_mean() -> None:
    chance = np.random.default_rng(1)
    relevant = chance.random(4000) < 0.1
    scores = np.column_stack([*(chance.normal(size=4000) + 1.5 * relevant for _ in range(2)), relevant])
    curves = np.array([mean_curves(*fresh(chance, scores), np.ones((1, 300)), LEVELS)[0] for _ in range(400)])
    bands = [collection_band(*fresh(chance, scores), 5, resamples=300, seed=seed) for seed in range(60)]
    error = np.mean([each.error for each in bands], axis=0)
    assert error[1:] == pytest.approx(curves.std(axis=0)[1:], rel=0.2)
    truth = curves.mean(axis=0)
    held = [bool(((each.low <= truth) & (truth <= each.high)).all()) for each in bands]
    assert np.mean(held) >= 0.85


def test_the_band_holds_so_many_whole_curves() -> None:
    curves = np.random.default_rng(0).normal(size=(1000, 10))
    low, high = simultaneous_percentiles(curves)
    assert ((curves >= low) & (curves <= high)).all(axis=1).mean() >= 0.95
    inside = simultaneous_percentiles(curves[:, :1])
    assert low[0] < inside[0][0]
    assert high[0] > inside[1][0]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SettingError, match="one ranking"):
        collection_band(np.zeros((2, 3), np.int64), np.zeros((1, 3), np.bool_))
