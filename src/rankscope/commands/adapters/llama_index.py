"""LlamaIndex: what its retrievers return as runs, a retriever asked for each topic, and runs as nodes with scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.commands.adapters.answers import ask_each, best_first, run_of_results
from rankscope.core.caching import import_extra
from rankscope.inputs.library_objects import IdChoice
from rankscope.inputs.run import Run


def from_nodes(answers: Mapping[Any, Sequence[Any]], *, id: IdChoice = None, name: str = "run") -> Run:
    """A run from nodes with scores by query, best first, or from answers of a query engine, which hold their nodes.

    An item is called by its `node_id`, which is a chunk's. `id="ref_doc_id"` names the document it was cut from; then
    evaluate with `duplicates="first"`, so that the best chunk counts. A key of the metadata or a function will do too.
    >>> from types import SimpleNamespace as Node
    >>> found = [Node(node=Node(node_id="n1"), score=0.9), Node(node=Node(node_id="n7"), score=0.4)]
    >>> from_nodes({"q1": found}).table().rows()
    [('q1', 'n1', 0.9), ('q1', 'n7', 0.4)]
    """
    return run_of_results(answers, id, name)


def from_retriever(
    retriever: Any, topics: Any, *, id: IdChoice = None, name: str = "run", parts: str | None = None
) -> Run:
    """A run from a retriever, whose `retrieve` is called with the text of each topic.

    `topics`: {query: text}, a file of topics, a BEIR folder or irds:NAME; `parts` as of `rankscope.search`.
    """
    return run_of_results(ask_each(retriever, "retrieve", topics, parts), id, name)


def to_nodes(run: Any, texts: Mapping[str, str] | None = None) -> dict[str, list[Any]]:
    """The nodes of each query with their scores, best first; their text where `texts` has one."""
    schema = import_extra("llama_index.core.schema", "llama-index-core", "retrievers")
    have = texts or {}
    return {
        query: [
            schema.NodeWithScore(node=schema.TextNode(id_=item, text=have.get(item, "")), score=score)
            for item, score in found
        ]
        for query, found in best_first(run).items()
    }
