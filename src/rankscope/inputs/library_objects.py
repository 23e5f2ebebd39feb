"""Judgements and rankings in the objects of other libraries, known by how they look: none of them is imported.

ranx (Run, Qrels), ir_datasets (a dataset, or its qrels and scoreddocs), ir_measures (Qrel, ScoredDoc), LangChain and
LlamaIndex (lists of documents or nodes by query). Frames of pandas, PyTerrier's among them, are read as tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankscope.errors import InputError
from rankscope.inputs.retrieved import holds_results, rows_of_results

ATTRIBUTE = {"score": "run", "grade": "qrels"}  # where ranx has it
ITERATOR = {"score": "scoreddocs_iter", "grade": "qrels_iter"}  # what a dataset of ir_datasets gives it with
NUMBER = {"score": "score", "grade": "relevance"}  # what a row of ir_datasets calls it
WORDS = {"score": "a run", "grade": "judgements"}
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


@dataclass(frozen=True)
class LibraryRows:
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
    _refuse_other_kind(data, value, place)
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


def _refuse_other_kind(data: Any, value: str, place: str) -> None:
    """Judgements where a run belongs, or the other way round: say so."""
    other = OTHER[value]
    listed = isinstance(data, list | tuple) and bool(data)
    if _is_of_ranx(data, other) or (listed and _is_row(data[0], other)):
        what = f"a {type(data[0] if listed else data).__name__} holds {WORDS[other]}, not {WORDS[value]}"
        raise InputError.of(place, [what], "Judgements come first, then runs.")
    if isinstance(data, Mapping) and value == "grade" and holds_results(data):
        raise InputError.of(place, ["results of a retriever are a run, not judgements"], "Judgements come first.")
