"""What a page shows of the items found: titles and first words, small pictures, or links to where they are.

The page itself fetches nothing: what it shows is inside, and a template makes a link that somebody may follow.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.errors import SettingError
from rankscope.inputs.checks import shorten_value
from rankscope.number_texts import how_many
from rankscope.reports.page.found_items import ShownDocuments

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.reading import Reading

ID = "{id}"
TITLES = ("title", "headline", "subject", "name")
TEXTS = ("text", "body", "contents", "abstract", "description")
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm")
FIRST_WORDS = 220  # characters


def shown_documents(source: str | Path, wanted: Sequence[str], reading: Reading | None = None) -> ShownDocuments:
    """What a file, a folder, an index or a template of addresses says of these items.

    >>> shown_documents("https://example.org/{id}", ["d1"]).link
    'https://example.org/{id}'
    """
    if ID in str(source):
        return ShownDocuments(link=_checked_link(str(source)))
    if os.path.isdir(source):
        pictures = _picture_files(Path(source), wanted)
        if pictures:
            return ShownDocuments(pictures=_addresses(pictures))
    if not wanted and _is_index(source):  # saved ranks hold no ids; the index still tells the size of the collection
        return ShownDocuments()
    rows = _index_rows(Path(source), wanted) if _is_index(source) else _rows(source, wanted, reading)
    found = {str(row["id"]): row for row in rows}
    if not found:
        raise SettingError(_nothing_found(source, wanted))
    titles = {each: _first_of(row, TITLES) for each, row in found.items()}
    texts = {each: _words(row) for each, row in found.items()}
    return ShownDocuments(_filled(titles), _filled(texts))


def documents_in_index(source: str | Path | None) -> int | None:
    """How many documents an index holds; None where the source of what is shown is something else.

    >>> documents_in_index("https://example.org/{id}")
    """
    if source is None or not _is_index(source):
        return None
    from rankscope.engines.text.text_index import Index

    return len(Index.open(source))


def _checked_link(template: str) -> str:
    """A template of web addresses; nothing that a click could run."""
    if not template.startswith(("https://", "http://")):
        raise SettingError(f"--docs {shorten_value(template)}: a template of links starts with https:// or http://")
    return template


def _nothing_found(source: str | Path, wanted: Sequence[str]) -> str:
    few = ", ".join(shorten_value(each) for each in wanted[:3])
    return f"--docs {source}: holds none of the {how_many(len(wanted), 'items')} that stand first in the runs, as {few}"


def _filled(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}


def _first_of(row: Mapping[str, Any], names: Sequence[str]) -> str:
    known = {str(name).lower(): value for name, value in row.items()}
    return next((_line(str(known[name])) for name in names if known.get(name)), "")


def _line(text: str) -> str:
    return " ".join(text.split())


def _words(row: Mapping[str, Any]) -> str:
    """The beginning of the text, whatever it is called, without the title that some texts begin with."""
    others = (str(value) for name, value in row.items() if name != "id" and name.lower() not in TITLES and value)
    text, title = _first_of(row, TEXTS) or _line(" ".join(others)), _first_of(row, TITLES)
    while title and text.startswith(title):  # once by the collection, once by the reader that joins both
        text = text.removeprefix(title).lstrip()
    return text if len(text) <= FIRST_WORDS else text[:FIRST_WORDS].rsplit(" ", 1)[0] + " \u2026"


def _rows(source: str | Path, wanted: Sequence[str], reading: Reading | None) -> Iterator[Mapping[str, Any]]:
    """The documents wanted, of a file or folder that is read to its end."""
    from rankscope.inputs.documents.reading import read_documents

    for table in read_documents([source], reading):
        yield from _chosen(table, wanted).iter_rows(named=True)


def _chosen(table: pl.DataFrame, wanted: Sequence[str]) -> pl.DataFrame:
    return table.filter(table["id"].is_in(list(wanted)))


def _is_index(source: str | Path) -> bool:
    from rankscope.engines.text.index.storage import RECORD

    return os.path.isfile(os.path.join(source, RECORD))


def _index_rows(folder: Path, wanted: Sequence[str]) -> list[dict[str, str | None]]:
    from rankscope.engines.text.text_index import Index

    reader = Index.open(folder).reader
    return reader.stored_rows(reader.ids.is_in(list(wanted)).arg_true().to_list())


def _picture_files(folder: Path, wanted: Sequence[str]) -> dict[str, Path]:
    """Files of pictures that are called as an item, with its suffix or without."""
    there: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in PICTURES:
            inside = path.relative_to(folder)
            for name in (str(inside), str(inside.with_suffix("")), path.name, path.stem):
                there.setdefault(name, path)
    return {name: there[name] for name in wanted if name in there}


def _addresses(files: Mapping[str, Path]) -> dict[str, str]:
    from rankscope.engines.images.decoding import read_image
    from rankscope.reports.page.thumbnails import addresses

    return addresses({name: read_image(path).rgb for name, path in files.items()})
