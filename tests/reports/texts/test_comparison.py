"""A comparison in words and tables: signs of intervals, systems and classes that are equal, spreads that differ."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.comparison.compare import compare, comparison_notes
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.deciding_test import caution, decide_limits
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.wording import percent_text

CHANCE = np.random.default_rng(3)
FEW = CHANCE.normal(0.4, 0.1, 20)


def test_the_interval_of_an_undecided_loss_is_that_of_the_deciding_tests_and_holds_the_loss() -> None:
    other = FEW - 0.01 + CHANCE.normal(0, 0.1, 20)
    result = stats.ttest_rel(other, FEW)
    assert result.statistic < 0
    assert result.pvalue > 0.05
    low, high = (float(each[0]) for each in decide_limits((other - FEW)[:, None], 0.95))
    assert low < result.confidence_interval().low < result.confidence_interval().high <= high + 1e-3
    shown = f"[−{abs(low):.3f}".replace("0.", ".") + f", {high:.3f}]".replace("0.", ".")
    line = verdict_sentences(compare([ScoreTable.make({"A": FEW, "B": other})]))[0]
    assert line.startswith("No significant difference in AP: B minus A is −")
    assert shown in line


def test_two_equal_systems_are_asked_about() -> None:
    assert verdict_sentences(compare([ScoreTable.make({"A": FEW, "B": FEW})]))[0].endswith("are these two the same?")


def test_a_class_without_any_difference_is_called_equal_not_open() -> None:
    gain = np.concatenate([np.linspace(0.05, 0.15, 10), np.zeros(10)])
    line = verdict_sentences(compare([ScoreTable.make({"A": FEW, "B": FEW + gain}, ["new"] * 10 + ["old"] * 10)]))[0]
    assert "chiefly on class new; every query has equal values on class old." in line


def test_the_best_system_is_better_than_those_the_table_of_pairs_says() -> None:
    means = np.array([0.3, 0.36, 0.5])
    scores = means + CHANCE.normal(0, 0.13, (20, 3))
    tables = [ScoreTable.make({name: scores[:, i] for i, name in enumerate("ABC")}, measure=m) for m in ("AP", "P@5")]
    comparison = compare(tables, resamples=100, permutations=100)
    best = comparison.main.ranks.systems[0] if comparison.main.ranks else ""
    beaten = sum(pair.better == best for pair in comparison.main.pairs)
    words = (
        "; significantly better than both others"
        if beaten == 2
        else f", but significantly better than the other {beaten}"
    )
    assert words in verdict_sentences(comparison)[0]
    assert "secondary family of 3 tests" in comparison.render()


def test_where_spreads_differ_the_tests_to_read_instead_are_there() -> None:
    wide = np.concatenate([CHANCE.normal(0.3, 0.01, 15), CHANCE.normal(0.5, 0.2, 15)])
    classes = ["narrow"] * 15 + ["wide"] * 15
    text = compare([ScoreTable.make({"A": wide, "B": wide + CHANCE.normal(0, 0.01, 30)}, classes)]).render()
    assert "spreads differ: read instead Welch F = " in text
    assert "pairs of cells different" in text


def test_no_p_value_of_a_cell_is_printed_as_nothing() -> None:
    gain = np.concatenate([np.linspace(0.30, 0.32, 10), np.linspace(0.28, 0.31, 10)])
    text = compare([ScoreTable.make({"A": FEW, "B": FEW + gain}, ["new"] * 10 + ["old"] * 10)]).render()
    assert "p (unpaired)" in text
    row = next(line for line in text.split("query by query")[1].splitlines() if line.startswith("new"))
    assert "<0.0001" in row


def test_too_few_units_for_the_family_are_told() -> None:
    few = ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.5, 0.7, 0.9]})
    (note,) = comparison_notes(compare([few]))
    assert note.startswith("3 queries cannot make any difference significant: the smallest p-value possible is .25.")
    many = ScoreTable.make({"A": np.arange(8) / 10, "B": np.arange(8) / 20})
    assert comparison_notes(compare([many])) == [caution(8)]


def test_many_measures_of_two_systems_are_summed_up() -> None:
    low, high = np.arange(8) / 20, np.arange(8) / 20 + np.array([0.1, 0.2] * 4)
    tables = [ScoreTable.make({"A": low, "B": high}, measure=name) for name in ("AP", "RR", "P@5")]
    tables.append(ScoreTable.make({"A": low, "B": low[::-1]}, measure="R@5"))
    (line,) = verdict_sentences(compare(tables))[1:]
    assert line == (
        "Secondary, corrected together: by RR and P@5 B is significantly better too; by R@5 no significant difference."
    )


def test_the_floor_of_each_family_and_of_pairs_in_which_few_differ_is_told() -> None:
    chance = np.random.default_rng(3)
    values: dict[str, Any] = {name: chance.random(7) for name in "ABC"}
    tables = [ScoreTable.make(values, measure=name) for name in ("AP", "RR", "P@5")]
    notes = comparison_notes(compare(tables, permutations=100, resamples=100))
    assert notes[0] == (
        "RR and P@5: 7 queries cannot make any difference significant: the smallest p-value possible is .0156, .0938 "
        "when corrected over the secondary family of 6 tests: 3 pairs of systems x 2 measures, Holm. Compare "
        "fewer systems, or have more queries"
    )
    assert notes[1] == caution(7)
    assert pytest.approx(0.0156, abs=5e-5) == 2.0 ** (1 - 7)
    first = chance.random(30)
    second, third = first + np.r_[np.zeros(26), [0.1, 0.2, 0.1, 0.3]], chance.random(30)
    three = compare([ScoreTable.make({"A": first, "B": second, "C": third})], permutations=100, resamples=100)
    assert comparison_notes(three)[0] == (
        "AP: in 1 of 3 pairs so few queries differ (at most 4) that no difference could be significant at the level of "
        "the correction"
    )
    (sentence,) = verdict_sentences(compare([ScoreTable.make({"A": first, "B": second})], resamples=100))
    assert sentence.endswith(" Only 4 of 30 queries differ: the smallest p-value possible is .125.")


def test_the_limits_of_pairs_and_classes_are_those_of_the_deciding_tests_at_the_level_of_the_correction() -> None:
    chance = np.random.default_rng(5)
    base = chance.random(40)
    gains = {"A": 0.0, "B": 0.03, "C": 0.1}
    values: dict[str, Any] = {name: base + chance.normal(gain, 0.08, 40) for name, gain in gains.items()}
    compared = compare([ScoreTable.make(values, ["x", "y"] * 20, bounds=(-2.0, 3.0))], permutations=100, resamples=100)
    for row in json.loads(compared.render("json"))["measures"][0]["pairs"]:
        column = values[row["second"]] - values[row["first"]]
        low, high = decide_limits(column[:, None], [row["level"]])
        assert (row["low"], row["high"]) == pytest.approx((low[0], high[0]))
        assert (row["low"] <= 0 <= row["high"]) == (not row["better"])
    effects = [each for one in compared.main.classes for each in one.effects]
    assert any(each.better for each in effects)
    for each in effects:
        assert (each.low <= 0 <= each.high) == (not each.better)
    text = compared.render()
    assert "Limits: of these tests, each at the level at which the correction held that pair." in text
    assert {percent_text(each.level) for each in compared.main.pairs} <= set(re.findall(r"[\d.]+%", text))
    two = compare([ScoreTable.make({name: values[name] for name in "AB"}, bounds=(-2.0, 3.0))], resamples=100).render()
    assert "Limits: of these tests, at 95%." in two
    assert "level" not in two


def test_limits_stay_in_the_range_of_differences() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.9], "B": [0.5, 0.7, 0.3]})
    (pair,) = compare([table], resamples=100).main.pairs
    assert (pair.low, pair.high) == (-1.0, 1.0)
