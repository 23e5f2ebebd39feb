"""Runs the notebooks of docs/tutorials and keeps what they give: `python tools/run_notebooks.py [NAME...]`."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
LIMIT = 300  # seconds for a cell, on a machine that others use too
LARGEST = 120_000  # signs of one display that is kept in the file, so a whole report is not
KEPT = ("text/html", "text/plain", "image/svg+xml", "image/png")


def executed(path: Path) -> Any:
    """A notebook with what its cells give now; it runs in a copy of its folder, so that nothing is left behind."""
    from nbclient import NotebookClient

    notebook = _format().read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "here"
        shutil.copytree(path.parent, here)
        client = NotebookClient(notebook, timeout=LIMIT, resources={"metadata": {"path": str(here)}})
        client.execute(env=_environment())
    return _tidied(notebook)


def _format() -> Any:
    """What reads and writes notebooks; it has no types."""
    return import_module("nbformat")


def _environment() -> dict[str, str]:
    """Commands of this Python come first, and look the same on every machine."""
    first = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": first, "COLUMNS": "100", "PYTHONWARNINGS": "ignore"}


def _tidied(notebook: Any) -> Any:
    """Without times and addresses; of what a cell shows no more than a page can use."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = list(_joined(cell.outputs))
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if "data" in output:
                _shorten(output)
    return notebook


def _joined(outputs: list[Any]) -> Iterator[Any]:
    """What was printed in pieces is one text."""
    last = None
    for output in outputs:
        if last is not None and output.output_type == "stream" and output.get("name") == last.get("name"):
            last.text += output.text
            continue
        last = output
        yield output


def _shorten(output: Any) -> None:
    rich = [kind for kind in KEPT if kind in output["data"]]
    output["data"] = {kind: output["data"][kind] for kind in rich}
    output["metadata"] = {}


def displays(notebook: Any) -> list[dict[str, str]]:
    """What the cells show, one after the other, by the kind of display; printed lines are text."""
    outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
    return [dict(each.get("data") or {"text/plain": each.get("text", "")}) for each in outputs]


def kept(notebook: Any) -> Any:
    """The same without displays that are too large for a file of text; the line of text that goes with them stays."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            for kind in [kind for kind, text in data.items() if len(text) > LARGEST]:
                del data[kind]
    return notebook


def main(wanted: list[str]) -> None:
    """Run those asked for, or all, and write them in their place."""
    for path in sorted(TUTORIALS.glob("*.ipynb")):
        if not wanted or path.stem in wanted:
            _format().write(kept(executed(path)), path)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
