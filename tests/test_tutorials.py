"""Every command of the tutorials is run, and gives what the page shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page: Path) -> list[tuple[str, str]]:
    """The commands of a page, and what is shown below each."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


def in_place(command: str) -> str:
    """A command with this Python's rankscope."""
    python = f"{sys.executable} -m rankscope"
    return re.sub(r"^python ", f"{sys.executable} ", re.sub(r"^rankscope ", f"{python} ", command))


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_its_commands_give(page: Path, tmp_path: Path) -> None:
    shutil.copytree(page.parent, tmp_path / "here")
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    for command, shown in steps(page):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"({in_place(command)}) 2>&1"],
            cwd=tmp_path / "here",
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        lines = [line.rstrip() for line in done.stdout.splitlines()]
        assert "\n".join(lines).strip() == shown.strip(), command


def test_there_are_tutorials() -> None:
    assert [len(steps(page)) > 10 for page in TUTORIALS] == [True]


HOW_TO = DOCS / "how-to" / "search-texts.md"


DOCUMENT = {
    "id": "184",
    "title": "wing",
    "abstract": "a",
    "author": "b",
    "text": "the boundary layer of a wing in a flow",
}


@pytest.mark.slow
def test_the_commands_of_the_how_to_run(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text(json.dumps(DOCUMENT))
    (tmp_path / "queries.tsv").write_text("1\twing flow\n")
    (tmp_path / "qrels.txt").write_text("1 0 184 1\n")
    for command, _ in steps(HOW_TO):
        if command.startswith("rankscope index"):
            shutil.rmtree(tmp_path / "docs.index", ignore_errors=True)
        done = subprocess.run(["bash", "-c", in_place(command)], cwd=tmp_path, check=False, capture_output=True)
        assert done.returncode == 0, (command, done.stderr)
    (code,) = re.findall(r"^```python\n(.*?)^```$", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shutil.rmtree(tmp_path / "docs.index")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"184 ")
