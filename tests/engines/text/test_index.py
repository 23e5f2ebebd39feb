"""An index on a disk: the same however it came about, whole after a merge, and clear about what is wrong."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.core.digests import DAMAGED
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.text import Index, index_files, segments
from rankscope.engines.text.index_columns import ARRAYS, CODED_LENGTHS, coarse_lengths
from rankscope.engines.text.index_files import IndexWriter, check_index, read_record
from rankscope.engines.text.inspection import list_terms
from tests.engines.text.golden_index import golden_documents, golden_index, ranking_of

QUERIES = ("information retrieval", '"boundary layer" flow', "comput* -system", "informtion~", "title:java^2 apache")
Document = dict[str, str]


def small_blocks(monkeypatch: pytest.MonkeyPatch, size: int = 7, tier: int = 3) -> None:
    monkeypatch.setattr(segments, "MOST_DOCUMENTS", size)
    monkeypatch.setattr(index_files, "MOST_OF_A_TIER", tier)


def answers(index: Index) -> list[Any]:
    asked = [(query, similarity) for query in QUERIES for similarity in ("bm25", "dfr")]
    return [ranking_of(index.search(query, similarity, limit=None)) for query, similarity in asked]


def arrays_of(index: Index) -> dict[str, list[int]]:
    """All columns of an index of one segment, as plain numbers."""
    (segment,) = index.reader.segments
    found = {
        f"{field}.{name}": np.asarray(getattr(columns, name)).tolist()
        for field, columns in segment.fields.items()
        for name in ARRAYS
    }
    return dict(sorted(found.items()))


def test_an_index_on_a_disk_is_that_in_memory(tmp_path: Path) -> None:
    stored = Index.build(golden_documents(), tmp_path / "index", analyser="english")
    assert arrays_of(stored) == arrays_of(golden_index("english"))
    assert answers(Index.open(tmp_path / "index")) == answers(golden_index("english"))
    assert stored.document("h000")["title"] == "Java and Apache"
    assert len(stored) == 316


@pytest.mark.parametrize("postings", [*(pytest.param(each, marks=pytest.mark.thorough) for each in (10, 50)), 10**6])
def test_many_small_segments_answer_as_one_and_merge_into_it(
    postings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = golden_index("english")  # made before blocks are small, for it is kept for other tests
    small_blocks(monkeypatch)
    monkeypatch.setattr(index_files, "MOST_POSTINGS", postings)
    monkeypatch.setattr(index_files, "MOST_TERMS", 300)
    index = Index.build(golden_documents(), tmp_path / "index", analyser="english")
    assert 1 < len(index.reader.segments) <= 4 * 3
    assert answers(index) == answers(whole)
    assert index.reader.ids.to_list() == whole.reader.ids.to_list()
    merged = index.merge()
    assert arrays_of(merged) == arrays_of(whole)
    assert merged.reader.ids.to_list() == whole.reader.ids.to_list()
    assert answers(merged) == answers(whole)


def test_deleted_documents_are_not_found_and_leave_nothing_when_merged(tmp_path: Path) -> None:
    gone = [f"h{number:03d}" for number in range(0, 60, 3)]
    index = Index.build(golden_documents(), tmp_path / "index").add([], delete=gone)
    found = index.search("java OR fox OR information", limit=None).ids.to_list()
    assert found
    assert not set(found) & set(gone)
    assert not set(index.search("java fox", limit=5).ids.to_list()) & set(gone)
    assert len(index) == 316 - len(gone)
    left = Index.build([each for each in golden_documents() if each["id"] not in gone])
    merged = index.merge()
    assert arrays_of(merged) == arrays_of(left)
    assert answers(merged) == answers(left)
    with pytest.raises(SettingError, match="no document 'h000'"):
        merged.document("h000")


def test_a_deleted_document_may_come_again(tmp_path: Path) -> None:
    index = Index.build([{"id": "a", "body": "old"}, {"id": "b", "body": "kept"}], tmp_path / "index")
    index = index.add([{"id": "a", "body": "new"}], delete=["a"])
    assert index.document("a") == {"id": "a", "body": "new"}
    assert [index.search(word).ids.to_list() for word in ("old", "new", "kept")] == [[], ["a"], ["b"]]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    texts=st.lists(st.text(alphabet="abc é", max_size=12), min_size=1, max_size=12),
    deleted=st.sets(st.integers(0, 11)),
    size=st.integers(1, 4),
)
def test_any_way_to_the_same_documents_gives_the_same_index(
    texts: list[str], deleted: set[int], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    documents = [{"id": str(number), "body": text} for number, text in enumerate(texts)]
    with pytest.MonkeyPatch.context() as patch:
        small_blocks(patch, size, tier=2)
        patch.setattr(index_files, "MOST_POSTINGS", 3)
        folder = tmp_path_factory.mktemp("way") / "index"
        index = Index.build(documents, folder, analyser="standard").add([], delete=map(str, deleted)).merge()
    left = [each for number, each in enumerate(documents) if number not in deleted]
    if left:
        assert arrays_of(index) == arrays_of(Index.build(left, analyser="standard"))
    assert index.reader.ids.to_list() == [each["id"] for each in left]


def test_several_indexes_keep_their_ids_apart(tmp_path: Path) -> None:
    Index.build([{"id": "1", "body": "fox"}, {"id": "2", "body": "dog"}], tmp_path / "north")
    Index.build([{"id": "1", "body": "a fox and a fox"}, {"id": "3", "body": "fox"}], tmp_path / "south")
    both = Index.open(tmp_path / "north", tmp_path / "south")
    assert sorted(both.search("fox").ids.to_list()) == ["3", "north/1", "south/1"]
    assert both.document("south/1")["body"] == "a fox and a fox"


def test_several_indexes_need_one_analyser_for_a_field(tmp_path: Path) -> None:
    Index.build([{"id": "1", "body": "fox"}], tmp_path / "a", analyser="english")
    Index.build([{"id": "2", "body": "fox"}], tmp_path / "b", analyser="german")
    with pytest.raises(SettingError, match=r"field 'body' is analysed by english in .*a and by german in .*b"):
        Index.open(tmp_path / "a", tmp_path / "b")


def test_a_field_may_have_its_own_analyser() -> None:
    documents = [{"id": "1", "title": "Foxes", "body": "Foxes"}]
    index = Index.build(documents, analyser="english", analysers={"title": "standard"})
    queries = ("title:foxes", "title:fox", "body:fox", "body:foxes")
    assert [len(index.search(query)) for query in queries] == [1, 0, 1, 1]


def test_fields_that_come_later_and_documents_without_words() -> None:
    index = Index.build([{"id": "1", "body": "fox"}, {"id": "2"}, {"id": "3", "title": "dog", "body": ""}])
    assert index.fields == ("body", "title")
    assert index.search("title:dog *:* -body:fox", limit=None).ids.to_list() == ["3", "2"]


def test_a_number_in_the_place_of_a_similarity_is_explained() -> None:
    index = Index.build([{"id": "1", "body": "a fox"}])
    with pytest.raises(SettingError, match="got 3; how many to list is limit="):
        index.search("fox", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 2.5])
def test_a_limit_is_a_count(limit: Any) -> None:
    with pytest.raises(SettingError, match=f"limit={limit}: must be"):
        golden_index("english").search("fox", limit=limit)


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    index = Index.build([], tmp_path / "index")
    assert (len(index), len(Index.open(tmp_path / "index").search("fox OR *:*"))) == (0, 0)
    assert len(index.add([{"id": "1", "body": "fox"}]).search("fox")) == 1


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([{"id": "a", "body": "x"}, {"id": "b"}, {"id": "a"}], "document 1 and document 3 have the same id 'a'"),
        ([{"id": "a"}, {"id": " "}, {"id": None}], "document 2: has no id"),
        ([{"name": "a"}], "no column 'id' among name"),
        (pl.DataFrame({"id": ["a"], "body": [["x"]]}), "column 'body' holds no texts"),
    ],
)
@pytest.mark.parametrize("on_disk", [False, True])
def test_documents_that_cannot_be_indexed_are_named(documents: Any, words: str, on_disk: bool, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        Index.build(documents, tmp_path / "index" if on_disk else None)
    assert not (tmp_path / "index").exists()


def test_an_id_of_an_earlier_block_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, size=2)
    documents = [{"id": str(number % 9), "body": "x"} for number in range(10)]
    with pytest.raises(InputError, match="document 1 and document 10 have the same id '0'"):
        Index.build(documents, tmp_path / "index")


def test_there_is_one_writer(tmp_path: Path) -> None:
    Index.build([{"id": "a", "body": "fox"}], tmp_path / "index")
    with IndexWriter.append(tmp_path / "index"), pytest.raises(SettingError, match="another process writes into"):
        IndexWriter.append(tmp_path / "index")
    assert len(Index.open(tmp_path / "index").add([{"id": "b", "body": "fox"}]).search("fox")) == 2


def test_what_is_not_committed_leaves_no_trace(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    Index.build([{"id": "a", "body": "fox"}], folder)
    before = sorted(path.name for path in folder.iterdir())
    with IndexWriter.append(folder) as unfinished:
        unfinished.add(pl.DataFrame({"id": ["b"], "body": ["fox"]}))
    assert sorted(path.name for path in folder.iterdir()) == before
    assert len(Index.open(folder).search("fox")) == 1


def test_a_folder_that_holds_an_index_is_not_written_over(tmp_path: Path) -> None:
    Index.build([{"id": "a", "body": "fox"}], tmp_path / "index")
    with pytest.raises(SettingError, match="holds an index"):
        Index.build([{"id": "b", "body": "fox"}], tmp_path / "index")


def test_a_folder_without_an_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no index"):
        Index.open(tmp_path)


def test_lengths_are_kept_as_in_a_byte() -> None:
    assert CODED_LENGTHS[:41].tolist() == list(range(41))
    assert CODED_LENGTHS[41:52].tolist() == [42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68]
    assert coarse_lengths(np.array([41, 55, 59, 100, 1000, 12345])).tolist() == [40, 54, 56, 96, 984, 12312]


def test_exact_lengths_change_scores_of_long_documents(tmp_path: Path) -> None:
    documents = [{"id": str(size), "body": "fox " + "dog " * size} for size in (3, 60, 100)]
    coarse, exact = Index.build(documents), Index.build(documents, tmp_path / "index", exact_lengths=True)
    assert coarse.reader.lengths("body").tolist() == [4, 60, 96]
    assert Index.open(tmp_path / "index").reader.lengths("body").tolist() == [4, 61, 101]
    assert coarse.search("fox").scores[-1] != exact.search("fox").scores[-1]


def files_of(folder: Path) -> Sequence[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def all_answers(folder: Path) -> list[Any]:
    """What an index says in every way that reads its files."""
    index = Index.open(folder)
    hits = [list(index.search(query, limit=None)) for query in QUERIES]
    terms = [list_terms(index, field, limit=None).terms for field in index.fields]
    return [hits, terms, index.reader.ids.to_list(), index.document("h005"), len(index)]


@pytest.mark.parametrize("kinds", [(0, 6), pytest.param(range(1, 12), marks=pytest.mark.thorough)], ids=["two", "all"])
def test_a_damaged_index_answers_as_before_or_says_what_is_wrong(kinds: Sequence[int], tmp_path: Path) -> None:
    """Single bits flipped, bytes changed, cut off or added in any of its files; a merge takes no damage either."""
    folder, copy = tmp_path / "index", tmp_path / "copy"
    Index.build(golden_documents()[:30], folder).add(golden_documents()[30:60], delete=["h003"])
    before = all_answers(folder)
    rng = np.random.default_rng(0)
    outcomes: Counter[str] = Counter()
    for path in files_of(folder):
        whole = path.read_bytes()
        for kind in kinds:
            path.write_bytes(_mangled(whole, kind, rng))
            try:
                found = all_answers(folder)
                assert found == before
                outcomes[path.name] += 1
            except InputError as error:
                assert str(folder) in str(error)  # noqa: PT017  (some of these answer)
                outcomes["error"] += 1
                if kind % 6:
                    continue
                shutil.copytree(folder, copy)
                with pytest.raises(InputError):
                    all_answers(Index.open(copy).merge().folders[0])
                shutil.rmtree(copy)
        path.write_bytes(whole)
    assert all_answers(folder) == before
    counted = {name for each in read_record(folder).segments for name in (*each.files, *each.documents)}
    assert outcomes["error"] > len(counted) * len(kinds)
    assert not counted & outcomes.keys()  # what answered is not of the index any more, or changed no word of its record


def test_an_index_without_a_digest_of_its_record_is_read_and_gets_one(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    Index.build([{"id": "a", "body": "a fox"}], folder)
    record = folder / "index.json"
    written = json.loads(record.read_text())
    assert check_index(folder).signed
    record.write_text(json.dumps({name: value for name, value in written.items() if name != "digest"}))
    assert not check_index(folder).signed
    index = Index.open(folder)
    assert list(index.search("fox").ids) == ["a"]
    index.add([{"id": "b", "body": "a den"}])
    assert check_index(folder).signed
    record.write_text(json.dumps({**json.loads(record.read_text()), "exact_lengths": True}))
    with pytest.raises(InputError, match=DAMAGED):
        Index.open(folder)


def _mangled(data: bytes, kind: int, rng: np.random.Generator) -> bytes:
    if kind == 0:
        return data[: len(data) // 2]
    if kind == 1:
        return data + b"\0" * 8
    changed = bytearray(data)
    if kind > 5:
        changed[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        return bytes(changed)
    for place in rng.integers(0, len(data), size=kind):
        changed[place] = rng.integers(256)
    return bytes(changed)


def test_small_tables_are_gathered_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, size=20)
    tables = [pl.DataFrame({"id": [f"{number}-{row}" for row in range(3)], "body": "x"}) for number in range(30)]
    assert [len(block) for block in segments.blocks_of_documents(tables)] == [18, 18, 18, 18, 18]
    singles = ({"id": str(number), "body": "x"} for number in range(45))
    assert sum(len(block) for block in segments.blocks_of_documents(singles)) == 45
    monkeypatch.setattr(segments, "MOST_BYTES", 100)
    long = pl.DataFrame({"id": [str(row) for row in range(10)], "body": "x" * 40})
    assert [len(block) for block in segments.blocks_of_documents([long])] == [2, 2, 2, 2, 2]
