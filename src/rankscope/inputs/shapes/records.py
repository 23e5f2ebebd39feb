"""Records that hold a query and its results, in lists or on lines: {"query": ..., "results": [...]}."""

from __future__ import annotations

from typing import Any

from rankscope.column_names import loose_name
from rankscope.inputs.column_map import RESULTS, lookup
from rankscope.inputs.shapes.hits import ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, Example, InputShape

LISTS = {
    "score": (
        "results",
        "hits",
        "docs",
        "documents",
        "items",
        "ranking",
        "retrieved",
        "retrieved_ids",
        "retrieved_context_ids",
        "retrieved_contexts_ids",
        "contexts",
        "ctxs",
        "candidates",
        "predictions",
    ),
    "grade": (
        "relevant",
        "relevant_ids",
        "relevant_docs",
        "relevant_documents",
        "relevant_items",
        "reference_context_ids",
        "judgements",
        "judgments",
        "ratings",
        "labels",
        "qrels",
        "gold",
        "positive_passages",
        "positive_ctxs",
        "results",
        "items",
        "docs",
        "documents",
    ),
}

SHAPE = InputShape(
    name="Records of a query and its results",
    holds=HOLDS_EITHER,
    about="A list of objects, or an object on each line, each with a query and a list of results: ids in their order, "
    "or objects with an id and a score or rank. The list may be called results, hits, docs, documents, items, "
    "ranking, retrieved, contexts, ctxs, candidates or retrieved_context_ids; for judgements relevant, "
    "relevant_ids, judgements, ratings, labels, gold, positive_passages or reference_context_ids. Files of ragas, "
    "DPR and Tevatron are of this shape. Without a grade all that is listed as relevant has grade 1.",
    examples=(
        Example(
            "search.json",
            '[{"query": "red shoes", "results": [{"id": "p7", "score": 3.1}, {"id": "p2", "score": 2.4}]},\n'
            ' {"query": "blue hat", "results": [{"id": "p4", "score": 1.9}]}]\n',
        ),
        Example(
            "ragas.jsonl",
            '{"user_input": "Who wrote it?", "retrieved_context_ids": ["d1#2", "d3#0"], '
            '"reference_context_ids": ["d1#2"]}\n'
            '{"user_input": "When?", "retrieved_context_ids": ["d2#1", "d1#0"], "reference_context_ids": ["d2#1"]}\n',
        ),
        Example(
            "ragas.jsonl",
            '{"user_input": "Who wrote it?", "retrieved_context_ids": ["d1#2", "d3#0"], '
            '"reference_context_ids": ["d1#2"]}\n'
            '{"user_input": "When?", "retrieved_context_ids": ["d2#1", "d1#0"], "reference_context_ids": ["d2#1"]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example(
            "nested.json",
            '[{"search": {"text": "red shoes"}, "payload": {"found": [{"product": {"sku": "p7"}, "bm": 3.1}]}}]\n',
            columns="query=search.text,results=payload.found,item=product.sku,score=bm",
        ),
    ),
)


def recognises(record: dict[Any, Any], hits: ResultRows) -> bool:
    """Whether it has a list of results."""
    return results_of(record, hits) is not None


def add(record: Any, number: int, of: int, hits: ResultRows) -> None:
    """Its results under its query, or under its number where it names none."""
    query = hits.query_of(record)
    found = results_of(fields_of(record) or {}, hits)
    hits.add(hits.name_query(number, of) if query is None else query, [] if found is None else found)


def results_of(record: dict[Any, Any], hits: ResultRows) -> Any:
    """The list of results, or the object {item: number}; None where there is none."""
    asked = hits.choices.columns.get(RESULTS)
    if asked is not None:
        return lookup(record, asked)
    by_name = {loose_name(name): value for name, value in record.items() if isinstance(name, str)}
    found = (by_name[word] for word in LISTS[hits.choices.value] if word in by_name)
    return next((each for each in found if list_of(each) is not None or _is_counted(each)), None)


def _is_counted(value: Any) -> bool:
    fields = fields_of(value)
    return fields is not None and all(isinstance(each, int | float) for each in fields.values())
