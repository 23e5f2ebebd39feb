from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.feedback.study.experiment import ListName
from rankscope.feedback.study.loop import Listed, scored_list
from rankscope.measures import AP
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

ITEMS = "abcxy"


def after_one_display(name: ListName, half: str | None = None) -> RelevantRanks:
    """First display x, a, b; then the new ranking a, b, y, c, x; a, b and c are relevant."""
    values = np.array([[{"a": 5.0, "b": 4.0, "y": 3.0, "c": 2.0, "x": 1.0}[item] for item in ITEMS]])
    seen = np.array([[item in "xab" for item in ITEMS]])
    nothing = np.zeros((1, 5), np.bool_)
    places = np.zeros(3, np.int64), np.array([ITEMS.index(item) for item in "xab"]), np.array([1, 2, 3])
    mask = None if half is None else np.array([[item in half for item in ITEMS]])
    listed = Listed(Ragged.of([[0, 1, 2]], "item"), nothing, nothing, seen, places, mask)
    return scored_list(name, values, listed, queries=["t/1"])


@pytest.mark.parametrize(
    ("name", "ap", "c", "d"),
    [("full", 0.916667, 3, 5), ("residual", 0.5, 1, 2), ("frozen", 0.588889, 3, 5)],
)
def test_the_three_lists_after_one_display(name: ListName, ap: float, c: int, d: int) -> None:
    ranks = after_one_display(name)
    assert AP().of(ranks)[0] == pytest.approx(ap, abs=1e-6)
    assert (ranks.relevant.tolist(), ranks.collection.tolist()) == ([c], [d])


def test_the_split_list_is_the_half_that_gave_no_feedback() -> None:
    ranks = after_one_display("split", half="xab")
    assert ranks.judged.lists("rank") == [[2]]
    assert (ranks.relevant.tolist(), ranks.collection.tolist()) == ([1], [2])


@given(st.integers(0, 2**32))
def test_frozen_and_residual_are_what_lists_of_items_say(seed: int) -> None:
    chance = np.random.default_rng(seed)
    count = 30
    values = np.round(chance.normal(size=(1, count)), 1)
    target = np.flatnonzero(chance.random(count) < 0.4)
    shown = chance.permutation(count)[: int(chance.integers(0, 20))]
    order = [item for item in np.lexsort((np.arange(count), -values[0])).tolist() if item not in shown]
    seen = np.isin(np.arange(count), shown)[None, :]
    nothing = np.zeros((1, count), np.bool_)
    places = np.zeros(shown.size, np.int64), shown, np.arange(1, shown.size + 1)
    listed = Listed(Ragged.of([target], "item"), nothing, nothing, seen, places)
    for name, items in (("residual", order), ("frozen", [*shown.tolist(), *order])):
        ranks = scored_list(name, values, listed, queries=["t/1"])  # type: ignore[arg-type]
        wanted = [place for place, item in enumerate(items, start=1) if item in target]
        assert ranks.judged.lists("rank") == [wanted]
        assert ranks.depth.tolist() == [len(items)]


def test_a_session_that_failed_has_no_answer_but_keeps_its_class_size() -> None:
    nothing = np.zeros((1, 3), np.bool_)
    empty = np.empty(0, np.int64)
    listed = Listed(Ragged.of([[1]], "item"), nothing, nothing, nothing, (empty, empty, empty))
    ranks = scored_list("full", np.full((1, 3), np.nan), listed, queries=["t/1"])
    assert (ranks.answered.tolist(), ranks.relevant.tolist(), ranks.judged.size) == ([False], [1], 0)
