"""What ir_measures leaves to cwl_eval, and the two measures of its own that order ties in their own way."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

from tests.conformance.cases import Case
from tests.conformance.peers import Answer, LightPeer, Pair, ask_ir_measures

CWL_PAIRS = tuple(
    Pair(*each)
    for each in (
        ("RBP(rel=1)", "RBP"),
        ("RBP(p=0.5,rel=2)", "RBP(p=0.5,rel=2)"),
        ("INST(max_rel=4)", "INST(top=4)"),
        ("INST(T=2.0,min_rel=1,max_rel=4)", "INST(T=2,top=4,low=1)"),
        ("INSQ(max_rel=4)", "INSQ(top=4)"),
        ("BPM(max_rel=4)@5", "BPM(top=4)@5"),
        ("SDCG(max_rel=4)@5", "SDCG(top=4)@5"),
        ("NERR8(max_rel=4)@5", "NERR8(top=4)@5"),
        ("NERR9(max_rel=4)@5", "NERR9(top=4)@5"),
        ("NERR10(max_rel=4)", "NERR10(top=4)"),
        ("NERR11(max_rel=4)", "NERR11(top=4)"),
    )
)
ACCURACY_PAIRS = (
    Pair("Compat", "Compat"),
    Pair("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=false)"),
    Pair("Accuracy", "Accuracy"),
    Pair("Accuracy(rel=2)", "Accuracy(rel=2)"),
    Pair("nDCG(gains={1:3,2:5})@3", "nDCG(gain={1:3,2:5})@3"),
    Pair("NumRelRet", "num_rel_ret"),
)


def ask_provided(case: Case, names: Sequence[str]) -> dict[str, Answer]:
    """As ir_measures; Accuracy, which divides by 0 where hits alone are listed, without such queries."""
    logging.getLogger("ir_measures.cwl_eval").disabled = True  # it warns of grades that do not occur
    others = [name for name in names if not name.startswith("Accuracy")]
    answers = ask_ir_measures(case, others) if others else {}
    for name in names:
        if name.startswith("Accuracy"):
            answers |= _ask_accuracy(case, name)
    return answers


def _ask_accuracy(case: Case, name: str) -> dict[str, Answer]:
    level = 2 if "rel=2" in name else 1
    mixed = [
        query
        for query, items in case.run.items()
        if any(case.qrels.get(query, {}).get(item, 0) < level for item in items)
    ]
    some = Case(case.only(mixed).qrels, case.only(mixed).run)
    return ask_ir_measures(some, [name]) if some.qrels else {name: Answer(math.nan, {})}


def without_negative_scores(case: Case) -> Case:
    """Without the queries on which Compat ranks items that were not found above some that were."""
    return case.only([query for query in case.qrels if all(score >= 0 for score in case.run.get(query, {}).values())])


PROVIDED = LightPeer(
    "ir_measures and cwl_eval",
    "ir_measures",
    (*CWL_PAIRS, *ACCURACY_PAIRS),
    ask_provided,
    compat="ir_measures",
    fit=without_negative_scores,
)
