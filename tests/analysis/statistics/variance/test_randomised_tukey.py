"""Randomised Tukey HSD: counted in full, drawn by chance, and quick."""

from __future__ import annotations

from importlib import import_module
from itertools import permutations, product

import numpy as np
import pytest

from rankscope.analysis.statistics.multiple_comparisons import enumerable, randomised_tukey
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, THREE, WORKED, drawn


def test_the_worked_example() -> None:
    tukey = randomised_tukey(THREE)
    assert tukey.exact
    assert tukey.count.tolist() == [3384, 264, 5640]
    assert tukey.permutations == 7776
    assert tukey.p == pytest.approx([0.435185, 0.033951, 0.725309], abs=1e-6)


def test_all_arrangements_counted_one_by_one() -> None:
    values = THREE.values[:4]
    ranges = []
    for rows in product(*(list(permutations(row)) for row in values.tolist())):
        means = np.mean(rows, axis=0)
        ranges.append(means.max() - means.min())
    tukey = randomised_tukey(THREE.take(np.arange(4)))
    expected = [sum(r >= abs(d) - 1e-12 for r in ranges) for d in tukey.difference.tolist()]
    assert tukey.count.tolist() == expected
    assert tukey.permutations == len(ranges) == 1296


def test_two_systems_are_a_sign_flip_test() -> None:
    tukey = randomised_tukey(WORKED)
    assert (tukey.count.tolist(), tukey.permutations) == ([238], 32768)
    pair = THREE.select("a", "b")
    assert randomised_tukey(pair).p == pytest.approx([0.125])


def test_drawn_permutations_come_near_the_full_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("rankscope.analysis.statistics.multiple_comparisons"), "EXACT", 1)
    tukey = randomised_tukey(THREE, permutations=40_000)
    assert not tukey.exact
    assert tukey.p == pytest.approx([0.435185, 0.033951, 0.725309], abs=0.01)
    assert tukey.p == pytest.approx((tukey.count + 1) / 40_001)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("table", [THREE, drawn(4, (8,), seed=1)], ids=["exact", "drawn"])
def test_an_interval_without_zero_goes_with_a_small_p(table: ScoreTable, level: float) -> None:
    tukey = randomised_tukey(table, level, permutations=999)
    np.testing.assert_array_equal(tukey.different, tukey.p <= 1 - level + 1e-12)


def test_the_seed_decides() -> None:
    table = drawn(4, (9,), seed=5)
    first, again, other = (randomised_tukey(table, permutations=500, seed=seed).count.tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = drawn(4, (9,), seed=5)
    whole = randomised_tukey(table, permutations=500).count.tolist()
    monkeypatch.setattr(import_module("rankscope.analysis.statistics.multiple_comparisons"), "AT_ONCE", 36 * 7)
    assert randomised_tukey(table, permutations=500).count.tolist() == whole


def test_constant_scores_and_one_query_never_differ() -> None:
    assert randomised_tukey(CONSTANT.select("A", "B").take(np.array([0]))).p == pytest.approx([1.0])
    same = ScoreTable.make({"A": [0.3] * 40, "B": [0.3] * 40, "C": [0.3] * 40})
    assert randomised_tukey(same, permutations=200).p == pytest.approx([1.0] * 3)


def test_too_few_permutations_say_so() -> None:
    tukey = randomised_tukey(drawn(3, (9,)), permutations=10)
    assert not tukey.different.any()
    assert "10 permutations are too few" in tukey.note


@pytest.mark.parametrize(("queries", "systems", "small"), [(5, 3, True), (19, 2, True), (20, 2, False), (1, 10, False)])
def test_a_million_arrangements_are_counted(queries: int, systems: int, small: bool) -> None:
    assert enumerable(queries, systems) is small


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SettingError, match="permutations=0: must be a whole number of at least 1"):
        randomised_tukey(THREE, permutations=0)
    with pytest.raises(SettingError, match="needs 2 at least"):
        randomised_tukey(THREE.select("a"))
