"""Junk: items that are neither relevant nor irrelevant, and leave the list before ranks are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankscope import column_names
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.ids import id_text
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading


def read_junk(data: Any, reading: Reading) -> list[tuple[str, str]]:
    """Junk as (query, item) pairs: from pairs, {query: [item, ...]}, a table, or a file in the judgements' format."""
    if isinstance(data, str | Path):
        read = Qrels.of(data, reading.of_others)
        return list(zip(read.query.to_list(), read.item.to_list(), strict=True))
    if isinstance(data, Mapping):
        _refuse_no_lists(data)
        return _checked([(query, item) for query, items in data.items() for item in items])
    return _checked(_pairs_of_frame(data) if hasattr(data, "get_columns") else data)


def _pairs_of_frame(frame: Any) -> Iterable[tuple[Any, ...]]:
    from rankscope.inputs import tables
    from rankscope.inputs.series_ids import text_ids

    needed = {"query": column_names.QUERY, "item": column_names.ITEM}
    found = tables.columns_of(frame, needed, Problems("junk"), {})
    return zip(*(text_ids(column).to_list() for column in found.get_columns()), strict=True)


def _refuse_no_lists(data: Mapping[Any, Any]) -> None:
    """The items of a query are a list: those of the text 'xy' would be x and y."""
    problems = Problems("junk", ["The form is {query: [item, ...]}."])
    for query, items in data.items():
        if isinstance(items, str | bytes) or not isinstance(items, Iterable):
            problems.add(f"query {query}", f"needs a list of items, got {shorten_value(items)}")
    problems.raise_if_any()


def _checked(pairs: Any) -> list[tuple[str, str]]:
    """Pairs of ids as text; anything else is an `InputError`."""
    if not isinstance(pairs, Iterable):
        raise InputError.of("junk", [f"cannot be read from a {type(pairs).__name__}"])
    checked = []
    for pair in pairs:
        ids = [id_text(one) for one in pair] if isinstance(pair, tuple | list) else []
        if len(ids) != 2 or not ids[0] or not ids[1]:
            raise InputError.of("junk", [f"needs (query, item) pairs, got {shorten_value(pair)}"])
        checked.append((ids[0], ids[1]))
    return checked
