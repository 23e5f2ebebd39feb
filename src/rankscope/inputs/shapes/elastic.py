"""Elasticsearch and OpenSearch: responses of _search and _msearch as runs, requests of _rank_eval as judgements."""

from __future__ import annotations

from typing import Any

from rankscope.inputs.checks import shorten_value
from rankscope.inputs.shapes.hits import QUERY_WORDS, ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape

BESIDE = tuple(word for word in QUERY_WORDS if word != "_id")
WRAPPED = ("response", "body", "raw")

RESPONSE = InputShape(
    name="Elasticsearch or OpenSearch response",
    holds=HOLDS_RUN,
    about="What `_search` answers: `hits.hits` with `_id` and `_score`, one response in a file, several in a list, or "
    "one on each line. A response does not say what was asked: a query id next to it is taken "
    '({"qid": "q1", "hits": ...} or {"qid": "q1", "response": {...}}); else a file with one response is called '
    "after itself, and several are numbered from 1. Where `_score` is null (sorted by a field) the order counts.",
    examples=(
        Example(
            "red-shoes.json",
            '{"took": 3, "timed_out": false,\n "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},\n'
            ' "hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 3.1, "hits": [\n'
            '  {"_index": "products", "_id": "p7", "_score": 3.1, "_source": {"sku": "R-7"}},\n'
            '  {"_index": "products", "_id": "p2", "_score": 2.4, "_source": {"sku": "R-2"}}]}}\n',
        ),
        Example(
            "responses.jsonl",
            '{"qid": "q1", "hits": {"hits": [{"_id": "p7", "_score": 3.1, "_source": {"sku": "R-7"}}]}}\n'
            '{"qid": "q2", "hits": {"hits": [{"_id": "p4", "_score": 1.9, "_source": {"sku": "R-4"}}]}}\n',
            columns="item=_source.sku",
        ),
    ),
)
SEVERAL = InputShape(
    name="_msearch response",
    holds=HOLDS_RUN,
    about="`responses` in the order of the requests, which carry no ids: they are numbered from 1.",
    examples=(
        Example(
            "msearch.json",
            '{"took": 5, "responses": [\n'
            '  {"hits": {"hits": [{"_id": "p7", "_score": 3.1}, {"_id": "p2", "_score": 2.4}]}, "status": 200},\n'
            '  {"hits": {"hits": [{"_id": "p4", "_score": 1.9}]}, "status": 200}]}\n',
        ),
    ),
)
RANK_EVAL = InputShape(
    name="_rank_eval request",
    holds=HOLDS_JUDGEMENTS,
    about="`requests`, each with an `id` and `ratings` of documents by `_id`.",
    examples=(
        Example(
            "rank_eval.json",
            '{"requests": [\n  {"id": "q1", "request": {"query": {"match": {"title": "red shoes"}}},\n'
            '   "ratings": [{"_index": "products", "_id": "p7", "rating": 3}, '
            '{"_index": "products", "_id": "p9", "rating": 0}]}],\n'
            ' "metric": {"precision": {"k": 10}}}\n',
            HOLDS_JUDGEMENTS,
        ),
    ),
)


def _hits(record: dict[Any, Any]) -> list[Any] | None:
    inner = fields_of(record.get("hits"))
    return None if inner is None else list_of(inner.get("hits"))


def _response(record: dict[Any, Any]) -> dict[Any, Any] | None:
    """The response itself, or one wrapped with what was asked."""
    if "hits" in record or "error" in record:
        return record if _hits(record) is not None or fields_of(record.get("error")) is not None else None
    wrapped = (fields_of(record.get(name)) for name in WRAPPED)
    return next((each for each in wrapped if each is not None and _hits(each) is not None), None)


class ElasticResponse:
    """One response of `_search`."""

    shape = RESPONSE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By hits within hits, or an error in their place."""
        return _response(record) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its hits in their order; an error in place of hits is a problem."""
        whole = fields_of(record) or {}
        response = _response(whole) or {}
        asked = None if "error" in response and hits.answered is None else hits.query_of(whole, BESIDE)
        query = hits.name_query(number, of) if asked is None else asked
        found = _hits(response)
        if found is None:
            error = fields_of(response.get("error")) or {}
            place = f"response {number}" if asked is None else f"query {asked}"
            hits.problems.add(place, f"is an error: {shorten_value(error.get('type', error))}")
        else:
            hits.add(query, found)


class SeveralResponses:
    """The responses of `_msearch`."""

    shape = SEVERAL

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By a list of responses."""
        return list_of(record.get("responses")) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Each response under its number."""
        one = ElasticResponse()
        responses = list_of((fields_of(record) or {}).get("responses")) or []
        before = hits.numbered
        for place, response in enumerate(responses, before + 1):
            if one.recognises(fields_of(response) or {}, hits):
                one.add(response, place, 2, hits)
            else:
                hits.problems.add(f"response {place}", f"must hold hits, got {shorten_value(response)}")


class RatingRequests:
    """The request of `_rank_eval`."""

    shape = RANK_EVAL

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By requests that have ratings."""
        requests = list_of(record.get("requests")) or [None]
        return "ratings" in (fields_of(requests[0]) or {})

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The ratings of each request under its id."""
        requests = list_of((fields_of(record) or {}).get("requests")) or []
        for place, each in enumerate(requests, 1):
            query = hits.query_of(each, ("id",))
            found = (fields_of(each) or {}).get("ratings")
            hits.add(hits.name_query(place, len(requests)) if query is None else query, found)
