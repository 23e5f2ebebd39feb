"""Texts that are mapped are those that were given, whatever becomes of the files they came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankscope.engines.text import Index
from rankscope.engines.text.index_reader import map_texts
from rankscope.engines.text.inspection import overview

Row = dict[str, str | None]
ROWS: list[Row] = [{"id": "ä", "title": "Über uns", "body": ""}, {"id": "b", "title": None, "body": "a 😀 fox"}]
LATER: list[Row] = [{"id": "c", "body": "later", "note": "only here"}, {"id": "d", "body": None, "note": None}]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index.build(ROWS, tmp_path / "x").add(LATER, delete=["b"])


def there(row: dict[str, str | None]) -> dict[str, str]:
    """What a document has; of a field that it does not have nothing is said, or null."""
    return {name: text for name, text in row.items() if text is not None}


def test_rows_columns_and_ids_are_the_same(index: Index) -> None:
    mapped = map_texts(index.reader)
    for order in ([0, 1, 2, 3], [3, 0], [2, 2, 1], []):
        assert [*map(there, mapped.stored_rows(order))] == [*map(there, index.reader.stored_rows(order))]
    for name in ("id", "title", "body", "note"):
        assert mapped.stored_column(name).to_list() == index.reader.stored_column(name).to_list()
    assert mapped.ids.to_list() == index.reader.ids.to_list()


def test_searches_and_overviews_are_the_same(index: Index) -> None:
    mapped = Index(map_texts(index.reader), index.folders)
    assert list(mapped.search("later id:b", limit=None)) == list(index.search("later id:b", limit=None))
    assert overview(mapped) == overview(index)


def test_files_that_are_gone_are_not_missed(index: Index) -> None:
    mapped, before = map_texts(index.reader), overview(index)
    for path in index.folders[0].glob("*.parquet"):
        path.unlink()
    assert mapped.stored(2)["body"] == "later"
    assert overview(Index(mapped)) == before
