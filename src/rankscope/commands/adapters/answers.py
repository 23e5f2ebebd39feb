"""What retrievers of any library answer: a run from their results, their answers to topics, results from a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankscope.core.errors import InputError
from rankscope.inputs.documents.topics import read_topics
from rankscope.inputs.library_objects import IdChoice, rows_of_results
from rankscope.inputs.run import Run


def run_of_results(answers: Mapping[Any, Any], id: IdChoice, name: str) -> Run:
    """A run from lists of results by query; whatever is no such dictionary is refused."""
    if not isinstance(answers, Mapping):
        what = f"must be a dictionary {{query: [result, ...]}}, got {type(answers).__name__}"
        raise InputError.of(name, [what], "A list alone does not say which query it answers.")
    return Run.of(rows_of_results(answers, id, name), name=name)


def ask_each(retriever: Any, method: str, topics: Any, parts: str | None) -> dict[str, Any]:
    """The answer of a retriever to the text of each topic."""
    ask = getattr(retriever, method, None)
    if not callable(ask):
        what = f"a {type(retriever).__name__} has no method {method}"
        raise InputError.of("retriever", [what], "Give a retriever, or its results by query.")
    return {query: list(ask(text)) for query, text in read_topics(topics).texts(parts).items()}


def best_first(run: Any) -> dict[str, list[tuple[str, float]]]:
    """Items and scores of each query, the highest score first; equal ones in the order they came.

    >>> best_first({"q": {"a": 1.0, "b": 2.0}})
    {'q': [('b', 2.0), ('a', 1.0)]}
    """
    nested = Run.of(run).to_dict()
    return {query: sorted(found.items(), key=lambda each: -each[1]) for query, found in nested.items()}
