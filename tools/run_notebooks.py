"""Run the notebooks of the tutorials and keep what they show: python tools/run_notebooks.py.

Displays that are larger than a page of a book, such as a whole report, are left out of the file; the line of text that
goes with them stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
LARGEST = 120_000  # signs of one display that is kept


def executed(path: Path, seconds: int = 120) -> Any:
    """The notebook with what its cells show now; a cell that fails is an error."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=seconds, kernel_name="python3", coalesce_streams=True).execute()
    return notebook


def displays(notebook: Any) -> list[dict[str, str]]:
    """What the cells show, one after the other, by the kind of display; printed lines are text."""
    outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
    return [dict(each.get("data") or {"text/plain": each.get("text", "")}) for each in outputs]


def kept(notebook: Any) -> Any:
    """The same without what the next run changes, and without displays that are too large for a file of text."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for kind in [kind for kind, text in data.items() if len(text) > LARGEST]:
                del data[kind]
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def main() -> None:
    """Run all of them."""
    import nbformat

    for path in sorted(TUTORIALS.glob("*.ipynb")):
        nbformat.write(kept(executed(path)), path)  # type: ignore[no-untyped-call]
        print(path.name)


if __name__ == "__main__":
    main()
