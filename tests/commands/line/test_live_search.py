"""`rankscope search --engine`: what it says and refuses, and that a killed process loses nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.line.inside import ended
from tests.engines.live.engine_server import Asked, Fault, Hits, json_fault, running
from tests.needs import needed_module

needed_module("httpx", "gather")
TOPICS = "".join(f"{number}\ttopic {number}\n" for number in range(1, 31))


def rank(query: str) -> Hits:
    number = int(query.split()[-1]) if query[-1].isdigit() else 0
    return [(f"d{number}-{place}", 9.5 - place // 2) for place in range(number)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics.tsv").write_text(TOPICS)
    for name in ("USER", "PASSWORD", "API_KEY", "TOKEN"):
        monkeypatch.delenv(f"RANKSCOPE_ENGINE_{name}", raising=False)
    return tmp_path


def test_it_says_how_long_the_engine_took(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "topics.tsv").write_text(f"{TOPICS}none\tnothing\n")
    with running(rank) as engine:
        asked = ("search", "--engine", engine.solr(), "--topics", "topics.tsv", "--page-size", 20)
        assert ended(monkeypatch, *asked, "-o", "mine.run") == 0
        told = capsys.readouterr().err
        assert ended(monkeypatch, *asked, "-o", "mine.run", "--quiet") == 0  # its own run is replaced
        assert capsys.readouterr().err == ""
    lines = told.splitlines()
    assert lines[0] == f"mine.run: 31 topics from {engine.solr()}"
    assert lines[1] == "  42 requests, 4 at a time; mine.latency.json:"
    assert lines[2].split() == ["milliseconds", "p50", "p90", "p95", "p99", "max"]
    assert [re.split("  +", line.strip())[0] for line in lines[3:6]] == ["first page", "all pages", "engine's own"]
    assert lines[5].split()[-5:] == ["3.0"] * 5
    assert lines[6] == "! 1 topic found nothing: is the field searched the right one?"
    assert lines[7] == "  29 topics with equal scores: evaluate with --ties rank to keep the engine's order"
    assert len(lines) == 8


def test_it_says_what_was_odd(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(lambda query: [("a", 1.0), ("b", 2.0), ("a", 1.0)]) as engine:
        asked = ("search", "--engine", engine.opensearch(), "--topics", "topics.tsv")
        assert ended(monkeypatch, *asked, "-o", "mine.run") == 0
        assert "! 30 topics not in the order of scores: evaluate with --ties rank" in capsys.readouterr().err
        assert ended(monkeypatch, *asked, "-o", "mine.jsonl") == 0
        told = capsys.readouterr().err
    assert "! 30 topics not in the order of scores, which only NAME.run can hold" in told
    assert "! 30 documents came twice and the first counts" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--topics", "topics.tsv"], ["--engine needs -o NAME.run"]),
        (
            ["wing", "-o", "x.run"],
            ["2 settings", "'wing': --engine takes the place of an index", "needs --topics FILE"],
        ),
        (
            ["--topics", "topics.tsv", "-o", "x.run", "--similarity", "bm25", "--qrels", "q"],
            ["--similarity, --qrels: an engine ranks by itself; --request FILE.json says how"],
        ),
        (["--topics", "topics.tsv", "-o", "x.ranks.parquet"], ["an engine gives a run: name it NAME.run"]),
        (["--topics", "topics.tsv", "-o", "x.run", "--request", "no.json"], ["no.json", "No such file"]),
        (["--topics", "none.tsv", "-o", "x.run"], ["none.tsv"]),
    ],
)
def test_bad_input_ends_with_two(
    arguments: list[str],
    words: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(folder.iterdir())
    assert ended(monkeypatch, "search", "--engine", "solr:http://127.0.0.1:9/solr/x", *arguments) == 2
    told = capsys.readouterr().err
    assert [each for each in words if each not in told] == []
    assert sorted(folder.iterdir()) == before


def test_options_of_an_engine_need_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, "search", "x.index", "wing", "--workers", 2, "--id-field", "x") == 2
    assert "--id-field, --workers: belongs to --engine KIND:URL" in capsys.readouterr().err


def test_a_password_in_an_address_is_not_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = "solr:http://me:s3cret@127.0.0.1/solr/x"
    assert ended(monkeypatch, "search", "--engine", engine, "--topics", "topics.tsv", "-o", "x.run") == 2
    shown = capsys.readouterr()
    assert "set RANKSCOPE_ENGINE_USER and RANKSCOPE_ENGINE_PASSWORD instead" in shown.err
    assert "s3cret" not in shown.err + shown.out


def test_topics_that_fail_are_named_and_the_others_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault(asked: Asked, number: int) -> Fault | None:
        bad = asked.query.endswith("7")
        return json_fault(400, {"error": {"msg": "too many\x1b[2J clauses", "code": 400}}) if bad else None

    with running(rank, fault) as engine:
        asked = ("search", "--engine", engine.solr(), "--topics", "topics.tsv", "-o", "x.run")
        assert ended(monkeypatch, *asked) == 2
        told = capsys.readouterr().err
    assert re.search(r"topics 7, 17, 27: HTTP 400 Bad Request: too many\\x1b\[2J clauses", told)
    assert "No run was written. The 27 answers are kept: the same command asks for the others." in told


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_killed_process_loses_nothing_and_the_run_is_the_same(folder: Path) -> None:
    def begun(name: str, address: str) -> subprocess.Popen[bytes]:
        command = ["search", "--engine", address, "--topics", "topics.tsv", "-o", name, "--quiet"]
        return subprocess.Popen([sys.executable, "-m", "rankscope", *command], cwd=folder)

    with running(rank) as engine:
        assert begun("whole.run", engine.solr()).wait(60) == 0
        whole = len(engine.asked)
        engine.asked.clear()
        process = begun("killed.run", engine.solr())
        while len(engine.asked) < 20 and process.poll() is None:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not (folder / "killed.run").exists()
        assert begun("killed.run", engine.solr()).wait(60) == 0
        again = len(engine.asked) - whole
    assert again <= 3 * 4  # on their way, not yet taken, and not yet written down
    same = (folder / "whole.run").read_text().replace(" whole\n", " killed\n")
    assert (folder / "killed.run").read_text() == same
    kept = {"whole.run", "whole.latency.json", "killed.run", "killed.latency.json", "topics.tsv"}
    assert {each.name for each in folder.iterdir()} == kept
