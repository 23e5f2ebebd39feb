"""Results of LangChain and LlamaIndex, as the libraries wrote them and as langchain-core itself returns them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import rankscope
from rankscope.commands.adapters import langchain, llama_index
from tests.commands.adapters.shared import golden
from tests.commands.adapters.test_round_trips import document, node
from tests.needs import needed_module

TOPICS = {"1": "a quick fox", "2": "dogs"}
TEXTS = {"d1": "a fox", "d2": "a dog", "d3": "a cat"}


def documents_of_langchain() -> dict[str, list[Any]]:
    """What its retriever's `invoke` gave."""
    return {query: [restored(each) for each in found] for query, found in golden("langchain")["invoke"].items()}


def restored(written: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**written["kwargs"])


def nodes_of_llama_index() -> dict[str, list[Any]]:
    """What its retriever's `retrieve` gave: a node has its id as `node_id`, and the id of its document."""
    return {
        query: [
            SimpleNamespace(
                node=SimpleNamespace(
                    node_id=each["node"]["id_"], metadata=each["node"]["metadata"], ref_doc_id=each["ref_doc_id"]
                ),
                score=each["score"],
            )
            for each in found
        ]
        for query, found in golden("llama_index").items()
    }


def test_documents_are_a_run_by_their_order() -> None:
    answers = documents_of_langchain()
    run = langchain.from_documents(answers)
    assert run.table().get_column("item").to_list() == [each.id for found in answers.values() for each in found]
    assert not run.gives_scores
    by_source = langchain.from_documents(answers, id="source").table().get_column("item").to_list()
    assert by_source == [each.metadata["source"] for found in answers.values() for each in found]
    by_function = langchain.from_documents(answers, id=lambda each: each.page_content.upper())
    assert by_function.table().item(0, "item").startswith("TEXT NUMBER")


def test_scores_are_kept_where_they_fall_and_distances_are_not() -> None:
    written = golden("langchain")["similarity_search_with_score"]
    pairs = {query: [(restored(each), score) for each, score in found] for query, found in written.items()}
    run = langchain.from_documents(pairs)
    assert run.table().get_column("score").to_list() == [score for found in pairs.values() for _, score in found]
    distances = {query: [(each, 1 - score) for each, score in found] for query, found in pairs.items()}
    assert langchain.from_documents(distances).to_dict() == langchain.from_documents(documents_of_langchain()).to_dict()


def test_nodes_are_a_run_by_chunk_or_by_document() -> None:
    answers = nodes_of_llama_index()
    run = llama_index.from_nodes(answers, name="vectors")
    assert run.name == "vectors"
    rows = [(query, each.node.node_id, each.score) for query, found in answers.items() for each in found]
    assert run.table().rows() == rows
    assert llama_index.from_nodes(answers, id="ref_doc_id").table().item(0, "item") == rows[0][1].partition("-")[0]
    assert llama_index.from_nodes(answers, id="file_name").table().item(0, "item").endswith(".txt")


def test_of_several_chunks_of_a_document_the_best_counts() -> None:
    places = {"n1": "b", "n2": "a", "n3": "b"}
    chunks = [SimpleNamespace(node_id=chunk, ref_doc_id=name, metadata={}) for chunk, name in places.items()]
    run = llama_index.from_nodes({"q": chunks}, id="ref_doc_id")
    assert rankscope.evaluate({"q": {"b": 1}}, run, "RR", duplicates="first")["RR"] == 1.0


def test_an_answer_is_the_nodes_that_it_rests_on() -> None:
    answer = SimpleNamespace(source_nodes=[node("a", 0.9)])
    assert llama_index.from_nodes({"q": answer}).to_dict() == {"q": {"a": 0.9}}  # type: ignore[dict-item]


def test_a_node_without_score_leaves_the_order() -> None:
    run = llama_index.from_nodes({"q": [node("a", None), node("b", 0.5)]})
    assert run.to_dict() == {"q": {"a": 0.0, "b": -1.0}}


class Retriever:
    """Answers with the words of the question."""

    def invoke(self, text: str) -> list[SimpleNamespace]:
        return [document(word) for word in text.split()]

    def retrieve(self, text: str) -> list[SimpleNamespace]:
        return [node(word, 1 / place) for place, word in enumerate(text.split(), 1)]


def test_a_retriever_is_asked_for_each_topic() -> None:
    wanted = {"1": ["a", "quick", "fox"], "2": ["dogs"]}
    for run in (langchain.from_retriever(Retriever(), TOPICS), llama_index.from_retriever(Retriever(), TOPICS)):
        assert {query: list(found) for query, found in run.to_dict().items()} == wanted


def test_what_is_wrong_is_told_at_once() -> None:
    with pytest.raises(rankscope.InputError) as caught:
        langchain.from_documents({"1": [SimpleNamespace(page_content="x", metadata={})], "2": "d1", "3": ["d1"]})
    told = str(caught.value)
    assert "query 1, result 1: has no id" in told
    assert "query 2: must have a list of results, got str" in told
    assert "query 3, result 1: must be a LangChain document or a LlamaIndex node, got str" in told
    assert "rankscope.commands.adapters.langchain.from_documents(answers, id=...)" in told
    with pytest.raises(rankscope.InputError, match="A list alone does not say which query it answers"):
        langchain.from_documents([document("a")])  # type: ignore[arg-type]
    with pytest.raises(rankscope.InputError, match="a dict has no method retrieve"):
        llama_index.from_retriever({}, TOPICS)


def test_langchain_itself_there_and_back() -> None:
    needed_module("langchain_core", "peers")
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(text, id=name) for name, text in TEXTS.items()])
    run = langchain.from_retriever(store.as_retriever(search_kwargs={"k": 2}), {"q1": "a dog", "q2": "a cat"})
    assert [(query, next(iter(found))) for query, found in run.to_dict().items()] == [("q1", "d2"), ("q2", "d3")]
    documents = langchain.to_documents(run, texts=TEXTS)
    assert {type(each) for found in documents.values() for each in found} == {Document}
    assert (documents["q1"][0].id, documents["q1"][0].page_content) == ("d2", "a dog")
    assert langchain.from_documents(documents).to_dict() == run.to_dict()
    assert rankscope.evaluate({"q1": {"d2": 1}, "q2": {"d3": 1}}, documents, "RR")["RR"] == 1.0
