"""`rankscope index` and `rankscope search`, from files to tables: what they print, write and refuse."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import rankscope
from rankscope.core.settings import SETTINGS
from tests.commands.line.inside import ended, tree
from tests.data import data_folder

TIES = [str(each) for each in next(each for each in SETTINGS if each.name == "ties").choices]
TEXTS = {"a": "the quick brown fox", "b": "a lazy dog", "c": "fox and dog and dog", "d": "the fox den", "e": "den fox"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents, topics and judgements, and an index of them."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": name, "title": f"Text {name}", "text": text}) for name, text in TEXTS.items()]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    (tmp_path / "topics.tsv").write_text("1\tfox den?\n2\tdogs (lazy)\n3\tunicorn\n")
    (tmp_path / "qrels.txt").write_text("1 0 d 1\n1 0 a 1\n1 0 b 1\n2 0 b 1\n2 0 c 0\n3 0 a 1\n")
    assert ended(monkeypatch, "index", "docs.jsonl", "-o", "x.index", "--quiet") == 0
    return tmp_path


def test_a_query_is_answered_with_a_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, "search", "x.index", "+fox -dog den", "-n", 2) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["1", "2"]
    assert re.fullmatch(r"1  0\.\d{4}  d  Text d", lines[0])
    assert lines[1].strip() == "the fox den"
    assert "3 documents match; the first 2 are shown" in shown.err
    assert ended(monkeypatch, "search", "x.index", "unicorn", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


MINUS = {  # what was typed, and what is advised
    ("search", "x.index", "-heat"): "search x.index -- -heat",
    ("search", "x.index", "-nasa"): "search x.index -- -nasa",
    ("search", "x.index", "-1"): "search x.index -- -1",
    ("search", "x.index", "-dog fox"): "search x.index -- '-dog fox'",
    ("search", "x.index", "-dog", "fox"): "search x.index -- '-dog fox'",
    ("search", "x.index", "fox", "-wing"): "search x.index 'fox -wing'",
    ("search", "x.index", "-heat", "--limit", "3"): "search INDEX -- -heat",
    ("look", "x.index", "query", "-heat"): "look x.index query -- -heat",
    ("look", "x.index", "explain", "-heat", "a"): "look x.index explain -- -heat a",
    ("look", "x.index", "analyse", "-1.5"): "look x.index analyse -- -1.5",
}


@pytest.mark.parametrize("typed", MINUS, ids=" ".join)
def test_a_text_that_begins_with_a_minus_is_told_of_the_dashes(
    folder: Path, typed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, *typed) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(f": rankscope {MINUS[typed]}")
    if "INDEX" not in said:
        assert ended(monkeypatch, *shlex.split(MINUS[typed])) == 0


def test_a_wrong_option_alone_is_not_taken_for_a_query(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for typed in (["fox", "--simlarity", "bm25"], ["fox", "-n", "x"], ["fox", "-n5", "--syntx", "words"]):
        assert ended(monkeypatch, "search", "x.index", *typed) == 2
        assert "belongs to a query" not in capsys.readouterr().err
    assert ended(monkeypatch, "search", "x.index", "-orange") == 2
    assert "rankscope search INDEX... -- -QUERY" in capsys.readouterr().err


@pytest.mark.sampled(6)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("choice", [(), ("--depth", "2"), ("--unmatched", "last")], ids=" ".join)
def test_a_run_and_saved_ranks_give_the_same_numbers(
    folder: Path, ties: str, choice: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("search", "x.index", "--topics", "topics.tsv", "--similarity", "boolean", *choice, "--quiet")
    assert ended(monkeypatch, *asked, "-o", "x.run") == 0
    assert ended(monkeypatch, *asked, "--qrels", "qrels.txt", "--ties", ties, "-o", "x.ranks.parquet") == 0
    tables = []
    for files in (("qrels.txt", "x.run"), ("x.ranks.parquet",)):
        given = ("-m", "AP,nDCG@10,P@2,RR,bpref", "-q", "--ties", ties, "-o", "out.csv", "--quiet")
        assert ended(monkeypatch, "evaluate", *files, *given) == 0
        tables.append((folder / "out.csv").read_text())
    assert tables[0] == tables[1]


def test_several_indexes_are_searched_as_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "more.csv").write_text("id,text\nz,a fox\n")
    assert ended(monkeypatch, "index", "more.csv", "-o", "y.index") == 0
    assert ended(monkeypatch, "search", "x.index", "y.index", "--topics", "topics.tsv", "-o", "both.jsonl") == 0
    assert "z" in pl.read_ndjson("both.jsonl")["item"].to_list()
    assert len(rankscope.Index.open("x.index", "y.index")) == 6


def test_documents_are_added_all_or_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "more.jsonl").write_text('{"id": "z", "text": "a fox"}\n{"id": "a", "text": "again"}\n')
    before = tree(folder / "x.index")
    assert ended(monkeypatch, "index", "more.jsonl", "-o", "x.index") == 2
    assert "holds an index: add to it" in capsys.readouterr().err
    assert ended(monkeypatch, "index", "more.jsonl", "-o", "x.index", "--add") == 2
    assert "same id 'a'" in capsys.readouterr().err
    assert tree(folder / "x.index") == before
    (folder / "more.jsonl").write_text('{"id": "z", "text": "a fox"}\n')
    assert ended(monkeypatch, "index", "more.jsonl", "-o", "x.index", "--add") == 0
    assert "6 documents" in capsys.readouterr().err


def test_a_broken_file_leaves_no_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.jsonl").write_text('{"id": "z", "text": "a fox"}\n{"id": 1\n{}\n')
    assert ended(monkeypatch, "index", "bad.jsonl", "-o", "bad.index") == 2
    told = capsys.readouterr().err
    assert "bad.jsonl: 2 problems" in told
    assert not (folder / "bad.index" / "index.json").exists()
    assert ended(monkeypatch, "search", "bad.index", "fox") == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x.index"], "needs an index and a query"),
        (["x.index", "fox AND"], "column 8: expected"),
        (["nothing.index", "fox"], "nothing.index"),
        (["x.index", "fox", "--qrels", "qrels.txt"], "--qrels: belongs to --topics"),
        (["x.index", "--topics", "topics.tsv"], "needs -o FILE"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.ranks.parquet"], "belong together"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.run", "--qrels", "qrels.txt"], "belong together"),
        (["x.index", "--topics", "topics.tsv", "-o", "topics.tsv"], "this command reads it"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.run", "--parts", "desc"], "has no part 'desc'"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.run", "--similarity", "bm52"], "did you mean 'bm25'"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.run", "--field", "body"], "no field 'body'"),
        (["x.index", "--topics", "topics.tsv", "-o", "y.run", "--depth", "3", "--unmatched", "last"], "--depth out"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    folder: Path,
    given: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ended(monkeypatch, "search", *given) == 2
    assert words in capsys.readouterr().err
    assert not (folder / "y.run").exists()


def test_fields_and_analysers_are_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--fields", "all=title+text,text", "--field-analyser", "text=whitespace", "--analyser", "standard")
    assert ended(monkeypatch, "index", "docs.jsonl", "-o", "y.index", *given) == 0
    assert "5 documents, fields all (standard), text (whitespace)" in capsys.readouterr().err
    assert ended(monkeypatch, "index", "docs.jsonl", "-o", "z.index", "--field-analyser", "text") == 2
    assert "write FIELD=NAME" in capsys.readouterr().err


def test_files_without_text_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "a.txt").write_text("a fox")
    (folder / "notes" / "b.bin").write_bytes(b"\0\1")
    assert ended(monkeypatch, "index", "notes", "-o", "notes.index") == 0
    assert "! left out, as no text can be read from them (1): b.bin" in capsys.readouterr().err


def test_unmatched_documents_in_an_order_of_ids_are_warned_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("search", "x.index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "--unmatched", "last")
    assert ended(monkeypatch, *asked, "-o", "x.ranks.parquet") == 0
    assert "--ties expected or hash favours none" in capsys.readouterr().err
    assert ended(monkeypatch, *asked, "-o", "x.ranks.parquet", "--ties", "expected") == 0
    assert "favours none" not in capsys.readouterr().err


@pytest.mark.thorough
def test_a_killed_index_is_the_old_one_or_the_new_one(folder: Path) -> None:
    lines = [json.dumps({"id": f"n{number}", "text": "fox " * 50}) for number in range(20_000)]
    (folder / "many.jsonl").write_text("\n".join(lines))
    code = [sys.executable, "-m", "rankscope", "index", "many.jsonl", "-o", "x.index", "--add", "--quiet"]
    begin = time.monotonic()
    assert subprocess.run(code, check=False).returncode == 0
    whole, sizes = time.monotonic() - begin, set()
    for share in (0.4, 0.7, 0.9, 0.97):
        assert ended_at(share * whole, [*code[:5], "-o", f"k{share}.index", "--quiet"]) is not None
        place = folder / f"k{share}.index"
        sizes.add(len(rankscope.Index.open(place)) if (place / "index.json").exists() else 0)
    assert sizes <= {0, 20_000}


def ended_at(seconds: float, words: list[str]) -> int | None:
    """The code of a process that is killed after so long, unless it has ended."""
    process = subprocess.Popen(words)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        return process.wait()


SYSTEMS = ("bm25(k1=0.9, b=0.4)", "bm25(k1=1.2, b=0.75)", "lm-dirichlet(mu=1000)")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["cranfield", "cisi", "medline", "cacm", "npl", "adi"])
def test_the_commands_reach_the_quality_of_anserini(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.engines.text.test_collections import QUALITY

    data = data_folder("text") / name
    assert ended(monkeypatch, "index", data / "docs.jsonl.gz", "-o", tmp_path / "index", "--quiet") == 0
    for system, expected in zip(SYSTEMS, QUALITY[name], strict=True):
        asked = ("search", tmp_path / "index", "--topics", data / "queries.tsv", "--similarity", system, "--quiet")
        run, ranks, out = tmp_path / "x.run", tmp_path / "x.ranks.parquet", tmp_path / "out.csv"
        assert ended(monkeypatch, *asked, "--depth", 1000, "-o", run) == 0
        assert ended(monkeypatch, *asked, "--qrels", data / "qrels.txt", "--ties", "ascending", "-o", ranks) == 0
        for files in ((data / "qrels.txt", run), (ranks,)):
            given = ("-m", "AP,nDCG@10,P@10", "--ties", "ascending", "--depth", 1000, "-o", out, "--quiet")
            assert ended(monkeypatch, "evaluate", *files, *given) == 0
            assert pl.read_csv(out)["value"].round(4).to_list() == list(expected)
