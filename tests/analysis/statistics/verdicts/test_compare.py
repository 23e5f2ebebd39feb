"""The whole comparison: what it says of the worked example, of real runs, and of data that say nothing."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from rankscope.analysis.comparison.compare import compare, comparison_parts
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.deciding_test import DECIDING, caution
from rankscope.analysis.statistics.effect_sizes import effects
from rankscope.analysis.statistics.multiple_comparisons import randomised_tukey
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.evaluate import evaluate
from tests.analysis.statistics.brughi import CLASSED, A, B
from tests.data import data_folder


def table_of(count: int, queries: int = 12, step: float = 0.1) -> ScoreTable:
    rng = np.random.default_rng(count)
    hard = rng.random(queries) / 3
    return ScoreTable.make({f"s{each}": hard + step * each + 0.02 * rng.random(queries) for each in range(count)})


def measure_of(name: str, seed: int) -> ScoreTable:
    rng = np.random.default_rng(seed)
    values = rng.random((14, 3)) + 0.25 * np.arange(3)
    return ScoreTable.make({f"s{each}": values[:, each] for each in range(3)}, measure=name)


def test_the_verdict_of_the_worked_example_names_the_class_that_decides() -> None:
    assert verdict_sentences(compare([CLASSED])) == [
        "B is significantly better than A by .035 AP [.007, .062] (15 queries, p = .023); on no class alone is it "
        "significant."
    ]


def test_the_order_of_the_systems_changes_no_verdict() -> None:
    turned = ScoreTable.make({"B": B, "A": A}, classes=list(CLASSED.labels))
    assert verdict_sentences(compare([turned])) == verdict_sentences(compare([CLASSED]))
    assert verdict_sentences(compare([CLASSED], baseline="B")) == verdict_sentences(compare([CLASSED]))


def test_a_measure_of_which_less_is_better_turns_the_verdict_only() -> None:
    errors = ScoreTable.make({"A": A, "B": B}, measure="ER", classes=list(CLASSED.labels), lower_is_better=True)
    assert verdict_sentences(compare([errors]))[0].startswith(
        "A is significantly better than B by .035 ER [.007, .062]"
    )


def test_a_query_is_won_by_the_better_value_whichever_way_the_measure_goes() -> None:
    """B has more on 11 queries and less on 4: 11 won as AP, 11 lost as an error rate; the difference keeps its sign."""
    higher = compare([ScoreTable.make({"A": A, "B": B})], tests=["sign"]).main
    lower = compare([ScoreTable.make({"A": A, "B": B}, measure="ER", lower_is_better=True)], tests=["sign"]).main
    (one,), (other,) = higher.pair_rows(), lower.pair_rows()
    assert [one[key] for key in ("won", "lost", "equal", "better")] == [11, 4, 0, "B"]
    assert [other[key] for key in ("won", "lost", "equal", "better")] == [4, 11, 0, "A"]
    assert [one[key] for key in ("difference", "d/sd")] == [other[key] for key in ("difference", "d/sd")]
    assert [each.asked[0].rows[0]["note"] for each in (higher, lower)] == [
        "11 won, 4 lost, 0 equal",
        "4 won, 11 lost, 0 equal",
    ]
    sizes = effects(np.subtract(B, A), lower_is_better=True)
    assert (sizes.won.value, sizes.lost.value, sizes.win_chance.value) == (4 / 15, 11 / 15, 4 / 15)
    assert sizes.mean == effects(np.subtract(B, A)).mean


def test_equal_systems_are_not_distinguished() -> None:
    (line,) = verdict_sentences(compare([ScoreTable.make({"A": A, "B": A})]))
    assert line.startswith("No significant difference in AP: B minus A is .000")
    assert "p = 1.000" in line


@pytest.mark.parametrize(("change", "better"), [(0.0, ""), (0.125, ""), (0.25, "B"), (-0.25, "A")])
def test_where_all_queries_differ_alike_limits_reach_as_far_as_others_may_differ(change: float, better: str) -> None:
    """Were the mean 0, and no difference below -1, n of n would differ by d in (1 + d)^-n of samples at most."""
    hard = np.arange(30) / 64
    (pair,) = compare([ScoreTable.make({"A": 0.25 + hard, "B": 0.25 + hard + change})]).main.pairs
    assert pair.better == better
    assert pair.p == pytest.approx(min(1.0, 2 * (1 + abs(change)) ** -30.0))
    reach = 0.025 ** (-1 / 30) - 1
    assert (pair.low, pair.high) == pytest.approx((change - reach, change + reach))


@pytest.mark.parametrize("queries", [1, 2, 3, 5, 6, 10, 25, 60])
def test_limits_of_pairs_lie_in_the_range_have_a_width_and_hold_0_where_no_system_is_better(queries: int) -> None:
    chance = np.random.default_rng(queries)
    shapes = {
        "alike": np.full(queries, 0.5),
        "one differs": np.where(np.arange(queries) == 0, 0.9, 0.5),
        "worst": np.zeros(queries),
        "best": np.ones(queries),
        "tenths": chance.integers(0, 11, queries) / 10,
        "any": chance.random(queries),
    }
    for one in compare([ScoreTable.make(shapes, measure=name) for name in ("AP", "ER")]).measures:
        for pair in one.pairs:
            assert -1 <= pair.low < pair.high <= 1
            assert bool(pair.better) == (not pair.low <= 0 <= pair.high)


def test_the_primary_measure_decides_alone_and_the_others_are_corrected_together() -> None:
    primary, *others = tables = [measure_of(name, seed) for seed, name in enumerate(("AP", "RR", "P@10"))]
    comparison = compare(tables)
    assert str(comparison.families).splitlines() == [
        "primary family of 3 tests: 3 pairs of systems, Holm",
        "secondary family of 6 tests: 3 pairs of systems x 2 measures, Holm",
    ]
    alone = [each.adjusted for each in compare([primary]).main.pairs]
    assert [each.adjusted for each in comparison.main.pairs] == alone
    rest = [each.p for table in others for each in compare([table]).main.pairs]
    assert [each.adjusted for one in comparison.measures[1:] for each in one.pairs] == holm(np.array(rest)).tolist()
    assert len(compare(tables, every_pair=False).main.pairs) == 2


def test_classes_and_other_measures_are_one_secondary_family() -> None:
    chance = np.random.default_rng(5)
    classes = ["x"] * 14 + ["y"] * 16
    tables = [
        ScoreTable.make({"A": values[:, 0], "B": values[:, 1] + 0.3}, classes=classes, measure=name)
        for name, values in (("AP", chance.random((30, 2))), ("RR", chance.random((30, 2))))
    ]
    comparison = compare(tables)
    assert str(comparison.families).splitlines() == [
        "primary family of 1 test: 1 pair of systems, Holm",
        "secondary family of 5 tests: 1 pair of systems + 1 pair of systems x 2 measures x 2 classes, Holm",
    ]
    effects = [each for one in comparison.measures for each in one.classes[0].effects]
    raw = [comparison.measures[1].pairs[0].p, *(each.raw for each in effects)]
    corrected = [comparison.measures[1].pairs[0].adjusted, *(each.deciding for each in effects)]
    assert corrected == pytest.approx(holm(np.array(raw)).tolist())
    assert all(bool(each.better) == (each.deciding <= 0.05) for each in effects)
    assert "secondary family of 5 tests" in comparison.main.classes[0].how


def test_classes_that_chance_draws_are_not_tested_one_by_one() -> None:
    table = ScoreTable.make({"A": A, "B": B}, classes=list(CLASSED.labels))
    assert compare([table]).main.classes
    drawn = compare([table], by_unit=True)
    assert not drawn.main.classes
    assert drawn.families.secondary == ()


def test_every_note_names_the_family_of_its_measure() -> None:
    comparison = compare([measure_of("AP", 0), measure_of("RR", 1), measure_of("P@10", 2)])
    for one in comparison.measures:
        systems, pairs = (each.note for each in comparison_parts(comparison, one)[:2])
        family = "primary family of 3 tests" if one is comparison.main else "secondary family of 6 tests"
        assert family in systems
        assert family in pairs


def test_a_system_under_two_names_is_compared_once_and_said() -> None:
    table = table_of(3)
    columns = dict(zip([*table.systems, "again"], [*table.values.T, table.values[:, 1]], strict=True))
    twice = ScoreTable.make(columns)
    result, plain = compare([twice]), compare([table])
    assert dict(result.same) == {"again": "s1"}
    assert result.families == plain.families
    assert [each.adjusted for each in result.main.pairs] == [each.adjusted for each in plain.main.pairs]
    assert "again has the values of s1 on every query and is compared once, as s1" in result.render()
    assert result.stands_for("again") == "s1"


def test_pairs_with_the_baseline_only_say_nothing_of_other_pairs() -> None:
    comparison = compare([table_of(4)], every_pair=False)
    assert comparison.main.ranks is None
    assert "s3 has the best mean" in verdict_sentences(comparison)[0]
    assert verdict_sentences(comparison)[0].endswith("; significantly better than s0.")
    assert not any("pairs differ" in line for line in verdict_sentences(comparison))


def test_tukey_stands_beside_every_pair_of_three_systems() -> None:
    table = table_of(3)
    rows = compare([table]).main.pair_rows()
    assert [(row["first"], row["second"]) for row in rows] == list(combinations(table.systems, 2))
    assert [row["p (Tukey)"] for row in rows] == [pair.p for pair in randomised_tukey(table).pairs]


def test_the_best_of_many_and_those_not_distinguished_from_it_are_named() -> None:
    lines = verdict_sentences(compare([table_of(4)]))
    assert lines[0].startswith("s3 has the best mean")
    assert "; significantly better than all 3" in lines[0]
    assert lines[-1] == "6 of 6 pairs differ significantly; 0 of 3 neighbours in the ranking do not."


def test_queries_that_a_system_lacks_are_left_out_and_counted() -> None:
    comparison = compare([ScoreTable.make({"A": [0.1, 0.2, np.nan, 0.4], "B": [0.2, 0.3, 0.4, np.nan]})])
    assert (comparison.main.left_out, len(comparison.main.table)) == (2, 2)
    assert "2 queries left out, because not every system has a value there" in comparison.render()


@pytest.mark.parametrize(("queries", "said"), [(15, "46 %"), (59, "5 %"), (60, "")])
def test_few_queries_carry_a_caution_with_the_share_of_samples_that_lack_every_large_gain(
    queries: int, said: str
) -> None:
    comparison = compare([table_of(2, queries)])
    assert comparison.main.caution == caution(queries)
    for text in (comparison.render(), comparison.to_markdown(), comparison.render("json")):
        assert (
            (comparison.main.caution in text and f"a sample of {queries} lacks" in text)
            if said
            else "lacks" not in text
        )
    assert said in comparison.main.caution


def test_the_caution_counts_classes_where_they_are_the_units() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(80)
    table = ScoreTable.make({"A": base, "B": base + rng.random(80)}, classes=[str(row // 4) for row in range(80)])
    assert "1 in 20 classes" in compare([table], by_unit=True).main.caution
    assert compare([table], by_unit=False).main.caution == ""


def test_the_text_names_the_test_that_decides() -> None:
    assert f"p: {DECIDING} test, the larger p" in compare([table_of(2)]).render()


def test_systems_without_a_common_query_are_an_error_with_the_counts() -> None:
    with pytest.raises(SettingError, match=r"for every system.*A 1, B 1"):
        compare([ScoreTable.make({"A": [0.1, np.nan], "B": [np.nan, 0.2]})])


def test_one_system_is_an_error() -> None:
    with pytest.raises(SettingError, match="two systems at least"):
        compare([ScoreTable.make({"A": [0.1, 0.2]})])


@pytest.mark.parametrize(
    "table",
    [
        ScoreTable.make({"A": [0.1], "B": [0.4]}),
        ScoreTable.make({"A": [0.1], "B": [0.4]}, classes=["x"]),
        ScoreTable.make({"A": [0.5] * 4, "B": [0.5] * 4}, classes=list("xxyy")),
        ScoreTable.make({"A": [0.5] * 4, "B": [0.7] * 4}, classes=list("xxyy")),
        ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.2, 0.2, 0.5]}, classes=["x", "x", "lone"]),
        ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.2, 0.2, 0.5]}, classes=["", "", ""]),
        ScoreTable.make({"A": [0.1, 0.2], "B": [0.2, 0.4], "C": [0.2, 0.4]}, classes=["x", "y"]),
        ScoreTable.make({"A": [0.1, np.nan, 0.4], "B": [0.2, 0.4, np.nan], "C": [0.2, 0.4, 0.1]}),
    ],
    ids=["one query", "one query of one class", "constant", "constant gain", "lone class", "no class", "three", "NaN"],
)
def test_data_that_say_little_give_a_stated_result(table: ScoreTable) -> None:
    comparison = compare([table])
    assert all(line for line in verdict_sentences(comparison))
    for text in (comparison.render(), comparison.to_markdown()):
        assert "nan" not in text
    assert json.loads(comparison.render("json"))["verdict"] == verdict_sentences(comparison)


def test_real_runs_are_compared_pair_by_pair() -> None:
    folder = data_folder("trec-covid-r1")
    runs = sorted((folder / "runs").iterdir())[:6]
    comparison = compare(evaluate(folder / "qrels-rnd1.txt", runs, ["AP", "nDCG@10"]))
    assert len(comparison.main.pairs) == 15
    assert (comparison.families.primary.size, comparison.families.secondary[0].size) == (15, 15)
    assert comparison.main.ranks is not None
    assert set(comparison.main.ranks.systems) == set(comparison.systems)
    for row in comparison.main.system_rows():
        assert row["low"] <= row["mean"] <= row["high"]  # type: ignore[operator]
