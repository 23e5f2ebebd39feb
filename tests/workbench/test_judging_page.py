"""The commands and the program of the page on judging run, and its figures are those of the tests."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.test_tutorials import DOCS, steps
from tests.workbench.projects import write_sources

PAGE = DOCS / "how-to" / "judge-in-a-project.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the page speaks of: documents, topics, two runs, labels and a guideline."""
    write_sources(tmp_path)
    for old, new in (("r0.run", "bm25.run"), ("r1.run", "dense.run"), ("topics.tsv", "queries.tsv")):
        (tmp_path / old).rename(tmp_path / new)
    (tmp_path / "ann.txt").write_text("q1 0 a 2\nq1 0 x 0\nq2 0 a 1\n")
    (tmp_path / "guideline.md").write_text("Relevant is what helps.\n")
    return tmp_path


def test_the_commands_of_the_page_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert len(steps(PAGE)) == 12
    for command, _ in steps(PAGE):
        program, *arguments = shlex.split(command)
        done = CliRunner().invoke(cli, arguments)
        assert (program, done.exit_code) == ("rankscope", 0), (command, done.output, done.exception)


def test_the_program_of_the_page_runs(folder: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 marks still to come\n"
    assert (folder / "own-qrels.txt.provenance.json").exists()


def test_every_setting_of_judging_is_on_the_page() -> None:
    from rankscope.workbench.project_folder import SETTINGS

    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in SETTINGS["judging"] if f"`{name} =" not in text] == ["grades"]
