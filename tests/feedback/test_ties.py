"""Equal scores stand in the order of the items, and rounding makes no order where a formula makes none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.scores import drop_rounding
from rankscope.feedback.methods import Aspects, NearestNeighbour, NoFeedback
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.findings import study_warnings
from rankscope.feedback.study.loop import simulate_rounds, tied_pairs
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from tests.feedback.cases import digits


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40), st.booleans())
def test_settling_keeps_the_order_and_changes_little(given_values: list[float], single: bool) -> None:
    values = np.array([given_values])
    result = drop_rounding(values.copy(), single)
    order = np.argsort(values[0], kind="stable")
    with np.errstate(over="ignore"):
        assert not (result[0][order][1:] < result[0][order][:-1]).any()
    assert np.array_equal(drop_rounding(result.copy(), single), result)
    usual = np.abs(values) > 1e-300
    far = np.abs(result - values)[usual & np.isfinite(result)]
    assert (far <= np.abs(values)[usual & np.isfinite(result)] * (2.0**-19 if single else 2.0**-43)).all()


def test_settling_leaves_failed_sessions_and_plain_numbers_alone() -> None:
    values = np.array([[np.nan, np.nan], [0.5, -3.0], [0.0, 1024.0]])
    assert np.array_equal(drop_rounding(values.copy()), values, equal_nan=True)


def test_items_that_have_nothing_in_common_with_the_query_are_equally_far() -> None:
    chance = np.random.default_rng(0)
    matrix = np.zeros((300, 40))
    matrix[:50, :20], matrix[50:, 20:] = chance.random((50, 20)), chance.random((250, 20))
    items = Items.of(matrix, scaling="l2")
    values = NoFeedback().scores(items, Examples.single([0], query=items.matrix[0])).values[0]
    assert len(set(values[50:].tolist())) == 1  # squared length 1 to the last bit or not, the distance is 2


def test_items_with_the_same_aspects_have_the_same_score() -> None:
    chance = np.random.default_rng(1)
    has = chance.random((400, 60)) < 0.3
    items = Items.of(chance.random((400, 3)), aspects=has)
    values = Aspects().scores(items, Examples.single(range(8), range(8, 16))).values[0]
    weight = np.linalg.lstsq(has.astype(np.float64), values, rcond=None)[0]
    relevant = np.abs(weight) > 1e-6
    groups = {row.tobytes(): set() for row in has[:, relevant]}  # type: dict[bytes, set[float]]
    for row, value in zip(has[:, relevant], values.tolist(), strict=True):
        groups[row.tobytes()].add(value)
    assert len(groups) < 400
    assert all(len(each) == 1 for each in groups.values())


@pytest.mark.parametrize("order", [range(6), (5, 3, 1, 4, 2, 0)])
def test_judged_items_of_nearest_neighbour_stand_in_the_order_of_the_items(order: tuple[int, ...]) -> None:
    points = np.array([[0.0, 0.1], [1.0, 0.3], [5.0, 5.0], [0.2, 0.7], [1.0, 0.3], [4.0, 4.0]])[list(order)]
    positives = [place for place, point in enumerate(points.tolist()) if point in ([0.0, 0.1], [1.0, 0.3])]
    negatives = [place for place, point in enumerate(points.tolist()) if point == [5.0, 5.0]]
    scored = NearestNeighbour().scores(Items.of(points), Examples.single(positives[:2], negatives))
    top = scored.values[0] == 1.0
    assert scored.order()[0, : top.sum()].tolist() == np.flatnonzero(top).tolist()
    assert scored.values[0][negatives].tolist() == [0.0]


def test_the_rule_is_in_every_list_and_what_hangs_on_it_is_said() -> None:
    matrix = np.repeat(np.arange(6.0), 10)[:, None] * [[1.0, 1.0]]
    relevant = np.arange(60) % 10 < 5  # the first five of ten copies each: ties of which half are relevant
    setting = Experiment.of(Items.of(matrix), Topics.of({"t": relevant}), protocol=Protocol(scope=5, rounds=1))
    sessions = setting.sessions(2)
    simulation = simulate_rounds(NearestNeighbour(), setting, sessions)
    for each in simulation.rounds:
        assert (tied_pairs(each.ranks) > 0).all()
    for row, query in enumerate(sessions.query.tolist()):
        alike = [item for item in range(query // 10 * 10, query // 10 * 10 + 10) if item != query]
        assert simulation.rounds[0].displayed[row].tolist() == alike[:5]
    results = study(StudyPlan.of(setting, [NearestNeighbour()], starts=2), on="home")
    (line,) = [line for line in study_warnings(results) if line.startswith("! equal scores of relevant and irrelevant")]
    assert "nearest-neighbour in 2" in line
    assert line.endswith(" of 2")
    assert results.about["ties"] == "order of the items"


def test_the_border_of_two_roundings_parts_no_tie() -> None:
    border = np.int64(np.float64(0.7).view(np.int64) >> 9 << 9) + 256  # from here on up, below it down
    steps = np.array([-9, -8, -3, 0, 4, 7, 8, 20])
    for sign in (1.0, -1.0):
        values = sign * (border + steps).view(np.float64)
        up = sign * np.int64((border >> 9) + 1 << 9).view(np.float64)
        down = sign * np.int64(border >> 9 << 9).view(np.float64)
        together = drop_rounding(values[None, :].copy())[0]
        assert together.tolist() == [down] * 6 + [up] * 2
        assert (np.diff(together) * sign >= 0).all()
        alone = drop_rounding(values[:, None].copy())[:, 0]  # each in a row of its own
        assert alone.tolist() == [down] * 3 + [up] * 5


def test_scores_that_a_formula_makes_equal_stay_equal_on_digits() -> None:
    """Pixels are whole numbers: squared distances are whole too, and sixteenths of them come out some units apart."""
    items, _ = digits(3)
    whole = np.rint(items.matrix * 16).astype(np.int64)
    chance = np.random.default_rng(0)
    parted = 0
    for query in range(40):
        exact = ((whole - whole[query]) ** 2).sum(axis=1)
        scores = -exact / 256 * (1 + chance.integers(-2, 3, exact.size) * 2.0**-52)  # as rounding would leave them
        made = drop_rounding(scores[None, :].copy())[0]
        parted += sum(np.unique(made[exact == each]).size > 1 for each in np.unique(exact))
        assert np.unique(made).size == np.unique(exact).size
    assert parted == 0
