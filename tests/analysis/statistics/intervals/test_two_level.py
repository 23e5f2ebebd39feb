"""Intervals that draw tasks and queries: against loops, formulas, and samples of real tasks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.comparison.suite import (
    TaskValues,
    expanded_tail,
    two_level_limits,
    two_level_means,
    two_level_p,
)
from rankscope.core.errors import SettingError
from tests.data import data_folder

TASKS = [
    TaskValues(np.array([[0.1, 0.2], [0.3, 0.3], [0.8, 0.9]])),
    TaskValues(np.array([[0.5, 0.4], [0.6, 0.9], [0.1, 0.0], [0.2, 0.4]])),
    TaskValues(np.array([[0.9, 0.7], [0.7, 0.7]])),
]


def test_draws_are_those_of_two_loops() -> None:
    """Mean and spread of the overall mean, next to a loop that draws tasks and then queries one by one."""
    chance, trials = np.random.default_rng(5), 6_000
    looped = np.empty((trials, 2))
    for trial in range(trials):
        drawn = [TASKS[number].values for number in chance.integers(0, 3, 3)]
        looped[trial] = np.mean([own[chance.integers(0, len(own), len(own))].mean(axis=0) for own in drawn], axis=0)
    ours = two_level_means(TASKS, 20_000, seed=1).mean(axis=1)
    np.testing.assert_allclose(ours.mean(axis=0), looped.mean(axis=0), atol=0.008)
    np.testing.assert_allclose(ours.std(axis=0), looped.std(axis=0), rtol=0.04)
    shares = [0.025, 0.5, 0.975]
    np.testing.assert_allclose(np.quantile(ours, shares, axis=0), np.quantile(looped, shares, axis=0), atol=0.02)


def test_their_spread_is_that_of_the_formula() -> None:
    """Var = (variance of the tasks' means + mean variance of a task's mean) / T, each over n and not n - 1."""
    means = np.stack([task.means for task in TASKS])
    within = np.mean([task.values.var(axis=0) / len(task.values) for task in TASKS], axis=0)
    expected = (means.var(axis=0) + within) / len(TASKS)
    drawn = two_level_means(TASKS, 40_000, seed=2).mean(axis=1)
    np.testing.assert_allclose(drawn.var(axis=0), expected, rtol=0.03)


def test_a_task_drawn_twice_has_its_queries_drawn_twice() -> None:
    (wide,) = [TaskValues(np.random.default_rng(0).uniform(size=(50, 1)))]
    drawn = two_level_means([wide, wide], 200, seed=0)[..., 0]
    assert (drawn[:, 0] != drawn[:, 1]).mean() > 0.95


def test_classes_are_drawn_where_they_are_the_unit() -> None:
    values = np.repeat([[0.0], [1.0]], 50, axis=0)
    free, bound = TaskValues(values), TaskValues(values, ("a",) * 50 + ("b",) * 50)
    spread = [two_level_means([task], 4_000).std() for task in (free, bound)]
    assert spread[0] == pytest.approx(0.5 / 10, rel=0.05)
    assert spread[1] == pytest.approx(0.5 / math.sqrt(2), rel=0.05)


@pytest.mark.parametrize("tasks", [2, 3, 6, 30])
def test_tails_are_as_far_out_as_student_has_them(tasks: int) -> None:
    t = stats.t.ppf(0.025, tasks - 1)
    assert expanded_tail(tasks, 0.95) == pytest.approx(stats.norm.cdf(t * math.sqrt(tasks / (tasks - 1))))


def test_limits_of_normal_draws_are_those_of_a_t_interval() -> None:
    """Draws with the spread that resampling T means has: the limits are mean -+ t s/sqrt(T)."""
    tasks, s = 6, 0.2
    drawn = np.random.default_rng(0).normal(0.5, s * math.sqrt((tasks - 1) / tasks) / math.sqrt(tasks), (400_000, 1))
    low, high = two_level_limits(drawn, tasks)
    half = stats.t.ppf(0.975, tasks - 1) * s / math.sqrt(tasks)
    assert (low[0], high[0]) == (pytest.approx(0.5 - half, abs=0.004), pytest.approx(0.5 + half, abs=0.004))
    assert two_level_p(0.5, drawn[:, 0] - 0.5, tasks) == pytest.approx(
        2 * stats.t.sf(0.5 / (s / math.sqrt(tasks)), tasks - 1), rel=0.02
    )


def test_one_task_has_no_interval_and_no_test() -> None:
    low, high = two_level_limits(np.zeros((9, 2)), tasks=1)
    assert np.isnan([*low, *high]).all()
    assert math.isnan(two_level_p(0.1, np.zeros(9), tasks=1))
    with pytest.raises(SettingError, match="no task"):
        two_level_means([])


TRIALS, DRAWS = 150, 500
NOISE = 2.5 * math.sqrt(0.95 * 0.05 / TRIALS)


def test_intervals_hold_on_samples_of_real_tasks_where_plain_percentiles_fail() -> None:
    """Six text collections are the tasks there are; 6 are drawn, and 40 queries of each at most."""
    from rankscope import evaluate
    from rankscope.analysis.statistics.score_table import ScoreTable

    folder = data_folder("text")
    population = []
    for name in ("adi", "cacm", "cisi", "cranfield", "medline", "npl"):
        runs = {run: folder / name / "runs" / f"{run}.run.gz" for run in ("lmdir", "coord")}
        population.append(ScoreTable.of(evaluate(folder / name / "qrels.txt", runs, ["AP"])).complete().values)
    truth = np.mean([each.mean(axis=0) for each in population], axis=0)
    chance, count = np.random.default_rng(1), 6
    held, plain, alarms = np.zeros(3), np.zeros(3), 0
    for trial in range(TRIALS):
        tasks = []
        for number in chance.integers(0, count, count):
            own = population[number] - truth  # every true mean is 0, and so is their difference
            tasks.append(TaskValues(own[chance.integers(0, len(own), min(len(own), 40))]))
        both = two_level_means(tasks, DRAWS, seed=trial).mean(axis=1)
        drawn = np.column_stack([both, both[:, 1] - both[:, 0]])
        low, high = two_level_limits(drawn, count)
        held += (low <= 0) & (high >= 0)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        plain += (low <= 0) & (high >= 0)
        means = np.mean([task.means for task in tasks], axis=0)
        alarms += two_level_p(float(means[1] - means[0]), drawn[:, 2], count) <= 0.05
    assert (held / TRIALS >= 0.95 - NOISE).all()
    assert plain[:2].mean() / TRIALS < 0.93
    assert alarms / TRIALS <= 0.05 + NOISE
