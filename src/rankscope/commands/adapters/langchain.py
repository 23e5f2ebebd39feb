"""LangChain: what its retrievers return as runs, a retriever asked for each topic, and runs as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.commands.adapters.answers import ask_each, best_first, run_of_results
from rankscope.core.caching import import_extra
from rankscope.inputs.library_objects import IdChoice
from rankscope.inputs.run import Run


def from_documents(answers: Mapping[Any, Sequence[Any]], *, id: IdChoice = None, name: str = "run") -> Run:
    """A run from documents by query, best first, or from pairs (document, score).

    An item is called by the document's `id`, else by the `id`, `doc_id`, ... of its metadata; `id` chooses another key,
    an attribute, or a function of the document. Scores are kept where they fall down each list; a distance does not.
    >>> from types import SimpleNamespace as Document
    >>> found = [Document(page_content="...", metadata={"source": name}) for name in ("a.txt", "b.txt")]
    >>> from_documents({"q1": found}, id="source").table().get_column("item").to_list()
    ['a.txt', 'b.txt']
    """
    return run_of_results(answers, id, name)


def from_retriever(
    retriever: Any, topics: Any, *, id: IdChoice = None, name: str = "run", parts: str | None = None
) -> Run:
    """A run from a retriever, whose `invoke` is called with the text of each topic.

    `topics`: {query: text}, a file of topics, a BEIR folder or irds:NAME; `parts` as of `rankscope.search`.
    """
    return run_of_results(ask_each(retriever, "invoke", topics, parts), id, name)


def to_documents(run: Any, texts: Mapping[str, str] | None = None) -> dict[str, list[Any]]:
    """The documents of each query, best first: id, the text where `texts` has one, and the score as metadata."""
    package = import_extra("langchain_core.documents", "langchain-core", "retrievers")
    have = texts or {}
    return {
        query: [package.Document(have.get(item, ""), id=item, metadata={"score": score}) for item, score in found]
        for query, found in best_first(run).items()
    }
