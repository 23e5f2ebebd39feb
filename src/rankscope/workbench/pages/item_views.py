"""Items and queries as pages show them: by number, with their picture or their text, without ids and classes."""

from __future__ import annotations

from typing import Literal, TypedDict

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


class ItemTexts:
    """The texts of a collection of documents, read at the first use and kept."""

    def __init__(self, bench: Workbench) -> None:
        from rankscope.inputs.documents.reading import read_documents

        path = bench.project.sources.texts
        self.texts: dict[str, tuple[str, str]] = {}
        for table in read_documents([path]) if path is not None else ():
            for row in table.iter_rows(named=True):
                title = str(row.get("title") or "")
                parts = [str(value) for name, value in row.items() if name not in ("id", "title") and value]
                self.texts[str(row["id"])] = title[:SHOWN], "\n\n".join(parts)[:SHOWN]


def item_view(bench: Workbench, item: str) -> ItemView:
    """An item without its id."""
    if bench.project.file.images is not None:
        return {"number": bench.number_of(item), "kind": "picture", "title": "", "text": ""}
    title, text = bench.keep(ItemTexts).texts.get(item, ("", "the text of this item is not there any more"))
    return {"number": bench.number_of(item), "kind": "text", "title": title, "text": text}


def query_view(bench: Workbench, name: str) -> QueryView:
    """A query without its id and class."""
    query = bench.project.queries[name]
    return {
        "query": bench.query_number(name),
        "text": query.text,
        "narrative": query.narrative,
        "example": None if query.example is None else item_view(bench, query.example),
    }
