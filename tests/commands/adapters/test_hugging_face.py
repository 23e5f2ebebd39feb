"""A metric as `evaluate` has them: gathered or at once, the same numbers; what could mean two things is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.commands.adapters.hugging_face import RankingMetric
from tests.commands.adapters.shared import example, golden


def test_add_add_batch_and_compute_give_the_same() -> None:
    qrels, run, _ = example()
    predictions, references = [run.get(query, {}) for query in qrels], list(qrels.values())
    metric = RankingMetric(["AP", "nDCG@10"])
    wanted = rankscope.evaluate(qrels, run, ["AP", "nDCG@10"])
    whole = metric.compute(predictions=predictions, references=references)
    assert whole == {"AP": wanted["AP"], "nDCG@10": wanted["nDCG@10"]}
    for prediction, reference in zip(predictions[:5], references[:5], strict=True):
        metric.add(prediction=prediction, reference=reference)
    metric.add_batch(predictions=predictions[5:], references=references[5:])
    assert metric.compute() == whole
    with pytest.raises(rankscope.InputError, match="there are none"):
        metric.compute()


def test_evaluate_itself_combined_it_with_another() -> None:
    qrels, run, _ = example()
    pairs = {"predictions": [run.get(query, {}) for query in qrels], "references": list(qrels.values())}
    ours = RankingMetric(["nDCG@10", "AP"]).compute(**pairs)
    combined = golden("hugging_face")["compute"]
    assert combined["nDCG@10"] == ours["nDCG@10"]
    assert combined["rankscope_0_AP"] == combined["rankscope_1_AP"] == ours["AP"]


FORMS: dict[str, tuple[Any, Any]] = {
    "scores by item": ({"a": 0.9, "b": 0.8}, {"b": 1}),
    "items and judgements": (["a", "b"], {"b": 1}),
    "items and relevant items": (["a", "b"], ["b"]),
    "tuples and sets": (("a", "b"), {"b"}),
    "scores and grades": ([0.9, 0.8], [0, 1]),
    "arrays": (np.array([0.9, 0.8]), np.array([0, 1])),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_understood(form: str) -> None:
    prediction, reference = FORMS[form]
    assert RankingMetric(["RR"]).compute(predictions=[prediction], references=[reference]) == {"RR": 0.5}


WRONG: dict[str, tuple[Any, Any]] = {
    "whole numbers": ([3, 2], [3]),
    "other numbers of scores and grades": ([0.9, 0.8], [1]),
    "ids and grades": (["a", "b"], [0, 1]),
    "a text": ("a", ["a"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_could_mean_two_things_is_refused(wrong: str) -> None:
    prediction, reference = WRONG[wrong]
    with pytest.raises(rankscope.InputError, match=r"query 1: cannot be read: .*\nA prediction is \{item: score\}"):
        RankingMetric(["RR"]).compute(predictions=[["a"], prediction], references=[["a"], reference])


def test_other_numbers_of_both_and_unknown_words_are_refused() -> None:
    with pytest.raises(rankscope.MeasureError, match="no measure 'APP'"):
        RankingMetric(["APP"])
    metric = RankingMetric(["RR"])
    with pytest.raises(rankscope.InputError, match="2 predictions, but 1 references"):
        metric.add_batch(predictions=[["a"], ["b"]], references=[["a"]])
    with pytest.raises(rankscope.InputError, match="what is labels"):
        metric.compute(predictions=[["a"]], references=[["a"]], labels=[1])
    with pytest.raises(rankscope.InputError, match="references not given"):
        metric.add(prediction=["a"])


def test_settings_are_those_of_evaluate() -> None:
    pair: dict[str, Any] = {"predictions": [[0.5, 0.5]], "references": [[1, 0]]}
    assert RankingMetric(["RR"], ties="expected").compute(**pair) == {"RR": 0.75}
