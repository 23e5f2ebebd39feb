"""Example sets: nested, from the pool alone, all equally likely, and the same for a topic whatever else is tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.core.errors import SettingError
from rankscope.feedback.normalization.example_sets import ExampleSets, largest_of, pairs, topic_seed

TARGET = np.arange(40) % 4 == 0


@given(st.integers(0, 50), st.integers(1, 9), st.integers(1, 9))
def test_smaller_sets_lie_within_larger_ones(seed: int, small: int, large: int) -> None:
    small, large = min(small, large), max(small, large)
    sets = ExampleSets.drawn(TARGET, 3, (9, 9), seed=seed)
    for less, more in zip(sets.of_size(small, small), sets.of_size(large, large), strict=True):
        assert set(less.positives) <= set(more.positives)
        assert set(less.negatives) <= set(more.negatives)
        assert TARGET[more.positives].all()
        assert not TARGET[more.negatives].any()
        assert (less.positives.size, more.negatives.size) == (small, large)


def test_only_the_pool_is_drawn_from() -> None:
    pool = np.array([np.arange(40) < 20, np.arange(40) >= 20])
    sets = ExampleSets.drawn(TARGET, 6, (5, 4), pool=pool)
    assert len(sets) == 12
    assert (sets.positives[:6] < 20).all()
    assert (sets.negatives[:6] < 20).all()
    assert (sets.positives[6:] >= 20).all()
    assert (sets.chosen(40).sum(axis=1) == 9).all()
    assert (sets.chosen(40, 1, 2).sum(axis=1) == 3).all()


def test_every_item_is_drawn_equally_often() -> None:
    sets = ExampleSets.drawn(TARGET, 6000, (2, 0))
    counts = np.bincount(sets.positives.ravel(), minlength=40)[TARGET]
    assert stats.chisquare(counts).pvalue > 0.001
    assert len({tuple(row) for row in np.sort(sets.positives, axis=1)}) == 45


def test_more_repeats_leave_the_first_as_they_were() -> None:
    few, many = (ExampleSets.drawn(TARGET, repeats, (4, 4), seed=3) for repeats in (2, 5))
    np.testing.assert_array_equal(few.positives, many.positives[:2])


def test_negatives_may_be_none_or_another_number() -> None:
    assert pairs([2, (1, 0), 2]) == ((1, 0), (2, 2))
    assert largest_of([(1, 8), (4, 2)]) == (4, 8)
    session = ExampleSets.drawn(TARGET, 1, (1, 0)).of_size(1, 0)[0]
    assert session.negatives.size == 0
    assert session.truth is not None
    assert session.truth.tolist() == np.flatnonzero(TARGET).tolist()


def test_a_topic_has_a_seed_of_its_own() -> None:
    assert topic_seed("dogs", 0) != topic_seed("cats", 0)
    assert topic_seed("dogs", 0) != topic_seed("dogs", 1)
    assert topic_seed("dogs", 0) == 4106983415


def test_sets_that_cannot_be_drawn_are_told() -> None:
    with pytest.raises(SettingError, match="11 relevant items cannot be drawn: there are 10"):
        ExampleSets.drawn(TARGET, 1, (11, 1))
    with pytest.raises(SettingError, match="31 items that are not relevant"):
        ExampleSets.drawn(TARGET, 1, (1, 31))
    with pytest.raises(SettingError, match="at least one set"):
        ExampleSets.drawn(TARGET, 0, (1, 1))
    with pytest.raises(SettingError, match="were not drawn"):
        ExampleSets.drawn(TARGET, 1, (1, 1)).of_size(2, 1)
    for wrong in ([], [0], [(1, -1)]):
        with pytest.raises(SettingError, match="sizes of example sets"):
            pairs(wrong)
