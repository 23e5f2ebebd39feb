"""Judgements and rankings in the objects of other libraries, known by how they look: none of them is imported.

ranx (Run, Qrels), ir_datasets (a dataset, or its qrels and scoreddocs), ir_measures (Qrel, ScoredDoc), and what
retrievers of LangChain and LlamaIndex return: lists of documents or nodes by query. The order of such a list is the
ranking; scores that come with it are kept where every result has one and none rises down its list, for a distance
rises. Frames of pandas, PyTerrier's among them, are read as tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from rankscope.core.columns import ITEM
from rankscope.core.errors import InputError
from rankscope.inputs.problems import Problems
from rankscope.inputs.values import id_text

ATTRIBUTE = {"score": "run", "grade": "qrels"}  # where ranx has it
ITERATOR = {"score": "scoreddocs_iter", "grade": "qrels_iter"}  # what a dataset of ir_datasets gives it with
NUMBER = {"score": "score", "grade": "relevance"}  # what a row of ir_datasets calls it
WORDS_OF_VALUES = {"score": "a run", "grade": "judgements"}
OTHER = {"score": "grade", "grade": "score"}
RUNS = (
    "What is read: a file or folder; {query: {item: score}}; {query: [item, ...]}, best first; a polars, pandas "
    "(PyTerrier) or Arrow frame; three arrays (query, item, score); a ranx Run; scored documents of ir_datasets or "
    "ir_measures; {query: [document, ...]} of LangChain or LlamaIndex."
)
JUDGEMENTS = (
    "What is read: a file or folder; irds:NAME; {query: {item: grade}}; a polars, pandas (PyTerrier) or Arrow frame; "
    "three arrays (query, item, grade); ranx Qrels; a dataset or judgements of ir_datasets or ir_measures."
)


class LibraryRows(NamedTuple):
    """What an object of another library holds, as dictionaries or columns, and what it calls itself."""

    data: Any
    name: str = ""


def library_rows(data: Any, value: str, place: str) -> LibraryRows | None:
    """The rows of another library's object, None where it is none; `value` is 'score' or 'grade'.

    >>> from collections import namedtuple
    >>> Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
    >>> library_rows([Qrel("q1", "a", 1, "0"), Qrel("q1", "b", 0, "0")], "grade", "judgements").data
    (['q1', 'q1'], ['a', 'b'], [1, 0])
    """
    if value == "score" and holds_results(data):
        return LibraryRows(rows_of_results(data, place=place))
    if _is_of_ranx(data, value):
        return LibraryRows(data.to_dict(), getattr(data, "name", None) or "")
    rows = _rows(data, value, place)
    if rows is not None:
        return LibraryRows(_columns(rows, value))
    # Judgements where a run belongs, or the other way round.
    other = OTHER[value]
    listed = isinstance(data, list | tuple) and bool(data)
    if _is_of_ranx(data, other) or (listed and _is_row(data[0], other)):
        kind = type(data[0] if listed else data).__name__
        what = f"a {kind} holds {WORDS_OF_VALUES[other]}, not {WORDS_OF_VALUES[value]}"
        raise InputError.of(place, [what], "Judgements come first, then runs.")
    if isinstance(data, Mapping) and value == "grade" and holds_results(data):
        raise InputError.of(place, ["results of a retriever are a run, not judgements"], "Judgements come first.")
    return None


def _is_of_ranx(data: Any, value: str) -> bool:
    return hasattr(data, ATTRIBUTE[value]) and hasattr(data, "to_dict") and hasattr(data, "add_score")


def _rows(data: Any, value: str, place: str) -> Iterable[Any] | None:
    """The rows of a dataset, of a list or of an iterator of rows."""
    give = getattr(data, ITERATOR[value], None)
    if callable(give):
        return give()
    if isinstance(data, list | tuple):
        return data if data and _is_row(data[0], value) else None
    if isinstance(data, Iterator):
        listed = list(data)
        if not listed:
            raise InputError.of(place, [f"a {type(data).__name__} gives no rows: was it used before?"])
        return listed if _is_row(listed[0], value) else None
    return None


def _is_row(row: object, value: str) -> bool:
    return isinstance(row, tuple) and all(hasattr(row, name) for name in ("query_id", "doc_id", NUMBER[value]))


def _columns(rows: Iterable[Any], value: str) -> tuple[list[Any], list[Any], list[Any]]:
    listed = list(rows)
    query, item, number = ([getattr(row, name) for row in listed] for name in ("query_id", "doc_id", NUMBER[value]))
    return query, item, number


IdChoice: TypeAlias = str | Callable[[Any], Any] | None
METADATA = ("id", *ITEM)  # where an id stands in the metadata of a document that has none of its own
NO_ID = (
    "Say what it is called by: rankscope.commands.adapters.langchain.from_documents(answers, id=...), or "
    "llama_index.from_nodes, with a key of the metadata, an attribute, or a function of a result."
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
    scores = [[score for _, score in results] for results in found.values()]
    known = any(scores) and all(score is not None for each in scores for score in each)
    if not known or any(upper < lower for each in scores for upper, lower in pairwise(each)):  # type: ignore[operator]
        return {query: [item for item, _ in results] for query, results in found.items()}
    rows = [(query, item, score) for query, results in found.items() for item, score in results]
    return tuple(map(list, zip(*rows, strict=True)))


def _results(query: object, given: Any, id: IdChoice, problems: Problems) -> Iterator[tuple[Any, float | None]]:
    """Item and score of each result."""
    given = getattr(given, "source_nodes", given)  # of an answer of LlamaIndex, what it rests on
    if not isinstance(given, list | tuple):
        problems.add(f"query {query}", f"must have a list of results, got {type(given).__name__}")
        return
    for number, each in enumerate(given, 1):
        if not is_result(each):
            what = f"must be a LangChain document or a LlamaIndex node, got {type(each).__name__}"
            problems.add(f"query {query}, result {number}", what)
            continue
        item = _item_of_result(_without_score(each), id)
        if not id_text(item):
            problems.add(f"query {query}, result {number}", "has no id", NO_ID)
        yield item, each[1] if isinstance(each, tuple) else getattr(each, "score", None)


def _without_score(value: Any) -> Any:
    """The document of a pair (document, score), the node of a node with score, else the value."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    return getattr(value, "node", value)


def _item_of_result(found: Any, id: IdChoice) -> Any:
    if callable(id):
        return id(found)
    metadata = getattr(found, "metadata", None) or {}
    if id is not None:
        return metadata[id] if id in metadata else getattr(found, id, None)
    own = getattr(found, "node_id", None) or getattr(found, "id", None)
    return own if own is not None else next((metadata[name] for name in METADATA if metadata.get(name)), None)
