"""Logs of feedback sessions: every form says the same, and everything that is wrong is told at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError
from rankscope.inputs.feedback_logs import FeedbackLog

IDS = ("a", "b", "c")
ROWS = [("one", "a", 1), ("one", "c", -1), ("two", "b", 1)]
EXPECTED = [[1, 0, -1], [0, 1, 0]]
COLUMNS = ["session", "item", "mark"]
FILES = {
    "log.csv": "session,item,mark\none,a,1\none,c,-1\ntwo,b,1\n",
    "log.tsv": "mark\tsession_id\tdocno\nrelevant\tone\ta\nirrelevant\tone\tc\nYes\ttwo\tb\n",
    "log.jsonl": '{"session": "one", "item": "a", "mark": 1}\n{"session": "one", "item": "c", "mark": -1}\n'
    '{"session": "two", "item": "b", "mark": true}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_of_file_says_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    log = FeedbackLog.of(tmp_path / name, IDS)
    assert (log.sessions, log.marks.tolist()) == (("one", "two"), EXPECTED)
    assert log.marks.dtype == np.int8


@pytest.mark.parametrize(
    "given",
    [
        pl.DataFrame(ROWS, schema=COLUMNS, orient="row"),
        {"one": {"a": 1, "c": "not"}, "two": {"b": 1.0}},
        dict(zip(COLUMNS, map(np.array, zip(*ROWS, strict=True)), strict=True)),
        tuple(map(np.array, zip(*ROWS, strict=True))),
        np.array(EXPECTED),
    ],
    ids=["frame", "nested", "columns", "arrays", "matrix"],
)
def test_every_object_says_the_same(given: Any) -> None:
    log = FeedbackLog.of(given, IDS)
    assert log.marks.tolist() == EXPECTED
    assert FeedbackLog.of(log, IDS) is log


def test_a_parquet_file_is_read_too(tmp_path: Path) -> None:
    pl.DataFrame(ROWS, schema=COLUMNS, orient="row").write_parquet(tmp_path / "log.parquet")
    assert FeedbackLog.of(str(tmp_path / "log.parquet"), IDS).marks.tolist() == EXPECTED


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("session,item,mark\none,a,1\n,b,1\none,x,1\ntwo,b,0\ntwo,c,maybe\none,a,-1\n")
    with pytest.raises(InputError) as told:
        FeedbackLog.of(path, IDS)
    assert str(told.value).splitlines() == [
        "log.csv: 5 problems",
        "  line 3: session is empty",
        "  line 4: there is no item 'x' in the collection",
        "  line 5: mark must be 1 or 'relevant', or -1 or 'irrelevant', got '0'",
        "  line 6: mark must be 1 or 'relevant', or -1 or 'irrelevant', got 'maybe'",
        "  line 7: session one marks item a a second time",
        "Give each item of a session once, with its last mark. Items are called by their ids, as 'a'. Leave out items "
        "that were shown and not marked, and write -1 for what was marked as irrelevant.",
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.array([[1, 0]]), "a column for each of the 3 items, got 2"),
        (np.array([[1, 0, 2]]), "1 for relevant, -1 for irrelevant, and 0 for not marked"),
        (pl.DataFrame({"session": ["a"], "item": ["a"]}), "no column for the mark"),
        (pl.DataFrame({"session": [], "item": [], "mark": []}), "has no marks"),
        (7, "cannot read marks from a int"),
    ],
)
def test_what_is_no_log_is_told(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        FeedbackLog.of(given, IDS)


def test_a_study_learns_from_the_log_and_another_log_is_another_study(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(0)
    label = np.arange(60) % 3
    np.savez("far.npz", features=chance.normal(size=(60, 4)), labels=label.astype(str), ids=np.arange(60).astype(str))
    rows = [f"{kind},{item},{1 if label[item] == kind else -1}" for kind in range(3) for item in range(60)]
    Path("log.csv").write_text("\n".join(["session,item,mark", *rows]))
    Path("other.csv").write_text("session,item,mark\n0,0,1\n")
    found = []
    for log in ("log.csv", "other.csv"):
        command = f"feedback far.npz --methods semantic-network --starts 2 --rounds 1 --log {log} --list full --scope 4"
        done = CliRunner().invoke(cli, [*command.split(), "-o", "out.parquet", "--quiet"])
        assert done.exit_code == 0, done.output
        last = (pl.col("method") == "semantic-network") & (pl.col("round") == 1)
        frame = pl.read_parquet("out.parquet").filter(last)
        found.append(float(frame["AP"].to_numpy().mean()))
    assert found[0] == 1.0 > 0.7 > found[1]  # features say nothing, the log everything
    refused = CliRunner().invoke(cli, ["feedback", "far.npz", "--log", "lost.csv", "-o", "out.parquet"])
    assert isinstance(refused.exception, InputError)
