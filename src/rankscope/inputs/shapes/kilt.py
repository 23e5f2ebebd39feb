"""KILT, as Pyserini writes it too: provenance of pages."""

from __future__ import annotations

from typing import Any

from rankscope.inputs.shapes.hits import ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, Example, InputShape

LINES = (
    '{"id": "q1", "input": "Who wrote it?", "output": [{"provenance": [{"wikipedia_id": "290"}, '
    '{"wikipedia_id": "12"}]}]}\n'
    '{"id": "q2", "input": "When?", "output": [{"provenance": [{"wikipedia_id": "73"}]}]}\n'
)
SHAPE = InputShape(
    name="KILT",
    holds=HOLDS_EITHER,
    about="An object on each line with `id` and `output`, whose `provenance` lists pages: of guesses (Pyserini's "
    "--output-format kilt) in their order, as judgements each page has grade 1. A page that comes again under a "
    "query counts once, at its first place.",
    examples=(Example("kilt.jsonl", LINES), Example("kilt-dev.jsonl", LINES, HOLDS_JUDGEMENTS)),
)


def _outputs(record: dict[Any, Any]) -> list[dict[Any, Any]]:
    return [fields for each in list_of(record.get("output")) or [] if (fields := fields_of(each)) is not None]


class Kilt:
    """One question with its pages."""

    shape = SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By the provenance of an output."""
        return any("provenance" in each for each in _outputs(record))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """All pages of all outputs, each once."""
        fields = fields_of(record) or {}
        pages = [page for each in _outputs(fields) for page in list_of(each.get("provenance")) or []]
        once: dict[str, Any] = {}
        for page in pages:
            once.setdefault(str((fields_of(page) or {}).get("wikipedia_id", page)), page)
        query = hits.query_of(fields, ("id",))
        hits.add(hits.name_query(number, of) if query is None else query, list(once.values()))
