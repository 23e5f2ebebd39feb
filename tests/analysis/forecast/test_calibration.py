"""Chances against what comes: worked values, drawn data, and what must hold for any."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.forecast.evidence import (
    CAUTION,
    EXPECTED,
    NODE_WEIGHTS,
    NODES,
    Calibration,
    SharedTail,
    Tails,
    calibrate,
    left_out,
    ratios,
    shared_by,
    tails_of,
)
from rankscope.core.arrays import FloatArray


def drawn(queries: int, items: int, seed: int = 0) -> FloatArray:
    """Exponential scores, best first, each query with its own scale."""
    random = np.random.default_rng(seed)
    scale = np.exp(random.normal(0, 0.4, (queries, 1)))
    return -np.sort(-scale * random.exponential(size=(queries, items)), axis=1)


def lift(calibration: Calibration, expected: FloatArray) -> FloatArray:
    """By how much the mean of chances is multiplied that are small enough to stay below 1."""
    chances = np.tile(expected * 1e-9, (NODE_WEIGHTS.size, 1))
    return (NODE_WEIGHTS @ calibration.corrected(chances, expected)) / (expected * 1e-9)


def test_the_chance_to_exceed_the_next_best_of_e_is_k_plus_1_of_e_plus_1() -> None:
    """Any continuous distribution: against new items, drawn."""
    random = np.random.default_rng(0)
    old, new = -np.sort(-random.normal(size=(4000, 50)), axis=1), random.normal(size=(4000, 200))
    found = (new > old[:, 8:9]).mean()
    tails = Tails(0.0, old[:, 8], np.full(4000, 8), np.zeros(4000), np.zeros(4000))
    said = NODE_WEIGHTS @ tails.chances(np.full(4000, 50.0), np.arange(4000), old[:, 8])
    assert said[0] == pytest.approx(9 / 51)
    assert found == pytest.approx(9 / 51, rel=0.02)


def test_chances_are_those_of_the_generalised_pareto_tail() -> None:
    tails = Tails(-0.2, np.array([1.0]), np.array([4]), np.array([np.log(0.5)]), np.array([0.0]))
    said = tails.chances(np.array([99.0]), np.zeros(3, np.int64), np.array([1.0, 1.7, 9.0]))[2]
    np.testing.assert_allclose(said[:2], 0.05 * stats.genpareto.sf([0.0, 0.7], -0.2, scale=0.5))
    assert said[2] < 1e-200


def test_what_is_left_out_is_expected_by_the_others() -> None:
    best, shared = np.array([[5.0, 3.0, 2.0, 1.5]]), SharedTail(0.0, np.zeros(1), 1e-12)
    rest = np.array([[3.0, 2.0, 1.5]])
    alone = tails_of(rest, 2, shared)
    expected = 40.0 * NODE_WEIGHTS @ alone.chances(np.array([39.0]), np.zeros(1, np.int64), np.array([5.0]))
    assert left_out(best, np.array([40.0]), 2, shared)[0] == pytest.approx(float(expected[0]))
    assert float(expected[0]) == pytest.approx(40.0 * 3 / 40 * np.exp(-3.5), rel=1e-4)


def test_ratios_are_found_over_expected_with_caution() -> None:
    values = ratios(np.array([0.1, 0.1, 0.1, 5.0]), queries=2)
    ratio = (4 + CAUTION * 1.0) / (2 * 8 + CAUTION)
    assert values[0] == pytest.approx(ratio)
    assert values[1] == pytest.approx((3 + CAUTION * ratio) / (2 * 4 + CAUTION))


def test_tails_that_are_right_need_no_correction() -> None:
    best = drawn(2000, 400)[:, :40]
    calibration = calibrate(best, np.full(2000, 400.0), 16, shared_by(best, 16))
    np.testing.assert_allclose(calibration.ratio[:8], 1.0, atol=0.08)


def test_tails_that_take_queries_for_alike_are_corrected() -> None:
    """Half of the queries have a bounded tail and half a heavy one: against new items, drawn."""
    random = np.random.default_rng(1)
    shape = np.repeat([-0.4, 0.3], 500)

    def scores(number: int) -> FloatArray:
        uniform = random.random((1000, number))
        return (uniform ** -shape[:, None] - 1.0) / shape[:, None]

    old, new = -np.sort(-scores(200), axis=1)[:, :40], scores(800)
    shared, there = shared_by(old, 16), np.full(1000, 200.0)
    tails, row = tails_of(old, 16, shared), np.repeat(np.arange(1000), 800)
    level = tails.threshold[row]
    said = NODE_WEIGHTS @ tails.chances(there, row, np.maximum(new.ravel(), level))
    calibration = calibrate(old, there, 16, shared)
    for expected in (1.0, 0.25, 0.0625):
        plain = ((said * 200 <= expected) & (new.ravel() > level)).sum() / 4000 / expected
        assert lift(calibration, np.array([expected]))[0] == pytest.approx(plain, rel=0.25)
    assert plain > 2.0


def test_a_higher_score_never_has_the_higher_chance() -> None:
    expected = np.geomspace(1e-6, 20.0, 400)
    random = np.random.default_rng(0)
    for _ in range(50):
        calibration = Calibration(ratios(np.exp(random.normal(0, 3, 60)), queries=8))
        assert (np.diff(expected * lift(calibration, expected)) >= -1e-12).all()
    assert EXPECTED[0] == 8.0


def test_what_turns_up_too_often_comes_from_few_queries() -> None:
    """Chances that are too low on average are spread farther, with the mean that was found; most stay what they were.

    Worked for ratio 3 and chances that do not spread: exp(b z) at the nodes z, b the square root of 2 ln 3.
    """
    often, rare = (Calibration(np.full(EXPECTED.size, ratio)) for ratio in (3.0, 0.5))
    chances, expected = np.full((NODE_WEIGHTS.size, 1), 0.001), np.array([0.5])
    grown = np.exp(np.sqrt(2 * np.log(3.0)) * NODES)
    found = often.corrected(chances, expected)[:, 0]
    np.testing.assert_allclose(found, 0.003 * grown / (NODE_WEIGHTS @ grown))
    assert found[2] == pytest.approx(0.001, rel=0.05)
    np.testing.assert_allclose(rare.corrected(chances, expected), 0.0005)
    wide = 0.001 * np.exp(0.8 * NODES)[:, None]
    assert NODE_WEIGHTS @ often.corrected(wide, expected)[:, 0] == pytest.approx(3 * NODE_WEIGHTS @ wide[:, 0])


@pytest.mark.parametrize("cells", [1, 1 << 18])
def test_all_that_is_left_out_is_what_each_place_gives_by_itself(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One score after the other taken out, the tail of the rest fitted, for all queries: the slow way."""
    chance = np.random.default_rng(2)
    best = -np.sort(-chance.gumbel(size=(40, 12)).round(2), axis=1)
    best[5, 4:], best[6], best[7, 1:] = -np.inf, -np.inf, -np.inf
    there, shared = chance.integers(50, 500, 40).astype(np.float64), shared_by(best, 6)
    expected = []
    for place in range(7):
        tails = tails_of(np.delete(best[:, :8], place, axis=1), 6, shared)
        score = best[:, place]
        above = np.flatnonzero(np.isfinite(score) & (score > tails.threshold) & (tails.used > 0))
        expected.append((NODE_WEIGHTS @ tails.chances(there - 1.0, above, score[above])) * there[above])
    monkeypatch.setattr("rankscope.analysis.forecast.evidence.CELLS", cells)
    found = left_out(best, there, 6, shared)
    np.testing.assert_allclose(np.sort(found), np.sort(np.concatenate(expected)), rtol=1e-14)
