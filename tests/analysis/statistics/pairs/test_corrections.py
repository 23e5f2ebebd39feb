"""Corrections: worked values, statsmodels, undefined tests that spoil nothing, families that are counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from statsmodels.stats.multitest import multipletests

from rankscope.analysis.comparison.pairwise import compare_pairs
from rankscope.analysis.statistics.corrections import CORRECTIONS, Family, adjust, benjamini_hochberg, bonferroni, holm
from rankscope.analysis.statistics.corrections import tested_levels as levels_of
from rankscope.analysis.statistics.deciding_test import decide_p
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip
from rankscope.core.errors import SettingError

NAMES = {"holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh"}
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_the_worked_values() -> None:
    p = [0.010305, 0.014992, 0.883130]
    assert holm(p) == pytest.approx([0.030914, 0.030914, 0.883130], abs=1.5e-6)  # from rounded p
    assert benjamini_hochberg(p) == pytest.approx([0.022488, 0.022488, 0.883130], abs=1.5e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(NAMES))
@settings(max_examples=10)  # statsmodels takes 60 ms for Holm
@given(p=p_values)
def test_corrections_are_those_of_statsmodels(name: str, p: list[float]) -> None:
    assert adjust(p, name).p == pytest.approx(multipletests(p, method=NAMES[name])[1], abs=1e-12)


@pytest.mark.parametrize("name", list(NAMES))
@settings(max_examples=10)  # statsmodels takes 60 ms for Holm
@given(p=st.lists(st.one_of(st.just(float("nan")), st.floats(0, 1)), min_size=1, max_size=20))
def test_an_undefined_test_spoils_no_other_and_counts_in_the_family(name: str, p: list[float]) -> None:
    result = adjust(p, name)
    missing = np.isnan(p)
    filled = multipletests(np.where(missing, 1.0, p), method=NAMES[name])[1]
    assert result.p[~missing] == pytest.approx(filled[~missing], abs=1e-12)
    assert np.isnan(result.p[missing]).all()
    assert (result.size, result.undefined) == (len(p), missing.sum())


@given(p=p_values)
def test_bonferroni_is_strictest_and_screening_most_generous(p: list[float]) -> None:
    assert (bonferroni(p) >= holm(p) - 1e-15).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-15).all()
    assert (benjamini_hochberg(p) >= np.array(p) - 1e-15).all()


@pytest.mark.parametrize("name", [*NAMES, "none"])
def test_a_family_may_be_empty_and_its_levels_are_those_at_which_its_tests_are_decided(name: str) -> None:
    """One measure without classes has no secondary tests."""
    assert levels_of([], name, 0.05).size == adjust([], name).size == 0
    p = np.array([0.001, 0.02, 0.012, 0.6, np.nan, 0.04])
    with np.errstate(invalid="ignore"):
        assert (p <= levels_of(p, name, 0.05)).tolist() == (adjust(p, name).p <= 0.05).tolist()


def test_many_families_are_corrected_at_once() -> None:
    p = np.random.default_rng(0).random((7, 5))
    for correct in (holm, bonferroni, benjamini_hochberg):
        assert correct(p).tolist() == [correct(row).tolist() for row in p]


def test_unknown_corrections_and_p_values_beyond_one_are_errors() -> None:
    with pytest.raises(SettingError, match="no correction 'hulm' \\(did you mean 'holm'"):
        adjust([0.1], "hulm")
    with pytest.raises(SettingError, match="between 0 and 1"):
        holm([1.5])
    assert set(NAMES) | {"none"} == set(CORRECTIONS.names())


def test_a_family_is_pairs_times_measures_times_classes() -> None:
    family = Family.of(["A", "B", "C"], ["AP", "P@10"], ["x", "y"])
    assert family.size == len(list(family)) == 12
    assert str(family) == "family of 12 tests: 3 pairs of systems x 2 measures x 2 classes, Holm"
    against = Family.of(["A", "B", "C"], baseline="B", correction="benjamini-hochberg")
    assert against.pairs == (("B", "A"), ("B", "C"))
    assert str(against) == "family of 2 tests: 2 pairs of systems, Benjamini-Hochberg"


def test_a_family_of_nothing_is_an_error() -> None:
    with pytest.raises(SettingError, match="two systems"):
        Family.of(["A"])
    with pytest.raises(SettingError, match="no system 'Z'"):
        Family.of(["A", "B"], baseline="Z")
    with pytest.raises(SettingError, match=r"no correction '.'"):
        Family.of(["A", "B"], correction="?")


def three(queries: int = 12) -> ScoreTable:
    chance = np.random.default_rng(1)
    easy = chance.random(queries)
    systems: dict[str, ArrayLike] = {
        name: easy + chance.normal(gain, 0.05, queries) for name, gain in (("A", 0), ("B", 0.01), ("C", 0.2))
    }
    return ScoreTable.make(systems, classes=["x", "y"] * (queries // 2))


def test_all_pairs_are_tested_by_themselves_and_corrected_together() -> None:
    table = three()
    tests = compare_pairs(table)
    alone = [float(decide_p(table.differences(first, second))[0]) for first, second in tests.family.pairs]
    assert [each.p for each in tests.comparisons] == pytest.approx(alone)
    flips = [sign_flip(table.differences(first, second)).p for first, second in tests.family.pairs]
    assert [each.p for each in compare_pairs(table, test="sign-flip").comparisons] == flips
    assert [each.adjusted for each in tests.comparisons] == pytest.approx(holm(alone))
    assert [each.better for each in tests.comparisons] == ["", "C", "C"]
    assert str(tests) == "family of 3 tests: 3 pairs of systems, Holm; sign-flip and skew-t test"


def test_classes_and_measures_join_the_family() -> None:
    table = three()
    tests = compare_pairs([table, table], by_class=True, baseline="A", test="t")
    assert tests.family.size == 8
    assert [row["class"] for row in tests.rows()] == ["x", "x", "y", "y"] * 2
    assert tests.comparisons[2].queries == 6


def test_for_a_measure_where_less_is_better_the_lower_system_wins() -> None:
    table = three()
    turned = ScoreTable(table.measure, table.systems, table.queries, table.values, None, lower_is_better=True)
    assert [each.better for each in compare_pairs(turned).comparisons] == ["", "A", "B"]


def test_a_pair_that_shares_no_query_leaves_the_others_alone() -> None:
    table = three()
    values = table.values.copy()
    values[:6, 0], values[6:, 1] = np.nan, np.nan
    tests = compare_pairs(ScoreTable(table.measure, table.systems, table.queries, values))
    assert np.isnan(tests.comparisons[0].p)
    assert tests.undefined == 1
    assert "1 could not be made" in str(tests)
    assert [each.queries for each in tests.comparisons] == [0, 6, 6]


def test_no_verdict_rests_on_the_bootstrap() -> None:
    with pytest.raises(SettingError, match="no verdict rests on the bootstrap"):
        compare_pairs(three(), test="bootstrap")
    with pytest.raises(SettingError, match="same name"):
        compare_pairs(ScoreTable("AP", ("A", "A"), ("q",), np.zeros((1, 2))))
