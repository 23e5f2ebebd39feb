from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.feedback.users.users import USERS, Consistent, Displays, Lazy, Noisy, Partial, User

MANY = 40_000


def look(gains: list[list[float]], wanted: int | None = None) -> Displays:
    table = np.array(gains)
    items = np.arange(table.size).reshape(table.shape)
    return Displays(table, np.arange(len(table)), items, np.ones(table.shape, np.bool_), wanted)


def test_a_consistent_user_says_what_the_target_says() -> None:
    assert Consistent().says(look([[1.0, 0.0, 0.5]])).tolist() == [[1, -1, -1]]


def test_a_noisy_user_errs_as_often_as_told_on_either_side() -> None:
    seen = look([[1.0] * MANY, [0.0] * MANY])
    said = Noisy(0.1, 0.3).says(seen)
    assert (said[0] < 0).mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.1 * 0.9 / MANY))
    assert (said[1] > 0).mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / MANY))


def test_errors_are_independent_of_each_other() -> None:
    wrong = (Noisy(0.2).says(look([[1.0] * MANY])) < 0)[0].astype(float)
    assert abs(np.corrcoef(wrong[1:], wrong[:-1])[0, 1]) < 4 / np.sqrt(MANY)


def test_a_lazy_user_judges_rightly_but_not_all() -> None:
    said = Lazy(0.25).says(look([[1.0] * MANY]))[0]
    assert set(said.tolist()) == {0, 1}
    assert (said == 1).mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / MANY))


def test_the_same_user_says_the_same_of_the_same_item_wherever_it_stands() -> None:
    items = np.arange(200)[None, :]
    there, gains, turned = np.ones(items.shape, np.bool_), np.ones(items.shape), items[:, ::-1]
    one = Noisy(0.3).says(Displays(gains, np.array([7]), items, there))
    other = Noisy(0.3).says(Displays(gains, np.array([7]), turned, there))
    assert np.array_equal(one, other[:, ::-1])


@pytest.mark.parametrize(
    ("gains", "wanted", "said"),
    [
        ([0.9, 0.7, 0.5, 0.0], 2, [1, 1, 0, -1]),  # two qualify
        ([0.9, 0.5, 0.2, 0.0], 2, [1, 0, 0, -1]),  # one qualifies; the best gain visible is that one's
        ([0.5, 0.5, 0.2, 0.0], 2, [1, 1, 0, -1]),  # none qualifies: theta falls to .5
        ([0.5, 0.2, 0.0, 0.0], None, [1, 0, -1, -1]),
        ([0.0, 0.0, 0.0, 0.0], 3, [-1, -1, -1, -1]),  # nothing is never picked
    ],
)
def test_a_partial_user_lowers_the_threshold_to_the_best_gain_visible(
    gains: list[float], wanted: int | None, said: list[int]
) -> None:
    assert Partial(0.6).says(look([gains], wanted)).tolist() == [said]


def test_empty_places_get_no_mark() -> None:
    seen = Displays(np.ones((1, 2)), np.zeros(1, np.int64), np.zeros((1, 2), np.int64), np.array([[True, False]]))
    for user in (Consistent(), Noisy(1.0), Lazy(1.0), Partial(0.5)):
        assert user.says(seen)[0, 1] == 0


@pytest.mark.parametrize("text", ["consistent", "noisy(0.1,0.05)", "lazy(0.5)", "partial(0.6)"])
def test_a_user_prints_as_it_is_written(text: str) -> None:
    assert str(USERS.parse(text)) == text


@pytest.mark.parametrize("text", ["noisy", "noisy(2)", "noisy(a)", "consistent(1)", "nosy(0.1)", "lazy(q=0.1, r=2)"])
def test_a_user_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        USERS.parse(text)


@given(st.floats(0.05, 0.95), st.floats(0.0, 0.45))
def test_of_what_a_noisy_user_picks_the_expected_share_is_relevant(precision: float, eps: float) -> None:
    relevant = round(precision * MANY)
    gains = [[1.0] * relevant + [0.0] * (MANY - relevant)]
    user: User = Noisy(eps)
    marked = user.says(look(gains))[0] > 0
    share = marked[:relevant].sum() / marked.sum()
    right, wrong = relevant * (1 - eps), (MANY - relevant) * eps
    wanted = right / (right + wrong)
    assert share == pytest.approx(wanted, abs=5 * np.sqrt(0.25 / marked.sum()) + 1e-12)


def test_what_a_user_picks_by_error_is_worth_as_much_to_him_as_the_rest() -> None:
    """Methods that weigh examples by their goodness must not learn from it which marks are wrong."""
    from rankscope.feedback.study.experiment import ByUser, Protocol
    from rankscope.feedback.users.starts import RandomDisplay
    from rankscope.feedback.users.topics import Topics

    topics = Topics.graded({"a": [1.0, 0.5, 0.0, 0.0]})
    sessions, shown = RandomDisplay().drawn(topics, 1), np.array([[0, 1, 2, 3]])
    wrong = ByUser(Noisy(0.0, 1.0), topics, Protocol()).marked(sessions, shown)
    assert wrong.said.tolist() == [[1, 1, 1, 1]]
    assert wrong.grades.tolist() == [[1.0, 1.0, 1.0, 1.0]]
    partial = ByUser(Partial(0.5), topics, Protocol()).marked(sessions, shown)
    assert partial.grades.tolist() == [[1.0, 0.5, -1.0, -1.0]]
