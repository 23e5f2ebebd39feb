"""A document as a file has it, and which of its names are id, title and text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from rankscope.column_names import plain_name
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.ids import id_text

ID = ("id", "_id", "docno", "doc_id", "docid", "document_id", "passage_id", "pid")
TITLE = ("title", "headline", "subject")
TEXT = ("text", "body", "contents", "content")
NO_ID = f"A document has an id under one of these names: {', '.join(ID)}."


@lru_cache(maxsize=256)
def first_named(wanted: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    """The name that means one of those wanted, the first of them that is there; documents of a file are mostly alike.

    >>> first_named(ID, ("Title", "DocNo", "text"))
    'DocNo'
    """
    plain = {plain_name(name): name for name in reversed(names)}
    return next((plain[each] for each in wanted if each in plain), None)


class Record(NamedTuple):
    """One document: the line or row it stands in, its id, and its texts by the names of their fields."""

    line: int
    id: str
    fields: dict[str, str]


def record_of(line: int, values: Mapping[str, Any], problems: Problems, word: str = "line") -> Record | None:
    """A document from named values; numbers become text, and what is nested or empty is no field. None: a problem.

    >>> record_of(3, {"_id": 7, "text": "a fox", "metadata": {}, "year": 1999}, Problems("docs"))
    Record(line=3, id='7', fields={'text': 'a fox', 'year': '1999'})
    """
    key = first_named(ID, tuple(values))
    if key is None or values[key] is None or values[key] == "":
        problems.add(f"{word} {line}", "has no id", NO_ID, line)
        return None
    name = id_text(values[key])
    if name is None or not name.strip():
        problems.add(f"{word} {line}", f"{key} can be no id: {shorten_value(values[key])}", NO_ID, line)
        return None
    fields = {each: text for each, value in values.items() if each != key and (text := _field_text(value)) is not None}
    return Record(line, name, fields)


def _field_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return id_text(value) or repr(value)
