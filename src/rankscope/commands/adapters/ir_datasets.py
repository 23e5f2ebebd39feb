"""ir_datasets: judgements, queries, documents and scored documents of a dataset, and named tuples back.

A dataset is an object of `ir_datasets.load`, or a name: `irds:vaswani`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError
from rankscope.inputs import irds
from rankscope.inputs.documents.registry import SHORT_PARTS
from rankscope.inputs.documents.topics import QuerySet
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run


def from_qrels(given: Any) -> Qrels:
    """The judgements of a dataset, of its name, or of a list of its qrels.

    >>> from collections import namedtuple
    >>> TrecQrel = namedtuple("TrecQrel", "query_id doc_id relevance iteration")
    >>> from_qrels([TrecQrel("1", "d7", 2, "0")]).to_dict()
    {'1': {'d7': 2}}
    """
    return Qrels.of(given)


def from_scoreddocs(given: Any, name: str = "") -> Run:
    """The run that comes with a dataset, such as first-stage rankings, or a list of scored documents."""
    return Run.of(given, name=name)


def from_queries(given: Any) -> QuerySet:
    """The queries of a dataset, of its name, or a list of them, with all their parts."""
    if irds.is_irds(given):
        return QuerySet(dict(irds.irds_queries(str(given))), str(given))
    found = [(str(each.query_id), _texts(each, "query_id")) for each in _rows(given, "queries")]
    return QuerySet(
        {query: {SHORT_PARTS.get(part, part): text for part, text in parts.items()} for query, parts in found}
    )


def from_docs(given: Any) -> Iterator[dict[str, str]]:
    """The documents of a dataset, of its name, or a list of them, as `rankscope.index` takes them.

    >>> from collections import namedtuple
    >>> TrecDoc = namedtuple("TrecDoc", "doc_id text")
    >>> list(from_docs([TrecDoc("d7", "a quick fox")]))
    [{'id': 'd7', 'text': 'a quick fox'}]
    """
    if irds.is_irds(given):
        return ({"id": each.id, **each.fields} for each in irds.irds_documents(str(given)))
    return ({"id": str(each.doc_id), **_texts(each, "doc_id")} for each in _rows(given, "docs"))


def to_qrels(qrels: Any) -> list[Any]:
    """Judgements as ir_datasets has them: TrecQrel(query_id, doc_id, relevance, iteration), grades whole.

    >>> to_qrels({"1": {"d7": 2}})
    [TrecQrel(query_id='1', doc_id='d7', relevance=2, iteration='0')]
    """
    formats = import_extra("ir_datasets.formats", "ir_datasets", "datasets")
    given = Qrels.of(qrels)
    given.need_whole_grades("ir_datasets")
    return [formats.TrecQrel(query, item, int(grade), "0") for query, item, grade in given.table.iter_rows()]


def to_scoreddocs(run: Any) -> list[Any]:
    """A run as ir_datasets has it: GenericScoredDoc(query_id, doc_id, score).

    >>> to_scoreddocs({"1": {"d7": 2.5}})
    [GenericScoredDoc(query_id='1', doc_id='d7', score=2.5)]
    """
    formats = import_extra("ir_datasets.formats", "ir_datasets", "datasets")
    return [formats.GenericScoredDoc(*row) for row in Run.of(run).table().iter_rows()]


def _rows(given: Any, part: str) -> Any:
    give = getattr(given, f"{part}_iter", None)
    if callable(give):
        return give()
    if hasattr(given, "__iter__") and not isinstance(given, str):
        return given
    raise InputError.of(part, [f"a {type(given).__name__} has no {part}"], "Give a dataset, irds:NAME or a list.")


def _texts(each: Any, key: str) -> dict[str, str]:
    values = {name: getattr(each, name) for name in each._fields if name != key}
    return {name: value for name, value in values.items() if isinstance(value, str)}
