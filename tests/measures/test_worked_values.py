"""Every worked value of section 2 of the method, through the measures and through `evaluate`.

A value printed with fewer decimals than six holds to half a unit of its last digit; the others to 1e-6.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankscope.core.errors import MeasureError, SettingError
from rankscope.measures import AP, ER, GMAP, NMRR, Bullseye, Measure, P, R, SetP, SetR
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.measure import RECALL_LEVELS
from rankscope.measures.notation import parse_measure
from rankscope.measures.precision_recall import hits_needed
from rankscope.ranks import RelevantRanks
from tests.strategies import Topic, ranks_of

TOLERANCE = 1e-6

# the graded list

JUDGED = {"a": 2, "b": 0, "d": 1, "e": 0, "f": -1, "g": 3, "x": 1, "y": 0}
RANKING = list("abcdefgh")
GRADED = {
    "AP": 0.482143,
    "nDCG@5": 0.468110,
    "nDCG(gain=exp)@5": 0.349233,
    "nDCG": 0.660694,
    "bpref": 0.5,
    "infAP": 0.5,
    "RBP(p=0.8)": 0.354829,
    "RBP(p=0.8,gain=graded)": 0.219895,
    "RBPResidual(p=0.8)": 0.403251,
    "RBP(p=0.9,gain=query)": 0.144111,
    "RBPResidual(p=0.9)": 0.618346,
    "ERR": 0.462891,
    "ERR(top=3)": 0.462891,
    "ERR(top=4)": 0.247803,
    "nERR": 0.512144,
    "Q": 0.461851,
    "ContextPrecision@5": 0.75,
    "ContextPrecision": 0.642857,
    "ContextPrecision(count=set)@5": 0.4,
    "id_based_context_precision": 0.375,
    "ContextRecall@5": 0.5,
    "Judged@5": 0.8,
    "hole@5": 0.2,
}


@pytest.mark.parametrize(("text", "expected"), GRADED.items(), ids=list(GRADED))
def test_the_graded_list_has_its_value_through_evaluate(text: str, expected: float) -> None:
    as_order = evaluate({"q": JUDGED}, {"q": RANKING}, [text])
    as_scores = evaluate({"q": JUDGED}, {"q": {item: 8.0 - place for place, item in enumerate(RANKING)}}, [text])
    assert as_order[text] == as_scores[text] == pytest.approx(expected, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(("text", "expected"), GRADED.items(), ids=list(GRADED))
def test_the_graded_list_has_its_value_through_the_measure(text: str, expected: float) -> None:
    grades = [JUDGED.get(item) for item in RANKING]
    missing = [float(grade) for item, grade in JUDGED.items() if item not in RANKING]
    topic = Topic(tuple(None if grade is None else float(grade) for grade in grades), tuple(missing))
    assert parse_measure(text).of(ranks_of([topic]))[0] == pytest.approx(expected, rel=0, abs=TOLERANCE)


def test_a_value_is_found_under_any_name_of_its_measure() -> None:
    scores = evaluate({"q": JUDGED}, {"q": RANKING}, ["AP", "RBP", "P@5"])
    assert scores["map"] == scores["MAP"] == scores["AP"]
    assert scores["RBP(p=0.8)"] == scores["RBP"]
    assert scores["P_5"] == scores["precision@5"] == scores["P@5"]
    for unknown in ("P@10", "nope", "RBP(p=0.5)"):
        with pytest.raises(KeyError):
            scores[unknown]


# L's sets


@pytest.mark.parametrize(
    ("retrieved", "relevant", "precision", "recall"),
    [
        ({2, 14, 25, 76, 84, 98}, {1, 2, 14, 22, 23, 25, 84, 89, 90, 98}, 0.833333, 0.5),
        ({10, 14, 60, 63, 77, 95}, {10, 14}, 0.333333, 1.0),
    ],
)
def test_unranked_sets_have_their_precision_and_recall(
    retrieved: set[int], relevant: set[int], precision: float, recall: float
) -> None:
    qrels = {"q": dict.fromkeys(map(str, relevant), 1)}
    scores = evaluate(qrels, {"q": dict.fromkeys(map(str, retrieved), 1.0)}, ["SetP", "SetR"])
    assert scores["SetP"] == pytest.approx(precision, rel=0, abs=TOLERANCE)
    assert scores["SetR"] == pytest.approx(recall, rel=0, abs=TOLERANCE)


# L's lists

FIRST = RelevantRanks.from_ranks([[1, 3, 6, 10, 15]], relevant=[10])
LISTED = {
    "AP": 0.29,
    "AP(area=oxford)": 0.270952,
    "AP(area=printed)": 0.170952,
    "P@5": 0.4,
    "P@10": 0.4,
    "P@15": 0.333333,
    "Rprec": 0.4,
    "IPrec11": 0.354545,
    "NMRR(gtm=10)": 0.538462,
}


@pytest.mark.parametrize(("text", "expected"), LISTED.items(), ids=list(LISTED))
def test_the_first_list_has_its_value(text: str, expected: float) -> None:
    assert parse_measure(text).of(FIRST)[0] == pytest.approx(expected, rel=0, abs=TOLERANCE)
    qrels = {"q": {f"d{rank}": 1 for rank in (1, 3, 6, 10, 15, 21, 22, 23, 24, 25)}}
    run = {"q": [f"d{rank}" for rank in range(1, 16)]}
    assert evaluate(qrels, run, [text])[text] == pytest.approx(expected, rel=0, abs=TOLERANCE)


def test_the_first_list_has_its_eleven_points() -> None:
    expected = [1, 1, 0.666667, 0.5, 0.4, 0.333333, 0, 0, 0, 0, 0]
    got = [parse_measure(f"IPrec@{level / 10:g}").of(FIRST)[0] for level in range(11)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("levels", "hits"), [("ceil", 1), ("trec_eval-9", 1), ("trec_eval-10", 0)])
def test_a_recall_level_becomes_hits_as_each_release_rounds(levels: str, hits: int) -> None:
    assert hits_needed(0.1, np.array([4]), levels).tolist() == [hits]


def test_levels_that_are_whole_hits_need_no_more_than_those() -> None:
    for relevant in range(10, 5000, 10):
        needed = [int(hits_needed(level, np.array([relevant]), "ceil")[0]) for level in RECALL_LEVELS]
        assert needed == [relevant * level // 10 for level in range(11)]


def test_two_queries_have_their_anmrr() -> None:
    both = RelevantRanks.from_ranks([[1, 3, 6, 10, 15], [1, 2, 5, 9]], relevant=[10, 4])
    np.testing.assert_allclose(NMRR().of(both), [0.538462, 0.1], rtol=0, atol=TOLERANCE)
    qrels = {
        "q1": {f"d{rank}": 1 for rank in (1, 3, 6, 10, 15, 21, 22, 23, 24, 25)},
        "q2": {f"d{rank}": 1 for rank in (1, 2, 5, 9)},
    }
    listed = [f"d{rank}" for rank in range(1, 21)]
    scores = evaluate(qrels, {"q1": listed, "q2": listed}, ["ANMRR"])
    assert scores["NMRR(gtm=10)"] == pytest.approx(0.319231, rel=0, abs=TOLERANCE)


def test_nmrr_counts_with_its_own_k_and_average_rank() -> None:
    """K = 20 and AVR = 16 give (16 - 5.5)/(25 - 5.5); an older draft's penalty of K + 1 gives (14 - 5.5)/(21 - 5.5)."""
    assert NMRR(gtm=10).of(FIRST)[0] == pytest.approx(10.5 / 19.5)
    average = (1 + 3 + 6 + 10 + 15 + 5 * 21) / 10
    assert NMRR(gtm=10, penalty="k+1").of(FIRST)[0] == pytest.approx((average - 5.5) / (20 + 0.5 - 5))


def test_nmrr_refuses_a_gtm_below_the_largest_class() -> None:
    with pytest.raises(MeasureError, match="largest class"):
        NMRR(gtm=9).of(FIRST)


def test_the_second_list_has_its_ap() -> None:
    ranks = RelevantRanks.from_ranks([[1, 3, 4, 6, 8]])
    assert AP().of(ranks)[0] == pytest.approx(0.741667, rel=0, abs=TOLERANCE)
    assert AP(area="oxford").of(ranks)[0] == pytest.approx(0.7046, rel=0, abs=5e-5)  # peers.md, trap 18
    assert AP(area="printed").of(ranks)[0] == pytest.approx(0.5046, rel=0, abs=5e-5)


def test_four_aps_have_their_means() -> None:
    values = np.array([0.742, 0.633, 0.874, 0.722])
    assert AP().summarize(values, "macro") == pytest.approx(0.74275, rel=0, abs=TOLERANCE)
    assert GMAP().summarize(values, "macro") == pytest.approx(0.737843, rel=0, abs=TOLERANCE)
    assert AP().summarize(values, "geometric") == pytest.approx(0.737843, rel=0, abs=TOLERANCE)


def test_a_geometric_mean_has_a_floor_and_says_how_many_stand_on_it() -> None:
    assert GMAP().summarize(np.array([0.5, 0, 0.25]), "macro") == pytest.approx(0.010772, rel=0, abs=TOLERANCE)
    qrels = {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}
    run = {"p": ["x", "a"], "q": ["x"], "r": ["x", "y", "z", "a"]}
    scores = evaluate(qrels, run, ["GMAP"])
    assert scores["GMAP"] == pytest.approx(0.010772, rel=0, abs=TOLERANCE)
    assert scores.systems[0].columns[0].floored == 1


def test_macro_and_micro_precision_differ_when_scopes_do() -> None:
    """Precisions 2/4 and 9/10, of whole lists."""
    qrels = {"p": {"a": 1, "b": 1}, "q": {f"d{number}": 1 for number in range(9)}}
    run = {"p": ["a", "x", "b", "y"], "q": [f"d{number}" for number in range(10)]}
    assert evaluate(qrels, run, ["SetP"])["SetP"] == pytest.approx(0.7, rel=0, abs=TOLERANCE)
    assert evaluate(qrels, run, ["SetP"], mean="micro")["SetP"] == pytest.approx(0.785714, rel=0, abs=TOLERANCE)
    assert evaluate(qrels, run, ["P@4"], mean="micro")["P@4"] == pytest.approx(evaluate(qrels, run, ["P@4"])["P@4"])
    micro_recall = evaluate(qrels, run, ["R@2"], mean="micro")["R@2"]
    assert micro_recall == pytest.approx((1 + 2) / (2 + 9))


def test_micro_ap_is_the_ap_of_all_lists_merged_by_score() -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 1, "b": 1}}
    run = {"p": {"a": 5.0, "x": 9.0}, "q": {"a": 7.0, "b": 1.0, "x": 3.0}}
    merged = ["p-x", "q-a", "p-a", "q-x", "q-b"]
    expected = (1 / 2 + 2 / 3 + 3 / 5) / 3
    assert merged.index("q-b") == 4
    assert evaluate(qrels, run, ["AP"], mean="micro")["AP"] == pytest.approx(expected)
    with pytest.raises(SettingError, match="no micro mean"):
        evaluate(qrels, run, ["nDCG"], mean="micro")
    with pytest.raises(SettingError, match="merges whole lists by score: it cannot go with depth="):
        evaluate(qrels, run, ["AP"], mean="micro", depth=3)


def test_micro_ap_leaves_out_junk_and_the_removed_query() -> None:
    qrels = {"p": {"a": 1, "p": 1}, "q": {"b": 1}}
    run = {"p": {"p": 9.0, "junk": 8.0, "x": 7.0, "a": 6.0}, "q": {"b": 1.0}}
    scores = evaluate(qrels, run, ["AP"], mean="micro", junk={"p": ["junk"]}, query_item="removed")
    assert scores["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    counted = evaluate({"p": {"a": 1}}, run, ["AP"], mean="micro", query_item="counted")
    assert counted["AP"] == pytest.approx((1 + 2 / 4) / 2)


def test_bullseye_has_its_value() -> None:
    ranks = RelevantRanks.from_ranks([[1, 2, 4, 9, 15]])
    assert Bullseye().of(ranks)[0] == pytest.approx(0.8, rel=0, abs=TOLERANCE)


# slips in the papers (section 10) that concern sections 1 and 2; those about the quadruple are in test_quadruple.py


@pytest.mark.parametrize("relevant", [1, 2, 5])
def test_the_printed_trapezoid_loses_the_first_step(relevant: int) -> None:
    """Slip 9: a perfect ranking scores 1 - 1/c, and 0 when c = 1; the corrected sum gives 1."""
    perfect = RelevantRanks.from_ranks([list(range(1, relevant + 1))])
    assert AP(area="printed").of(perfect)[0] == pytest.approx(1 - 1 / relevant)
    assert AP(area="oxford").of(perfect)[0] == pytest.approx(1)


def test_the_error_rate_is_the_complement_of_precision_at_one() -> None:
    """Slip 20: complement, not inverse."""
    ranks = RelevantRanks.from_ranks([[1], [2], [3], [1, 2]])
    assert ER().of(ranks).mean() == pytest.approx(1 - P(1).of(ranks).mean()) == pytest.approx(0.5)


def test_ap_divides_by_all_relevant_items_not_by_those_found() -> None:
    """Slip 20."""
    assert AP().of(FIRST)[0] == pytest.approx(0.29)
    assert AP(divisor="found").of(FIRST)[0] == pytest.approx(0.58)


# conventions


UNDEFINED = (
    "R@5",
    "AP",
    "Rprec",
    "F@5",
    "Effectiveness",
    "Effectiveness@5",
    "Estar",
    "Enorm",
    "NMRR",
    "generality_index",
)


@pytest.mark.parametrize("text", UNDEFINED)
def test_a_query_without_relevant_items_has_no_value_and_is_left_out(text: str) -> None:
    qrels = {"p": {"a": 0}, "q": {"a": 1}}
    scores = evaluate(qrels, {"p": ["a"], "q": ["a"]}, [text], collection_size=10)
    column = scores.systems[0].columns[0]
    assert math.isnan(column.values[0])
    assert column.averaged == 1
    assert column.summary == column.values[1]
    assert scores.coverage()["run"].no_relevant == ("p",)


def test_a_query_without_relevant_items_has_precision_zero() -> None:
    assert P(5).of(ranks_of([Topic((0.0, None))])).tolist() == [0]


def test_a_missing_query_scores_zero_and_is_no_reason_to_leave_it_out() -> None:
    scores = evaluate({"p": {"a": 1}, "q": {"a": 1}}, {"p": ["a"]}, ["AP", "ER"])
    assert (scores["AP"], scores["ER"]) == (0.5, 0.5)
    assert scores.systems[0].status == ["answered", "missing"]


def test_precision_keeps_its_divisor_beyond_the_end_of_the_list() -> None:
    ranks = RelevantRanks.from_ranks([[1, 2]], relevant=[5], depth=3)
    measures: tuple[Measure, ...] = (P(10), R(10), SetP(), SetR())
    assert [float(measure.of(ranks)[0]) for measure in measures] == pytest.approx([0.2, 0.4, 2 / 3, 0.4])
