"""Dictionaries by look-up against the same rows as tables: every number, every message, and pytrec_eval with them."""

from __future__ import annotations

import copy
import math
from collections import OrderedDict, defaultdict
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope import evaluate, reduce
from rankscope.core.errors import InputError
from rankscope.core.settings import Settings
from rankscope.inputs.formats import json_rows
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import PlainQrels, Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.needs import needed_module

MEASURES = ["AP", "nDCG@5", "P@3", "RR", "Rprec", "bpref", "num_ret", "Judged@5", "RBP(p=0.8)"]
POLICIES = ("trec_eval", "ascending", "given", "hash", "expected")
QUERIES = st.sampled_from(["q1", "q10", "q2", "ä", "Q", "0"])
ITEMS = st.sampled_from(["a", "b", "c", "d", "e", "ß", "aa", "ab"])
SCORES = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, -1.0, math.inf, -math.inf, 1e300, 1.0 + 1e-12, 7]) | st.floats(
    allow_nan=False
)
RUNS = st.dictionaries(QUERIES, st.dictionaries(ITEMS, SCORES), max_size=5)
JUDGEMENTS = st.dictionaries(QUERIES, st.dictionaries(ITEMS, st.sampled_from([-1, 0, 1, 2, 0.5])), max_size=5)


def by_tables(judgements: Any, run: Any, settings: Settings) -> RelevantRanks:
    """The reduction of the same rows as tables, which no look-up is made in."""
    problems = Problems("judgements")
    judged = Qrels.from_table(json_rows.table_of_nested(judgements, "grade", problems), problems)
    judged.__dict__["judged_lists"] = None
    table = json_rows.table_of_nested(run, "score", Problems("run"))
    return reduce(judged, Run.from_tables("run", lambda _: iter([table])), settings)


def outcome(make: Any) -> Any:
    """What comes out, or the message of what is wrong."""
    try:
        return make()
    except InputError as error:
        return str(error)


def same(one: RelevantRanks, other: RelevantRanks) -> None:
    assert one.queries == other.queries
    assert one.not_judged == other.not_judged
    for name in ("judged", "pooled", "levels", "ties"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.offsets.tolist() == theirs.offsets.tolist(), name
        assert {key: column.tolist() for key, column in mine.columns.items()} == {
            key: column.tolist() for key, column in theirs.columns.items()
        }, name
        assert {key: column.dtype for key, column in mine.columns.items()} == {
            key: column.dtype for key, column in theirs.columns.items()
        }, name
    for name in ("depth", "answered", "collection", "left_out"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert (one.system, one.tag, one.top_grade) == (other.system, other.tag, other.top_grade)
    assert one.provenance == other.provenance


@given(judgements=JUDGEMENTS, run=RUNS, policy=st.sampled_from(POLICIES), width=st.sampled_from([32, 64]))
def test_look_up_and_tables_give_the_same(judgements: Any, run: Any, policy: str, width: int) -> None:
    settings = Settings(ties=policy, score_width=width)
    mine, theirs = (
        outcome(lambda: reduce(judgements, run, settings)),
        outcome(lambda: by_tables(judgements, run, settings)),
    )
    assert isinstance(mine, str) == isinstance(theirs, str)
    if isinstance(mine, str):
        assert mine == theirs
    else:
        same(mine, theirs)


@given(judgements=JUDGEMENTS, run=RUNS)
def test_measures_are_the_same_bit_for_bit_and_nothing_given_changes(judgements: Any, run: Any) -> None:
    before = copy.deepcopy((judgements, run))
    scores = outcome(lambda: evaluate(judgements, run, MEASURES, collection_size=100))
    assert (judgements, run) == before
    ranks = outcome(lambda: by_tables(judgements, run, Settings(collection_size=100)))
    assert isinstance(scores, str) == isinstance(ranks, str)
    expected: Any = scores if isinstance(scores, str) else evaluate([ranks], None, MEASURES, collection_size=100)
    pairs = [] if isinstance(scores, str) else zip(scores.systems[0].columns, expected.systems[0].columns, strict=True)
    for mine, theirs in pairs:
        np.testing.assert_array_equal(mine.values, theirs.values, strict=True)
        np.testing.assert_array_equal(mine.summary, theirs.summary)


class Colour(str, Enum):  # noqa: UP042  (its hash is not that of its text)
    RED = "a"


ODD: dict[str, tuple[Any, Any]] = {
    "NaN": ({"q": {"a": 1}}, {"q": {"a": math.nan, "b": 1.0}}),
    "text score": ({"q": {"a": 1}}, {"q": {"a": "2.5", "b": 1}}),
    "no number": ({"q": {"a": 1}}, {"q": {"a": "n/a", "b": None}}),
    "Decimal": ({"q": {"a": 1}}, {"q": {"a": Decimal("1.5"), "b": 1.0}}),
    "True as a score": ({"q": {"a": 1}}, {"q": {"a": True, "b": 0.5}}),
    "True as a grade": ({"q": {"a": True, "b": np.False_}}, {"q": {"a": 1.0, "b": 2.0}}),
    "infinite grade": ({"q": {"a": math.inf}}, {"q": {"a": 1.0}}),
    "NaN grade": ({"q": {"a": math.nan}}, {"q": {"a": 1.0}}),
    "numpy numbers": ({"q": {"a": np.int64(1)}}, {"q": {"a": np.float32(0.1), "b": np.float64(0.1), "c": np.uint8(0)}}),
    "whole ids": ({1: {7: 1, 8: 0}}, {1: {8: 2.0, 7: 1.0}, 2: {7: 1.0}}),
    "mixed ids": ({"1": {"7": 1}}, {1: {"7": 2.0, 7: 1.0}}),
    "numpy ids": ({1: {7: 1}}, {np.int64(1): {np.int64(7): 2.0, np.int64(8): 3.0}}),
    "whole floats as ids": ({1: {7: 1}}, {1.0: {7.0: 2.0, 8.5: 1.0}}),
    "bytes": ({"q": {"a": 1}}, {"q": {b"a": 2.0}}),
    "an Enum of texts": ({"q": {"a": 1}}, {"q": {Colour.RED: 2.0, "b": 3.0}}),
    "empty id": ({"q": {"a": 1}}, {"q": {"": 2.0}}),
    "empty query": ({"": {"a": 1}}, {"q": {"a": 2.0}}),
    "half a surrogate pair": ({"q": {"a": 1}}, {"q": {"\ud800": 2.0}}),
    "huge whole score": ({"q": {"a": 1}}, {"q": {"a": 10**400, "b": 2**60 + 1}}),
    "huge whole id": ({"q": {10**30: 1}}, {"q": {10**30: 1.0}}),
    "lists": ({"q": {"a": 1}, "p": {"b": 1}}, {"q": ["b", "a"], "p": ("b", "c")}),
    "lists and scores": ({"q": {"a": 1}, "p": {"b": 1}}, {"q": ["b", "a"], "p": {"b": 0.5, "c": 0.75}}),
    "an array": ({"q": {"3": 1}}, {"q": np.array([5, 3])}),
    "a list with an item twice": ({"q": {"a": 1}}, {"q": ["b", "a", "b"]}),
    "a list of mixed ids": ({"q": {"a": 1}}, {"q": ["b", 7, "7"]}),
    "a list of lists": ({"q": {"a": 1}}, {"q": ["b", ["a"], {}]}),
    "a dictionary of dictionaries": ({"q": {"a": {"b": 1}}}, {"q": {"a": 1.0}}),
    "no list": ({"q": {"a": 1}}, {"q": "ab"}),
    "nothing judged": ({}, {"q": {"a": 1.0}}),
    "an empty judgement": ({"q": {}, "p": {"a": 1}}, {"p": {"a": 1.0}, "q": {"a": 1.0}}),
    "an empty answer": ({"q": {"a": 1}, "p": {"a": 1}}, {"p": {}, "q": {"a": 1.0}}),
    "an empty run": ({"q": {"a": 1}}, {}),
    "no common query": ({"q": {"a": 1}}, {"p": {"a": 1.0}, "r": {"b": 2.0}}),
    "other dictionaries": (
        OrderedDict({"q": defaultdict(int, {"a": 1})}),
        defaultdict(dict, {"q": OrderedDict({"b": 1.0, "a": 2.0})}),
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_kinds_come_out_as_from_tables(case: str) -> None:
    judgements, run = ODD[case]
    mine = outcome(lambda: reduce(judgements, run, Settings()))
    theirs = outcome(lambda: _by_nested(judgements, run))
    if isinstance(theirs, str):
        assert mine == theirs
    else:
        same(mine, theirs)


def _by_nested(judgements: Any, run: Any) -> RelevantRanks:
    """As `by_tables`, raising what is wrong with either where `Qrels.of` and `Run.of` do."""
    problems, wrong = Problems("judgements"), Problems("run")
    table = json_rows.table_of_nested(judgements, "grade", problems)
    problems.raise_if_any()
    rows = json_rows.table_of_nested(run, "score", wrong)
    wrong.raise_if_any()
    judged = Qrels.from_table(table, problems)
    judged.__dict__["judged_lists"] = None
    return reduce(judged, Run.from_tables("run", lambda _: iter([rows])), Settings())


def test_plain_dictionaries_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a table was made")

    monkeypatch.setattr(pl, "DataFrame", refuse)
    scores = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}, "p": {"a": 1.0}}, MEASURES)
    assert scores["AP"] == 0.5


@pytest.mark.parametrize("deepest", [3, 400, 30_000])
def test_lists_of_any_lengths_are_ranked_as_from_tables(deepest: int) -> None:
    rng = np.random.default_rng(0)
    lengths = [*rng.integers(1, 30, 40).tolist(), deepest]
    run = {
        f"q{row}": {f"d{item}": float(score) for item, score in enumerate(rng.integers(0, 40, length))}
        for row, length in enumerate(lengths)
    }
    judgements = {query: {f"d{item}": item % 3 for item in range(0, 60, 2)} for query in run}
    for policy in POLICIES:
        same(reduce(judgements, run, Settings(ties=policy)), by_tables(judgements, run, Settings(ties=policy)))


def test_prepared_judgements_keep_what_they_were_and_serve_many_runs() -> None:
    judgements = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    prepared = Qrels.of(judgements).prepare()
    judgements["q1"]["a"] = 0
    runs = [{"q1": {"a": 1.0, "b": 2.0}}, {"q1": {"a": 2.0}, "q2": {"x": 1.0, "c": 0.5}}]
    original = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    for run in runs:
        assert evaluate(prepared, run, MEASURES).means().equals(evaluate(original, run, MEASURES).means())


def test_judgements_of_a_file_can_be_prepared_too(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\np 0 b 0\np 0 a 2\n")
    prepared, run = Qrels.of(tmp_path / "qrels").prepare(), {"q": {"b": 1.0, "a": 0.5}, "p": {"a": 1.0}}
    assert not isinstance(prepared, PlainQrels)
    assert prepared.judged_lists is not None
    mine, theirs = reduce(prepared, run), by_tables({"q": {"a": 1}, "p": {"b": 0, "a": 2}}, run, Settings())
    assert mine.provenance["judgements"] == {"file": "qrels", "sha256": prepared.digest, "rows": 3}
    same(replace(mine, provenance=theirs.provenance), theirs)


def test_judgements_with_an_item_twice_are_not_looked_up() -> None:
    frame = pl.DataFrame({"query": ["q", "q"], "item": ["a", "a"], "grade": [1, 0]})
    assert Qrels.of(frame).prepare().judged_lists is None
    with pytest.raises(InputError, match="judged twice"):
        reduce(Qrels.of(frame).prepare(), {"q": {"a": 1.0}})


def test_a_run_stays_as_it_was_when_it_was_given() -> None:
    given_run = {"q": {"a": 1.0, "b": 2.0}}
    run = Run.of(given_run)
    given_run["q"]["a"] = 3.0
    assert run.to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    assert evaluate({"q": {"a": 1}}, run, ["RR"])["RR"] == 0.5


def test_what_takes_items_out_of_lists_takes_them_out_of_dictionaries() -> None:
    judgements, run = {"q": {"a": 1, "q": 1}}, {"q": {"q": 3.0, "j": 2.0, "a": 1.0}}
    assert evaluate(judgements, run, ["RR"], query_item="removed", junk=[("q", "j")])["RR"] == 1.0
    assert evaluate({"q": {"a": 1}}, run, ["RR"], query_item="counted")["RR"] == 1.0
    assert reduce(judgements, run, keep_scores=True).judged.lists("score") == [[3.0, 1.0]]


def test_the_rank_column_that_a_dictionary_lacks_is_asked_for() -> None:
    with pytest.raises(InputError, match="has no rank column"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["RR"], ties="rank")


FRAMES: dict[str, Any] = {
    "polars": lambda columns: pl.DataFrame(columns),
    "a dictionary of columns": lambda columns: {name: list(column) for name, column in columns.items()},
    "arrays": lambda columns: {name: np.array(column) for name, column in columns.items()},
    "three lists": lambda columns: tuple(map(list, columns.values())),
    "three arrays": lambda columns: tuple(map(np.array, columns.values())),
    "pandas": lambda columns: needed_module("pandas", "pandas").DataFrame(columns),
    "objects of pandas": lambda columns: needed_module("pandas", "pandas").DataFrame(columns, dtype=object),
}
ROWS: dict[str, list[tuple[Any, Any, Any]]] = {
    "plain": [("q1", "a", 2.0), ("q1", "b", 1.0), ("q2", "a", 0.5)],
    "ties": [("q1", "b", 1.0), ("q1", "a", 1.0), ("q1", "c", 1.0)],
    "whole numbers": [(1, 7, 3), (1, 8, 5), (2, 7, 1)],
    "scattered": [("q1", "a", 2.0), ("q2", "a", 0.5), ("q1", "b", 1.0)],
    "an item twice": [("q1", "a", 2.0), ("q1", "a", 1.0)],
    "a gap": [("q1", "a", None), ("q1", "b", 1.0)],
    "no id": [("q1", None, 2.0), ("q1", "b", 1.0)],
    "NaN": [("q1", "a", math.nan), ("q1", "b", 1.0)],
    "text": [("q1", "a", "2.5"), ("q1", "b", "x")],
    "a NUL": [("q1", "a\0", 2.5), ("q1", "a", 1.0)],
}
JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "1": {"7": 1}, "2": {"7": 2}}


def as_frame(kind: str, rows: list[tuple[Any, Any, Any]], value: str) -> Any:
    names = ("query", "item", value)
    try:
        return FRAMES[kind](dict(zip(names, zip(*rows, strict=True), strict=True)))
    except (TypeError, pl.exceptions.PolarsError):
        pytest.skip("no such frame")


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("case", ROWS)
def test_small_frames_are_read_as_from_tables(kind: str, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = as_frame(kind, ROWS[case], "score")
    mine = outcome(lambda: reduce(JUDGED, run))
    monkeypatch.setattr("rankscope.inputs.plain_objects.plain_columns", lambda *_: None)
    theirs = outcome(lambda: reduce(JUDGED, run))
    if isinstance(theirs, str):
        assert mine == theirs
    else:
        same(mine, theirs)


@pytest.mark.parametrize("kind", FRAMES)
def test_judgements_of_small_frames_are_read_as_from_tables(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, run = as_frame(kind, ROWS["whole numbers"], "grade"), {1: {7: 1.0, 8: 0.5}}
    mine = Qrels.of(judged)
    assert isinstance(mine, PlainQrels)
    ranks = reduce(mine, run)
    monkeypatch.setattr("rankscope.inputs.plain_objects.plain_columns", lambda *_: None)
    same(ranks, reduce(Qrels.of(judged), run))
    assert mine.table.equals(Qrels.of(judged).table)
    assert mine.line.tolist() == Qrels.of(judged).line.tolist()


def test_a_frame_with_ranks_keeps_them() -> None:
    frame = pl.DataFrame({"query": ["q1", "q1"], "item": ["a", "b"], "score": [1.0, 2.0], "rank": [1, 2]})
    assert evaluate(JUDGED, frame, ["RR"], ties="rank", queries="answered")["RR"] == 1.0


def test_an_array_of_scores_may_change_afterwards() -> None:
    scores = np.array([1.0, 2.0])
    run = Run.of((["q1", "q1"], ["a", "b"], scores))
    scores[0] = 3.0
    assert run.to_dict() == {"q1": {"a": 1.0, "b": 2.0}}
