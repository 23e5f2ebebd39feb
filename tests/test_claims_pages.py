"""Every command and every example in Python of these pages is run, in the order of the page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.test_tutorials import DOCS, in_place

PAGES = ("explain-a-query",)
PARTS = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parts(page: str) -> list[tuple[str, str]]:
    """The parts of a page that can be run: commands and code."""
    return PARTS.findall((DOCS / "how-to" / f"{page}.md").read_text(encoding="utf-8"))


def commands(block: str) -> list[str]:
    """The commands of a block; one that goes on in the next line is joined."""
    joined = block.replace("\\\n", " ")
    return [line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ ")]


def prepare(folder: Path) -> None:
    """Some digits: enough for every question, few enough to be quick."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    chosen = np.flatnonzero(np.isin(digits.target, (1, 3, 5, 8)))[:400]
    np.savez(folder / "digits.npz", features=digits.data[chosen], labels=digits.target[chosen])


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_can_be_run(page: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    for kind, block in parts(page):
        runs = [["bash", "-c", in_place(line)] for line in commands(block)]
        runs = [[sys.executable, "-c", block]] if kind == "python" else runs
        for run in runs:
            done = subprocess.run(run, cwd=tmp_path, check=False, capture_output=True, text=True)
            assert done.returncode == 0, (run[-1], done.stderr)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_commands_and_code(page: str) -> None:
    assert {kind for kind, _ in parts(page)} == {"console", "python"}
