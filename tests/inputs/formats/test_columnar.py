from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from tests.inputs.examples import Make, qrels_error, run_error, run_rows

FRAME = pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score": [2, 1], "text": ["x", "y"]})
ROWS = [("1", "a", 2.0), ("1", "b", 1.0)]


def test_parquet_and_both_forms_of_arrow_are_told_by_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    FRAME.write_parquet(path)
    assert run_rows(path) == ROWS
    FRAME.write_ipc(path)
    assert run_rows(path) == ROWS
    FRAME.write_ipc(path, compression="zstd")
    assert run_rows(path) == ROWS
    FRAME.write_ipc_stream(path)
    assert run_rows(path) == ROWS
    assert Qrels.of(path).table.rows() == ROWS


def test_bad_rows_are_named_by_their_number(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query": ["q", None, ""], "item": ["a", "b", "c"], "score": [1.0, float("nan"), None]})
    frame.write_parquet(tmp_path / "a.parquet")
    error = run_error(tmp_path / "a.parquet")
    assert "a.parquet: 4 problems" in error
    assert "row 2: query is empty" in error
    assert "row 2: score must be a number, got nan" in error
    assert "row 3: query is empty" in error
    assert "row 3: score is empty" in error


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pl.Series([[1]]), "row 1: item must be text or a whole number, got"),
        (pl.Series([{"a": 1}]), "row 1: item must be text or a whole number, got"),
        (pl.Series([True]), "row 1: item must be text or a whole number, got True"),
        (pl.Series([1.5]), "row 1: item must be text or a whole number, got 1.5"),
        (pl.Series([2.0**53]), "row 1: item must be text or a whole number, got 9007199254740992.0"),
        (pl.Series([b"\xff"]), "row 1: item must be text or a whole number, got b'\\xff'"),
        (pl.Series([None], dtype=pl.String), "row 1: item is empty"),
    ],
)
def test_columns_that_hold_no_ids_are_refused(column: pl.Series, what: str, tmp_path: Path) -> None:
    pl.DataFrame({"query": ["q"], "item": column, "score": [1]}).write_parquet(tmp_path / "a.parquet")
    assert what in run_error(tmp_path / "a.parquet")


@pytest.mark.parametrize("column", [pl.Series([b"d7"]), pl.Series(["d7"], dtype=pl.Categorical)])
def test_bytes_and_categories_are_ids(column: pl.Series, tmp_path: Path) -> None:
    pl.DataFrame({"query": [7.0], "item": column, "score": [1]}).write_parquet(tmp_path / "a.parquet")
    assert run_rows(tmp_path / "a.parquet") == [("7", "d7", 1.0)]


def test_a_saved_reduction_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "a.ranks.parquet"
    pl.DataFrame({"query": ["q"], "judged_rank": [[1, 2]]}).write_parquet(path)
    assert "is a saved reduction (*.ranks.parquet)" in run_error(path)
    assert "is a saved reduction (*.ranks.parquet)" in qrels_error(path)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    for write in (FRAME.write_parquet, FRAME.write_ipc, FRAME.write_ipc_stream):
        write(tmp_path / "a")
        content = (tmp_path / "a").read_bytes()
        for kept in (8, 20, len(content) // 2):
            (tmp_path / "a").write_bytes(content[:kept])
            assert "cannot be read as" in run_error(tmp_path / "a")


def test_a_file_of_another_kind_is_refused_when_the_format_is_named(make: Make) -> None:
    path = make("a.parquet", "1 Q0 a 1 2.5 t\n")
    assert "cannot be read as Parquet" in run_error(path, Reading(format="parquet"))
    assert "cannot be read as Arrow" in run_error(path, Reading(format="arrow"))
    assert run_rows(path) == [("1", "a", 2.5)]


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "a.parquet")
    assert "holds no rankings" in run_error(tmp_path / "a.parquet")
    assert "holds no judgements" in qrels_error(tmp_path / "a.parquet")
