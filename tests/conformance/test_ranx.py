"""ranx itself next to `compat="ranx"`: many queries in few calls, because its compiler is slow to start."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.measures.evaluation.evaluate import evaluate
from tests.conformance.cases import WITH_NEGATIVE, Case, cases
from tests.conformance.peers import RANX_BPREF, RANX_PAIRS, Pair, ask_ranx, differences, ours, with_both_kinds
from tests.needs import needed_module

pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # numba warns of casts inside ranx
needed_module("ranx", "peers")


def found_by(case: Case, pairs: list[Pair]) -> list[str]:
    theirs = ask_ranx(case, [pair.theirs for pair in pairs])
    mine = ours(case, [pair.ours for pair in pairs], compat="ranx")
    return [each for pair in pairs for each in differences(pair, theirs[pair.theirs], mine[pair.ours])]


def merged(several: list[Case]) -> Case:
    """The queries of several cases side by side."""
    qrels = {f"{at}.{query}": grades for at, case in enumerate(several) for query, grades in case.qrels.items()}
    run = {f"{at}.{query}": scores for at, case in enumerate(several) for query, scores in case.run.items()}
    return Case(qrels, run)


@pytest.mark.thorough
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(several=st.lists(cases(grades=WITH_NEGATIVE), min_size=12, max_size=20))
def test_every_value_and_mean_is_ranxs(several: list[Case]) -> None:
    case = merged(several)
    found = found_by(case, list(RANX_PAIRS))
    fine = with_both_kinds(case)
    if any(query in fine.run for query in fine.qrels):
        found += found_by(fine, [RANX_BPREF])
    assert not found


def test_its_bpref_has_no_value_without_judged_irrelevant_items_and_ours_has() -> None:
    """Known difference: 0 divided by 0 there, which spoils the mean; 1 here, as in trec_eval."""
    case = Case({"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 0}}, {"1": {"a": 1.0}, "2": {"a": 1.0}})
    theirs, mine = ask_ranx(case, ["bpref"])["bpref"], ours(case, ["bpref"], compat="ranx")["bpref"]
    assert math.isnan(theirs.values["1"])
    assert math.isnan(theirs.summary)
    assert mine.values == {"1": 0.5, "2": 1.0}


def test_its_own_names_are_understood(tmp_path: Path) -> None:
    """Also of a file in which an item comes twice: the last line counts, as there."""
    import ranx

    (tmp_path / "run.trec").write_text("1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n1 Q0 a 3 1.0 t\n")
    (tmp_path / "qrels.trec").write_text("1 0 a 2\n1 0 b 1\n1 0 c 1\n")
    names = ["map", "ndcg@3-l2", "rbp.80", "f1@3", "hit_rate@3", "mrr", "ndcg_burges@3", "r-precision"]
    qrels = ranx.Qrels.from_file(str(tmp_path / "qrels.trec"), kind="trec")
    theirs = ranx.evaluate(qrels, ranx.Run.from_file(str(tmp_path / "run.trec"), kind="trec"), names)
    scores = evaluate(tmp_path / "qrels.trec", tmp_path / "run.trec", names, compat="ranx")
    mine = [column.summary for column in scores.systems[0].columns]
    assert mine == pytest.approx([theirs[name] for name in names], rel=1e-9)


def test_its_order_of_many_equal_scores_is_its_own_and_ours_is_the_order_given() -> None:
    """Known difference: its sort is not stable in lists of more than 16 items (`make_comparable` sorts once more)."""
    import ranx

    items = [f"d{number}" for number in range(20)]
    run = {str(at): dict.fromkeys(items, 1.0) for at in range(20)}
    case = Case({str(at): {items[at]: 1} for at in range(20)}, run)
    theirs = ranx.Run(case.run)
    ranx.evaluate(ranx.Qrels(case.qrels), theirs, ["mrr"])
    given = {str(at): 1 / (at + 1) for at in range(20)}
    assert dict(theirs.scores["mrr"]) != pytest.approx(given)
    assert ours(case, ["RR"], compat="ranx")["RR"].values == pytest.approx(given)
