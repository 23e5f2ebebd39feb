"""The page on what to judge next: its commands and its Python run, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.commands.line.test_planning import fill

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


def test_the_page_says_how_often_the_top_set_was_seen_to_hold() -> None:
    performance = (PAGE.parents[1] / "performance.md").read_text(encoding="utf-8")
    section = performance.split("The top set of `rankscope stability`")[1].split("\n## ")[0]
    rows = [[each.strip() for each in line.strip("|").split("|")] for line in section.splitlines() if line[:2] == "| "]
    held = {(row[0], row[1], int(row[2])): (float(row[3]), float(row[4])) for row in rows[2:]}
    equal = [100 * share for (_, kind, queries), (share, _) in held.items() if kind == "all equal" and queries < 50]
    apart = [100 * share for (_, kind, _), (share, _) in held.items() if kind != "all equal"]
    many = [100 * share for (_, kind, queries), (share, _) in held.items() if kind == "all equal" and queries == 50]
    size = held["Robust 2003, 12 runs", "as they are", 8][1]
    words = " ".join(TEXT.split())
    assert min(apart) >= 99
    assert (
        f"in {int(min(equal))} to {int(max(equal))} % with 5 to 25 queries, and in {min(many):.0f} % with 50" in words
    )
    assert f"with 8 of them {size:.0f} of 12 systems" in words
