"""In and out again gives the same scores, for every library; what is wrong is told as it is of files."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings

import rankscope
from rankscope.commands import adapters
from tests.commands.adapters.shared import NEEDS, problems, values_of
from tests.needs import needed_module

FEW = settings(max_examples=25)
Way = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def through(qrels: Way, run: Way, problem: tuple[Any, Any]) -> None:
    """Both there and back, and the objects in between as they are."""
    judged, ranked = problem
    there = qrels[0](judged), run[0](ranked)
    wanted = values_of(judged, ranked)
    assert values_of(*there) == wanted
    assert values_of(qrels[1](there[0]), run[1](there[1])) == wanted


@FEW
@given(problems())
def test_ranx(problem: tuple[Any, Any]) -> None:
    needed_module("ranx", "peers")
    ranx = adapters.ranx
    through((ranx.to_qrels, ranx.from_qrels), (ranx.to_run, ranx.from_run), problem)


@FEW
@given(problems())
def test_ir_datasets(problem: tuple[Any, Any]) -> None:
    needed_module("ir_datasets", "datasets")
    there = adapters.ir_datasets
    through((there.to_qrels, there.from_qrels), (there.to_scoreddocs, there.from_scoreddocs), problem)


@FEW
@given(problems())
def test_pyterrier(problem: tuple[Any, Any]) -> None:
    needed_module("pandas", "pandas")
    there = adapters.pyterrier
    through((there.to_qrels, there.from_qrels), (there.to_results, there.from_results), problem)


@FEW
@given(problems())
def test_beir(problem: tuple[Any, Any]) -> None:
    there = adapters.beir
    through((there.to_qrels, there.from_qrels), (there.to_results, there.from_results), problem)


@FEW
@given(problems())
def test_mteb(problem: tuple[Any, Any]) -> None:
    qrels, run = problem
    there = adapters.mteb
    assert values_of(qrels, there.from_predictions(there.to_predictions(run))) == values_of(qrels, run)


@FEW
@given(problems(distinct=True))
def test_documents_and_nodes(problem: tuple[Any, Any]) -> None:
    qrels, run = problem
    listed = {query: sorted(found.items(), key=lambda each: -each[1]) for query, found in run.items()}
    documents = {query: [document(item) for item, _ in found] for query, found in listed.items()}
    pairs = {query: [(document(item), score) for item, score in found] for query, found in listed.items()}
    nodes = {query: [node(item, score) for item, score in found] for query, found in listed.items()}
    for answers in (documents, pairs, nodes):
        assert values_of(qrels, answers) == values_of(qrels, run)
    assert values_of(qrels, adapters.langchain.from_documents(documents)) == values_of(qrels, run)
    assert values_of(qrels, adapters.llama_index.from_nodes(nodes)) == values_of(qrels, run)


def document(item: Any) -> SimpleNamespace:
    return SimpleNamespace(page_content="...", id=item, metadata={})


def node(item: Any, score: float | None) -> SimpleNamespace:
    return SimpleNamespace(node=SimpleNamespace(node_id=item, metadata={}), score=score)


NAN = {"q1": {"a b": float("nan")}}


OUT: dict[Callable[[Any], Any], str] = {  # and the package it needs
    adapters.ranx.to_run: "ranx",
    adapters.ir_datasets.to_scoreddocs: "ir_datasets",
    adapters.pyterrier.to_results: "pandas",
    adapters.beir.to_results: "",
    adapters.mteb.to_predictions: "",
    adapters.langchain.to_documents: "langchain_core",
}


@pytest.mark.parametrize("convert", OUT, ids=lambda convert: convert.__module__.rpartition(".")[2])
def test_a_score_that_is_no_number_is_told_as_of_a_file(convert: Callable[[Any], Any]) -> None:
    NEEDS.get(OUT[convert], lambda: None)()
    with pytest.raises(rankscope.InputError, match="item a b: score must be a number, got nan"):
        convert(NAN)


def test_a_nan_in_an_object_of_another_library_is_told_alike() -> None:
    ranx = needed_module("ranx", "peers")
    with pytest.raises(rankscope.InputError, match="item a b: score must be a number, got nan"):
        rankscope.evaluate({"q1": {"a b": 1}}, ranx.Run(NAN), "AP")
    frame = needed_module("pandas", "pandas").DataFrame({"qid": ["q1"], "docno": ["a"], "score": [float("nan")]})
    with pytest.raises(rankscope.InputError, match="row 1: score"):
        rankscope.evaluate({"q1": {"a": 1}}, frame, "AP")


def test_an_item_twice_is_told_as_of_a_file() -> None:
    twice = {"q1": [document("a"), document("a")]}
    with pytest.raises(rankscope.InputError, match="query q1: item 'a' is ranked twice"):
        rankscope.evaluate({"q1": {"a": 1}}, twice, "AP")
    with pytest.raises(rankscope.InputError, match="query q1: item 'a' is there twice"):
        adapters.mteb.to_predictions((["q1", "q1"], ["a", "a"], [2.0, 1.0]))
    assert rankscope.evaluate({"q1": {"a": 1}}, twice, "AP", duplicates="first")["AP"] == 1.0


def test_a_grade_with_a_fraction_is_refused_where_grades_are_whole() -> None:
    needed_module("ranx", "peers")
    needed_module("ir_datasets", "datasets")
    for convert in (adapters.ranx.to_qrels, adapters.ir_datasets.to_qrels, adapters.beir.to_qrels):
        with pytest.raises(rankscope.InputError, match=r"grade 0\.5 is not whole"):
            convert({"q1": {"a": 0.5}})


def test_empty_lists_are_unanswered_queries() -> None:
    assert rankscope.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": [], "q2": [document("a")]}, "AP")["AP"] == 0.5
    needed_module("ranx", "peers")
    assert len(adapters.ranx.to_run({"q1": {}})) == 0
