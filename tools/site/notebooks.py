"""A notebook as a page: its words, its code, and what that printed and drew."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHELL = "%%bash\n"
PICTURES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}


@dataclass
class NotebookPage:
    """The text of a page, and its pictures by their path next to it."""

    text: str
    pictures: dict[str, bytes] = field(default_factory=dict)


def page_of(path: Path) -> NotebookPage:
    """The page of a notebook file; pictures lie in a folder of its name."""
    import json

    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = NotebookPage("")
    parts = [part for cell in notebook["cells"] for part in _parts(cell, path.stem, page.pictures)]
    page.text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return page


def joined(lines: str | list[str]) -> str:
    """Text as notebooks keep it: whole, or line by line."""
    return lines if isinstance(lines, str) else "".join(lines)


def _parts(cell: Mapping[str, Any], folder: str, pictures: dict[str, bytes]) -> Iterator[str]:
    source = joined(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield _commands(source.removeprefix(SHELL)) if source.startswith(SHELL) else f"```python\n{source}\n```"
    for output in cell.get("outputs", ()):
        yield _output(output, folder, pictures)


def _commands(lines: str) -> str:
    r"""Commands as the other pages write them.

    >>> _commands("one \\\n  --more\ntwo").splitlines()[1:-1]
    ['$ one \\', '  --more', '$ two']
    """
    started = "".join(f"$ {line}" if new else line for new, line in _starts(lines.splitlines(keepends=True)))
    return f"```console\n{started}\n```"


def _starts(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether a command begins in it."""
    before = ""
    for line in lines:
        yield not before.rstrip().endswith("\\"), line
        before = line


def _output(output: Mapping[str, Any], folder: str, pictures: dict[str, bytes]) -> str:
    """What a cell gave, in the richest form that a page can show."""
    if output["output_type"] == "stream":
        return _as_text(joined(output["text"]))
    data = output["data"]
    for kind, suffix in PICTURES.items():
        if kind in data:
            name = f"{folder}/{len(pictures) + 1:02}.{suffix}"
            raw = joined(data[kind])
            pictures[name] = raw.encode() if suffix == "svg" else base64.b64decode(raw)
            return f"![What the cell above draws]({name})"
    if "text/html" in data:
        return f'<div class="output" markdown="0">\n{joined(data["text/html"])}\n</div>'
    return _as_text(joined(data["text/plain"]))


def _as_text(text: str) -> str:
    body = text.rstrip("\n")
    return f"```text\n{body}\n```"
