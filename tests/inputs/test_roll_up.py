"""Chunks roll up to documents: the best chunk counts; what does not match is counted and said."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankscope
from rankscope.core.errors import InputError, SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from tests.inputs.examples import run_error

REGEX = r"^(.*)#\d+$"
RUN = {"q": {"d1#0": 1.0, "d2#0": 2.5, "d1#4": 3.0, "d3#1": 2.5, "alone": 0.5}}
TABLE = {"d1#0": "d1", "d2#0": "d2", "d1#4": "d1", "d3#1": "d3"}


def rows(roll_up: Any, run: Any = RUN) -> list[tuple[str, str, float]]:
    return Run.of(run, Reading(roll_up=roll_up)).table().rows()


ROLLED = [("q", "d1", 3.0), ("q", "d2", 2.5), ("q", "d3", 2.5), ("q", "alone", 0.5)]


@pytest.mark.parametrize(
    "roll_up", [REGEX, re.compile(REGEX), TABLE, pl.DataFrame({"c": [*TABLE], "d": [*TABLE.values()]})]
)
def test_the_best_chunk_counts(roll_up: Any) -> None:
    assert rows(roll_up) == ROLLED


@pytest.mark.parametrize("suffix", ["csv", "tsv", "plain.tsv", "jsonl", "rows.json", "map.json", "parquet", "arrow"])
def test_chunks_are_read_from_every_kind_of_table(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"chunk": list(TABLE), "document": list(TABLE.values())})
    path = tmp_path / f"chunks.{suffix}"
    writers: dict[str, Callable[[], object]] = {
        "csv": lambda: frame.write_csv(path),
        "tsv": lambda: frame.write_csv(path, separator="\t"),
        "plain.tsv": lambda: frame.write_csv(path, separator="\t", include_header=False),
        "jsonl": lambda: frame.write_ndjson(path),
        "rows.json": lambda: frame.write_json(path),
        "map.json": lambda: path.write_text(json.dumps(TABLE)),
        "parquet": lambda: frame.write_parquet(path),
        "arrow": lambda: frame.write_ipc(path),
    }
    writers[suffix]()
    assert rows(str(path)) == rows(path) == ROLLED


def test_rolled_runs_equal_a_slow_and_obvious_way() -> None:
    chance = np.random.default_rng(5)
    run = {f"q{q}": {f"d{d}#{c}": float(chance.integers(0, 9)) for d in range(6) for c in range(4)} for q in range(5)}
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for query, items in run.items():
        for item, score in items.items():
            document = item.split("#")[0]
            expected[query][document] = max(score, expected[query].get(document, -1.0))
    assert Run.of(run, Reading(roll_up=REGEX)).to_dict() == expected
    grades = {query: {item: int(score) - 2 for item, score in items.items()} for query, items in run.items()}
    best = {query: {item: int(score) - 2 for item, score in items.items()} for query, items in expected.items()}
    assert Qrels.of(grades, Reading(roll_up=REGEX)).to_dict() == best


def test_an_order_rolls_up_by_the_best_rank(tmp_path: Path) -> None:
    assert rows(REGEX, {"q": ["d2#0", "d1#4", "d2#1", "d3#0"]}) == [
        ("q", "d2", 0.0),
        ("q", "d1", -1.0),
        ("q", "d3", -3.0),
    ]
    path = tmp_path / "a.run"
    path.write_text("q Q0 d1#0 2 9 x\nq Q0 d2#0 1 1 x\nq Q0 d1#1 3 5 x\nq Q0 d3#0 4 0 x\n")
    by_rank = rankscope.evaluate({"q": {"d3": 1}}, str(path), "RR", roll_up=REGEX, ties="rank")
    assert by_rank["RR"] == pytest.approx(1 / 3)


def test_what_happened_is_said() -> None:
    frame = pl.DataFrame({"query": ["q"] * 4, "item": ["d1#0", "d1#0", "d2#1", "d9"], "score": [1.0, 2.0, 3.0, 0.0]})
    scores = rankscope.evaluate({"q": {"d1#0": 1, "d1#1": 2}}, {"mine": frame}, "AP", roll_up=REGEX)
    assert scores["AP"] == 0.5
    assert scores.notes == (
        "judgements: 2 judgements rolled up to 1 of documents: the highest grade counts",
        "mine: 4 results rolled up to 3 documents: the best chunk counts",
        "mine: 1 result was of a chunk that its query lists already: the best counts",
        "mine: 1 of 4 results are no chunk of the roll-up: they stand for themselves",
    )


def test_judgements_of_documents_stay() -> None:
    judged = Qrels.of({"q": {"d1": 1}}, Reading(roll_up=REGEX))
    assert judged.to_dict() == {"q": {"d1": 1}}
    assert judged.notes == ("no judged item is a chunk of the roll-up: they are judgements of documents",)
    assert rankscope.evaluate({"q": {"d1": 1}}, RUN, "AP", roll_up=REGEX)["AP"] == 1.0


def test_a_run_without_any_chunk_is_refused() -> None:
    error = run_error({"q": {"a-1": 1.0}}, Reading(roll_up=REGEX))
    assert "no item is a chunk of the roll-up" in error
    assert "Ids of the run: 'a-1', ... Give roll_up what fits them." in error


@pytest.mark.parametrize(
    ("roll_up", "what"),
    [
        ("chunks.csv", "is no file that is there, and as a regular expression has no group where one is needed"),
        ("^(.*)#(.*)$", "has 2 groups where one is needed"),
        ("^(.*", "is no file that is there, and no regular expression"),
        ({"a": 1.5}, "has a chunk or a document without an id"),
        (3, "must be a regular expression with one group"),
    ],
)
def test_wrong_roll_ups_are_refused(roll_up: Any, what: str) -> None:
    with pytest.raises(SettingError) as caught:
        Reading(roll_up=roll_up)
    assert what in str(caught.value)


def test_a_chunk_of_two_documents_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chunks.csv"
    path.write_text("chunk,document\na,d1\na,d2\n")
    with pytest.raises(InputError, match="has chunk 'a' in two documents, 'd1' and 'd2'"):
        Reading(roll_up=str(path))
    path.write_text("chunk,document\n")
    with pytest.raises(InputError, match="holds no chunks"):
        Reading(roll_up=str(path))
    path.write_text("chunk_id,title,words\na,d1,3\n")
    with pytest.raises(InputError, match="needs the columns chunk and document; columns: chunk_id, title, words"):
        Reading(roll_up=str(path))


def test_both_levels_stand_in_one_table() -> None:
    judged = {"q": {"d1#0": 1, "d1#4": 1, "d5#0": 1}}
    scores = rankscope.evaluate(
        judged, {"mine": RUN}, ["ContextRecall@2", "ContextPrecision@2"], roll_up=REGEX, both_levels=True
    )
    assert [each.name for each in scores.systems] == ["mine (chunks)", "mine (documents)"]
    assert scores["mine (chunks)", "ContextRecall@2"] == pytest.approx(1 / 3)
    assert scores["mine (documents)", "ContextRecall@2"] == pytest.approx(1 / 2)
    with pytest.raises(SettingError, match="both_levels needs roll_up=REGEX"):
        rankscope.evaluate(judged, RUN, both_levels=True)
    with pytest.raises(InputError, match="only documents can be evaluated with these judgements"):
        rankscope.evaluate({"q": {"d1": 1}}, RUN, roll_up=REGEX, both_levels=True)
