"""Every method and normalization of ranx, equal to it to 1e-12: `golden/ranx.json` is what ranx itself answered."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.fusion.candidates import Candidates, fused_run
from rankscope.measures.fusion.method import FUSIONS, METHODS
from rankscope.measures.fusion.score_methods import NORMALIZATIONS
from rankscope.measures.fusion.tuning import JudgedCandidates
from tests.measures.fusion.cases import CASES, LEARNT, NORMS, FusionCase
from tests.measures.fusion.lists import Nested, random_judgements
from tests.measures.fusion.make_golden import GOLDEN


@cache
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


def test_no_method_and_no_normalization_of_ranx_is_missing() -> None:
    assert {case.name for case in CASES} == set(METHODS)
    assert {*NORMS, "none"} == set(NORMALIZATIONS.names())
    assert golden()["answers"].keys() == {str(case) for case in CASES}


def own_answer(case: FusionCase) -> Nested:
    if case.method in LEARNT:
        return learnt_on_themselves(case)
    weights = case.params.get("weights")
    return rankscope.fuse(case.runs(), case.method, norm=case.norm, weights=weights).to_dict()


def learnt_on_themselves(case: FusionCase) -> Nested:
    """As ranx learns; `fuse` never takes a query's own judgements."""
    lists = NORMALIZATIONS.find(case.norm)(Candidates.of([Run.of(run) for run in case.runs()]))
    judged = JudgedCandidates(lists, Qrels.of(random_judgements(seed=case.seed)))
    method = FUSIONS.parse(case.method).learn(judged.training(np.ones(len(lists.queries), dtype=np.bool_)))
    return fused_run(lists, method.fuse(lists, np.ones(3)), "learnt").to_dict()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_scores_are_those_of_ranx(case: FusionCase) -> None:
    found, expected = own_answer(case), golden()["answers"][str(case)]
    assert found.keys() == expected.keys()
    for query, items in expected.items():
        assert found[query] == pytest.approx(items, rel=1e-12, abs=1e-12)
