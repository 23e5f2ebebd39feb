"""ndeval next to our measures of subtopics; and no measure of any peer is missing."""

from __future__ import annotations

import pytest

from rankscope.measures.evaluation.evaluate import evaluate
from tests.conformance.diversity import AT_ONE, UNDIVIDED, ask_ndeval, divided_case, our_answers, times_subtopics
from tests.conformance.inventory import LISTS, REASONS, compared_with
from tests.needs import needed_module


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("ties", [False, True], ids=["plain", "ties"])
def test_every_value_is_ndevals_to_twelve_places(ties: bool, rel: int) -> None:
    needed_module("pyndeval", "peers")
    for seed in range(6):
        case = divided_case(seed, ties)
        theirs, mine = ask_ndeval(case, rel), our_answers(case, rel, ties="ascending" if ties else "trec_eval")
        for (name, answer), other in zip(mine.items(), theirs.values(), strict=True):
            assert answer.values == pytest.approx(other.values, rel=1e-12, abs=1e-12), name
            assert answer.summary == pytest.approx(other.summary, rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("ties", [False, True], ids=["plain", "ties"])
def test_at_a_cut_off_of_one_only_the_division_is_missing(ties: bool, rel: int) -> None:
    """Known difference: alpha-DCG@1 and ERR-IA@1 are ours times the number of subtopics; all others are equal."""
    needed_module("pyndeval", "peers")
    order = "ascending" if ties else "trec_eval"
    for seed in range(6):
        case = divided_case(seed, ties)
        theirs, mine = ask_ndeval(case, rel, AT_ONE), our_answers(case, rel, order, AT_ONE)
        for pair in AT_ONE:
            value = mine[pair.ours].values
            expected = times_subtopics(case, rel, value) if pair in UNDIVIDED else value
            assert theirs[pair.theirs].values == pytest.approx(expected, rel=1e-12, abs=1e-12), pair


def test_ndeval_does_not_normalise_the_first_rank() -> None:
    """Known difference: its loops that divide begin at rank 2, so that alpha-DCG@1 counts subtopics there."""
    pyndeval = needed_module("pyndeval", "peers")
    judged = [("1", "1", "a", 1), ("1", "2", "a", 1), ("1", "3", "b", 1)]
    theirs = pyndeval.RelevanceEvaluator(judged, ["alpha-DCG@1"]).evaluate([("1", "a", 1.0)])["1"]["alpha-DCG@1"]
    assert theirs == 2.0
    assert evaluate(judged, {"1": {"a": 1.0}}, "alpha_DCG@1")["alpha_DCG@1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("peer", list(LISTS))
def test_no_measure_of_a_peer_is_missing(peer: str) -> None:
    """Its own list of measures against ours."""
    needed_module("pytrec_eval", "peers")
    needed_module("ir_measures", "peers")
    needed_module("pyndeval", "peers")
    needed_module("cwl", "peers")
    needed_module("pyNTCIREVAL", "peers")
    missing = [name for name in LISTS[peer]() if not compared_with(peer, name) and (peer, name) not in REASONS]
    assert missing == []
