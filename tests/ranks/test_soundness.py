"""A saved reduction is not believed: what was changed in it is refused by its digest, and what has no digest loads to
what it says or is refused, and no measure leaves its range."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core import digests
from rankscope.core.errors import InputError
from rankscope.core.settings import Settings
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks import storage
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import COLUMNS, KEY, LISTS, load_ranks, save_ranks
from tests.strategies import ranks_of, topics

MEASURES = ("AP", "P@3", "R@3", "nDCG", "nDCG@2", "RR", "RBP", "bpref", "infAP", "ERR@5", "Rprec", "IPrec@0.5")
WHOLE = st.one_of(st.integers(-2, 12), st.sampled_from([2**31, 2**40, 2**41, 2**53, 2**62, -(2**63), 2**63 - 1]))
REAL = st.one_of(st.integers(-2, 6).map(float), st.floats())


def example() -> RelevantRanks:
    """Three queries with everything a file can have: ties, a pool, scores, classes, items left out."""
    judged = {"q1": {"a": 2, "b": 0, "c": 1, "z": 1, "y": -1}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q1": {"a": 3.0, "b": 3.0, "y": 2.0, "x": 2.0, "c": 1.0}, "q2": {"x": 1.0, "a": 0.5}}
    options = Settings(collection_size=9, query_item="removed")
    ranks = reduce(Qrels.of(judged), Run.of(run), options, keep_scores=True)
    return ranks.with_classes({"q1": "cats", "q2": "dogs"})


def without_digest(path: Path) -> str:
    """The notes of a file as they were before files had a digest."""
    notes = json.loads(pl.read_parquet_metadata(path)[KEY])
    return json.dumps({name: value for name, value in notes.items() if name != digests.DIGEST_KEY})


def edited(path: Path, column: str, values: list[Any]) -> None:
    """The file with other values in a column, and no digest."""
    frame, notes = pl.read_parquet(path), without_digest(path)
    series = pl.Series(column, values, dtype=frame.schema[column], strict=True)
    frame.with_columns(series).write_parquet(path, metadata={KEY: notes})


def cells(column: str) -> st.SearchStrategy[Any]:
    kind = COLUMNS[column].kind
    if kind == pl.String:
        return st.sampled_from(["q1", "q2", "q9", "", None])
    if kind == pl.Boolean:
        return st.sampled_from([True, False, None])
    if kind == pl.Int64:
        return st.one_of(WHOLE, st.none())
    inner = REAL if column.endswith(("grade", "score")) else WHOLE
    return st.one_of(st.lists(st.one_of(inner, st.none()), max_size=6), st.lists(inner, max_size=6), st.none())


def check(path: Path) -> None:
    """It loads to what the file says, with measures in their range, or it is refused with the file's name."""
    try:
        ranks = load_ranks(path)
    except InputError as error:
        if str(error).startswith(f"{path.name}: "):
            return
        raise
    frame = pl.read_parquet(path)
    assert ranks.queries == tuple(frame.get_column("query").to_list())
    assert ranks.depth.tolist() == frame.get_column("depth").to_list()
    for name, inner in LISTS.items():
        for each in inner:
            if f"{name}_{each}" in frame.columns:
                assert getattr(ranks, name).lists(each) == frame.get_column(f"{name}_{each}").to_list()
    if ranks.levels["count"].max(initial=0) < 1000:  # an ideal order of so many items takes its time
        found = evaluate_ranks([ranks], MEASURES, Settings())
        for column in found.systems[0].columns:
            known = column.values[~np.isnan(column.values)]
            assert ((known >= 0) & (known <= 1 + 1e-12)).all(), column.asked


@pytest.mark.sampled(4)
@pytest.mark.parametrize("column", COLUMNS)
@given(data=st.data())
@settings(max_examples=60)
def test_any_edit_of_a_column_gives_what_the_file_says_or_a_clear_error(
    column: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("edited") / "x.ranks.parquet"
    save_ranks(example(), path)
    values = pl.read_parquet(path).get_column(column).to_list()
    row = data.draw(st.integers(0, len(values) - 1))
    cell, new = values[row], data.draw(cells(column))
    if isinstance(cell, list) and cell and data.draw(st.booleans()):  # one element of the list only
        new = [*cell]
        new[data.draw(st.integers(0, len(cell) - 1))] = data.draw(REAL if isinstance(cell[0], float) else WHOLE)
    values[row] = new
    edited(path, column, values)
    check(path)


@given(listed=st.lists(topics(), min_size=1, max_size=4), collection=st.booleans())
@settings(max_examples=50)
def test_every_reduction_is_sound_and_comes_back(
    listed: list[Any], collection: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("whole") / "x.ranks.parquet"
    ranks = ranks_of(listed, collection)
    save_ranks(ranks, path)
    again = load_ranks(path)
    assert again.judged.lists("rank") == ranks.judged.lists("rank")


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("judged_rank", [[1, 1, 1], [1], []], "query q1: judged_rank must ascend, each rank once, got [1, 1, 1]"),
        ("judged_rank", [[0, 1, 2], [1], []], "query q1: judged_rank must lie within 1 and the depth, got [0, 1, 2]"),
        ("judged_rank", [[-3, 1, 2], [1], []], "judged_rank must lie within 1"),
        ("levels_count", [[1, 1, 2], [1], [1]], "query q1: levels_grade has 4 values, but levels_count 3"),
        ("judged_grade", [[2.0, 0.0, 2.0], [1.0], []], "judged_grade must be counted in levels_count"),
        ("levels_count", [[1, 1, -2, 1], [1], [1]], "levels_count"),
        ("depth", [2, 2, 0], "judged_rank must lie within 1 and the depth"),
        ("query", ["q1", "q1", "q3"], "query q1: query must be there once"),
        ("collection", [3, 9, 9], "collection must be at least the depth"),
        ("ties_size", [[2, 20], [], []], "ties_start must make groups within 1 and the depth"),
    ],
)
def test_what_cannot_be_is_named(column: str, values: list[Any], what: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    save_ranks(example(), path)
    assert load_ranks(path).queries == ("q1", "q2", "q3")
    edited(path, column, values)
    with pytest.raises(InputError) as caught:
        load_ranks(path)
    assert what in str(caught.value)


@pytest.mark.parametrize("column", [name for name, each in COLUMNS.items() if each.always])
def test_a_missing_column_is_named(column: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    save_ranks(example(), path)
    frame, notes = pl.read_parquet(path), without_digest(path)
    frame.drop(column).write_parquet(path, metadata={KEY: notes})
    with pytest.raises(InputError, match=f"has no column {column}"):
        load_ranks(path)


@pytest.mark.parametrize("name", ["system", "tag", "top_grade", "not_judged", "provenance", "schema"])
@pytest.mark.parametrize("value", [None, 7.5e400, {"settings": 3}, [1], 10**400, True, "x"], ids=str)
def test_notes_beside_the_table_are_checked_too(name: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    save_ranks(example(), path)
    frame, notes = pl.read_parquet(path), without_digest(path)
    about = {**json.loads(notes), name: value}
    frame.write_parquet(path, metadata={KEY: json.dumps(about)})
    check(path)


def test_what_could_not_be_read_back_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    with pytest.raises(InputError, match="query q1: collection must be at least the depth, got 3"):
        save_ranks(example().with_collection(4), path)
    assert not path.exists()


def test_all_problems_come_in_one_message(tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    save_ranks(example(), path)
    edited(path, "judged_rank", [[1, 1, 1], [1], []])
    edited(path, "collection", [-5, 9, 9])
    edited(path, "query", ["q1", "q1", "q3"])
    with pytest.raises(InputError) as caught:
        load_ranks(path)
    assert [word for word in ("judged_rank", "collection", "once") if word not in str(caught.value)] == []


def test_every_column_of_the_file_has_a_rule_or_cannot_be_wrong() -> None:
    """A new column must be thought of: it gets a rule in `soundness`, or stands here."""
    any_value = {"answered", "class"}
    assert {rule.column for rule in storage.RULES} | any_value == set(COLUMNS)


@pytest.mark.parametrize("view", ["cut", "condensed", "take", "at"])
def test_every_view_of_a_reduction_can_be_saved(view: str, tmp_path: Path) -> None:
    given = {"cut": (2,), "condensed": (), "take": (np.array([2, 0]),), "at": (2.0,)}[view]
    seen: RelevantRanks = getattr(example(), view)(*given)
    save_ranks(seen, tmp_path / "x.ranks.parquet")
    assert load_ranks(tmp_path / "x.ranks.parquet").judged.lists("rank") == seen.judged.lists("rank")
