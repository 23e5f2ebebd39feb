"""Balanced subsets: equal classes, distractors that are irrelevant to all, by seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.statistics.design import balanced_subset
from rankscope.core.errors import SettingError

LABELS = ["big"] * 9 + ["middle"] * 6 + ["small"] * 4 + ["tiny"] * 2 + [""] * 10


@given(st.integers(1, 4), st.integers(0, 10), st.integers(0, 50))
def test_classes_have_one_size_and_nothing_is_drawn_twice(classes: int, distractors: int, seed: int) -> None:
    subset = balanced_subset(LABELS, classes, distractors, seed)
    sizes = [9, 6, 4, 2]
    assert subset.classes == ("big", "middle", "small", "tiny")[:classes]
    assert subset.members.shape == (classes, sizes[classes - 1])
    assert subset.each == sizes[classes - 1]
    assert np.unique(subset.items).size == subset.members.size + distractors
    given = np.array(LABELS)
    for label, row in zip(subset.classes, subset.members, strict=True):
        assert set(given[row]) == {label}
    assert not set(given[subset.distractors]) & set(subset.classes)
    assert set(subset.queries.tolist()) <= set(subset.items.tolist())


def test_the_seed_decides_and_is_kept() -> None:
    first, again, other = (balanced_subset(LABELS, 2, 5, seed) for seed in (0, 0, 1))
    assert first.items.tolist() == again.items.tolist()
    assert first.items.tolist() != other.items.tolist()
    assert other.seed == 1


def test_every_member_is_drawn_as_often() -> None:
    drawn = np.concatenate([balanced_subset(LABELS, 3, seed=seed).members[0] for seed in range(400)])
    share = np.bincount(drawn, minlength=9) / 400
    assert share == pytest.approx([4 / 9] * 9, abs=0.1)


def test_classes_of_one_size_come_by_name() -> None:
    assert balanced_subset(["b", "a", "b", "a", "c", "c"], 2).classes == ("a", "b")


def test_what_is_not_there_cannot_be_drawn() -> None:
    with pytest.raises(SettingError, match="from 1 to 4"):
        balanced_subset(LABELS, 5)
    with pytest.raises(SettingError, match="from 0 to 16"):
        balanced_subset(LABELS, 2, 17)
    with pytest.raises(SettingError, match="from 1 to 0"):
        balanced_subset(["", ""], 1)


def test_rows_list_the_items_of_each_class() -> None:
    assert [len(row["items"]) for row in balanced_subset(LABELS, 2).rows()] == [6, 6]  # type: ignore[arg-type]
