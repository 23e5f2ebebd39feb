"""What retrievers of LangChain and LlamaIndex return, lists of documents or nodes by query, as rankings.

They are known by how they look, so that neither library is imported. The order of a list is the ranking. Scores that
come with it are kept where every result has one and none rises down its list; a distance rises, and then the order
alone counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from rankscope.column_names import ITEM
from rankscope.inputs.checks import Problems
from rankscope.inputs.ids import id_text

IdChoice: TypeAlias = str | Callable[[Any], Any] | None
METADATA = ("id", *ITEM)  # where an id stands in the metadata of a document that has none of its own
NO_ID = (
    "Say what it is called by: rankscope.adapters.langchain.from_documents(answers, id=...), or llama_index.from_nodes,"
    " with a key of the metadata, an attribute, or a function of a result."
)


def is_result(value: object) -> bool:
    """Whether a value is a document of LangChain or a node of LlamaIndex, perhaps in a pair with its score.

    >>> is_result("d1"), is_result(("d1", 0.5))
    (False, False)
    """
    found = _without_score(value)
    return hasattr(found, "page_content") or hasattr(found, "node_id")


def holds_results(data: object) -> bool:
    """Whether a dictionary holds lists of such results; the first one that is there says it."""
    if not isinstance(data, Mapping):
        return False
    lists = (each for each in data.values() if isinstance(each, list | tuple) and each)
    return is_result(next((each[0] for each in lists), None))


def rows_of_results(answers: Mapping[Any, Any], id: IdChoice = None, place: str = "run") -> Any:
    """The same as a ranking that every reader of Python objects takes: three columns, or {query: [item, ...]}.

    A result without an id, and whatever is no result, is a problem; all are told at once.
    """
    problems = Problems(place)
    found = {query: list(_results(query, given, id, problems)) for query, given in answers.items()}
    problems.raise_if_any()
    if not _has_falling_scores(found.values()):
        return {query: [each.item for each in results] for query, results in found.items()}
    rows = [(query, each.item, each.score) for query, results in found.items() for each in results]
    return tuple(map(list, zip(*rows, strict=True)))


@dataclass(frozen=True)
class _Result:
    item: Any
    score: float | None


def _results(query: object, given: Any, id: IdChoice, problems: Problems) -> Iterator[_Result]:
    given = getattr(given, "source_nodes", given)  # of an answer of LlamaIndex, what it rests on
    if not isinstance(given, list | tuple):
        problems.add(f"query {query}", f"must have a list of results, got {type(given).__name__}")
        return
    for number, each in enumerate(given, 1):
        if not is_result(each):
            what = f"must be a LangChain document or a LlamaIndex node, got {type(each).__name__}"
            problems.add(f"query {query}, result {number}", what)
            continue
        item = _item(_without_score(each), id)
        if not id_text(item):
            problems.add(f"query {query}, result {number}", "has no id", NO_ID)
        yield _Result(item, _score(each))


def _without_score(value: Any) -> Any:
    """The document of a pair (document, score), the node of a node with score, else the value."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    return getattr(value, "node", value)


def _score(value: Any) -> Any:
    return value[1] if isinstance(value, tuple) else getattr(value, "score", None)


def _item(found: Any, id: IdChoice) -> Any:
    if callable(id):
        return id(found)
    metadata = getattr(found, "metadata", None) or {}
    if id is not None:
        return metadata[id] if id in metadata else getattr(found, id, None)
    own = getattr(found, "node_id", None) or getattr(found, "id", None)
    return own if own is not None else next((metadata[name] for name in METADATA if metadata.get(name)), None)


def _has_falling_scores(lists: Any) -> bool:
    scores: list[Sequence[Any]] = [[each.score for each in results] for results in lists]
    known = any(scores) and all(score is not None for each in scores for score in each)
    return known and not any(upper < lower for each in scores for upper, lower in pairwise(each))
