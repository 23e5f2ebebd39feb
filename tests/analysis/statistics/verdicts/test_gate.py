"""The gate: what passes and what fails, how it speaks, how rarely it errs, and what it catches."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks import error_rates, gate_trials
from rankscope.analysis.comparison.compare import compare, comparison_notes
from rankscope.analysis.comparison.gate import RuleOfLoss, fewest_units, gate, power_sentence, render_gate, signed_text
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.deciding_test import Changes, caution, skew_t_limits, skew_t_p
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.score_table import UNBOUNDED, ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip, sign_flip_p
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.data import data_folder


def moved(change: float, queries: int = 40, noise: float = 0.02, measure: str = "AP", seed: int = 0) -> ScoreTable:
    """A candidate whose mean change is exactly this."""
    chance = np.random.default_rng(seed)
    old = chance.beta(0.5, 1, queries)
    away = chance.normal(0, noise, queries) if noise else np.zeros(queries)
    return ScoreTable.make({"old": old, "new": old + change + away - away.mean()}, measure=measure)


@pytest.mark.parametrize(
    ("change", "noise", "verdict", "finding"),
    [
        (-0.03, 0.02, "fail", "a loss is shown, its mean is beyond .01"),
        (-0.008, 0.02, "undecided", "a loss is shown, its mean is not beyond .01"),
        (-0.005, 0.01, "pass", "a loss is shown, one beyond .01 is ruled out"),
        (-0.03, 0.2, "undecided", "the mean loss is beyond .01, but may be chance"),
        (-0.005, 0.2, "undecided", "a loss beyond .01 is not ruled out"),
        (0.004, 0.02, "pass", "a loss beyond .01 is ruled out"),
    ],
)
def test_it_fails_passes_or_is_undecided_for_a_reason(change: float, noise: float, verdict: str, finding: str) -> None:
    result = gate(moved(change, noise=noise), 0.01)
    (check,) = result.checks
    assert (result.verdict, result.passed, bool(result.failed)) == (verdict, verdict == "pass", verdict == "fail")
    assert check.finding == finding
    assert check.change == pytest.approx(change)
    assert check.loss_shown == (check.high < 0)
    assert check.low < check.change < check.high
    assert result.sentence.startswith(f"{verdict}: AP changed by ")
    assert result.sentence.endswith(f"on 40 queries; {finding}")
    assert "\n" not in result.sentence


@pytest.mark.parametrize(
    ("change", "noise", "verdict", "finding"),
    [
        (-0.03, 0.02, "fail", "a loss beyond .01 is shown"),
        (-0.0105, 0.02, "undecided", "a loss is shown, but none beyond .01"),
        (-0.03, 0.2, "undecided", "the mean loss is beyond .01, but may be chance"),
        (-0.005, 0.01, "pass", "a loss is shown, one beyond .01 is ruled out"),
        (0.004, 0.02, "pass", "a loss beyond .01 is ruled out"),
    ],
)
def test_by_the_rule_beyond_the_limit_itself_decides(change: float, noise: float, verdict: str, finding: str) -> None:
    (check,) = gate(moved(change, noise=noise), 0.01, rule="beyond").checks
    assert (check.verdict, check.finding) == (verdict, finding)
    assert check.failed == (check.high < -0.01)


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize(("queries", "few"), [(5, True), (25, True), (59, True), (60, False)])
def test_a_pass_needs_as_many_changed_queries_as_could_show_a_loss(queries: int, few: bool, direction: float) -> None:
    """Below 60 queries, of which the others may well lack those that lose much; runs that are equal pass."""
    for differing in range(6):
        change = np.zeros(queries)
        change[:differing] = direction * np.linspace(0.001, 0.002, differing)
        (check,) = gate(_from(change), 0.01).checks
        assert check.differing == check.row()["differing"] == differing
        assert 1 - check.level == pytest.approx(0.05)
        assert check.gain[1] >= -0.01 or check.unchanged
        if few and 0 < differing < fewest_units(0.05, 1):
            text = f"only {differing} of {queries} queries changed, too few to rule out a loss beyond .01"
            assert (check.verdict, check.finding) == ("undecided", text)
        else:
            assert check.verdict == "pass"


def test_a_stricter_level_of_a_family_asks_for_more_changed_queries() -> None:
    change = np.zeros(30)
    change[:5] = np.linspace(0.001, 0.002, 5)
    one, other = gate([_from(change), _from(change)], 0.01).checks
    assert (one.verdict, one.differing, round(1 - one.level, 4)) == ("undecided", 5, 0.025)
    assert other.finding == "only 5 of 30 queries changed, too few to rule out a loss beyond .01"
    assert gate(_from(change), 0.01).passed


@pytest.mark.parametrize(("queries", "share"), [(15, 46), (40, 13), (59, 5), (60, 0)])
def test_gate_and_compare_say_alike_what_so_few_queries_may_lack(queries: int, share: int) -> None:
    table = moved(0.01, queries)
    result = gate(table, 0.01)
    said = [line for line in result.remarks if "1 in 20" in line]
    assert said == [
        line for line in comparison_notes(compare([table], permutations=100, resamples=100)) if "1 in 20" in line
    ]
    assert all(f"a sample of {queries} lacks all of these in {share} % of cases" in line for line in said)
    assert len(said) == (queries < 60)
    for line in said:
        assert line in render_gate(result)
        assert f"- {line}" in render_gate(result, "markdown")
        assert line in json.loads(render_gate(result, "json"))["remarks"]


def test_of_classes_as_units_the_caution_counts_classes() -> None:
    chance = np.random.default_rng(3)
    classes = [f"c{each % 12}" for each in range(72)]
    values = {name: chance.random(72) for name in ("old", "new")}
    remarks = gate(ScoreTable.make(values, classes), 0.01, clusters=True).remarks
    assert [line for line in remarks if "1 in 20" in line] == [caution(12, "classes")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", ["mean", "beyond"])
@pytest.mark.parametrize("effect", [0.0, 0.01])
def test_words_claim_no_more_than_the_limits(rule: RuleOfLoss, effect: float) -> None:
    """A loss "beyond" that is shown or ruled out is one that the limits in the same sentence exclude or leave alone."""
    chance = np.random.default_rng(1)
    seen = set()
    for change, noise in zip(chance.uniform(-0.03, 0.015, 300), chance.choice([0.005, 0.02, 0.1], 300), strict=True):
        (check,) = gate(moved(change, 12, noise, seed=int(1e6 * (change + 1))), effect, rule=rule).checks
        beyond = " beyond .01" if effect else ""
        seen.add(check.finding)
        assert (check.verdict == "fail") == (check.high < (-effect if rule == "beyond" else 0) and change < -effect)
        assert (check.verdict == "pass") == (check.low >= -effect)
        assert (f"a loss{beyond} is shown" in check.finding) <= (check.high < -effect)
        assert ("ruled out" in check.finding and "not ruled" not in check.finding) == (check.low >= -effect)
        assert check.finding.startswith("a loss is shown") <= (check.high < 0)
        assert ("may be chance" in check.finding) <= (check.high >= 0)
    assert len(seen) >= (5 if effect else 4)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sd", [0.01, 0.02])
def test_a_loss_of_the_smallest_effect_fails_in_one_of_twenty_by_the_rule_beyond_only(sd: float) -> None:
    chance = np.random.default_rng(4)
    drawn = chance.normal(-0.0095, sd, (400, 12))
    failed = {
        rule: np.mean([gate(_from(row), 0.01, rule=rule).verdict == "fail" for row in drawn])
        for rule in get_args(RuleOfLoss)
    }
    assert failed["beyond"] <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 400)
    assert failed["mean"] >= 0.2


def test_a_loss_beyond_the_effect_is_ruled_out_wrongly_in_one_of_twenty() -> None:
    drawn = np.random.default_rng(5).normal(-0.0101, 0.03, (400, 12))
    passed = np.mean([gate(_from(row), 0.01).passed for row in drawn])
    assert passed <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 400)


def test_numbers_show_on_which_side_of_the_smallest_effect_they_lie() -> None:
    assert "changed by -.0104 (worse) [" in gate(moved(-0.0104, 30, 0.01), 0.01).sentence
    assert "changed by -.010004 (worse) [" in gate(moved(-0.010004, 30, 0.01), 0.01).sentence
    assert "changed by -.0100 (worse) [" not in gate(moved(-0.01, 30, 0.01), 0.01).sentence
    assert "changed by -.010 (worse) [" in gate(moved(-0.01, 30, 0.01), 0.01).sentence


def test_rounding_is_no_loss_beyond_the_effect() -> None:
    old = np.random.default_rng(2).random(12)
    for effect in (0.01, 0.07, 0.3):
        (check,) = gate(ScoreTable.make({"old": old, "new": old - effect}), effect).checks
        shown = "a loss is shown, its mean is" if effect == 0.3 else "a loss beyond"
        told = f"{shown} not beyond {effect:g}" if effect == 0.3 else f"{shown} {effect:g} is not ruled out"
        assert (check.verdict, check.finding) == ("undecided", told.replace("0.", "."))


def test_the_limit_is_the_outer_one_of_sign_flips_and_skewed_t() -> None:
    table = moved(-0.01, 30, 0.1)
    changes = table.differences("old", "new")
    flips, skew = sign_flip(changes, level=0.9), [float(each) for each in skew_t_limits(changes, 0.05)]
    check = gate(table, 0.01).checks[0]
    assert (check.low, check.high) == pytest.approx((min(flips.low, skew[0]), max(flips.high, skew[1])))
    assert check.p == max(sign_flip_p(changes, "less")[0], skew_t_p(changes, "less"))


def test_few_large_gains_are_no_loss() -> None:
    rates = gate_trials.lopsided(10, trials=2_000)
    assert rates["sign flips"] > 0.1
    assert rates["gate (the worse of sign flips and skew t)"] <= 0.06


@pytest.mark.parametrize("rule", get_args(RuleOfLoss))
@pytest.mark.parametrize("change", [-0.03, -0.0105, -0.008, -0.002, 0.0, 0.004, 0.05])
def test_where_lower_is_better_signs_are_the_measures_own_and_verdicts_the_same(
    change: float, rule: RuleOfLoss
) -> None:
    table = moved(change, 30, 0.02)
    twin = ScoreTable("AP", table.systems, table.queries, 1 - table.values, None, lower_is_better=True)
    (plain,), (low,) = gate(table, 0.01, rule=rule).checks, gate(twin, 0.01, rule=rule).checks
    assert low.change == pytest.approx(low.candidate - low.baseline) == pytest.approx(-change)
    assert (low.low, low.high) == pytest.approx((-plain.high, -plain.low))
    assert (low.verdict, low.finding, low.loss_shown) == (plain.verdict, plain.finding, plain.loss_shown)
    assert low.detectable == pytest.approx(plain.detectable)
    word = {-1: " (worse)", 0: "", 1: " (better)"}[int(np.sign(change))]
    assert f"AP changed by {signed_text(change, plain.places)}{word} [" in plain.sentence
    assert f"AP changed by {signed_text(-change, low.places)}{word} [" in low.sentence
    assert (plain.row()["better"], low.row()["better"]) == ("higher", "lower")


def test_several_measures_are_one_family() -> None:
    tables = [moved(-0.012, 30, 0.04, f"m{seed}", seed) for seed in range(4)]
    result = gate(tables, 0.0)
    p = [gate(each, 0.0).checks[0].p for each in tables]
    assert [each.adjusted for each in result.checks] == pytest.approx(holm(p))
    assert min(p) < 0.05
    for check in result.checks:
        assert (check.high < 0) == check.loss_shown
    assert "family of 4 tests: 1 pair of systems x 4 measures, Holm" in result.remarks[0]


def test_holm_needs_a_smaller_p_than_one_test_does() -> None:
    weak = moved(-0.012, 40, 0.036)
    alone = gate(weak, 0.01)
    assert alone.verdict == "fail"
    many = gate([weak, *(moved(0.0, 40, 0.1, f"m{seed}", seed) for seed in range(9))], 0.01)
    assert many.verdict == "undecided"
    assert many.sentence.startswith("undecided: 10 of 10 checks: AP changed by")


@pytest.mark.parametrize(
    ("changes", "shown", "divisors"),
    [
        ([-0.0105, -0.0105, -0.0105], 0, [3, 3, 3]),  # each would be shown alone: no limit may lie below 0
        ([-0.0105, -0.05, -0.0105], 1, [2, 3, 2]),
        ([-0.05, -0.04, -0.0105], 3, [3, 2, 1]),
    ],
)
def test_limits_stop_at_the_first_loss_that_holm_does_not_show(
    changes: list[float], shown: int, divisors: list[int]
) -> None:
    result = gate([moved(change, 40, 0.036, f"m{place}") for place, change in enumerate(changes)], 0.0)
    assert all(gate(moved(change, 40, 0.036), 0.0).checks[0].loss_shown for change in changes)
    assert [each.level for each in result.checks] == pytest.approx([1 - 0.05 / divisor for divisor in divisors])
    assert sum(each.loss_shown for each in result.checks) == shown
    assert [each.high < 0 for each in result.checks] == [each.loss_shown for each in result.checks]


def test_each_measure_may_have_its_own_smallest_effect() -> None:
    tables = [moved(-0.03, measure="AP"), moved(-0.03, measure="P@10", seed=1)]
    result = gate(tables, [0.01, 0.05])
    assert [each.failed for each in result.checks] == [True, False]
    assert result.sentence.startswith("fail: 1 of 2 checks: AP changed by")
    with pytest.raises(SettingError, match="once for each of the 2"):
        gate(tables, [0.1, 0.1, 0.1])
    with pytest.raises(SettingError, match=r"min_effect=-0.1: must be a number of at least 0"):
        gate(tables, -0.1)


def test_a_class_can_fail_though_the_whole_passes() -> None:
    table = moved(0.01, 60)
    values = table.values.copy()
    values[:12, 1] -= 0.06
    classes = ("short",) * 12 + ("long",) * 45 + ("rare",) * 3
    result = gate(ScoreTable("AP", table.systems, table.queries, values, classes), 0.01, by_class=True)
    assert [(each.label, each.failed) for each in result.checks] == [("", False), ("long", False), ("short", True)]
    assert "AP of short" in result.sentence
    assert result.small_classes == ("rare",)
    assert any("too few queries" in line for line in result.remarks)


def test_queries_of_one_class_are_one_unit() -> None:
    chance = np.random.default_rng(5)
    shared = np.repeat(chance.normal(-0.02, 0.05, 12), 20)
    old = chance.random(240)
    table = ScoreTable.make(
        {"old": old, "new": old + shared}, classes=[f"class {number}" for number in range(12) for _ in range(20)]
    )
    naive, result = gate(table, 0.001), gate(table, 0.001, clusters=True, self_test=200)
    assert result.checks[0].units == 12
    assert result.checks[0].change == pytest.approx(naive.checks[0].change)
    assert result.checks[0].high > naive.checks[0].high
    assert result.checks[0].p == pytest.approx(gate(_class_means(table), 0.001).checks[0].p)
    assert "12 classes were swapped" in result.remarks[0]
    assert result.self_test is not None
    assert result.self_test.rate <= 0.09


def _class_means(table: ScoreTable) -> ScoreTable:
    means = [table.where(label).values.mean(axis=0) for label in table.class_names]
    return ScoreTable("AP", table.systems, table.class_names, np.array(means))


def test_too_few_queries_are_an_error_because_the_gate_could_not_fail() -> None:
    assert fewest_units(0.05, 1) == 5
    with pytest.raises(SettingError, match="4 queries cannot show a loss"):
        gate(moved(-0.5, 4), 0.01)
    with pytest.raises(SettingError, match="AP: 1 query cannot show a loss"):
        gate(moved(-0.5, 1), 0.01)
    assert not gate(moved(-0.5, 5), 0.01).passed
    with pytest.raises(SettingError, match="share no query"):
        gate(ScoreTable.make({"old": [0.1, np.nan], "new": [np.nan, 0.1]}))
    with pytest.raises(SettingError, match="two systems"):
        gate(ScoreTable.make({"old": [0.1] * 9}))


def test_queries_of_one_system_only_are_left_out_and_counted() -> None:
    table = moved(-0.03, 40)
    values = table.values.copy()
    values[:4, 1], values[4, :] = np.nan, np.nan
    (check,) = gate(ScoreTable("AP", table.systems, table.queries, values), 0.01).checks
    assert (check.queries, check.left_out) == (35, 4)


def test_a_change_that_is_the_same_on_every_query_has_the_limits_that_others_leave() -> None:
    """Of n queries that all lose d, others may lose nothing: (1 + d)^-n is the p, 1/.05^(1/n) - 1 the reach."""
    result = gate(moved(-0.05, 10, 0.0), 0.01)
    assert result.sentence == (
        "undecided: AP changed by -.050 (worse) [-.399, +.299] on 10 queries; the mean loss is beyond .01, but may be "
        "chance"
    )
    assert result.checks[0].p == pytest.approx(1.05**-10)
    assert "nothing can be said of power" in power_sentence(result.checks[0])
    lost = gate(ScoreTable.make({"old": [1.0] * 10, "new": [0.0] * 10}), 0.01)
    assert lost.sentence == (
        "fail: AP changed by -1.000 (worse) [-1.000, -.651] on 10 queries; a loss is shown, its mean is beyond .01"
    )
    assert lost.checks[0].p == pytest.approx(2.0**-10)
    many = gate(moved(0.05, 200, 0.0), 0.01)
    assert (
        many.sentence
        == "pass: AP changed by +.050 (better) [+.035, +.065] on 200 queries; a loss beyond .01 is ruled out"
    )


def test_where_no_query_changed_there_are_no_limits_and_the_gate_passes() -> None:
    result = gate(moved(0.0, 10, 0.0), 0.01)
    assert result.sentence == "pass: AP changed by +.000 on 10 queries; no query changed"
    assert math.isnan(result.checks[0].low)
    (row,) = json.loads(render_gate(result, "json"))["checks"]
    assert (row["low"], row["high"]) == (None, None)
    assert "| none |" in render_gate(result, "markdown")
    table = ScoreTable.make(
        {"old": [0.5] * 12, "new": [0.6, 0.4] * 6}, classes=[each for each in "abcdef" for _ in "12"]
    )
    assert gate(table, 0.01, clusters=True).sentence == "pass: AP changed by +.000 on 12 queries; no class changed"


def test_limits_of_a_change_stay_within_what_a_change_can_be() -> None:
    values = {"old": [0.0, 1.0, 0.1, 1.0, 0.0, 0.9], "new": [1.0, 0.0, 0.9, 0.1, 0.8, 0.0]}
    (free,) = gate(ScoreTable.make(values, bounds=UNBOUNDED), 0.01).checks
    (check,) = gate(ScoreTable.make(values), 0.01).checks
    assert (free.low < -1.0, free.high > 1.0) == (True, True)
    assert (check.low, check.high) == (-1.0, 1.0)


def test_no_number_of_power_lies_beyond_the_range_of_the_measure() -> None:
    values = {"old": [0.0, 1.0, 0.1, 1.0, 0.0, 0.9], "new": [1.0, 0.0, 0.9, 0.1, 0.8, 0.0]}
    (unbounded,) = gate(ScoreTable.make(values, bounds=UNBOUNDED), 0.01).checks
    (check,) = gate(ScoreTable.make(values), 0.01).checks
    assert 1.0 < unbounded.detectable < math.inf
    assert power_sentence(check) == "AP: 6 queries catch no loss in 80% of cases, however large it is"
    (row,) = json.loads(render_gate(gate(ScoreTable.make(values), 0.01), "json"))["checks"]
    assert row["detectable_loss"] is None


def test_equal_systems_pass() -> None:
    result = gate(ScoreTable.make({"old": [0.5] * 30, "new": [0.5] * 30}), 0.0)
    assert result.sentence == "pass: AP changed by +.000 on 30 queries; no query changed"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("rule", "queries"), [("mean", 11), ("beyond", 11), ("beyond", 25)])
def test_the_self_test_is_what_the_gate_does_with_swapped_labels(rule: RuleOfLoss, queries: int) -> None:
    table = moved(-0.02, queries, 0.05)
    result = gate(table, 0.01, self_test=300, rule=rule)
    assert result.self_test is not None
    signs = np.where(np.random.default_rng([0, 1]).integers(0, 2, (300, queries)) > 0, 1.0, -1.0)
    order = np.argsort(np.array(table.queries))
    change = table.differences("old", "new")[order]
    failed = [gate(_from(row), 0.01, rule=rule).verdict == "fail" for row in signs * change]
    assert result.self_test.alarms == sum(failed)
    assert result.self_test.rate <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 300)


def _from(change: FloatArray) -> ScoreTable:
    return ScoreTable.make({"old": np.zeros(change.size), "new": change})


def test_losses_of_the_size_it_names_are_caught_in_80_of_100_cases() -> None:
    first = gate(moved(0.0, 40, 0.1), 0.01).checks[0]
    chance = np.random.default_rng(2)
    sd = float(moved(0.0, 40, 0.1).differences("old", "new").std(ddof=1))
    drawn = chance.normal(-first.detectable, sd, (400, 40))
    caught = [Changes.of(row).loss_p()[0] <= 0.05 and -row.mean() > 0.01 for row in drawn]
    assert 0.73 <= np.mean(caught) <= 0.87


@pytest.mark.parametrize("measures", [1, 4])
def test_the_loss_it_names_passes_the_strictest_step_of_its_family_in_80_of_100_cases(measures: int) -> None:
    """Over the spreads that 40 queries leave possible."""
    chance, caught = np.random.default_rng(measures), []
    for seed in range(4 // measures):
        tables = [moved(0.0, 40, 0.1, f"m{place}", seed + place) for place in range(measures)]
        for table, check in zip(tables, gate(tables, 0.01).checks, strict=True):
            losses = -table.differences("old", "new")
            assert check.detectable == ShownEffects(losses, 0.05 / measures, sides=1, least=0.01).smallest()
            spread = losses.std(ddof=1) * np.sqrt(39 / chance.chisquare(39, (500, 1)))
            drawn = chance.normal(check.detectable, spread, (500, 40))
            caught += [Changes.of(row).loss_p()[0] <= 0.05 / measures for row in -drawn]
    assert 0.76 <= np.mean(caught) <= 0.86


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scores", list(error_rates.SCORES))
@pytest.mark.parametrize("queries", [10, 25])
def test_no_verdict_errs_more_often_than_it_says(scores: str, queries: int) -> None:
    for test in [name for name, (_, _, _, verdict) in error_rates.TESTS.items() if verdict]:
        trials = 100 if "Tukey" in test else 300
        assert error_rates.rate(test, scores, queries, trials) <= error_rates.allowed(trials), test


def test_the_percentile_bootstrap_is_too_eager() -> None:
    assert error_rates.rate("percentile bootstrap", "skewed", 10, 2_000) > 0.07


def test_two_real_systems_with_swapped_labels_seldom_fail() -> None:
    data_folder("trec-covid-r1")
    result = gate(gate_trials.covid(), 0.01, self_test=1_000)
    assert result.self_test is not None
    assert result.self_test.rate <= 0.05
    assert gate_trials.false_alarms(gate_trials.covid(), trials=40)[0] <= 0.125


def test_a_real_loss_of_three_points_on_two_hundred_queries_is_caught() -> None:
    data_folder("trec-robust03")
    assert gate_trials.caught(gate_trials.robust(), 1, trials=200)[0] >= 0.9


def test_every_format_tells_the_verdict() -> None:
    result = gate([moved(-0.03, 30), moved(0.01, 30, measure="P@10", seed=1)], 0.01, self_test=50)
    whole = json.loads(render_gate(result, "json"))
    assert whole["verdict"] == "fail"
    assert [each["verdict"] for each in whole["checks"]] == ["fail", "pass"]
    assert whole["self_test"]["trials"] == 50
    text = render_gate(result, "text")
    assert text.splitlines()[0] == result.sentence
    assert "30 queries catch a true loss of ." in text
    page = render_gate(result, "markdown")
    assert page.startswith("### Gate: fail, `new` against `old`\n\n| measure |")
    assert "| **fail** |" in page
    assert "self-test: " in page


def test_the_page_on_the_gate_has_the_numbers_of_the_code() -> None:
    page = (Path(__file__).parents[4] / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
    assert "at most six tenths of the loss" in " ".join(page.split())
    for sd in (0.05, 0.1, 0.15, 0.2, 0.3):
        normal = sd * ndtri((np.arange(1000) + 0.5) / 1000)
        shown = ShownEffects(normal, 0.05, sides=1)
        counts = {loss: shown.needed(loss) for loss in (0.01, 0.02, 0.03, 0.05, 0.1)}
        needed = [f"{count:,}" for count in counts.values()]
        for loss, count in counts.items():
            assert ShownEffects(normal, 0.05, sides=1, least=0.6 * loss).power(loss, count) > 0.795
        assert f"| {f'{sd:g}'.removeprefix('0')} | {' | '.join(needed)} |" in page
    for change, noise, rule in product((-0.03, -0.0105, -0.008, -0.005, 0.0), (0.01, 0.02, 0.2), get_args(RuleOfLoss)):
        (check,) = gate(moved(change, noise=noise), 0.01, rule=rule).checks
        assert f"| {check.verdict} | {check.finding} |" in page
