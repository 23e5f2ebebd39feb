"""What a measure refuses, because its number would be no number."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import MeasureError
from rankscope.measures import ALL, ERR, RBP, Measure, Utility, nERR
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.scores import Column
from rankscope.measures.notation import parse_measure, parse_measures
from rankscope.ranks import RelevantRanks
from tests.measures.examples import examples

RANKS = RelevantRanks.from_ranks([[1, 3]], grades=[[2, 1]])
NEEDS_COLLECTION = [measure for measure in examples(ALL) if "collection" in measure.needs]


@pytest.mark.parametrize("measure", [*NEEDS_COLLECTION, Utility(d=1)], ids=str)
def test_a_measure_that_needs_the_collection_asks_for_it(measure: Measure) -> None:
    with pytest.raises(MeasureError, match=r"size of the collection.*--collection-size"):
        measure.of(RANKS)
    assert measure.of(RANKS.with_collection(20)).shape == (1,)


def test_a_collection_that_holds_nothing_has_no_utility() -> None:
    ranks = RelevantRanks.from_ranks([[], [1]], collection=[0, 3])  # the only item was the first query itself
    assert Utility(d=1).of(ranks).tolist() == [0.0, 3.0]


def test_no_other_measure_asks_for_the_collection() -> None:
    for measure in examples(ALL):
        if not isinstance(measure, Utility) and not measure.needs & {"collection", "subtopics"}:
            assert measure.of(RANKS).shape == (1,)


@pytest.mark.parametrize("measure", [each for each in examples(ALL) if "subtopics" in each.needs], ids=str)
def test_a_measure_of_diversity_asks_for_subtopics(measure: Measure) -> None:
    with pytest.raises(MeasureError, match=r"needs judgements of subtopics.*--subtopics"):
        measure.of(RANKS)


@pytest.mark.parametrize("measure", [each for each in NEEDS_COLLECTION if each.level == 1], ids=str)
def test_a_collection_smaller_than_the_class_is_refused(measure: Measure) -> None:
    ranks = RelevantRanks.from_ranks([[1]], grades=[[3]], relevant=[6], collection=5)
    with pytest.raises(MeasureError, match=r"relevant items <= collection size.*query q1 has 6 and the collection 5"):
        measure.of(ranks)


def test_a_scope_beyond_the_collection_is_refused_where_the_collection_counts() -> None:
    with pytest.raises(MeasureError, match="scope <= collection size"):
        parse_measure("Estar@21").of(RANKS.with_collection(20))
    parse_measure("Estar@20").of(RANKS.with_collection(20))
    parse_measure("P@21").of(RANKS.with_collection(20))


@pytest.mark.parametrize("measure", [ERR(top=1), nERR(top=1), RBP(gain="graded", top=1)], ids=str)
def test_a_top_grade_below_the_judgements_is_refused(measure: Measure) -> None:
    with pytest.raises(MeasureError, match="judgements go up to grade 2"):
        measure.of(RANKS)


@pytest.mark.parametrize(
    "text",
    [
        "P",
        "P@0",
        "P@-1",
        "P@1.5",
        "P@x",
        "P@nan",
        "P@²",
        "AP@0",
        "AP(rel=nan)",
        "IPrec@1.5",
        "IPrec@-0.1",
        "IPrec@nan",
        "RBP(p=1.1)",
        "RBP(gain=other)",
        "E(alpha=2)@5",
        "F(b=-1)@5",
        "NMRR(gtm=0)",
        "nDCG(rel=2)",
        "Rprec@5",
        "AP(5,5,5,5,5)",
        "P(scope=5)@5",
        "nope",
        "",
        "P(5",
        "P@5@6",
        "P 5",
        "r-precision@5",
        "hit_rate@0",
        "f1@0",
        "P_5.5",
        "P_0",
        "recall_2.5",
        "P(rel=1,rel=2)@5",
    ],
)
def test_what_is_no_measure_is_refused(text: str) -> None:
    with pytest.raises(MeasureError):
        parse_measure(text)


@pytest.mark.parametrize("text", ["P.5..", "P.5.5", "P.0", "recall.1.5"])
def test_a_family_with_a_bad_cut_off_is_refused(text: str) -> None:
    with pytest.raises(MeasureError):
        parse_measures(text)


def test_a_name_that_is_nearly_right_gets_a_hint() -> None:
    with pytest.raises(MeasureError, match="did you mean 'nDCG@10'"):
        parse_measure("nDCQ@10")


def test_a_level_for_all_is_for_measures_that_do_not_say_their_own() -> None:
    assert str(parse_measure("P@5", rel=2)) == "P(rel=2)@5"
    assert str(parse_measure("P(rel=1)@5", rel=2)) == "P@5"
    assert str(parse_measure("P(3)@5", rel=2)) == "P(rel=3)@5"
    assert str(parse_measure("nDCG@5", rel=2)) == "nDCG@5"
    assert str(parse_measure("map", rel=2)) == "AP(rel=2)"


def test_a_value_without_a_number_is_not_counted_as_averaged() -> None:
    """Everything relevant: E_norm is undefined though the query has relevant items."""
    scores = evaluate({"p": {"a": 1, "b": 1}, "q": {"a": 1}}, {"p": ["a"], "q": ["a"]}, "Enorm", collection_size=2)
    column: Column = scores.systems[0].columns[0]
    assert np.isnan(column.values[0])
    assert column.summary == 1
    assert column.averaged == 1
    by_class = scores.by_class()
    assert by_class.get_column("mean").to_list() == [1]
    assert by_class.get_column("queries").to_list() == [1]
