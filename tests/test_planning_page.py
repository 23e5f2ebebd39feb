"""The page on what to judge next: its commands and its Python run, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.cli.main import cli
from tests.cli.test_planning import fill

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "what-to-judge-next.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)
    return tmp_path


@pytest.mark.thorough
def test_the_commands_run(folder: Path) -> None:
    commands = re.findall(r"^\$ rankscope (.+)$", TEXT, re.MULTILINE)
    assert len(commands) > 10
    for command in commands:
        done = CliRunner().invoke(cli, shlex.split(command))
        assert done.exit_code == 0, (command, done.output, done.exception)


def test_the_python_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, PAGE.name, "exec"), {})
    assert "more queries" in capsys.readouterr().out


def test_the_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_what_deeper_pools_gave_is_what_was_measured() -> None:
    measured = (PAGE.parents[1] / "performance.md").read_text(encoding="utf-8").split("## Plans of judging")[1]
    rows = re.findall(r"^\| \S.* \| (\.\d+) / (\.\d+) \| \d+% \|$", measured.split("\n## ")[0], re.MULTILINE)
    ratios = sorted(float(observed) / float(promised) for promised, observed in rows)
    assert len(ratios) == 16
    assert f"came out at {ratios[0]:.2f} to {ratios[-1]:.2f} times".replace(" 0.", " .") in TEXT
