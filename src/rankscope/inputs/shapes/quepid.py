"""Quepid: ratings and cases as judgements, snapshots as runs."""

from __future__ import annotations

from typing import Any

from rankscope.inputs.shapes.hits import ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape

TEXTS = ("query", "query_text")

RATINGS = InputShape(
    name="Quepid ratings or case",
    holds=HOLDS_JUDGEMENTS,
    about="`queries` with their `ratings`, as Quepid exports ratings (JSON) and whole cases. Queries are called by "
    "their text, as in its CSV; a query without ratings gives no judgements. Its CSV (query, docid, rating) is a "
    "table, in which rows without a rating are left out; its TREC export is TREC text, its LTR "
    "export is LETOR text, its RRE export has the shape of RRE's ratings.",
    examples=(
        Example(
            "quepid.json",
            '{"queries": [\n  {"query": "red shoes", "ratings": {"p7": 3, "p9": 0}},\n'
            '  {"query": "blue hat", "ratings": {}}]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example("quepid.csv", "query,docid,rating\nred shoes,p7,3\nred shoes,p9,0\nblue hat\n", HOLDS_JUDGEMENTS),
    ),
)
SNAPSHOT = InputShape(
    name="Quepid snapshot",
    holds=HOLDS_RUN,
    about="`docs` by number of the query, and `queries` with their texts, by which they are called. Documents that "
    "Quepid shows only because they are rated (`rated_only`) are no results and left out. The order counts.",
    examples=(
        Example(
            "snapshot.json",
            '{"id": 12, "name": "BM25", "docs": {"41": [{"id": "p7", "explain": "{}", "rated_only": false},\n'
            '  {"id": "p9", "explain": "{}", "rated_only": true}, {"id": "p2", "explain": "{}"}]},\n'
            ' "queries": [{"query_id": 41, "query_text": "red shoes"}]}\n',
        ),
    ),
)


def _queries(record: dict[Any, Any]) -> list[dict[Any, Any]]:
    return [fields for each in list_of(record.get("queries")) or [] if (fields := fields_of(each)) is not None]


class QuepidRatings:
    """Ratings by query."""

    shape = RATINGS

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By queries that have ratings, and no documents next to them."""
        return any("ratings" in each for each in _queries(record)) and fields_of(record.get("docs")) is None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The ratings under the text of each query."""
        for place, each in enumerate(_queries(fields_of(record) or {}), 1):
            query = hits.query_of(each, TEXTS)
            ratings = each.get("ratings")
            hits.add(hits.name_query(place, 2) if query is None else query, ratings if ratings is not None else [])


class QuepidSnapshot:
    """Results by number of the query."""

    shape = SNAPSHOT

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By documents in an object next to a list of queries."""
        return fields_of(record.get("docs")) is not None and list_of(record.get("queries")) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """What was found under the text of each query."""
        fields = fields_of(record) or {}
        texts = {str(each.get("query_id", each.get("id"))): hits.query_of(each, TEXTS) for each in _queries(fields)}
        for query, docs in (fields_of(fields.get("docs")) or {}).items():
            listed = list_of(docs)
            found = [each for each in listed or [] if not (fields_of(each) or {}).get("rated_only")]
            hits.add(texts.get(str(query)) or query, docs if listed is None else found)
