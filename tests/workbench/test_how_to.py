"""Every command and every line of Python of the page about serving is run, and gives what the page shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import needed_module, needed_program
from tests.test_tutorials import DOCS, in_place, steps

PAGE = DOCS / "how-to" / "serve-an-index.md"
PORT = "8384"
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVE = "rankscope serve"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the notes, which are indexed as the page does."""
    place = tmp_path_factory.mktemp("here")
    shutil.copytree(DOCS / "tutorials" / "notes", place / "notes")
    ((command, shown),) = [each for each in steps(PAGE) if each[0].startswith("rankscope index")]
    done = subprocess.run(["bash", "-c", f"({in_place(command)}) 2>&1"], cwd=place, capture_output=True, text=True)
    assert done.stdout == shown
    return place


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[str]:
    """The service that the page starts, at a port that is free."""
    needed_module("uvicorn", "web")
    ((command, shown),) = [each for each in steps(PAGE) if each[0].startswith(SERVE)]
    words = in_place(command).split()
    with subprocess.Popen([*words, "--port", "0"], cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        told = "".join(process.stderr.readline() for _ in shown.strip().splitlines())
        found = re.search(r":(\d+);", told)
        assert found is not None
        assert told.replace(found[1], PORT).strip() == shown.strip()
        yield found[1]
        process.terminate()
        process.stderr.read()
        assert process.wait(30) == 0


def test_the_requests_give_what_the_page_shows(port: str) -> None:
    needed_program("curl", advice="install curl")
    asked = [each for each in steps(PAGE) if each[0].startswith("curl")]
    assert len(asked) == 2
    for command, shown in asked:
        done = subprocess.run(["bash", "-c", command.replace(PORT, port)], check=True, capture_output=True, text=True)
        assert re.sub(r'"took":\d+', '"took":1', done.stdout).strip() == shown.strip()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", range(3))
def test_the_lines_of_python_give_what_the_page_shows(place: int, port: str, folder: Path) -> None:
    needed_module("pysolr", "dev")
    needed_module("opensearchpy", "dev")
    code = CODE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(code) == 3
    command = [sys.executable, "-c", code[place].replace(PORT, port)]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    shown = re.findall(r"^ *print\(.*?\)  # (.+)$", code[place], re.MULTILINE)
    assert done.stdout.splitlines() == shown, done.stderr
