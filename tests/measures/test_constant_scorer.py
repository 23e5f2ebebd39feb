"""Equal scores have one order for all measures: a constant scorer never has MRR 1 and nDCG 0 in one run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankscope.measures.evaluation.evaluate import evaluate
from tests.measures.properties import NUMBERS


@pytest.mark.parametrize("ties", ["trec_eval", "ascending", "given", "hash"])
def test_a_constant_scorer_has_one_and_the_same_order_under_all_measures(ties: str) -> None:
    items = ["b", "d", "a", "f", "c", "e", "h", "g"]
    seen = set()
    for relevant in items:  # the rank of each item in turn, as each measure sees it
        qrels = {"q": {relevant: 1}}
        run = {"q": dict.fromkeys(items, 0.5)}
        scores = evaluate(qrels, run, ["RR", "RR@8", "AP", "nDCG", "nDCG@8", "P@8", "ERR", "Q", "binG"], ties=ties)
        rank = round(1 / scores["RR"])
        seen.add(rank)
        assert scores["RR@8"] == scores["AP"] == scores["RR"] == 1 / rank
        assert scores["nDCG"] == scores["nDCG@8"] == 1 / np.log2(rank + 1)
        assert math.isclose(scores["ERR"], 0.5 / rank)
        assert math.isclose(scores["Q"], 2 / (rank + 1))
        assert math.isclose(scores["binG"], 1 / math.log2(rank + 1))
        expected = {"ascending": sorted(items), "trec_eval": sorted(items, reverse=True), "given": items}
        if ties in expected:
            assert expected[ties].index(relevant) + 1 == rank
    assert seen == set(range(1, 9))


PLAIN = [measure for measure in NUMBERS if "subtopics" not in measure.needs]


@pytest.mark.parametrize("ties", ["trec_eval", "ascending", "given", "hash"])
def test_a_constant_scorer_scores_as_its_order_would(ties: str) -> None:
    items = [f"d{number}" for number in range(20)]
    qrels = {"q": {item: number % 4 for number, item in enumerate(items)}}
    tied = evaluate(qrels, {"q": dict.fromkeys(items, 1.0)}, PLAIN, ties=ties, collection_size=50)
    place = {
        item: round(1 / evaluate({"q": {item: 1}}, {"q": dict.fromkeys(items, 1.0)}, "RR", ties=ties)["RR"])
        for item in items
    }
    clear = evaluate(qrels, {"q": {item: -place[item] for item in items}}, PLAIN, collection_size=50)
    for measure in PLAIN:
        np.testing.assert_equal(tied[str(measure)], clear[str(measure)])


def test_a_constant_scorer_under_expected_ties_has_the_mean_for_each_measure() -> None:
    run = {"q": dict.fromkeys("abcd", 0.5)}
    scores = evaluate({"q": {"a": 1}}, run, ["RR", "AP", "nDCG", "P@1", "success@1", "RBP(p=0.5)"], ties="expected")
    mean = sum(1 / rank for rank in range(1, 5)) / 4
    assert math.isclose(scores["RR"], mean)
    assert math.isclose(scores["AP"], mean)
    assert math.isclose(scores["nDCG"], sum(1 / math.log2(rank + 1) for rank in range(1, 5)) / 4)
    assert scores["P@1"] == 0.25
    assert math.isclose(scores["success@1"], 0.25)
    assert math.isclose(scores["RBP(p=0.5)"], (0.5 + 0.25 + 0.125 + 0.0625) / 4)
