from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError, SettingError
from rankscope.inputs.formats import registry
from rankscope.inputs.formats.registry import Format
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from tests.inputs.examples import FINITE, GRADES, ODD_IDS, SCORES, TREC_IDS, qrels_of, rows, run_of

QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
READ_ONLY = ("beir", "letor", "msmarco", "headerless")
RUN_FORMATS = [each for each in registry.FORMATS.own() if each.name not in READ_ONLY]
QRELS_FORMATS = [each for each in registry.FORMATS.own() if each.name not in (*READ_ONLY, "mteb")]
JSON = ("json", "jsonl", "mteb")


def by_query(table: pl.DataFrame) -> pl.DataFrame:
    return table.sort("query", "item")


@pytest.mark.parametrize("format", RUN_FORMATS, ids=lambda each: each.name)
@QUICK
@given(data=st.data())
def test_a_run_that_is_written_is_read_back_the_same(format: Format, tmp_path: Path, data: st.DataObject) -> None:
    ids = TREC_IDS if format.name == "trec" else ODD_IDS
    run = run_of(data.draw(rows(ids, FINITE if format.name in JSON else SCORES)))
    path = tmp_path / f"a{(*format.suffixes, '.x')[0]}"
    registry.write_file(run, path)
    assert registry.format_of_path(path) is format
    back = Run.of(path)
    assert by_query(back.table()).equals(by_query(run.table()))
    assert back.name == "a"


@pytest.mark.parametrize("format", QRELS_FORMATS, ids=lambda each: each.name)
@QUICK
@given(data=st.data())
def test_judgements_that_are_written_are_read_back_the_same(
    format: Format, tmp_path: Path, data: st.DataObject
) -> None:
    qrels = qrels_of(data.draw(rows(TREC_IDS if format.name == "trec" else ODD_IDS, GRADES)))
    path = tmp_path / f"a{format.suffixes[0]}"
    registry.write_file(qrels, path)
    assert by_query(Qrels.of(path).table).equals(by_query(qrels.table))


@pytest.mark.parametrize("format", [each for each in QRELS_FORMATS if each.name != "trec"], ids=lambda each: each.name)
def test_an_id_may_begin_with_a_byte_order_mark(format: Format, tmp_path: Path) -> None:
    qrels = qrels_of([("0", "0", 0.0), ("\ufeff", "\ufeffa", 1.0), ("q", "\r\ufeff", 1.0), ("q", "a\n\ufeff", 1.0)])
    registry.write_file(qrels, tmp_path / f"a{format.suffixes[0]}")
    assert by_query(Qrels.of(tmp_path / f"a{format.suffixes[0]}").table).equals(by_query(qrels.table))


@pytest.mark.parametrize("format", [each for each in QRELS_FORMATS if each.name != "json"], ids=lambda each: each.name)
def test_judgements_keep_their_order(format: Format, tmp_path: Path) -> None:
    qrels = qrels_of([("b", "y", 1.0), ("a", "z", 0.5), ("b", "x", -2.0)])
    registry.write_file(qrels, tmp_path / f"a{format.suffixes[0]}")
    assert Qrels.of(tmp_path / f"a{format.suffixes[0]}").table.equals(qrels.table)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("format", RUN_FORMATS, ids=lambda each: each.name)
def test_a_format_is_compressed_by_its_suffix_and_equal_values_give_equal_bytes(
    format: Format, suffix: str, tmp_path: Path
) -> None:
    run = run_of([("q", "d", 0.5), ("q", "e", 0.25)])
    paths = [tmp_path / f"{name}{format.suffixes[0]}{suffix}" for name in "ab"]
    for path in paths:
        registry.write_file(run, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert Run.of(paths[0]).table().rows() == [("q", "d", 0.5), ("q", "e", 0.25)]


def test_what_is_compressed_can_be_read_by_others(tmp_path: Path) -> None:
    run = run_of([("q", "d", 0.5)])
    for suffix, decompress in [(".gz", gzip.decompress), (".bz2", bz2.decompress), (".xz", lzma.decompress)]:
        registry.write_file(run, tmp_path / f"a.run{suffix}")
        assert decompress((tmp_path / f"a.run{suffix}").read_bytes()) == b"q Q0 d 1 0.5 mine\n"


def test_trec_text_is_written_best_first_with_equal_scores_in_their_order(tmp_path: Path) -> None:
    run = run_of([("2", "a", 1.0), ("1", "b", 0.5), ("1", "a", 0.5), ("1", "c", float("inf"))])
    registry.write_file(run, tmp_path / "a.run")
    expected = "1 Q0 c 1 inf mine\n1 Q0 b 2 0.5 mine\n1 Q0 a 3 0.5 mine\n2 Q0 a 1 1.0 mine\n"
    assert (tmp_path / "a.run").read_text() == expected


def test_whole_grades_are_written_without_a_point(tmp_path: Path) -> None:
    qrels = qrels_of([("q", "d", 2.0), ("q", "e", -1.0)])
    for name, expected in [
        ("a.qrels", "q 0 d 2\nq 0 e -1\n"),
        ("a.csv", "query,item,grade\nq,d,2\nq,e,-1\n"),
        ("a.json", '{"q": {"d": 2, "e": -1}}\n'),
        ("a.jsonl", '{"query": "q", "item": "d", "grade": 2}\n{"query": "q", "item": "e", "grade": -1}\n'),
    ]:
        registry.write_file(qrels, tmp_path / name)
        assert (tmp_path / name).read_text() == expected


@pytest.mark.parametrize("id", ["a b", "a\tb", "a\nb", "a\rb", "a\0b", "#a", "\ufeffa"])
def test_trec_text_refuses_an_id_it_would_read_back_otherwise(id: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="TREC text cannot hold such ids"):
        registry.write_file(run_of([(id, "d", 1.0)]), tmp_path / "a.run")
    assert list(tmp_path.iterdir()) == []


def test_an_item_may_begin_with_a_hash_in_trec_text(tmp_path: Path) -> None:
    registry.write_file(run_of([("q", "#d", 1.0)]), tmp_path / "a.run")
    assert Run.of(tmp_path / "a.run").table().rows() == [("q", "#d", 1.0)]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a_predictions.json"])
def test_json_refuses_infinite_scores_for_which_it_has_no_word(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is infinite"):
        registry.write_file(run_of([("q", "d", float("inf"))]), tmp_path / name)


@pytest.mark.parametrize("name", ["a.json", "a_predictions.json"])
def test_a_json_object_refuses_an_item_that_is_there_twice(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="query q: item 'd' is there twice"):
        registry.write_file(Run.of((["q", "q"], ["d", "d"], [1, 2])), tmp_path / name)


def test_predictions_hold_no_judgements_and_beir_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written as MTEB predictions"):
        registry.write_file(qrels_of([("q", "d", 1.0)]), tmp_path / "a_predictions.json")
    with pytest.raises(InputError, match="cannot be written in BEIR's form"):
        registry.write_file(run_of([("q", "d", 1.0)]), tmp_path / "a.tsv", format="beir")


def test_a_failed_write_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(b"old")
    with pytest.raises(InputError):
        registry.write_file(run_of([("a b", "d", 1.0)]), path)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.run.gz", b"old")]


def test_the_format_may_be_named_against_the_suffix(tmp_path: Path) -> None:
    registry.write_file(run_of([("q", "d", 1.0)]), tmp_path / "a.txt", format="csv")
    assert (tmp_path / "a.txt").read_text() == "query,item,score\nq,d,1.0\n"
    with pytest.raises(SettingError, match="did you mean 'parquet'"):
        registry.write_file(run_of([("q", "d", 1.0)]), tmp_path / "a.txt", format="parket")


def test_the_name_of_a_saved_reduction_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="saved reduction"):
        registry.write_file(run_of([("q", "d", 1.0)]), tmp_path / "a.ranks.parquet")


def test_the_longest_suffix_decides(tmp_path: Path) -> None:
    assert registry.format_of_path("x_predictions.json").name == "mteb"
    assert registry.format_of_path("x.JSON.gz").name == "json"
    assert registry.format_of_path("input.bm25").name == "trec"


def test_formats_have_names_of_their_own_and_trec_is_asked_last() -> None:
    names = [each.name for each in registry.FORMATS.own()]
    assert len(set(names)) == len(names)
    assert names[-1] == "trec"
    suffixes = [suffix for each in registry.FORMATS.own() for suffix in each.suffixes]
    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize("format", registry.FORMATS.own(), ids=lambda each: each.name)
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\0\1\2", b"{", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"a,b\n1"]
)
def test_no_bytes_bring_another_exception_than_ours(format: Format, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    for read in (lambda path, how: Run.of(path, how).table(), Qrels.of):
        with pytest.raises(InputError):
            read(tmp_path / "a", Reading(format=format.name))


@pytest.mark.parametrize("format", RUN_FORMATS, ids=lambda each: each.name)
@QUICK
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_but_never_crashes(
    format: Format, tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / f"a{format.suffixes[0]}"
    registry.write_file(run_of([("q1", "d1", 0.5), ("q1", "é2", 0.25), ("q2", "d1", 3.0)]), path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    for reading in (Reading(), Reading(format=format.name)):
        with contextlib.suppress(InputError):
            assert Run.of(path, reading).table()["score"].is_finite().all()
