"""Rated Ranking Evaluator: its ratings as judgements, what it found as runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rankscope.inputs.checks import shorten_value
from rankscope.inputs.numbers import as_number
from rankscope.inputs.shapes.hits import ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape

RATINGS = InputShape(
    name="RRE ratings",
    holds=HOLDS_JUDGEMENTS,
    about="`topics` with `query_groups`, or these or `queries` alone (Quepid's RRE export); `relevant_documents` as "
    "{id: {gain: number}} or {gain: [ids]}. Each query is called by its placeholder `$query`, or the one that "
    "`query_placeholder` names; queries of a group share its documents.",
    examples=(
        Example(
            "ratings.json",
            '{"index": "core1", "id_field": "id", "topics": [{"description": "Shoes", "query_groups": [\n'
            '  {"name": "by colour", "queries": [\n'
            '    {"template": "only_q.json", "placeholders": {"$query": "red shoes"}},\n'
            '    {"template": "only_q.json", "placeholders": {"$query": "shoes red"}}],\n'
            '   "relevant_documents": {"p7": {"gain": 3}, "p2": {"gain": 2}}}]}]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example(
            "quepid-rre.json",
            '{"id_field": "id", "index": "Shoes", "template": "template.json", "queries": [\n'
            '  {"placeholders": {"$query": "red shoes"}, "relevant_documents": {"0": ["p9"], "3": ["p7", "p2"]}}]}\n',
            HOLDS_JUDGEMENTS,
        ),
    ),
)
EVALUATION = InputShape(
    name="RRE evaluation",
    holds=HOLDS_RUN,
    about="evaluation.json: the hits of each query evaluation, by version of the configuration. Of several versions "
    "one is chosen behind a #: `evaluation.json#v1.1`. A query is called by its parameter `q`.",
    examples=(
        Example(
            "evaluation.json",
            '{"name": "Ranking Evaluation Report", "corpora": [{"name": "shoes.json", "topics": [{"name": "Shoes",\n'
            '  "query-groups": [{"name": "by colour", "query-evaluations": [\n'
            '   {"query": "{\\"q\\": \\"red shoes\\"}", "results": {"v1.0": {"total-hits": 2, "hits": [\n'
            '     {"id": "p7", "score": 3.1, "_isRelevant": true, "_gain": 3}, {"id": "p2", "score": 2.4}]}}}]}]}]}]}'
            "\n",
        ),
    ),
)


def _objects(value: Any) -> list[dict[Any, Any]]:
    return [fields for each in list_of(value) or [] if (fields := fields_of(each)) is not None]


def _groups(record: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    """Query groups, wherever they stand; queries that have documents of their own are groups of one."""
    for topic in _objects(record.get("topics")):
        yield from _groups(topic)
    yield from _objects(record.get("query_groups"))
    for query in _objects(record.get("queries")):
        if "relevant_documents" in query:
            yield {"queries": [query], "relevant_documents": query["relevant_documents"]}


class RreRatings:
    """Documents by gain, or gains by document."""

    shape = RATINGS

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By relevant documents of a group of queries."""
        return any("relevant_documents" in each for each in _groups(record))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The documents of a group under each of its queries."""
        whole = fields_of(record) or {}
        name = str(whole.get("query_placeholder", "$query"))
        for group in _groups(whole):
            graded = list(_graded(group.get("relevant_documents"), hits))
            for query in _objects(group.get("queries")):
                placeholders = fields_of(query.get("placeholders")) or {}
                hits.add(placeholders.get(name, next(iter(placeholders.values()), group.get("name"))), graded)


def _graded(documents: Any, hits: ResultRows) -> Iterator[list[Any]]:
    """Documents with their gains, from either form."""
    fields = fields_of(documents)
    if fields is None:
        hits.problems.add("", f"relevant_documents must be an object, got {shorten_value(documents)}")
        return
    for name, value in fields.items():
        if (listed := list_of(value)) is not None:
            yield from ([each, as_number(name) if as_number(name) is not None else name] for each in listed)
        else:
            inner = fields_of(value)
            yield [name, value if inner is None else inner.get("gain", "no gain")]


class RreEvaluation:
    """What each version of a configuration found."""

    shape = EVALUATION

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By corpora that have topics."""
        return any("topics" in each for each in _objects(record.get("corpora")))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The hits of the only version, or of the one chosen."""
        evaluations = list(_evaluations(fields_of(record) or {}))
        versions = list(dict.fromkeys(name for each in evaluations for name in fields_of(each.get("results")) or {}))
        chosen = hits.choices.part or (versions[0] if len(versions) == 1 else "")
        if chosen not in versions:
            what = f"has no version '{chosen}'" if chosen else f"holds {len(versions)} rankings"
            advice = f"Choose one behind a #: {hits.choices.stem}.json#{versions[0] if versions else 'v1.0'}"
            hits.problems.add("", f"{what}; versions: {', '.join(map(str, versions)) or 'none'}", advice)
            return
        for each in evaluations:
            result = fields_of((fields_of(each.get("results")) or {}).get(chosen)) or {}
            hits.add(_query_text(each.get("query")), result.get("hits", []))


def _evaluations(record: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    for corpus in _objects(record.get("corpora")):
        for topic in _objects(corpus.get("topics")):
            for group in _objects(topic.get("query-groups")):
                yield from _objects(group.get("query-evaluations"))


def _query_text(query: Any) -> Any:
    """The parameter `q` of a query written as JSON; the text as it is where it has none."""
    if not isinstance(query, str):
        return query
    try:
        inner = json.loads(query)
    except (ValueError, RecursionError):
        return query
    return inner["q"] if isinstance(inner, dict) and isinstance(inner.get("q"), str) else query.strip()
