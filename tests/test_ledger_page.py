"""The how-to on the ledger: its files are made by its own code, its commands print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli
from rankscope.reports.graphs.waterfall import waterfall

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"
PAGE = (HOW_TO / "where-did-recall-go.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CONSOLE = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
STAGES = [f"{name}={name}.run" for name in ("exact", "ann", "filter", "rerank")]
PERFORMANCE = (HOW_TO.parent / "performance.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    exec(compile(CODE[-1], "files of the page", "exec"), {})
    return tmp_path


@pytest.mark.parametrize("block", CONSOLE)
def test_a_command_prints_what_the_page_shows(block: str) -> None:
    command, *shown = block.splitlines()
    done = CliRunner().invoke(cli, shlex.split(command.removeprefix("$ rankscope ")))
    assert done.exit_code == 0, done.exception
    lines = [line for line in shown if line != "..."]
    assert done.stdout.splitlines()[: len(lines)] == lines


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(CODE[0], "the page", "exec"), {})
    assert "lost at ann" in capsys.readouterr().out


def test_what_the_page_concludes_is_so() -> None:
    told = rankscope.ledger(
        "qrels.txt", {name: f"{name}.run" for name in ("exact", "ann", "filter", "rerank")}, scope=10
    )
    ann, filtered, rerank = (each.loss for each in told.main.entries[1:-1])
    assert rerank > ann + filtered


def test_the_picture_of_the_page_is_that_of_its_numbers() -> None:
    told = rankscope.ledger(
        "qrels.txt", {name: f"{name}.run" for name in ("exact", "ann", "filter", "rerank")}, scope=10
    )
    picture = (HOW_TO / "where-did-recall-go.svg").read_text(encoding="utf-8")
    words = [mark.name for mark in waterfall(told.main).marks if mark.role == "label"]
    assert len(words) == 5
    assert [word for word in words if f">{word}<" not in picture] == []


def test_the_bars_of_the_icons_are_those_of_the_performance_page() -> None:
    section = PERFORMANCE.split("## Where recall goes")[1].split("\n## ")[0]
    assert "3 of 3 quantities" in section
    rows = re.findall(r"^\| (\w+) \| [\d.]+ \| (-?[\d.]+) \(", section, re.MULTILINE)
    picture = (HOW_TO / "where-did-recall-go-icons.svg").read_text(encoding="utf-8")
    assert [stage for stage, _ in rows] == ["ivf", "licence", "rerank"]
    assert max(rows, key=lambda row: float(row[1]))[0] == "licence"
    assert [stage for stage, loss in rows if f">\u2212{float(loss):.3f}<".replace("0.", ".") not in picture] == []


def test_the_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert [link for link in links if not (HOW_TO / link).exists()] == []
