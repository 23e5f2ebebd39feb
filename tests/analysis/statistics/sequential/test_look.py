"""Looks: what counts once, what starts anew, what is refused, and that decisions stay."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import compare, compare_sequentially, evaluate, gate, gate_sequentially
from rankscope.analysis.comparison.sequential import decide, lower_limit, take_look, upper_limit
from rankscope.analysis.comparison.sequential_state import Question, observe, read_state
from rankscope.core.errors import SettingError

Answers = dict[str, dict[str, float]]


def judged(count: int, begin: int = 0) -> dict[str, dict[str, int]]:
    return {f"q{number:03}": {"a": 1} for number in range(begin, begin + count)}


def run_of(places: list[int], begin: int = 0) -> Answers:
    """The one relevant item of each query at this place; 0: not found."""
    lists = {f"q{begin + row:03}": [f"x{n}" for n in range(1, 12)] for row in range(len(places))}
    for (query, items), place in zip(lists.items(), places, strict=True):
        lists[query] = items if place == 0 else [*items[: place - 1], "a", *items[place - 1 :]]
    return {query: {item: float(-n) for n, item in enumerate(items)} for query, items in lists.items()}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "looks.json"


def test_one_look_by_hand(state: Path) -> None:
    """Reciprocal ranks 1 against .5 on 12 queries: each changes by -.5; half the capital on .95, where it is 1.475^12 =
    106 after twelve: above 20, so decided worse."""
    result = gate_sequentially(judged(12), [run_of([1] * 12), run_of([2] * 12)], "RR", sequential=state)
    check = result.checks[0]
    assert (result.decision, result.failed, result.queries, check.change) == ("worse", True, 12, -0.5)
    assert check.high == upper_limit([-0.5] * 12, 0.05) < 0
    assert check.low == lower_limit([-0.5] * 12, 0.05)
    assert result.sentence.startswith("decided worse: RR changed by -.500 (worse) [-")
    assert check.needed == 0


def test_a_query_counts_once_and_limits_only_narrow(state: Path) -> None:
    chance = np.random.default_rng(0)
    old, new = (chance.integers(1, 11, 60).tolist() for _ in range(2))
    before = (-1.0, 1.0)
    for count in (10, 25, 25, 60):
        result = gate_sequentially(judged(count), [run_of(old[:count]), run_of(new[:count])], "RR", sequential=state)
        check = result.checks[0]
        assert before[0] <= check.low <= check.high <= before[1]
        before = check.low, check.high
        assert result.queries == count
    assert (result.looks, result.new, result.again) == (3, 35, 25)
    assert "25 queries given again; each counts once" in result.remarks
    kept = read_state(state)
    assert kept is not None
    assert [look.queries for look in kept.looks] == [10, 25, 60]


@settings(max_examples=10)
@given(st.permutations(range(15)))
def test_the_order_of_queries_within_a_look_does_not_matter(order: list[int]) -> None:
    old, new = [1, 2, 3] * 5, [2, 2, 5] * 5
    runs = [run_of(old), run_of(new)]
    turned = [{f"q{n:03}": run[f"q{n:03}"] for n in order} for run in runs]
    with tempfile.TemporaryDirectory() as folder:
        one = gate_sequentially(judged(15), runs, "RR", sequential=f"{folder}/one.json")
        other = gate_sequentially(judged(15), turned, "RR", sequential=f"{folder}/other.json")
    assert one == other


def test_queries_that_nobody_answered_yet_do_not_count(state: Path) -> None:
    result = gate_sequentially(judged(50), [run_of([1] * 12), run_of([2] * 12)], "RR", sequential=state)
    assert result.queries == 12


def test_a_query_that_one_system_did_not_answer_counts_as_0_and_is_told(state: Path) -> None:
    result = gate_sequentially(judged(12), [run_of([1] * 12), run_of([1] * 6)], "RR", sequential=state)
    assert (result.queries, result.checks[0].change) == (12, -0.5)
    assert any("did not answer 6 queries" in line for line in result.remarks)


def test_a_new_candidate_starts_anew_and_another_baseline_is_refused(state: Path) -> None:
    old, new = run_of([1] * 12), run_of([2] * 12)
    assert gate_sequentially(judged(12), [old, new], "RR", sequential=state).failed
    better = gate_sequentially(judged(12), {"old": old, "third": run_of([1] * 11 + [2])}, "RR", sequential=state)
    assert (better.decision, better.looks, better.queries) == ("not yet", 1, 12)
    assert better.remarks[0].startswith("third answers otherwise than before: a new candidate, which starts anew")
    before = state.read_bytes()
    with pytest.raises(SettingError, match=r"rests on another baseline than .*12 queries \(q000, q001, q002, \.\.\.\)"):
        gate_sequentially(judged(12), [run_of([3] * 12), new], "RR", sequential=state)
    assert state.read_bytes() == before


def test_other_judgements_and_other_questions_are_refused(state: Path) -> None:
    runs = [run_of([1] * 12), run_of([2] * 12)]
    gate_sequentially(judged(12), runs, "RR", sequential=state)
    more = {query: {"a": 1, "x1": 1} for query in judged(12)}
    with pytest.raises(SettingError, match="counted with other judgements"):
        gate_sequentially(more, runs, "RR", sequential=state)
    with pytest.raises(SettingError, match=r"measures=.*RR.* before"):
        gate_sequentially(judged(12), runs, "AP", sequential=state)
    with pytest.raises(SettingError, match=r"min_effect=.* before"):
        gate_sequentially(judged(12), runs, "RR", sequential=state, min_effect=0.02)
    with pytest.raises(SettingError, match="depth=None before, ties='trec_eval' before"):
        gate_sequentially(judged(12), runs, "RR", sequential=state, depth=5, ties="given")
    with pytest.raises(SettingError, match="holds looks of rankscope gate"):
        compare_sequentially(judged(12), runs, "RR", sequential=state)


def test_files_with_new_queries_only_are_refused(state: Path) -> None:
    gate_sequentially(judged(12), [run_of([1] * 12), run_of([2] * 12)], "RR", sequential=state)
    later = [run_of([1] * 5, 12), run_of([2] * 5, 12)]
    with pytest.raises(SettingError, match="none of the 12 queries counted"):
        gate_sequentially(judged(5, 12), later, "RR", sequential=state)


def test_what_is_no_state_is_refused_and_stays(state: Path) -> None:
    runs = [run_of([1] * 12), run_of([2] * 12)]
    for text in ("", "[]", '{"format": "else"}', "q1 0 a 1\n"):
        state.write_text(text)
        with pytest.raises(SettingError, match="is no state of earlier looks, or is damaged"):
            gate_sequentially(judged(12), runs, "RR", sequential=state)
        assert state.read_text() == text


def test_what_is_decided_stays_decided(state: Path) -> None:
    """Twelve losses decide; sixty gains later the mean is positive, and it is still decided worse."""
    old, new = [2] * 12 + [2] * 60, [0] * 12 + [1] * 60
    known = {query: {**items, "x1": 0} for query, items in judged(12).items()}  # the ids of both are of one collection
    assert gate_sequentially(known, [run_of(old[:12]), run_of(new[:12])], "RR", sequential=state).failed
    known = {query: {**items, "x1": 0} for query, items in judged(72).items()}
    later = gate_sequentially(known, [run_of(old), run_of(new)], "RR", sequential=state)
    assert later.checks[0].change > 0
    assert later.failed
    assert later.checks[0].contradicted
    assert any("contradict those before" in line for line in later.remarks)


def test_the_smallest_effect_means_what_it_means_to_the_fixed_gate(state: Path) -> None:
    """A shown loss whose mean does not matter fails neither; where it matters both fail."""
    old, new = [1] * 400, ([1] * 19 + [2]) * 20
    scores = evaluate(judged(400), [run_of(old), run_of(new)], "RR")
    for effect, fails in ((0.03, False), (0.01, True)):
        fixed = gate(scores, min_effect=effect)
        looked = gate_sequentially(scores, sequential=state.with_name(f"{effect}.json"), min_effect=effect)
        assert fixed.checks[0].change == pytest.approx(-0.025) == looked.checks[0].change
        assert (bool(fixed.failed), looked.failed) == (fails, fails)


def test_no_loss_that_matters_can_be_decided_too() -> None:
    assert decide(0.0, -0.009, 0.01, 0.01) == "not worse"
    assert decide(0.0, -0.009, 0.01, 0.0) == "not yet"
    assert decide(-0.03, -0.05, -0.01, 0.01, before="not worse") == "not worse"
    assert decide(0.03, 0.01, 0.05, 0.01, before="not worse") == "better"


def test_each_measure_has_its_part_of_the_error(state: Path) -> None:
    runs = [run_of([1] * 12), run_of([2] * 12)]
    result = gate_sequentially(judged(12), runs, ["RR", "P@1"], sequential=state)
    assert [check.level for check in result.checks] == [0.975, 0.975]
    assert result.checks[0].high == upper_limit([-0.5] * 12, 0.025)
    assert any("one family of 2" in line for line in result.remarks)


def test_all_pairs_of_a_comparison_are_one_family(state: Path) -> None:
    runs = {"A": run_of([1] * 30), "B": run_of([2] * 30), "C": run_of([2] * 29 + [3])}
    result = compare_sequentially(judged(30), runs, "RR", sequential=state)
    assert [(check.first, check.second, check.decision) for check in result.checks] == [
        ("A", "B", "worse"),
        ("A", "C", "worse"),
        ("B", "C", "not yet"),
    ]
    assert result.checks[0].high == upper_limit([-0.5] * 30, 0.05 / 6)
    assert result.sentence == "2 of 3 pairs decided on 30 queries"
    few = compare_sequentially(judged(30), runs, "RR", sequential=state.with_name("few.json"), pairs="baseline")
    assert few.checks[0].high == upper_limit([-0.5] * 30, 0.05 / 4)
    with pytest.raises(SettingError, match="compares A, B, C, now there are A, B"):
        compare_sequentially(judged(30), {"A": runs["A"], "B": runs["B"]}, "RR", sequential=state, pairs="all")
    with pytest.raises(SettingError, match=r"pairs='all' before, level=0.95 before"):
        compare_sequentially(judged(30), runs, "RR", sequential=state, pairs="baseline", level=0.9)


def test_values_beyond_0_to_1_are_refused(state: Path) -> None:
    with pytest.raises(SettingError, match="between 0 and 1, and these do not: DCG@5"):
        gate_sequentially(
            {q: {"a": 3} for q in judged(6)}, [run_of([1] * 6), run_of([2] * 6)], "DCG@5", sequential=state
        )
    assert not state.exists()


def test_where_lower_is_better_a_rise_is_a_loss_with_its_own_sign(state: Path) -> None:
    """The error rate is 0 where the first item is relevant, and else 1."""
    runs = {"A": run_of([1] * 12), "B": run_of([2] * 12)}
    fixed = compare(judged(12), runs, "ER").main.pairs[0]
    looked = compare_sequentially(judged(12), runs, "ER", sequential=state)
    check = looked.checks[0]
    assert (check.first, check.second, check.change) == (fixed.first, fixed.second, fixed.difference) == ("A", "B", 1.0)
    assert (check.low, check.high) == (-upper_limit([-1.0] * 12, 0.025), -lower_limit([-1.0] * 12, 0.025))
    assert (looked.decision, check.row()["better"]) == ("worse", "lower")
    assert looked.sentence.startswith("decided: B is worse: B minus A ER +1.000 (worse) [+.")
    gated = gate_sequentially(judged(12), runs, "ER", sequential=state.with_name("gate.json"))
    assert gated.sentence.startswith("decided worse: ER changed by +1.000 (worse) [+.")
    again = gate_sequentially(judged(12), runs, "ER", sequential=state.with_name("gate.json"))
    assert replace(again, new=12, again=0) == gated


def test_equal_values_are_neither_better_nor_worse(state: Path) -> None:
    same = gate_sequentially(judged(12), [run_of([1] * 12)] * 2, "ER", sequential=state)
    assert same.sentence.startswith("not yet: ER changed by +.000 [-")


def test_a_state_of_turned_changes_is_read_and_turned(state: Path) -> None:
    """Version 1 held gains, and did not say what is better."""
    runs = {"A": run_of([1] * 12), "B": run_of([2] * 12)}
    made = compare_sequentially(judged(12), runs, ["ER", "RR"], sequential=state)
    whole = json.loads(state.read_text())
    assert (whole["version"], whole["question"].pop("better")) == (2, ["lower", "higher"])
    turned = [[-change, -high, -low, decision] for change, low, high, decision in whole["looks"][0][1][:1]]
    old = whole | {"version": 1, "looks": [[12, [*turned, *whole["looks"][0][1][1:]]]]}
    state.write_text(json.dumps(old))
    kept = read_state(state)
    assert kept is not None
    assert [(each.change, each.low, each.high) for each in kept.looks[0].checks] == [
        (each.change, each.low, each.high) for each in made.checks
    ]
    again = compare_sequentially(judged(12), runs, ["ER", "RR"], sequential=state)
    assert again.checks == made.checks


def test_a_class_counts_once_with_its_mean(state: Path) -> None:
    scores = evaluate(judged(4), [run_of([1] * 4), run_of([1, 2, 0, 0])], "RR")
    seen = observe(scores)
    classes = dict(zip(seen.records, ("x", "x", "y", "y"), strict=True))
    whole = {query: replace(each, unit=classes[query]) for query, each in seen.records.items()}
    first = replace(seen, unit="class", records=dict(list(whole.items())[:3]))
    question = Question("gate", ("RR",), ("higher",), (0.01,), ((0, 1),), alpha=0.05, unit="class")
    kept, result = take_look(state, None, question, first)
    assert (result.checks[0].units, result.checks[0].change) == (2, (-0.25 - 1) / 2)
    assert result.checks[0].outlook.endswith(
        f"about {result.checks[0].needed:,.0f} more classes decide in half of all cases"
    )
    _, result = take_look(state, kept, question, replace(first, records=whole))
    assert (result.queries, result.late, result.again) == (3, 1, 3)
    assert "1 query of classes that were counted before: a class counts once" in result.remarks


def test_what_is_still_needed_points_the_way_of_the_present_effect(state: Path) -> None:
    runs = [run_of([1] * 20), run_of([1] * 19 + [2])]
    check = gate_sequentially(judged(20), runs, "RR", sequential=state).checks[0]
    assert not check.is_decided
    assert math.isfinite(check.needed)
    assert f"about {check.needed:,.0f} more queries decide in half of all cases" in check.outlook
    same = gate_sequentially(
        judged(5), [run_of([1] * 5)] * 2, "RR", sequential=state.with_name("same.json"), min_effect=0
    )
    assert same.checks[0].outlook == "more queries that differ as little as these would never decide"


def test_the_state_is_plain_json_with_a_line_for_each_query(state: Path) -> None:
    gate_sequentially(judged(12), {"old": run_of([1] * 12), "new": run_of([2] * 12)}, "RR", sequential=state)
    whole = json.loads(state.read_text())
    assert [each["name"] for each in whole["systems"]] == ["old", "new"]
    assert len({each["digest"] for each in whole["systems"]}) == 2
    assert list(whole["queries"]) == sorted(judged(12))
    assert sum(line.startswith('  "q0') for line in state.read_text().splitlines()) == 12
