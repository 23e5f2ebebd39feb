"""Every command and every example in Python of these pages is run, in the order of the page."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.commands.line.inside import runs_in
from tests.test_tutorials import DOCS

PAGES = (
    "explain-a-query",
    "feedback-questions",
    "feedback-study",
    "fuse-runs",
    "notebooks",
    "score-a-user",
    "trust-judgements",
)
PARTS = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parts(page: str) -> list[tuple[str, str]]:
    """The parts of a page that can be run: commands and code."""
    return PARTS.findall((DOCS / "how-to" / f"{page}.md").read_text(encoding="utf-8"))


def commands(block: str) -> list[str]:
    """The commands of a block; one that goes on in the next line is joined."""
    joined = block.replace("\\\n", " ")
    return [line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ ")]


def prepare(folder: Path) -> None:
    """Some digits with all that the pages speak of: enough for every question, few enough to be quick."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    chosen = np.flatnonzero(np.isin(digits.target, (1, 3, 5, 8)))[:400]
    pixels, label = digits.data[chosen], digits.target[chosen]
    np.savez(folder / "digits.npz", features=pixels, labels=label)
    np.save(folder / "edges.npy", np.abs(np.diff(pixels, axis=1)))
    for name, near in (("ann", label == 3), ("ben", (label == 3) | (pixels[:, 20] > 12))):
        lines = [f"three 0 {item} {int(good)}\n" for item, good in enumerate(near.tolist())]
        (folder / f"{name}.txt").write_text("".join(lines))
    grade = np.where(label == 3, 2, np.where(label == 8, 1, 0))
    judged = [f"round 0 {item} {grade[item]}\n" for item in range(0, 400, 2)]
    (folder / "pool.txt").write_text("".join(judged))
    words = [f"{topic} Q0 {item} 1 {50 - item % 50} words\n" for topic in (3, 8) for item in range(60)]
    (folder / "words.run").write_text("".join(words))
    page = (DOCS / "how-to" / "score-a-user.md").read_text(encoding="utf-8")
    (folder / "judge.py").write_text(page.split("```python\n")[1].split("```")[0])
    marks = [f"{kind},{item},{1 if label[item] == kind else -1}\n" for kind in (3, 8) for item in range(0, 400, 5)]
    (folder / "log.csv").write_text("".join(["session,item,mark\n", *marks]))
    runs_in(folder)


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_can_be_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    for kind, block in parts(page):
        if kind == "python":
            done = subprocess.run([sys.executable, "-c", block], check=False, capture_output=True, text=True, input="")
            assert done.returncode == 0, done.stderr
        for line in commands(block) if kind == "console" else ():
            result = CliRunner().invoke(cli, shlex.split(line)[1:])
            assert result.exit_code == 0, (line, result.output, result.exception)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_commands_and_code(page: str) -> None:
    assert {kind for kind, _ in parts(page)} == {"console", "python"}


@pytest.mark.thorough
def test_the_page_of_notebooks_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    (_, code), *_ = parts("notebooks")
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, encoding="utf-8")
    page = (DOCS / "how-to" / "notebooks.md").read_text(encoding="utf-8")
    assert f"```text\n{done.stdout}```" in page
