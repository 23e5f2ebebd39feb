"""Machine judges corrected by people: worked values, what is refused, and what is said."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.sampling.machine_judge import corrected_mean, human_mean, machine_lines, uncorrected
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.commands.estimate import estimate_with_machine
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.measures.evaluation.evaluate import evaluate

Y = np.array([0.5, 0.6, 0.4, 0.7, 0.3, 0.8])
F = np.array([0.6, 0.7, 0.5, 0.9, 0.5, 0.8])
OTHERS = np.array([0.7, 0.4, 0.6, 0.8, 0.5, 0.9, 0.3, 0.6, 0.7, 0.5, 0.8, 0.6])
ITEMS = list("abcdefgh")


def test_the_worked_correction() -> None:
    found = corrected_mean(Y, F, OTHERS)
    assert (found.weight, found.corrected.value) == pytest.approx((0.661111, 0.516944), abs=5e-7)
    assert (found.corrected.low, found.corrected.high) == pytest.approx((0.361821, 0.672068), abs=5e-7)
    assert (found.corrected.high - found.corrected.value) / 2.776445 == pytest.approx(0.055871, abs=5e-7)
    assert found.human.value == pytest.approx(0.55)
    assert (found.human.low, found.human.high) == pytest.approx((0.353669, 0.746331), abs=5e-7)
    assert corrected_mean(Y, F, OTHERS, weight=1.0).corrected.value == pytest.approx(0.5)
    assert found.worth == pytest.approx(6 * (0.392662 / 0.310247) ** 2, rel=1e-4)


def test_leverage_is_that_of_a_fitted_line_and_freedom_follows_kurtosis() -> None:
    design = np.stack([np.ones(6), F], axis=1)
    hat = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
    found = corrected_mean(Y, F, OTHERS, small_sample=True)
    residual = Y - found.weight * F
    people = (((residual - residual.mean()) / (1 - hat)) ** 2).sum() / 36
    error = math.sqrt(people + found.weight**2 * OTHERS.var(ddof=1) / 12)
    freedom = min(4, 2 * 5 / (stats.kurtosis(residual, fisher=False) - 1))
    reach = stats.t.ppf(0.975, freedom)
    assert (found.corrected.high - found.corrected.value) / reach == pytest.approx(error, rel=1e-9)
    odd = np.array([0.0] * 19 + [1.0])
    wide = corrected_mean(odd, np.zeros(20), np.zeros(5), small_sample=True, weight=0.0)
    freedom = 2 * 19 / (stats.kurtosis(odd, fisher=False) - 1)
    error = math.sqrt((((odd - odd.mean()) * 20 / 19) ** 2).sum()) / 20
    assert wide.corrected.high - 0.05 == pytest.approx(stats.t.ppf(0.975, freedom) * error, rel=1e-9)
    assert freedom < 3
    assert found.corrected.high - found.corrected.low > 0.672068 - 0.361821


@pytest.mark.parametrize(("noise", "weight"), [(0.0, 3800 / 4000), (50.0, 0.0)])
def test_the_weight_follows_what_the_machine_is_worth(noise: float, weight: float) -> None:
    chance = np.random.default_rng(1)
    truth = chance.random(4000)
    said = truth + noise * chance.standard_normal(4000)
    found = corrected_mean(truth[:200], said[:200], said[200:])
    assert found.weight == pytest.approx(weight, abs=0.1)


def test_corrected_intervals_hold_where_the_machine_alone_does_not() -> None:
    chance = np.random.default_rng(2)
    held = alone = 0
    for _ in range(300):
        truth = chance.beta(2, 3, 230)
        said = np.clip(truth + 0.15 + 0.1 * chance.standard_normal(230), 0, 1)
        found = corrected_mean(truth[:30], said[:30], said[30:], small_sample=True)
        held += found.corrected.low <= 0.4 <= found.corrected.high
        alone += abs(found.machine - 0.4) < 0.05
    assert held >= 0.92 * 300
    assert alone == 0


def test_limits_stay_within_the_range() -> None:
    """.02 and .98 of people, whose Student's limits lie outside, and a correction that would."""
    y = np.array([0.0] * 9 + [0.2])
    found = corrected_mean(y, 1 - y, np.full(90, 1.0), small_sample=True, bounds=(0.0, 1.0))
    assert (found.corrected.low, found.human.low) == (0.0, 0.0)
    assert human_mean(y).low < 0
    assert human_mean(1 - y, bounds=(0.0, 1.0)).high == 1.0
    over = corrected_mean(1 - y, 1 - y, np.full(90, 1.0), small_sample=True, bounds=(0.0, 1.0))
    assert 0 <= over.corrected.low <= over.corrected.value <= over.corrected.high <= 1.0


def test_people_alone_are_the_default_below_twenty_queries() -> None:
    people, machine = judged(60)
    measures = "AP,P@5"
    few = estimate_with_machine(some(people, 19), machine, runs(60), measures)
    assert "below 20 the corrected interval is often the wider one" in few.reason
    assert "correct_from=10" in few.reason
    assert math.isnan(few.rows[0].mean.corrected.value)
    early = estimate_with_machine(some(people, 19), machine, runs(60), measures, correct_from=10)
    assert early.reason == ""
    assert not math.isnan(early.rows[0].mean.corrected.value)
    assert early.rows[0].mean.human == few.rows[0].mean.human
    with pytest.raises(SettingError, match="correct_from"):
        estimate_with_machine(some(people, 19), machine, runs(60), measures, correct_from=9)


@pytest.mark.parametrize("count", [12, 30])
def test_the_interval_of_people_alone_is_that_of_every_mean(count: int) -> None:
    people, machine = judged(60)
    found = estimate_with_machine(some(people, count), machine, runs(60), "P@5")
    kept = {name: {query: run[query] for query in list(people)[:count]} for name, run in runs(60).items()}
    scores = evaluate(some(people, count), kept, ["P@5"], no_relevant="zero")
    values = [system.columns[0].values for system in scores.systems]
    expected = mean_intervals(np.stack([*values, values[1] - values[0]], axis=1), bounds=(np.array([0.0, 0, -1]), 1.0))
    rows = [*found.rows, *found.differences]
    assert [each.mean.human.low for each in rows] == pytest.approx(expected.low.tolist(), abs=1e-12)
    assert [each.mean.human.high for each in rows] == pytest.approx(expected.high.tolist(), abs=1e-12)


def test_people_alone_have_no_correction() -> None:
    found = uncorrected(Y, F, OTHERS)
    assert math.isnan(found.corrected.value)
    assert math.isnan(found.worth)
    assert found.human.value == pytest.approx(0.55)


def judged(queries: int, seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """What people say of all queries, and a machine that errs in one of five pairs."""
    chance = np.random.default_rng(seed)
    people = {f"q{number}": {item: int(chance.random() < 0.4) for item in ITEMS} for number in range(queries)}
    machine = {
        query: {item: grade ^ int(chance.random() < 0.2) for item, grade in items.items()}
        for query, items in people.items()
    }
    return people, machine


def runs(queries: int) -> dict[str, dict[str, list[str]]]:
    chance = np.random.default_rng(5)
    return {
        name: {f"q{number}": [ITEMS[each] for each in chance.permutation(8)] for number in range(queries)}
        for name in ("one", "two")
    }


def some(judgements: dict[str, dict[str, int]], count: int) -> dict[str, dict[str, int]]:
    return {query: judgements[query] for query in list(judgements)[:count]}


def test_means_and_differences_stand_beside_those_of_people_and_machine() -> None:
    people, machine = judged(60)
    found = estimate_with_machine(some(people, 20), machine, runs(60), "AP,P@5", tuned_on="none")
    assert (found.queries, found.others, found.reason) == (20, 40, "")
    assert [(each.run, each.measure) for each in found.differences] == [
        ("two minus one", "AP"),
        ("two minus one", "P@5"),
    ]
    assert found.agreement is not None
    assert found.agreement.pairs == 160
    table = np.zeros((2, 2))
    for query, items in some(people, 20).items():
        for item, grade in items.items():
            table[grade, machine[query][item]] += 1
    chance = (table.sum(0) * table.sum(1)).sum() / table.sum() ** 2
    assert found.agreement.kappa == pytest.approx((np.trace(table) / table.sum() - chance) / (1 - chance))
    assert found.agreement.missed == pytest.approx(table[1, 0] / table[1].sum())
    assert not found.warnings
    one = {each.run: each.mean for each in found.rows if each.measure == "P@5"}
    apart = next(each.mean for each in found.differences if each.measure == "P@5")
    assert apart.human.value == pytest.approx(one["two"].human.value - one["one"].human.value)
    assert found.record()["means"][0]["run"] == "one"


def test_few_queries_of_people_are_not_corrected() -> None:
    people, machine = judged(40)
    found = estimate_with_machine(some(people, 9), machine, runs(40))
    assert "9 queries" in found.reason
    assert math.isnan(found.rows[0].mean.corrected.value)
    assert machine_lines(found)[0].startswith("Nothing is corrected: people judged 9 queries")
    assert "people" in found.render()
    same = estimate_with_machine(some(people, 20), some(machine, 20), runs(40))
    assert "no queries beyond" in same.reason


def test_queries_that_the_machine_was_tuned_on_are_left_out(tmp_path: Path) -> None:
    people, machine = judged(40)
    tuned = tmp_path / "tuned.txt"
    tuned.write_text("q0\nq1\n\nq30\n")
    found = estimate_with_machine(some(people, 22), machine, runs(40), tuned_on=tuned)
    assert (found.queries, found.others) == (20, 17)
    assert any("2 queries that the machine was tuned on" in line for line in found.warnings)
    few = estimate_with_machine(some(people, 11), machine, runs(40), tuned_on=["q0", "q1"])
    assert "that the machine was not tuned on" in few.reason
    with pytest.raises(SettingError, match="cannot be corrected"):
        estimate_with_machine(some(people, 20), machine, runs(40), tuned_on="all")
    with pytest.raises(RankscopeError, match="cannot be read"):
        estimate_with_machine(some(people, 20), machine, runs(40), tuned_on=tmp_path / "none.txt")


def test_silence_about_tuning_and_odd_queries_are_warned_of() -> None:
    people, machine = judged(60)
    for query in list(people)[:20]:
        machine[query] = dict.fromkeys(ITEMS, 1)
    found = estimate_with_machine(some(people, 20), machine, runs(60), "P@5")
    assert any("tuned on" in line for line in found.warnings)
    assert any("drawn at random?" in line for line in found.warnings)
    with pytest.raises(SettingError, match="both by people and by the machine"):
        estimate_with_machine({"other": {"a": 1}}, machine, runs(60))
    partly = {query: labels for query, labels in machine.items() if query != "q3"}
    assert any(
        "left out: 1 query judged by people, without a label" in line
        for line in estimate_with_machine(some(people, 20), partly, runs(60)).warnings
    )


def test_the_words_are_made_of_the_numbers() -> None:
    people, machine = judged(60)
    found = estimate_with_machine(some(people, 20), machine, runs(60), "P@5", tuned_on="none")
    worth, outside, *_ = machine_lines(found)
    assert f"as that of {found.rows[0].mean.worth:.0f} queries" in worth
    assert "20 were" in worth
    misled = [
        each
        for each in (*found.rows, *found.differences)
        if not each.mean.corrected.low <= each.mean.machine <= each.mean.corrected.high
    ]
    assert all(f"{each.measure} of {each.run}" in outside for each in misled[:4])
    assert ("within every corrected interval" in outside) == (not misled)
