"""Measures that came from other programs, worked by hand on the graded list of the method; diversity on a small one.

Ranks 1, 4 and 7 hold grades 2, 1 and 3; one item of grade 1 was not found. Cumulated ideal gains are 3, 5, 6, 7, 7, ...
"""

from __future__ import annotations

from math import log2

import pytest

from rankscope.measures.evaluation.evaluate import evaluate
from tests.measures.test_worked_values import JUDGED, RANKING

FIRST, SECOND, THIRD = 3 / 4, 5 / 11, 9 / 14  # blended ratios at the hits
STOPS = 3 / 8, 5 / 8 * 1 / 8, 5 / 8 * 7 / 8 * 7 / 8  # chances to stop, gains 2^grade - 1 over 8
INSQ_ALL = 4 * sum(1 / (k + 1) ** 2 for k in range(1, 1001))
BY_HAND = {
    "Omeasure": FIRST,
    "Omeasure(beta=0)": 1.0,
    "Pmeasure": THIRD,
    "Pplus": (FIRST + SECOND + THIRD) / 3,
    "Q@5": (FIRST + SECOND) / 4,
    "Q@2": FIRST / 2,
    "NCU": (2 * FIRST + SECOND + 3 * THIRD) / 7,
    "NCU(beta=0)": (2 * 1 + 2 / 4 + 3 * 3 / 7) / 7,
    "NCU(stop=biased)": (FIRST + 0.95 * SECOND + 0.95**2 * THIRD) / (1 + 0.95 + 0.95**2 + 0.95**3),
    "ERR(gain=linear)": 1 / 2 + 1 / 2 * 1 / 4 / 4 + 1 / 2 * 3 / 4 * 3 / 4 / 7,
    "nERR(gain=linear)@1": (1 / 2) / (3 / 4),
    "iRBU": STOPS[0] * 0.99 + STOPS[1] * 0.99**4 + STOPS[2] * 0.99**7,
    "EBR": STOPS[0] * 4 / 8 + STOPS[1] * 6 / 16 + STOPS[2] * 14 / 19,
    "DCG": 2 + 1 / log2(5) + 3 / log2(8),
    "DCG(gain={1:2,3:10})@4": 2 + 2 / log2(5),
    "jDCG": 2 + 1 / log2(4) + 3 / log2(7),
    "jnDCG": (2 + 1 / log2(4) + 3 / log2(7)) / (3 + 2 + 1 / log2(3) + 1 / log2(4)),
    "jDCG(base=10)": 6.0,
    "hits@5": 2.0,
    "SDCG@5": (2 / 3 + 1 / 3 / log2(5)) / sum(1 / log2(k + 1) for k in range(1, 6)),
    "INSQ": (2 / 3 + 4 / 25 / 3 + 4 / 64) / INSQ_ALL,
    "BPM@5": 1 / 4,
    "BPM(T=2)@7": 2 / 7,
    "NERR8@5": (2 / 3 + 1 / 9) / (1 + 1 / 3 + 1 / 3 + 1 / 3 + 2 / 9),
    "SET(beta=1)@5": (2 / 3 + 1 / 3) / 5,
    "TBG(halflife=1,horizon=4)": (2 / 3 + 1 / 8 / 3) / (1 + 1 / 2 + 1 / 4 + 1 / 8),
    "Umeasure(length=4,horizon=9)": (2 / 3 + 1 / 4 / 3) / (1 + 3 / 4 + 2 / 4 + 1 / 4),
    "Accuracy": 1 - (0 + 2 + 4) / (3 * 5),
    "Accuracy@5": 1 - 2 / (2 * 3),
    "RBP(gain=raw)@4": 0.2 * (2 + 0.8**3),
}


@pytest.mark.parametrize(("text", "expected"), BY_HAND.items(), ids=list(BY_HAND))
def test_the_graded_list_has_the_value_worked_by_hand(text: str, expected: float) -> None:
    assert evaluate({"q": JUDGED}, {"q": RANKING}, [text])[text] == pytest.approx(expected, rel=1e-12)


def test_compatibility_by_hand() -> None:
    """Ideal b a (grades 2 and 1), list a b: nothing in common at depth 1, both at depth 2."""
    scores = evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, ["Compat(p=0.5)", "Compat(p=0.5,normalize=false)"])
    assert scores["Compat(p=0.5)"] == pytest.approx(0.5 / 1.5)
    assert scores["Compat(p=0.5,normalize=false)"] == pytest.approx(0.5 / 1.5)
    longer = evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, ["Compat(p=0.5)", "Compat(p=0.5,normalize=false)"])
    assert longer["Compat(p=0.5)"] == 1.0
    assert longer["Compat(p=0.5,normalize=false)"] == pytest.approx((1 + 0.5 / 2) / 1.5)


DIVIDED = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"b": 1, "c": 2}, "s3": {"d": 1}, "s4": {"e": 0}}}
LISTED = {"q": ["a", "x", "b", "c"]}  # serves s1; nothing; s1 and s2; s2
IDEAL = (2, 1, 1 / 2, 1 / 2)  # b, then d, then c and a
NOVEL = ((1, 1), (3, 1 + 1 / 2), (4, 1 / 2))  # rank and gain with alpha 1/2
DIVERSITY = {
    "StRecall": 2 / 3,
    "StRecall@2": 1 / 3,
    "P_IA@3": 3 / (3 * 3),
    "AP_IA": ((1 + 2 / 3) / 2 + (1 / 3 + 2 / 4) / 2 + 0) / 3,
    "alpha_DCG@4": sum(gain / log2(rank + 1) for rank, gain in NOVEL)
    / (3 * sum(0.5 ** (k - 1) / log2(k + 1) for k in range(1, 5))),
    "alpha_nDCG@4": sum(gain / log2(rank + 1) for rank, gain in NOVEL)
    / sum(gain / log2(rank + 1) for rank, gain in enumerate(IDEAL, 1)),
    "alpha_nDCG(alpha=0)@1": 1 / 2,
    "ERR_IA@4": sum(gain / rank for rank, gain in NOVEL) / (3 * sum(0.5 ** (k - 1) / k for k in range(1, 5))),
    "nERR_IA@4": sum(gain / rank for rank, gain in NOVEL) / sum(gain / rank for rank, gain in enumerate(IDEAL, 1)),
    "NRBP": sum(gain * 0.5 ** (rank - 1) for rank, gain in NOVEL) * 0.75 / 3,
    "nNRBP": sum(gain * 0.5 ** (rank - 1) for rank, gain in NOVEL)
    / sum(gain * 0.5 ** (rank - 1) for rank, gain in enumerate(IDEAL, 1)),
    "I-rec@3": 2 / 3,
    "D_nDCG@4": (1 + 2 / log2(4) + 2 / log2(5)) / (2 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)),  # a b c d gain 1 2 2 1
    "D_nDCG(gain={2:5})@4": (1 + 2 / log2(4) + 5 / log2(5)) / (5 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)),
    "D#-nDCG@2": (1 / 3 + 1 / (2 + 2 / log2(3))) / 2,
    "D♯-nDCG(gamma=0.2)@2": 0.2 / 3 + 0.8 / (2 + 2 / log2(3)),
}


@pytest.mark.parametrize(("text", "expected"), DIVERSITY.items(), ids=list(DIVERSITY))
def test_a_list_for_three_subtopics_has_the_value_worked_by_hand(text: str, expected: float) -> None:
    assert evaluate(DIVIDED, LISTED, [text])[text] == pytest.approx(expected, rel=1e-12)
