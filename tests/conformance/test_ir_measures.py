"""ir_measures itself, through its default pipeline, next to `compat="ir_measures"`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures.evaluation.evaluate import evaluate
from tests.conformance.cases import WITH_NEGATIVE, Case, Row, cases, frame, rows_with_repeats
from tests.conformance.peers import IR_MEASURES_PAIRS, OTHER_PROVIDERS_PAIRS, Pair, ask_ir_measures, differences, ours
from tests.needs import needed_module, needed_program

needed_module("pytrec_eval", "peers")
ir_measures = needed_module("ir_measures", "peers")

GDEVAL = [pair for pair in OTHER_PROVIDERS_PAIRS if pair.places is not None]  # it rounds
OTHERS = [pair for pair in OTHER_PROVIDERS_PAIRS if pair not in GDEVAL]


@pytest.fixture(scope="module")
def perl() -> str:
    return needed_program("perl", advice="ir_measures runs gdeval with it, for ERR@k and nDCG exp")


def found_by(case: Case, pairs: list[Pair]) -> list[str]:
    theirs = ask_ir_measures(case, [pair.theirs for pair in pairs])
    mine = ours(case, [pair.ours for pair in pairs], compat="ir_measures")
    return [each for pair in pairs for each in differences(pair, theirs[pair.theirs], mine[pair.ours])]


@settings(max_examples=80)
@given(case=cases())
def test_every_value_and_mean_is_ir_measures(case: Case) -> None:
    assert not found_by(case, list(IR_MEASURES_PAIRS))


@settings(max_examples=25)
@given(case=cases(grades=WITH_NEGATIVE))
def test_measures_of_its_other_providers_are_reproduced_with_their_own_ties_and_widths(case: Case) -> None:
    assert not found_by(case, OTHERS)


@settings(max_examples=25)
@given(case=cases(grades=WITH_NEGATIVE))
def test_measures_of_gdeval_are_reproduced_as_far_as_it_prints_them(perl: str, case: Case) -> None:
    assert GDEVAL
    assert not found_by(case, GDEVAL)


@settings(max_examples=40)
@given(rows=rows_with_repeats())
def test_of_items_that_occur_twice_the_last_counts(rows: tuple[list[Row], list[Row]]) -> None:
    """But for RR@k, which takes an item as relevant if any of its judgements says so."""
    judged, listed = rows
    qrels = [ir_measures.Qrel(query, item, int(grade)) for query, item, grade in judged]
    run = [ir_measures.ScoredDoc(*row) for row in listed]
    names = ["AP", "nDCG", "SetP"]
    measures = [ir_measures.parse_measure(name) for name in names]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    mine = evaluate(frame(judged, "grade"), frame(listed, "score"), names, compat="ir_measures")
    assert [mine[name] for name in names] == pytest.approx([theirs[each] for each in measures], rel=1e-9)


def test_two_of_its_providers_break_the_same_tie_in_two_ways() -> None:
    """It is not consistent with itself: RR comes from pytrec_eval, RR@10 from the MS MARCO script."""
    case = Case({"1": {"b": 1}}, {"1": {"b": 1.0, "c": 1.0}})
    theirs = ask_ir_measures(case, ["RR", "RR@10"])
    assert (theirs["RR"].summary, theirs["RR@10"].summary) == (0.5, 1.0)
    mine = ours(case, ["RR", "RR@10"], compat="ir_measures")
    assert (mine["RR"].summary, mine["RR@10"].summary) == (0.5, 1.0)
    alike = ours(case, ["RR", "RR@10"], compat="ir_measures", ties="trec_eval")
    assert (alike["RR"].summary, alike["RR@10"].summary) == (0.5, 0.5)


def cwl_rbp(case: Case, p: float, rel: int) -> dict[str, float]:
    """RBP as cwl_eval computes it for ir_measures, which sorts the run itself: weights p^0, p^1, ... of 1,000 ranks are
    divided by their sum, what is not listed gains nothing.
    """
    gains: dict[str, list[int]] = {query: [] for query in case.qrels}
    for each in ir_measures.util.RunConverter(case.run).as_sorted_namedtuple_iter():
        if each.query_id in gains:
            gains[each.query_id].append(int(case.qrels[each.query_id].get(each.doc_id, 0) >= rel))
    weights = [p**place for place in range(1000)]
    return {
        query: sum(gain * weight for gain, weight in zip(listed, weights, strict=False)) / sum(weights)
        for query, listed in gains.items()
    }


@settings(max_examples=60)
@given(case=cases(), p=st.sampled_from([0.5, 0.8, 0.99, 1.0]), rel=st.sampled_from([1, 2]))
def test_rbp_is_that_of_cwl_eval_on_the_order_that_ir_measures_gives_it(case: Case, p: float, rel: int) -> None:
    name = f"RBP(p={p:g},rel={rel})"
    mine = ours(case, [name], compat="ir_measures")[name]
    expected = cwl_rbp(case, p, rel)
    assert mine.values == pytest.approx(expected, rel=1e-12)
    assert mine.summary == pytest.approx(sum(expected.values()) / len(expected), rel=1e-12)


def test_rbp_looks_no_further_than_rank_1000_and_keeps_the_given_order_of_ties() -> None:
    long = {f"d{place:04}": 1.0 for place in range(1200)}
    for relevant, rank in (("d0000", 1), ("d0999", 1000), ("d1000", None)):
        case = Case({"1": {relevant: 1}}, {"1": long})
        value = ours(case, ["RBP(p=0.99)"], compat="ir_measures")["RBP(p=0.99)"].summary
        weight = 0.0 if rank is None else 0.99 ** (rank - 1)
        assert value == pytest.approx(weight * 0.01 / (1 - 0.99**1000), rel=1e-12)
        assert value == pytest.approx(cwl_rbp(case, 0.99, 1)["1"], rel=1e-9)


def test_a_query_with_an_empty_judgement_dictionary_is_in_some_of_its_means_only() -> None:
    """Known difference: such a query counts as 0 for AP, and for RR@k if AP is asked too; a table has no row for it."""
    case = Case({"1": {"a": 1}, "2": {}}, {"1": {"a": 1.0}, "2": {"a": 1.0}})
    together, alone = ask_ir_measures(case, ["AP", "RR@10"]), ask_ir_measures(case, ["RR@10"])
    assert (together["AP"].summary, together["RR@10"].summary, alone["RR@10"].summary) == (0.5, 0.5, 1.0)
    mine = ours(case, ["AP", "RR@10"], compat="ir_measures")
    assert (mine["AP"].summary, mine["RR@10"].summary) == (1.0, 1.0)
