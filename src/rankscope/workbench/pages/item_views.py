"""Items and queries as pages show them: by number, with their picture or their text, without ids and classes."""

from __future__ import annotations

from typing import Literal, TypedDict

from rankscope.errors import InputError
from rankscope.workbench.pages.bench import Workbench

SHOWN = 20_000  # signs of a text


class ItemView(TypedDict):
    """An item: its number, and its text where it has no picture."""

    number: int
    kind: Literal["picture", "text"]
    title: str
    text: str


class QueryView(TypedDict):
    """What is looked for: words, or an item that others should be like."""

    query: int
    text: str
    narrative: str
    example: ItemView | None


def item_view(bench: Workbench, item: str) -> ItemView:
    """An item without its id."""
    if bench.project.file.images is not None:
        return {"number": bench.number_of(item), "kind": "picture", "title": "", "text": ""}
    title, text = _words(bench, item)
    return {"number": bench.number_of(item), "kind": "text", "title": title[:SHOWN], "text": text[:SHOWN]}


def _words(bench: Workbench, item: str) -> tuple[str, str]:
    """Title and text of a document."""
    try:
        fields = bench.project.access.document(item)
    except InputError:
        return "", "The text of this item is not there any more."
    texts = [value for name, value in fields.items() if name != "title" and value]
    return fields.get("title") or "", "\n\n".join(texts)


def query_view(bench: Workbench, name: str) -> QueryView:
    """A query without its id and class."""
    query = bench.project.queries[name]
    return {
        "query": bench.query_number(name),
        "text": query.text,
        "narrative": query.narrative,
        "example": None if query.example is None else item_view(bench, query.example),
    }
