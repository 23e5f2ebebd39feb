from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankscope.core.errors import InputError
from rankscope.inputs.qrels import Qrels, read_junk
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.side_tables import read_classes
from tests.inputs.examples import Make, qrels_error, run_error

ROWS = [("1", "7", 2.0), ("1", "8", 0.5)]
COLUMNS: dict[str, list[Any]] = {"query": [1, 1], "item": [7, 8], "score": [2.0, 0.5]}
TEXT: dict[str, list[Any]] = {"query": ["1", "1"], "item": ["7", "8"], "score": [2.0, 0.5]}
STRUCTURED = np.array([(1, "7", 2.0), (1, "8", 0.5)], dtype=[("query", "i8"), ("item", "U2"), ("score", "f4")])


@pytest.mark.parametrize(
    "data",
    [
        {"1": {"7": 2, "8": 0.5}},
        {1: {7: 2, 8: 0.5}},
        {np.int64(1): {np.int32(7): np.float32(2), np.str_("8"): np.float64(0.5)}},
        {1.0: {"7": 2, "8": "0.5"}},
        COLUMNS,
        pl.DataFrame(COLUMNS),
        pl.DataFrame(TEXT).lazy(),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(TEXT),
        pd.DataFrame(TEXT).astype({"query": "category", "item": "category"}),
        pd.DataFrame(TEXT).astype({"query": "object", "score": "object"}),
        pd.DataFrame(COLUMNS).astype({"query": "Int64", "item": "float64", "score": "Float64"}),
        pd.DataFrame(COLUMNS, index=["x", "x"]),
        pd.DataFrame({"query": [1, "1"], "item": ["7", 8], "score": ["2", 0.5]}),
        pa.table(COLUMNS),
        STRUCTURED,
        ([1, 1], [7, 8], [2, 0.5]),
        (np.array(["1", "1"]), np.array([b"7", b"8"]), np.array([2, 0.5], dtype=np.float32)),
        (np.array([1, "1"], dtype=object), np.array([7.0, 8.0]), ["2", "0.5"]),
    ],
    ids=lambda data: type(data).__name__,
)
def test_a_run_is_read_from_whatever_holds_one(data: Any) -> None:
    assert Run.of(data).table().rows() == ROWS


def test_judgements_may_be_true_and_false() -> None:
    assert Qrels.of(([1, 1], ["a", "b"], np.array([True, False]))).table.rows() == [("1", "a", 1.0), ("1", "b", 0.0)]
    assert Qrels.of({"1": {"a": True}}).table.rows() == [("1", "a", 1.0)]
    assert "row 1: score must be a number, got True" in run_error(([1], ["a"], [True]))


def test_missing_values_of_pandas_are_problems() -> None:
    frame = pd.DataFrame({"query": [1, None, 2], "item": ["a", "b", None], "score": [1.0, None, 2.0]})
    error = run_error(frame)
    assert "run: 3 problems" in error
    assert "row 2: query must be text or a whole number, got nan" in error
    assert "row 2: score must be a number, got nan" in error
    assert "row 3: item is empty" in error


def test_frames_of_pyterrier_are_read_by_their_ids_not_their_texts() -> None:
    frame = pd.DataFrame({"qid": ["1"], "docid": [99], "docno": ["d9"], "rank": [0], "score": [1.5], "query": ["what"]})
    assert Run.of(frame).table().rows() == [("1", "d9", 1.5)]
    assert Qrels.of(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2]})).table.rows() == [("1", "d", 2.0)]


def test_a_frame_with_a_column_twice_is_refused() -> None:
    frame = pd.DataFrame([["q", "a", 1, 2]], columns=["query", "item", "score", "score"])
    assert "column 'score' is there twice" in run_error(frame)


@pytest.mark.parametrize("data", [3, None, object(), pd.Series([1]), [("q", "a", 1)]])
def test_what_holds_no_run_is_refused(data: Any) -> None:
    assert "cannot read a run from a" in run_error(data)
    assert "cannot read judgements from a" in qrels_error(data)


def test_columns_of_unequal_length_are_refused() -> None:
    assert "one-dimensional columns of equal length" in run_error(([1], [2, 3], [4]))
    assert "one-dimensional columns of equal length" in run_error(([[1]], [[2]], [[3]]))


def test_wrong_values_of_a_dictionary_are_all_named() -> None:
    error = run_error({"q": {"a": None, "b": "x"}, "r": 3, None: {}, "s": [[["a"], 1]]})
    assert "run: 5 problems" in error
    assert "query q, item a: score must be a number, got None" in error
    assert "query s, result 1: item must be text or a whole number, got ['a']" in error


def test_ranks_must_be_whole_when_they_are_asked_for() -> None:
    run = Run.of(pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "rank": [1.0, 2.5]}))
    assert run.table().rows() == [("q", "a", -1.0), ("q", "b", -2.5)]
    from rankscope.inputs.problems import Problems

    problems = Problems("run")
    list(run.blocks(problems, rank=True))
    assert "row 2: rank must be a whole number, got 2.5" in str(problems.report())
    with pytest.raises(InputError, match="has no rank column"):
        list(Run.of({"q": {"a": 1}}).blocks(Problems("run"), rank=True))


def test_an_empty_dictionary_is_an_empty_run() -> None:
    assert Run.of({}).table().height == 0
    assert len(Qrels.of({})) == 0


def test_classes_come_from_a_file_a_frame_or_a_dictionary(make: Make) -> None:
    path = make("classes.csv", "query,class\r\n1,cats\r\n2,\r\n")
    assert read_classes(path) == {"1": "cats", "2": ""}
    assert read_classes(pl.DataFrame({"qid": [1], "group": ["cats"]})) == {"1": "cats"}
    assert read_classes(pd.DataFrame({"qid": [1], "group": ["cats"]})) == {"1": "cats"}
    assert read_classes({1: "cats"}) == {"1": "cats"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        ("1,cats\n", "line 1: must be the header, got '1,cats'"),
        ("query,class\n1,a\n1,b\n", "query 1 has two classes"),
        ("query,class\n1,a\n2\n", "line 3: has 1 field, but the header has 2"),
        ("query,class\n,a\n", "line 2: query is empty"),
        ("query,item\n1,a\n", "no column for the class"),
    ],
)
def test_bad_classes_are_refused(text: str, what: str, make: Make) -> None:
    with pytest.raises(InputError) as caught:
        read_classes(make("classes.csv", text))
    assert what in str(caught.value)


def test_junk_comes_from_pairs_a_dictionary_a_frame_or_a_file(make: Make) -> None:
    reading = Reading()
    assert read_junk([(1, "a")], reading) == [("1", "a")]
    assert read_junk({1: ["a", 2]}, reading) == [("1", "a"), ("1", "2")]
    assert read_junk(pl.DataFrame({"qid": [1], "docno": ["a"]}), reading) == [("1", "a")]
    assert read_junk(make("junk", "1 0 a 1\n"), reading) == [("1", "a")]
    for wrong in ([("1",)], [3], pl.DataFrame({"x": [1]}), {"1": [None]}):
        with pytest.raises(InputError, match="junk"):
            read_junk(wrong, reading)
