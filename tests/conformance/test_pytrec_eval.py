"""pytrec_eval itself next to `compat="pytrec_eval"` and next to the drop-in class."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError, MeasureError
from rankscope.measures.evaluation.relevance_evaluator import (
    RelevanceEvaluator,
    compute_aggregated_measure,
    parse_qrel,
    parse_run,
    supported_measures,
    supported_nicknames,
)
from tests.conformance.cases import Case, cases
from tests.conformance.peers import PYTREC_PAIRS, ask_pytrec_eval, differences, ours
from tests.needs import needed_module

pytrec_eval = needed_module("pytrec_eval", "peers")

NAMES = [pair.theirs for pair in PYTREC_PAIRS]
MEASURES = [pair.ours for pair in PYTREC_PAIRS]


@settings(max_examples=150)
@given(case=cases(), level=st.sampled_from((1, 1, 2, 3)), judged_only=st.booleans())
def test_every_value_and_mean_is_pytrec_evals(case: Case, level: int, judged_only: bool) -> None:
    theirs = ask_pytrec_eval(case, NAMES, level, judged_only)
    mine = ours(case, MEASURES, compat="pytrec_eval", rel=level, judged_only=judged_only)
    found = [each for pair in PYTREC_PAIRS for each in differences(pair, theirs[pair.theirs], mine[pair.ours])]
    assert not found


FAMILIES = st.sets(
    st.sampled_from(
        [
            *sorted(supported_measures),
            "official",
            "set",
            "all_trec",
            "P_3",
            "P.2,7",
            "ndcg_cut_4",
            "ndcg_cut.1,5",
            "map_cut_2",
            "recall.3",
            "success_2,3",
            "relative_P_4",
            "iprec_at_recall.0.25",
            "iprec_at_recall_0.50,0.75",
            "Rprec_mult.1.50",
            "set_F.2",
            "set_F_0.5",
        ]
    ),
    min_size=1,
    max_size=6,
)


@st.composite
def with_empty_lists(draw: st.DrawFn) -> Case:
    case = draw(cases())
    emptied = draw(st.sets(st.sampled_from(sorted(case.run))))
    unjudged = draw(st.sets(st.sampled_from(sorted(case.qrels))))
    return Case(
        {query: {} if query in unjudged else grades for query, grades in case.qrels.items()},
        {query: {} if query in emptied else scores for query, scores in case.run.items()},
    )


@settings(max_examples=150)
@given(
    case=st.one_of(cases(), with_empty_lists()), measures=FAMILIES, level=st.sampled_from((1, 2)), flag=st.booleans()
)
def test_the_drop_in_class_answers_as_the_original(case: Case, measures: set[str], level: int, flag: bool) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(case.qrels, measures, level, flag).evaluate(case.run)
    mine = RelevanceEvaluator(case.qrels, measures, level, flag).evaluate(case.run)
    assert mine.keys() == theirs.keys()
    for query, values in theirs.items():
        assert list(mine[query]) == list(values)
        for name, value in values.items():
            assert mine[query][name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), (query, name)


def test_the_drop_in_knows_the_same_measures_and_nicknames() -> None:
    assert supported_measures == set(pytrec_eval.supported_measures)
    for name, measures in supported_nicknames.items():
        assert measures == set(pytrec_eval.supported_nicknames[name])
    others = set(pytrec_eval.supported_nicknames) - set(supported_nicknames)
    assert all(not set(pytrec_eval.supported_nicknames[name]) <= set(pytrec_eval.supported_measures) for name in others)


@pytest.mark.parametrize("run", [{}, None, {"unknown": {"a": 1.0}}])
def test_nothing_in_common_gives_an_empty_answer(run: Any) -> None:
    judged = {"q": {"a": 1}}
    assert RelevanceEvaluator(judged, {"map"}).evaluate(run) == {}
    assert pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run) == {}


def test_files_are_parsed_as_there() -> None:
    run = ["q1 Q0 a 1 2.5 tag\n", "q1 Q0 b 2 1e-3 tag\n", "q2\tQ0\ta\t1\t7\ttag\r\n"]
    qrel = ["q1 0 a 1\n", "q1 0 b -1\n"]
    assert parse_run(run) == pytrec_eval.parse_run(run)
    assert parse_qrel(qrel) == pytrec_eval.parse_qrel(qrel)


def test_summaries_are_made_as_there() -> None:
    for name in ("map", "num_ret", "gm_map"):
        values = [0.25, -1.5, 3.0]
        assert math.isclose(
            compute_aggregated_measure(name, values), pytrec_eval.compute_aggregated_measure(name, values)
        )


@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        ([], {"q": {"a": 1.0}}, "dictionary"),
        ({1: {"a": 1}}, {"q": {"a": 1.0}}, "query ids must be text"),
        ({"q": {1: 1}}, {"q": {"a": 1.0}}, "item ids must be text"),
        ({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "the grade of item 'a' must be a whole number"),
        ({"q": 5}, {"q": {"a": 1.0}}, "a dictionary {item: grade} is needed, got int"),
        ({"q": {"a": 1}}, {"q": {"a": "1"}}, "the score of item 'a' must be a number, got '1'"),
        ({"q": {"a": 1}}, {"q": ["a"]}, "a dictionary {item: score} is needed, got list"),
    ],
)
def test_a_wrong_type_is_told_with_its_place(qrels: Any, run: Any, words: str) -> None:
    with pytest.raises(TypeError) as told:
        RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("measures", "error", "words"),
    [
        ({"ndgc"}, MeasureError, "did you mean 'ndcg'"),
        ({"ndcg_10"}, MeasureError, "ndcg takes no cut-off (did you mean 'ndcg_cut'?)"),
        ({"P_0"}, MeasureError, "at least 1"),
        ({"P_5.5"}, MeasureError, "whole number"),
        ("map", TypeError, "list or set"),
        ([7], TypeError, "named by text"),
    ],
)
def test_a_wrong_measure_is_told_where_the_original_crashes_or_guesses(
    measures: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as told:
        RelevanceEvaluator({"q": {"a": 1}}, measures)
    assert words in str(told.value)


def test_bad_lines_are_told_all_at_once() -> None:
    with pytest.raises(InputError) as told:
        parse_run(["q Q0 a 1 2.5 tag", "", "q Q0 a 2 1.5 tag", "q Q0 b 3", "q Q0 c 4 high tag"])
    text = str(told.value)
    assert "line 3: query q: item 'a' occurs twice" in text
    assert "line 4: 6 fields are needed, got 4" in text
    assert "line 5: score must be a number, got 'high'" in text
    with pytest.raises(InputError):
        parse_qrel(["q 0 a 0.5"])


def test_a_score_that_is_no_number_is_an_error_where_the_original_ranks_it_last() -> None:
    evaluator = RelevanceEvaluator({"q": {"a": 1}}, {"map"})
    with pytest.raises(InputError):
        evaluator.evaluate({"q": {"a": math.nan}})


NEGATIVE = Case({"1": {"a": 1, "b": -1, "c": 0, "d": 2}}, {"1": {"b": 4.0, "a": 3.0, "c": 2.0, "x": 1.5, "d": 1.0}})


def test_negative_grades_are_counted_as_there_if_it_survives_them() -> None:
    """It writes outside its arrays on grades below 0 and may hang or die, so that it gets a process of its own."""
    names = ["map", "bpref", "infAP", "P_3", "num_nonrel_judged_ret"]
    code = (
        f"import pytrec_eval; print(pytrec_eval.RelevanceEvaluator({NEGATIVE.qrels}, {names}).evaluate({NEGATIVE.run}))"
    )
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        pytest.skip(f"pytrec_eval did not survive a negative grade: {error}")
    theirs = ast.literal_eval(done.stdout)["1"]
    mine = ours(NEGATIVE, ["AP", "bpref", "infAP", "P@3", "num_nonrel_judged_ret"], compat="pytrec_eval")
    assert [answer.values["1"] for answer in mine.values()] == pytest.approx([theirs[name] for name in names])


def test_an_empty_list_is_an_answer_to_pytrec_eval_and_none_to_a_table_of_rows() -> None:
    """Known difference: a table has no row for it, so `evaluate` takes the query as missing; the drop-in does not."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["2"] == {"map": 0.0}
    assert RelevanceEvaluator(qrels, {"map"}).evaluate(run)["2"] == {"map": 0.0}
    assert ours(Case(qrels, run), ["AP"], compat="pytrec_eval")["AP"].values == {"1": 1.0}


def test_no_measure_gives_no_value() -> None:
    assert RelevanceEvaluator({"q": {"a": 1}}, []).evaluate({"q": {"a": 1.0}, "p": {"a": 1.0}}) == {"q": {}}
