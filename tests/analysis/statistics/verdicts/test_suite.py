"""Systems over several tasks: means, ranks, who wins where, and systems that lack a task."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.comparison.suite import compare_suite
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError

NAMES = ("base", "good", "poor")


def task(seed: int, systems: tuple[str, ...] = NAMES, queries: int = 25, lower: bool = False) -> ScoreTable:
    chance = np.random.default_rng(seed)
    hard = chance.uniform(0.2, 0.7, queries)
    shift = {"base": 0.0, "good": 0.08, "poor": -0.1, "late": 0.2}
    values: dict[str, ArrayLike] = {name: hard + shift[name] + chance.normal(0, 0.03, queries) for name in systems}
    return ScoreTable.make(values, lower_is_better=lower)


def test_means_and_ranks_are_those_of_the_tasks() -> None:
    tables = {f"t{seed}": task(seed) for seed in range(6)}
    made = compare_suite(tables, resamples=500)
    means = np.stack([each.values.mean(axis=0) for each in tables.values()])
    ranks = stats.rankdata(-means, axis=1).mean(axis=0)
    for place, name in enumerate(NAMES):
        found = made.system(name)
        assert found.mean.value == pytest.approx(means[:, place].mean())
        assert found.rank.value == pytest.approx(ranks[place])
        assert found.difference.value == pytest.approx((means[:, place] - means[:, 0]).mean())
        assert found.mean.low <= found.mean.value <= found.mean.high
    assert [each.name for each in made.systems] == ["good", "base", "poor"]
    assert made.baseline == "base"


def test_differences_are_paired_and_decide_after_correction() -> None:
    made = compare_suite({f"t{seed}": task(seed) for seed in range(6)}, resamples=2_000)
    good, poor, base = made.system("good"), made.system("poor"), made.system("base")
    assert (good.side, poor.side, base.side) == ("better", "worse", "")
    assert good.difference.high - good.difference.low < (good.mean.high - good.mean.low) / 2
    assert max(good.p, poor.p) < 0.05
    assert math.isnan(base.p)


def test_chance_shows_no_side() -> None:
    chance = np.random.default_rng(0)
    tables = {f"t{n}": ScoreTable.make({"A": chance.uniform(size=30), "B": chance.uniform(size=30)}) for n in range(6)}
    assert {each.side for each in compare_suite(tables, resamples=1_000).systems} == {""}


def test_where_lower_is_better_everything_is_turned() -> None:
    tables = {f"t{seed}": task(seed, lower=True) for seed in range(6)}
    made = compare_suite(tables, resamples=1_000)
    assert [each.name for each in made.systems] == ["poor", "base", "good"]
    assert made.system("poor").rank.value == 1
    assert (made.system("good").side, made.system("poor").side) == ("worse", "better")
    assert {each.best for each in made.tasks} == {"poor"}


def test_a_system_that_lacks_a_task_gets_no_number_over_tasks() -> None:
    tables = {f"t{seed}": task(seed, (*NAMES, "late") if seed else NAMES) for seed in range(4)}
    made = compare_suite(tables, resamples=500)
    late = made.system("late")
    assert late.missing == ("t0",)
    assert math.isnan(late.mean.value)
    assert math.isnan(late.rank.value)
    assert late.side == ""
    assert made.systems[-1] is late
    own = [each.values.mean(axis=0) for name, each in tables.items() if name != "t0"]
    assert late.difference.value == pytest.approx(np.mean([each[3] - each[0] for each in own]))
    assert late.wins == ("t1", "t2", "t3"), "what it wins it wins"
    without = compare_suite({name: each.select(*NAMES) for name, each in tables.items()}, resamples=500)
    assert [each.rank.value for each in made.complete] == [each.rank.value for each in without.complete]


def test_no_system_with_every_task() -> None:
    made = compare_suite({"x": task(0, ("base", "good")), "y": task(1, ("poor", "late"))}, resamples=100)
    assert made.complete == ()
    assert made.baseline == ""
    assert all(math.isnan(each.difference.value) for each in made.systems)


def test_each_task_is_compared_by_itself_as_everywhere() -> None:
    made = compare_suite({"x": task(0), "y": task(1)}, resamples=100)
    alone = compare([task(0)], permutations=100)
    assert made.tasks[0].compared is not None
    assert [pair.adjusted for pair in made.tasks[0].compared.main.pairs] == [pair.adjusted for pair in alone.main.pairs]
    assert made.tasks[0].beaten == tuple(name for name in ("base", "poor") if alone.shown_better("good", name))


def test_one_task_has_values_and_no_intervals_over_tasks() -> None:
    made = compare_suite({"x": task(0)}, resamples=100)
    assert math.isnan(made.system("good").mean.low)
    assert made.system("good").side == ""


def test_mistakes_are_named() -> None:
    with pytest.raises(SettingError, match=r"no system 'nobody'.*There are: base, good, poor"):
        compare_suite({"x": task(0)}, baseline="nobody")
    with pytest.raises(SettingError, match="the baseline must have every task, and good does not"):
        compare_suite({"x": task(0), "y": task(1, ("base", "poor"))}, baseline="good")
    with pytest.raises(SettingError, match="one task at least"):
        compare_suite({})
    empty = ScoreTable.make({"A": [math.nan], "B": [0.5]})
    with pytest.raises(SettingError, match="x: no query has a value of AP for every system"):
        compare_suite({"x": empty})


def test_equal_seeds_give_equal_suites() -> None:
    one, other = (compare_suite({"x": task(0), "y": task(1)}, resamples=200, seed=4) for _ in range(2))
    np.testing.assert_equal([*map(astuple, one.systems)], [*map(astuple, other.systems)])  # unlike ==, nan is nan
