"""Solr: what `select` answers as JSON."""

from __future__ import annotations

from typing import Any

from rankscope.inputs.shapes.hits import QUERY_WORDS, ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_RUN, Example, InputShape

SHAPE = InputShape(
    name="Solr response",
    holds=HOLDS_RUN,
    about="`response.docs`, with a score where `fl` asks for it, else the order counts; one response in a file, "
    "several in a list, or one on each line. The query is `responseHeader.params.q` where parameters are echoed, "
    "unless an id is next to it; else it is called after the file, or numbered. The id is the field `id`; another is "
    "mapped.",
    examples=(
        Example(
            "solr.json",
            '{"responseHeader": {"status": 0, "QTime": 2, "params": {"q": "red shoes", "fl": "id,score"}},\n'
            ' "response": {"numFound": 2, "start": 0, "maxScore": 3.1, "numFoundExact": true, "docs": [\n'
            '  {"id": "p7", "score": 3.1}, {"id": "p2", "score": 2.4}]}}\n',
        ),
        Example(
            "solr.jsonl",
            '{"responseHeader": {"params": {"q": "red shoes", "qid": "17"}}, "response": {"docs": [{"sku": "R-7"}]}}\n'
            '{"responseHeader": {"params": {"q": "blue hat", "qid": "18"}}, "response": {"docs": [{"sku": "R-4"}]}}\n',
            columns="query=responseHeader.params.qid,item=sku",
        ),
    ),
)


def _docs(record: dict[Any, Any]) -> list[Any] | None:
    response = fields_of(record.get("response"))
    return None if response is None else list_of(response.get("docs"))


class SolrResponse:
    """One response of `select`."""

    shape = SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By documents within a response."""
        return _docs(record) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its documents in their order."""
        whole = fields_of(record) or {}
        query = hits.query_of(whole, QUERY_WORDS)
        if query is None and "query" not in hits.choices.columns:
            header = fields_of(whole.get("responseHeader")) or {}
            query = (fields_of(header.get("params")) or {}).get("q")
        hits.add(hits.name_query(number, of) if query is None else query, _docs(whole) or [])
