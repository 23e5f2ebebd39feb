"""cwl_eval, pyNTCIREVAL and what ir_measures leaves to cwl_eval, run next to ours, to twelve places."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import MeasureError
from rankscope.measures.notation import parse_measure
from tests.conformance.cases import Case, plain_case, seeded_case
from tests.conformance.peers import LightPeer, Pair, ask_ir_measures, ours
from tests.conformance.provided import PROVIDED
from tests.conformance.user_models import CWL, NTCIR
from tests.needs import needed_module

needed_module("cwl", "peers")
needed_module("pyNTCIREVAL", "peers")
needed_module("ir_measures", "peers")
CASES = [plain_case(1, 6), seeded_case(2, 6), seeded_case(3, 6)]
EACH = [(peer, pair) for peer in (CWL, NTCIR, PROVIDED) for pair in peer.pairs]


@pytest.mark.parametrize(("peer", "pair"), EACH, ids=lambda each: each.theirs if isinstance(each, Pair) else each.name)
def test_every_value_is_the_peers_to_twelve_places(peer: LightPeer, pair: Pair) -> None:
    for case in map(peer.fit or (lambda case: case), CASES):
        theirs = peer.ask(case, [pair.theirs])[pair.theirs]
        mine = ours(case, [pair.ours], compat=peer.habits)[pair.ours]
        assert set(theirs.values) <= set(mine.values)
        for query, value in mine.values.items():
            assert theirs.values.get(query, 0.0) == pytest.approx(value, rel=1e-12, abs=1e-12), query
        assert mine.summary == pytest.approx(theirs.summary, rel=1e-12, abs=1e-12, nan_ok=True)


def test_the_dynamic_player_of_cwl_eval_never_changes_his_patience() -> None:
    """Known difference: the loop over costs updates the wanted gain, which nothing reads any more; ours follows the
    paper, so that `hc` changes the value.
    """
    case = Case({"1": {"a": 4, "b": 0, "c": 4, "d": 4}}, {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    names = [f"BPMDCWLMetric(2.0,2,0.0,{hc},0.5)" for hc in (0.0, 1.0)]
    theirs = [CWL.ask(case, [name])[name].summary for name in names]
    mine = [ours(case, [f"BPM(T=2,hc={hc},top=4)@2"])[f"BPM(T=2,hc={hc},top=4)@2"].summary for hc in (0, 1)]
    assert theirs[0] == theirs[1] == mine[0] == 0.5
    assert mine[1] == pytest.approx(2 / 3)


def test_compat_ranks_what_was_not_found_above_negative_scores_there_and_last_here() -> None:
    """Known difference: its ideal order gives a score of 0 to an item that the run lacks."""
    case = Case({"1": {"a": 1, "b": 1}}, {"1": {"a": -1.0}})
    shifted = Case(case.qrels, {"1": {"a": 1.0}})
    theirs, other = (ask_ir_measures(each, ["Compat"])["Compat"].summary for each in (case, shifted))
    assert theirs < other == pytest.approx(ours(case, ["Compat"])["Compat"].summary)


def test_accuracy_of_a_list_of_hits_alone_is_no_number_here_and_an_error_there() -> None:
    case = Case({"1": {"a": 1}}, {"1": {"a": 1.0}})
    with pytest.raises(ZeroDivisionError):
        ask_ir_measures(case, ["Accuracy"])
    assert np.isnan(ours(case, ["Accuracy"])["Accuracy"].summary)


@pytest.mark.parametrize("peer", [CWL, NTCIR], ids=lambda peer: peer.name)
def test_our_names_are_written_back_as_they_are_read(peer: LightPeer) -> None:
    for pair in peer.pairs:
        assert parse_measure(str(parse_measure(pair.ours))) == parse_measure(pair.ours)


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("NCUguP", "NCU(beta=0)"),
        ("NCUrbBR", "NCU(stop=biased)"),
        ("OMeasure", "Omeasure"),
        ("PMeasure", "Pmeasure"),
        ("PPlusMeasure", "Pplus"),
        ("QMeasure@0010", "Q@10"),
        ("MSnDCG@0010", "nDCG@10"),
        ("Hit@0003", "success@3"),
        ("Precision@3", "P@3"),
        ("NumRet", "num_ret"),
        ("NumRet(rel=2)", "num_rel_ret(rel=2)"),
        ("NumRelRet", "num_rel_ret"),
        ("SetRelP", "SetRelativeP"),
        ("SetP(relative=True)", "SetRelativeP"),
        ("SetF(beta=2.0)", "SetF(b2=2)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp)@10"),
        ("nDCG(dcg='log2',cutoff=10)", "nDCG@10"),
        ("nDCG(gains={0:0,1:3})@5", "nDCG(gain={1:3})@5"),
        ("INST(T=2.0,min_rel=1,max_rel=4)", "INST(T=2,top=4,low=1)"),
        ("IPrec(recall=0.2)", "IPrec@0.2"),
        ("AP(judged_only=False)", "AP"),
        ("α_nDCG@10", "alpha_nDCG@10"),
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("MAP-IA", "AP_IA"),
        ("strec@5", "StRecall@5"),
        ("hit_rate@5", "success@5"),
        ("dcg_burges@5", "DCG(gain=exp)@5"),
        ("dcg@5-l2", "DCG(floor=2)@5"),
        ("ndcg_burges@5", "nDCG(gain=exp)@5"),
        ("ndcg_cut_10", "nDCG@10"),
    ],
)
def test_the_peers_own_spellings_are_understood(theirs: str, mine: str) -> None:
    assert str(parse_measure(theirs)) == mine


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AP(judged_only=True)", "--judged-only"),
        ("rbp@95", "write rbp.95"),
        ("nDCG(gain={0:1})", "gains of grades above 0"),
        ("nDCG(gain={1})", "gains of grades above 0"),
        ("Q(gain=log)", "must be one of linear, exp"),
    ],
)
def test_a_spelling_that_cannot_be_meant_so_is_an_error_that_says_what_to_write(text: str, words: str) -> None:
    with pytest.raises(MeasureError, match=words.replace(".", r"\.")):
        parse_measure(text)
