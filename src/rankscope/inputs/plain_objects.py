"""Python objects that need no repair and no table: dictionaries, lists and small frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankscope.column_names import ITEM, QUERY, plain_name
from rankscope.inputs.plain_columns import plain_columns
from rankscope.inputs.plain_nested import DICTIONARIES, PlainNested, plain_nested


def plain_of(data: Any, value: str, keep: bool = True) -> PlainNested | None:
    """What a Python object holds where it needs no repair and no table; None for any other."""
    if type(data) in DICTIONARIES and not has_columns(data):
        return plain_nested(data, value, keep)
    return plain_columns(data, value)


def has_columns(data: Mapping[Any, Any]) -> bool:
    """Whether a dictionary is a table, {"query": [...], "item": [...], ...}, and not {query: [item, ...]}."""
    if any(map(_is_mapping, data.values())):
        return False
    names = {plain_name(name) for name in data if isinstance(name, str)}
    return bool(names & set(QUERY) and names & set(ITEM))


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict | Mapping)
