"""Peers that are too heavy to run here, by reading: small values derived by hand from what their code does."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from rankscope.core.peers import PEERS
from rankscope.measures.evaluation.evaluate import evaluate

HITS = {1: 1, 3: 1, 4: 1, 6: 1, 8: 1}  # ranks of five relevant items


def ranked(name: str, *items: str) -> pl.DataFrame:
    """One query's list, with scores and ranks."""
    places = range(1, len(items) + 1)
    return pl.DataFrame(
        {"query": [name] * len(items), "item": items, "score": [-float(place) for place in places], "rank": places}
    )


def value(peer: str | None, measure: str, grades: dict[str, int], *items: str, query: str = "q", **more: Any) -> float:
    return evaluate({query: grades}, ranked(query, *items), [measure], compat=peer, **more)[measure]


@pytest.mark.parametrize(
    ("peer", "expected"),
    [(None, 1 / 3), ("trec_eval-9", 1 / 3), ("torchmetrics", 1.0), ("open-metric-learning", 1.0)],
)
def test_average_precision_at_2_has_the_peers_divisor(peer: str | None, expected: float) -> None:
    """Relevance 1, 0, 1, 1: all relevant items, or those found among the first two."""
    assert value(peer, "AP@2", {"a": 1, "c": 1, "d": 1}, "a", "b", "c", "d") == pytest.approx(expected)
    assert value(None, "AP(divisor=min)@2", {"a": 1, "c": 1, "d": 1}, "a", "b", "c", "d") == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("peer", "expected"),
    [(None, 0.3), ("beir", 0.3), ("torchmetrics", 0.3), ("open-metric-learning", 1.0), ("revisitop", 3 / 4)],
)
def test_precision_at_10_of_a_short_list_has_the_peers_divisor(peer: str | None, expected: float) -> None:
    """Three hits at ranks 1, 2 and 4 of three relevant items: k, min(k, R), or min(k, deepest hit)."""
    assert value(peer, "P@10", {"a": 1, "b": 1, "d": 1}, "a", "b", "c", "d") == pytest.approx(expected)


def test_average_precision_as_an_area_is_revisitops() -> None:
    items = [f"hit{rank}" if rank in HITS else f"x{rank}" for rank in range(1, 9)]
    grades = {f"hit{rank}": 1 for rank in HITS}
    assert value(None, "AP", grades, *items) == pytest.approx(0.7417, abs=5e-5)
    assert value("revisitop", "AP", grades, *items) == pytest.approx(0.7046, abs=5e-5)
    assert value(None, "AP(area=printed)", grades, *items) == pytest.approx(0.5046, abs=5e-5)
    assert value("revisitop", "AP", {"a": 1}, "a", "b") == 1.0


def test_junk_leaves_the_list_before_ranks_are_counted_for_revisitop() -> None:
    with_junk = value("revisitop", "AP", {"a": 1, "b": 1}, "q", "a", "junk", "b", junk={"q": ["junk"]})
    assert with_junk == 1.0


def test_queries_without_positives_are_left_out_by_revisitop_and_metric_learning() -> None:
    lists = pl.concat([ranked("1", "a", "b"), ranked("2", "a", "b")])
    for peer, mean in (("revisitop", 1.0), ("pytorch-metric-learning", 1.0), ("torchmetrics", 0.5), ("LIRE", 0.5)):
        scores = evaluate({"1": {"a": 1}, "2": {"b": 0}}, lists, ["P@1"], compat=peer)
        assert scores["P@1"] == mean, peer


def test_map_at_r_counts_hits_among_the_first_r_and_divides_by_r() -> None:
    """Four relevant items at ranks 1, 3, 5 and 6: 1 and 2/3 stand within rank 4."""
    grades, items = {"a": 1, "c": 1, "e": 1, "f": 1}, "abcdef"
    expected = (1 + 2 / 3) / 4
    assert value("pytorch-metric-learning", "MAP@R", grades, *items) == pytest.approx(expected)
    assert value(None, "AP(within=R)", grades, *items) == pytest.approx(expected)
    assert value("pytorch-metric-learning", "AP", grades, *items[:3]) == pytest.approx((1 + 2 / 3) / 2)
    assert value("pytorch-metric-learning", "Rprec", grades, *items) == 0.5


def test_the_query_counts_as_a_hit_for_lire() -> None:
    """R and one more: hits at ranks 1 (the query) and 3 of 1 + 1 relevant items; so the error rate is always 0."""
    assert value("LIRE", "AP", {"a": 1}, "q", "x", "a") == pytest.approx((1 + 2 / 3) / 2)
    assert value("LIRE", "ER", {"a": 1}, "q", "x", "a") == 0.0
    assert value("LIRE", "P@10", {"a": 1}, "q", "x", "a") == pytest.approx(0.2)
    assert value(None, "ER", {"a": 1}, "q", "x", "a") == 1.0


def test_the_query_itself_is_removed_for_beir() -> None:
    assert value("beir", "RR@10", {"a": 1}, "q", "a") == 1.0
    assert value("beir", "nDCG@10", {"a": 1}, "q", "a") == 1.0
    assert value(None, "nDCG@10", {"a": 1}, "q", "a") == pytest.approx(1 / math.log2(3))


def test_beir_averages_its_trec_measures_over_answered_queries_and_mrr_over_all() -> None:
    scores = evaluate({"1": {"a": 1}, "2": {"a": 1}}, ranked("1", "a"), ["nDCG@10", "RR@10"], compat="beir")
    assert (scores["nDCG@10"], scores["RR@10"]) == (1.0, 0.5)


def test_beir_breaks_the_ties_of_mrr_by_the_order_given_and_others_by_falling_id() -> None:
    scores = evaluate({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, ["AP@10", "RR@10"], compat="beir")
    assert (scores["AP@10"], scores["RR@10"]) == (0.5, 1.0)


def test_beir_has_scores_of_32_bits_but_for_mrr() -> None:
    scores = evaluate({"1": {"a": 1}}, {"1": {"b": 1.0, "a": 1.00000001}}, ["AP@10", "RR@10"], compat="beir")
    assert (scores["AP@10"], scores["RR@10"]) == (0.5, 1.0)


@pytest.mark.parametrize("order", ["bc", "cb"])
def test_torchmetrics_averages_ndcg_over_the_orders_of_a_tie_and_ap_follows_the_order_given(order: str) -> None:
    run = {"q": dict.fromkeys(order, 1.0)}
    scores = evaluate({"q": {"b": 1, "c": 0}}, run, ["nDCG", "AP"], compat="torchmetrics")
    assert scores["nDCG"] == pytest.approx(0.8155, abs=5e-5)
    assert scores["AP"] == (1.0 if order == "bc" else 0.5)


def test_negative_grades_take_away_from_torchmetrics_ndcg_in_the_list_and_in_the_ideal() -> None:
    """Grades -1, 0, 2: -1/log2(2) + 2/log2(4) = 0; grades 2, -1, 0: 2 - 1/log2(3) over 2 - 1/log2(4)."""
    assert value("torchmetrics", "nDCG", {"a": -1, "b": 0, "c": 2}, "a", "b", "c") == pytest.approx(0.0)
    second = (2 - 1 / math.log2(3)) / (2 - 1 / 2)
    assert value("torchmetrics", "nDCG", {"a": 2, "b": -1, "c": 0}, "a", "b", "c") == pytest.approx(second)
    tied = evaluate({"q": {"a": 2, "b": -1}}, {"q": {"a": 1.0, "b": 1.0}}, ["nDCG"], compat="torchmetrics")
    assert tied["nDCG"] == pytest.approx((0.5 * (1 + 1 / math.log2(3))) / (2 - 1 / math.log2(3)))


def test_linear_and_exponential_gain_are_both_there_by_name() -> None:
    """The best item, of grade 3, stands third: behind the cut of the list, but first in the ideal order."""
    grades = {"a": 1, "b": 0, "c": 3}
    linear = 1.0 / (3 + 1 / math.log2(3))
    exponential = 1.0 / (7 + 1 / math.log2(3))
    assert value(None, "nDCG@2", grades, "a", "b", "c") == pytest.approx(linear)
    assert value("torchmetrics", "nDCG@2", grades, "a", "b", "c") == pytest.approx(linear)
    assert value(None, "nDCG(gain=exp)@2", grades, "a", "b", "c") == pytest.approx(exponential)


def test_each_peer_that_is_not_run_is_here() -> None:
    read = {"beir", "torchmetrics", "pytorch-metric-learning", "open-metric-learning", "revisitop", "LIRE"}
    assert {peer.name for peer in PEERS if not peer.run_in_tests} == read


def test_rbp_of_ir_measures_keeps_the_order_given_and_its_weights_add_to_one() -> None:
    """cwl_eval gets the run stably sorted by score; over 1,000 ranks weights of p = 1 are 1/1000 each."""
    lists = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": [1.0, 1.0]})
    names = ["RBP(p=0.5)", "RBP(p=1)"]
    default = evaluate({"q": {"a": 1}}, lists, names)
    theirs = evaluate({"q": {"a": 1}}, lists, names, compat="ir_measures")
    assert [default[name] for name in names] == [0.25, 0.0]
    assert [theirs[name] for name in names] == pytest.approx([0.5, 0.001])
