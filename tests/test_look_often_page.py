"""The how-to on looking often: its commands print what it shows, and its figures are those that were measured."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.test_tutorials import DOCS

PAGE = (DOCS / "how-to" / "look-often.md").read_text(encoding="utf-8")
MEASURED = (DOCS / "performance.md").read_text(encoding="utf-8").split("## The sequential gate: ")[1].split("\n## ")[0]
BLOCKS = re.findall(r"^```(console|python)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example, *code) = [block for kind, block in BLOCKS if kind == "python"]
    exec(compile(example, "page", "exec"), {})
    last = 0
    for block in (block for kind, block in BLOCKS if kind == "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if command == "echo $?":
                assert shown == f"{last}\n"
                continue
            done = CliRunner().invoke(cli, shlex.split(command)[1:])
            assert done.stdout == shown, command
            last = done.exit_code
    drawn = (tmp_path / "looks.svg").read_text(encoding="utf-8")
    assert drawn == (DOCS / "how-to" / "look-often.svg").read_text(encoding="utf-8")
    for block in code:
        exec(compile(block, "page", "exec"), {})


def rows_of(text: str, heading: str) -> list[list[str]]:
    """The cells of the table under a heading row, without its rule."""
    lines = text.split(f"| {heading}")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| \n").split("|")] for line in lines]


def test_what_it_costs_is_what_was_measured() -> None:
    shown = rows_of(PAGE, "loss | fixed gate")
    measured = rows_of(MEASURED, "loss | fixed gate")
    assert [[f"0{loss}", *others] for loss, *others in shown] == [row[:3] for row in measured]


def test_what_is_promised_was_measured() -> None:
    """At most 5 % false alarms at any look; a loss of .02 decided in 95 %, one of .05 in 90 %."""
    alarms = rows_of(MEASURED, "differences | gate, a loss shown")
    assert len(alarms) == 9
    assert all(float(cell.rstrip("%")) <= 5 for row in alarms for cell in row[1:3])
    naive = [float(row[3].rstrip("%")) for row in alarms]
    assert f"in {min(naive):.0f} to {max(naive):.0f} % of cases" in " ".join(PAGE.split())
    share = {row[0]: float(row[4].rstrip("%")) for row in rows_of(MEASURED, "loss | fixed gate")}
    assert share["0.02"] >= 95
    assert share["0.05"] >= 90


def test_the_explanation_gives_the_measured_figures() -> None:
    text = " ".join((DOCS / "reference" / "error-rates.md").read_text(encoding="utf-8").split())
    cells = [float(cell.rstrip("%")) for row in rows_of(MEASURED, "differences | gate, a loss") for cell in row[1:3]]
    assert f"in {min(cells)} to {max(cells)} % of trials (promised: 5 %)" in text
    small, middle, large = rows_of(MEASURED, "loss | fixed gate")
    assert f"in {small[4].rstrip('%')} % of trials, one of .05 within 6 times in {middle[4].rstrip('%')} %" in text
    assert f"A loss of .1 takes {large[2]} queries in the median where the fixed gate needs {large[1]}" in text


def test_judging_until_decided_costs_what_was_measured() -> None:
    page = " ".join(PAGE.split())
    decided, against, topics, judged = re.findall(
        r"within the topics: (\S+)% of trials, of which (\S+)% .* it took (\d+) topics in the median and (\S+)%",
        MEASURED,
    )[0]
    assert f"{decided} % of the comparisons are decided within these topics" in page
    assert f"took {topics} topics in the median and {judged} % of the judgements" in page
    assert ("None was decided against" in page) == (against == "0.0")
