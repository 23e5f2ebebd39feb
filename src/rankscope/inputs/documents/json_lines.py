"""JSON lines: one object a line with an id, and texts under any names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record, record_of
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import numbered_lines, text_blocks

ADVICE = "Each line holds one object."


def recognises(head: bytes) -> bool:
    """An object begins it."""
    return head.lstrip()[:1] == b"{"


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each line."""
    for line, row in objects(source, reading, problems):
        record = record_of(line, row, problems)
        if record is not None:
            yield record


def objects(source: Source, reading: Reading, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects with their lines; a line that is none is a problem."""
    for line, text in numbered_lines(text_blocks(source, reading.encoding, problems)):
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            problems.add(f"line {line}", f"is not JSON: {error.msg} (column {error.colno})", ADVICE, line)
            continue
        except (ValueError, RecursionError) as error:
            problems.add(f"line {line}", f"is not JSON that can be read: {error}", ADVICE, line)
            continue
        if isinstance(value, dict):
            yield line, value
        else:
            problems.add(f"line {line}", f"must be an object, got {shorten_value(value)}", ADVICE, line)


JSON_DOCUMENTS = DocumentReader(
    name="jsonl",
    about="JSON lines: one object a line, with id, title and text",
    suffixes=(".jsonl", ".ndjson", ".json"),
    read=read,
    recognises=recognises,
)
