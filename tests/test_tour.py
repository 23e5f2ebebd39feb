"""The tour: its command and its Python say the same of the same files, and what it prints is what comes out."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.data import data_folder

PAGE = (Path(__file__).parents[1] / "docs" / "tour.md").read_text(encoding="utf-8")


@pytest.fixture
def robust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    source = data_folder("trec-robust03")
    for name in ("qrels.txt.gz", "runs/pircRBa1.gz", "runs/rutcor03100.gz"):
        shutil.copy(source / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def block_after(words: str, kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE.split(words)[1], re.S)
    assert found is not None
    return found[1]


def test_the_command_prints_what_the_page_shows(robust: Path) -> None:
    command, shown = block_after("On two runs", "console").split("\n", 1)
    done = CliRunner().invoke(cli, shlex.split(command.removeprefix("$ rankscope ")))
    assert done.exit_code == 0
    assert done.output == shown


@pytest.mark.thorough
def test_the_same_in_python_is_the_same(robust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, after = block_after("The same in Python", "python"), block_after("The same in Python", "text")
    known: dict[str, object] = {}
    exec(compile(code, "tour.md", "exec"), known)
    assert capsys.readouterr().out == after
    command, shown = block_after("On two runs", "console").split("\n", 1)
    scores: object = known["scores"]
    asked = [each.removeprefix("rankscope ") for each in shlex.split(command)[3:]]
    assert known["runs"] == [each for each in asked if each.startswith(("pirc", "rutcor"))]
    warnings = [line[2:] for line in shown.splitlines() if line.startswith("! ")]
    assert [each.replace("ties='trec_eval'", "--ties trec_eval") for each in scores.warnings()] == warnings  # type: ignore[attr-defined]
    means = {line.split()[0]: line.split()[1:] for line in shown.splitlines()[2:4]}
    assert {name: [f"{value:.4f}" for value in scores[name].values()] for name in means} == means  # type: ignore[index]
    assert (robust / "pr.pdf").exists()
    assert (robust / "report.html").exists()
