"""Every command and every example in Python of the pages on agreement and on preferences is run."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.cli.main import cli
from rankscope.workbench.preferring import Comparing, mark_of_choice
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
    from rankscope.statistics.agreement.merging import RULES
    from rankscope.statistics.agreement.two_assessors import cohen_kappa
    from tests.statistics.agreement.test_coefficients import GRADES, THREE, alpha, marks_of

    page = (DOCS / "explanation" / "agreement.md").read_text(encoding="utf-8")
    values = [float(cohen_kappa(GRADES, distance=each)) for each in ("nominal", "linear", "quadratic")]
    values += [alpha(marks_of(THREE), each) for each in ("nominal", "ordinal", "interval")]
    assert [value for value in values if f"{value:.6f}".removeprefix("0") not in page] == []
    rules = (DOCS / "how-to" / "agreement.md").read_text(encoding="utf-8")
    assert [rule for rule in RULES if f"`{rule}" not in rules] == []
