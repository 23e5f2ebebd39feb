"""Every command and every example in Python of the pages on agreement and on preferences is run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.analysis.assessors.bradley_terry import bradley_terry
from rankscope.analysis.assessors.preferences import Preference
from rankscope.commands.line.main import cli
from rankscope.workbench.preferences import Comparing, mark_of_choice
from rankscope.workbench.project import Project
from tests.test_claims_pages import commands, parts
from tests.test_tutorials import DOCS
from tests.workbench.projects import write_sources

ITEMS = "abcdefghijk"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three assessors, two runs, classes, answers, clicks, and a project that two have judged."""
    sources = write_sources(tmp_path)
    for old, new in (("r0.run", "bm25.run"), ("r2.run", "dense.run")):
        (tmp_path / old).rename(tmp_path / new)
    for name, step in (("ann", 1), ("bob", 2), ("eve", 3)):
        lines = [f"{q} 0 {item} {(n * step + len(q)) % 3}\n" for q in ("q1", "q2") for n, item in enumerate(ITEMS)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    (tmp_path / "kinds.csv").write_text("query,class\nq1,x\nq2,y\n")
    rows = [f"q{n},bm25,dense,{'right' if n % 3 else 'left'}\n" for n in range(12)]
    (tmp_path / "answers.csv").write_text("query,left,right,choice\n" + "".join(rows))
    (tmp_path / "clicks.csv").write_text("query,item,impression\nq1,a,1\nq2,h,3\n")
    runs = [tmp_path / "bm25.run", tmp_path / "dense.run"]
    with Project.new(tmp_path / "judging", texts=sources["texts"], runs=runs, topics=sources["topics"]) as project:
        for name in ("ann", "bob"):
            project.import_labels(str(tmp_path / f"{name}.txt"), name)
        owner = project.assessor_named("owner").id
        for place, shown in enumerate(Comparing.of(project).plan(owner, "side by side")):
            project.save(mark_of_choice(owner, f"k{place}", shown, "left"))
    return tmp_path


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", ["agreement", "prefer"])
def test_what_a_page_shows_can_be_run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert {kind for kind, _ in parts(page)} == {"console", "python"}
    for kind, block in parts(page):
        if kind == "python":
            done = subprocess.run([sys.executable, "-c", block], check=False, capture_output=True, text=True)
            assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
        for line in commands(block) if kind == "console" else ():
            result = CliRunner().invoke(cli, shlex.split(line)[1:])
            assert result.exit_code == 0, (line, result.output, result.exception)


def test_the_formulas_have_the_worked_values_and_the_rules_are_all_there() -> None:
    from rankscope.analysis.assessors.agreement import cohen_kappa
    from rankscope.analysis.assessors.grades import MERGE_RULES
    from tests.analysis.statistics.agreement.test_coefficients import GRADES, THREE, alpha, marks_of

    page = (DOCS / "explanation" / "agreement.md").read_text(encoding="utf-8")
    values = [float(cohen_kappa(GRADES, distance=each)) for each in ("nominal", "linear", "quadratic")]
    values += [alpha(marks_of(THREE), each) for each in ("nominal", "ordinal", "interval")]
    assert [value for value in values if f"{value:.6f}".removeprefix("0") not in page] == []
    rules = (DOCS / "how-to" / "agreement.md").read_text(encoding="utf-8")
    assert [rule for rule in MERGE_RULES if f"`{rule}" not in rules] == []


def measured(title: str) -> list[dict[str, str]]:
    """The rows of the tables of one section of the page of benchmarks."""
    section = (DOCS / "performance.md").read_text(encoding="utf-8").split(f"## {title}")[1].split("\n## ")[0]
    rows, header = [], []
    for line in section.splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and not set(line) <= set("|-: "):
            if cells[0] in ("source", "put in", "systems"):
                header = cells
            else:
                rows.append(dict(zip(header, cells, strict=True)))
    return rows


def test_the_pages_say_what_was_measured() -> None:
    """Shares of the prose, in percent, are those of the tables of `python -m benchmarks`."""
    rows = [{name: float(value) for name, value in row.items() if name != "source"} for row in measured("Agreement of")]
    page = " ".join((DOCS / "explanation" / "agreement.md").read_text(encoding="utf-8").split())
    corrected = [row[name] for row in rows for name in ("kappa", "alpha")]
    others = [row[name] for row in rows for name in ("raw", "positive", "AC1")]
    assert f"kappa and alpha in {100 * min(corrected):.0f} to {100 * max(corrected):.0f} % of trials" in page
    assert f"the others in {100 * min(others):.0f} to {100 * max(others):.0f} %" in page
    assert f"pairs never in more than {100 * max(row['kappa, pairs'] for row in rows):.0f} %" in page
    told = measured("Preferences")
    nulls = [row for row in told if "null" in row.get("source", "")]
    how_to = " ".join((DOCS / "how-to" / "prefer.md").read_text(encoding="utf-8").split())
    assert f"in at most {100 * max(float(row['a system is named']) for row in nulls):.1f} % of trials" in how_to
    naive = [100 * float(row["sign test over answers"]) for row in nulls]
    assert f"does in {min(naive):.0f} to {max(naive):.0f} %" in how_to
    leans = [row["mean lean"] for row in told if row.get("put in") not in (None, "0.000")]
    assert re.search(r"estimated as \.10, \.31 and \.62", how_to)
    assert [f"{float(each):.2f}".removeprefix("0") for each in leans] == [".10", ".31", ".62"]
    held = [float(row["limits hold"]) for row in told if "no strengths" in row]
    assert f"strengths in {100 * min(held):.0f} % or more" in how_to


def test_the_strengths_of_the_page_are_those_of_its_answers() -> None:
    how_to = " ".join((DOCS / "how-to" / "prefer.md").read_text(encoding="utf-8").split())
    won = {("A", "B"): (3, 4), ("B", "C"): (3, 4), ("A", "C"): (9, 10)}
    answers = [
        Preference(f"{left}{right}{number}", "ann", left, right, "left" if number < wins else "right")
        for (left, right), (wins, count) in won.items()
        for number in range(count)
    ]
    first, second, third = bradley_terry(answers).systems
    assert f"strengths log 3 = {first.strength:.4f}, {abs(second.strength):.0f} and {third.strength:.4f}" in how_to
