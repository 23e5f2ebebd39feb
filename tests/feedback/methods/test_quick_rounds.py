"""What makes a round of one session quick changes none of its results."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.geometry import rbf
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS, active_learning
from rankscope.feedback.methods.active_learning import PicHunter, UnlikeDisplay
from rankscope.feedback.methods.linear_models import LogisticRegression
from rankscope.feedback.methods.session_logs import relation


def chosen_by_comparing_all(items: Items, far: FloatArray, seen: BoolArray, gamma: float, count: int) -> list[int]:
    """As the method is written: after each choice all items are compared with it."""
    chosen: list[int] = []
    alike = np.zeros(len(items))
    left = ~seen
    while len(chosen) < count and left.any():
        chosen.append(int(np.argmin(np.where(left, far + alike, np.inf))))
        left[chosen[-1]] = False
        alike = np.maximum(alike, rbf(items, items.matrix[chosen[-1:]], gamma)[0])
    return chosen


@pytest.mark.parametrize("seed", range(20))
def test_a_display_of_unlike_items_is_the_same_when_only_some_are_compared(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active_learning, "FIRST_LOOK", 4)
    chance = np.random.default_rng(seed)
    items = Items.of(chance.normal(size=(60, 3)))
    far = chance.integers(0, 12, 60) / chance.choice([4.0, 40.0, 400.0])  # with equal ones
    seen = chance.random(60) < 0.3
    gamma = float(chance.choice([0.01, 0.5, 5.0]))
    display = UnlikeDisplay(items, far, seen, gamma).choose(15)
    assert display == chosen_by_comparing_all(items, far, seen, gamma, 15)


def test_a_display_ends_where_items_run_out_and_begins_with_the_first_where_scores_failed() -> None:
    items = Items.of(np.arange(5.0)[:, None])
    seen = np.array([False, True, False, False, True])
    assert sorted(UnlikeDisplay(items, np.zeros(5), seen, 1.0).choose(9)) == [0, 2, 3]
    assert UnlikeDisplay(items, np.full(5, np.nan), seen, 1.0).choose(2) == [0, 2]
    assert UnlikeDisplay(items, np.zeros(5), np.ones(5, np.bool_), 1.0).choose(2) == []


def test_few_items_are_compared_where_scores_tell_them_apart() -> None:
    chance = np.random.default_rng(1)
    items = Items.of(chance.normal(size=(5000, 8)))
    display = UnlikeDisplay(items, np.linspace(0, 50, 5000), np.zeros(5000, np.bool_), items.gamma)
    assert len(display.choose(20)) == 20
    assert display.alike.size <= 512


def test_what_was_picked_from_a_display_is_computed_once_and_counts_each_time() -> None:
    chance = np.random.default_rng(2)
    items = Items.of(chance.normal(size=(50, 4)))
    displays: list[tuple[list[int], list[int]]] = [
        (list(range(10)), [1, 4]),
        (list(range(10, 20)), [11]),
        (list(range(20, 30)), []),
    ]
    method = METHODS.parse("pichunter")
    assert isinstance(method, PicHunter)
    examples = Examples.single([1, 4, 11], [0, 12], query=items.matrix[3], displays=displays)
    first = method.scores(items, examples).values
    assert len(items.recent.kept) == 2  # nothing was picked from the third
    assert np.array_equal(method.scores(items, examples).values, first)
    picks = [(np.array(shown), np.isin(shown, chosen)) for shown, chosen in displays]
    plain = method.nearness(items, items.matrix[3:4])[0]
    plain = plain + sum(method.choice_chances(items, shown)[chosen].sum(axis=0) for shown, chosen in picks)
    plain -= plain.max() + np.log(np.exp(plain - plain.max()).sum())
    assert first[0] == pytest.approx(plain, abs=1e-12)


def test_items_travel_without_what_they_keep_lately() -> None:
    items = Items.of(np.eye(3))
    items.recent.get("a", lambda: np.ones(3))
    again = pickle.loads(pickle.dumps(items))
    assert not again.recent.kept
    assert np.array_equal(again.recent.get("a", lambda: np.zeros(3)), np.zeros(3))


def test_another_log_leaves_what_is_known_of_the_features() -> None:
    items = Items.of(np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 1.0]]))
    twin = items.with_log([[1, 0, -1]])
    assert twin.squares is items.squares
    assert twin.first_alike is items.first_alike
    assert items.log is None
    assert twin.log is not None
    assert twin.log.tolist() == [[1, 0, -1]]


def test_sessions_of_the_log_that_say_nothing_of_the_items_change_nothing() -> None:
    chance = np.random.default_rng(3)
    log = chance.integers(-1, 2, (40, 12))
    some = np.array([2, 5])
    marks = log.astype(float)
    slow = [
        [sum(a * b for a, b in zip(marks[:, i], marks[:, j], strict=True) if not (a < 0 and b < 0)) for j in range(12)]
        for i in some
    ]
    assert np.array_equal(relation(log, some), slow)


def test_the_control_with_all_labels_learns_once_for_each_target(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(4)
    items = Items.of(chance.normal(size=(40, 3)))
    learnt = []
    whole = LogisticRegression.score_many

    def counted(self: LogisticRegression, items: Items, examples: Examples) -> FloatArray:
        learnt.append(len(examples))
        return whole(self, items, examples)

    monkeypatch.setattr(LogisticRegression, "score_many", counted)
    method = METHODS.parse("all-labels")
    first = method.scores(items, Examples.single([1], [9], truth=range(12))).values
    assert np.array_equal(method.scores(items, Examples.single([1, 2], [9], truth=range(12))).values, first)
    other = method.scores(items, Examples.single([1], [9], truth=range(20))).values
    assert learnt == [5, 5]
    assert not np.array_equal(other, first)
