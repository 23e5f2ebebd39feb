"""The tool that compares two checkouts: equal ones are equal, and what was changed in one is found."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
from pathlib import Path

import pytest

import rankscope
from tests.commands.line.every_command import leaf_commands
from tools import frozen
from tools.frozen import INPUTS, contents, differences, main, masked, write_inputs

ROOT = Path(__file__).parents[1]
SERVERS = {"serve", "demo"}  # one does not end, the other takes long


def test_every_command_is_called() -> None:
    lines = frozen.COMMANDS.strip().splitlines()
    called = {" ".join(shlex.split(line.replace("(", " "))[:size]) for line in lines for size in (1, 2)}
    assert leaf_commands().keys() - SERVERS <= called


def test_every_question_is_called() -> None:
    named = set(re.findall(r"\w+", frozen.CALLS))
    questions = [name for name in rankscope.__all__ if inspect.isfunction(getattr(rankscope, name))]
    assert set(questions) - named == {"benchmark", "estimate_with_machine", "gather", "save_ranks"}


def test_inputs_are_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name in ("first", "second"):
        for kind in INPUTS:
            write_inputs(tmp_path / name / kind, kind)
        monkeypatch.chdir(tmp_path / name)
        found.append(contents())
    assert found[0] == found[1]
    assert found[0]["plain/qrels.txt"] != found[0]["graded/qrels.txt"]


def test_what_differs_by_time_and_place_is_masked_and_no_number_is() -> None:
    text = "1.0.0: /tmp/a/x.run at 2026-01-02T10:00:00Z, after 0.25 s; AP 0.1234567890123456, 3 seeds, 0x7f00"
    said = "VERSION: FOLDER/x.run at CLOCK, after SECONDS; AP 0.1234567890123456, 3 seeds, DRAWN"
    assert masked(text, {"/tmp/a": "FOLDER", "1.0.0": "VERSION"}) == said


def test_a_difference_names_the_entry_and_is_cut() -> None:
    before = {"same": "1\n", "other": "a\nb\nc\n", "gone": "x\n"}
    found = list(differences(before, {"same": "1\n", "other": "a\nB\nC\n", "new": "y\n"}, 6))
    assert [each.splitlines()[0] for each in found] == ["-- other", "-- gone", "-- new"]
    assert found[0].splitlines()[-2:] == ["-c", "... 2 lines more"]


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The source with a number, a name, a message and a byte of saved ranks changed, wherever they stand."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for before, after in (
        ("normal_quantile(level) ** 2", "1.5 * normal_quantile(level) ** 2"),
        ("def explain_by(scores", "def explain_by(table"),
        ("did you mean", "perhaps you meant"),
        ('KEY = "rankscope"', 'KEY = "rankscopf"'),
    ):
        files = [path for path in (tmp_path / "src").rglob("*.py") if before in path.read_text(encoding="utf-8")]
        assert files, before
        for path in files:
            path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    return tmp_path


@pytest.mark.thorough
def test_one_tree_is_equal_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT), str(ROOT), "--only", "names", "--only", "calls", "--only", "ranks"]) == 0
    assert [line.partition(", ")[2] for line in capsys.readouterr().out.splitlines()] == ["0 differ"] * 3


@pytest.mark.thorough
def test_a_changed_number_name_message_and_byte_are_found(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT), str(changed), "--only", "names", "--only", "calls", "--only", "ranks"]) == 1
    printed = capsys.readouterr().out
    names, calls, ranks = re.split("^(?:calls|ranks): ", printed, flags=re.MULTILINE)
    assert ranks.startswith("6 entries, 6 differ")
    assert "-explain_by(scores" in names
    assert "+explain_by(table" in names
    assert "-- rankscope.needed_sample(20_000, 64, 0.2)" in calls
    assert "+MeasureError: no measure 'nDGC' (perhaps you meant" in calls
