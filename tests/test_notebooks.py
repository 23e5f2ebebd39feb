"""The tutorials that are notebooks run, and print what they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.needs import needed_module, needed_program
from tools.run_notebooks import TUTORIALS, executed
from tools.site.notebooks import joined

NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))
FOR_READERS = [path for path in NOTEBOOKS if path.stem != "results-in-a-notebook"]  # which a browser looks at
LARGEST = 300_000  # bytes


def printed(notebook: Any) -> list[str]:
    """What each cell prints; pictures and tables depend on the versions of what draws them."""
    return [
        "".join(joined(each["text"]) for each in cell.get("outputs", ()) if each["output_type"] == "stream")
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def kinds(notebook: Any) -> list[list[str]]:
    """What each cell shows, in kind."""
    return [
        [min(each["data"]) for each in cell.get("outputs", ()) if "data" in each]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_there_is_one_for_each_kind_of_reader() -> None:
    assert [path.stem for path in FOR_READERS] == ["engineer", "researcher", "teacher"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_gives_and_small(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < LARGEST
    assert sum(map(bool, kinds(notebook))) >= 2
    assert not [each for cell in notebook["cells"] for each in cell.get("outputs", ()) if "traceback" in each]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # of what runs notebooks; in the cells themselves an error is an error
@pytest.mark.parametrize("path", FOR_READERS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path: Path) -> None:
    needed_module("nbclient", "dev")
    needed_module("ipykernel", "dev")
    needed_module("sklearn", "feedback")
    needed_module("skimage", "images")
    needed_module("matplotlib", "plots")
    needed_program("bash", advice="install bash")
    kept, now = json.loads(path.read_text(encoding="utf-8")), executed(path)
    assert printed(now) == printed(kept), "run: python tools/run_notebooks.py"
    assert kinds(now) == kinds(kept)
