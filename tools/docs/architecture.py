"""docs/explanation/architecture.md: the rooms of the code in the order of the flow, and a picture of their imports."""

from __future__ import annotations

import ast
from pathlib import Path

from rankscope import FLOW
from tests.test_flow import BASE, ROOMS, SOURCE
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page
from tools.docs.rooms_picture import draw

INTRODUCTION = """
Data flows one way: a folder imports only from itself and from the folders above it, and inside a folder a room only
from itself and from the rooms before it. `tests/test_flow.py` holds that order; this page and its picture are made from
the folders and their imports.

![The folders in the order of the flow; an arrow leads from what is imported to what imports it](architecture.svg)

An arrow leads from a folder to one that imports from it, and is as wide as there are imports. The order, from top to
bottom:
""".strip()
AROUND = """
## Around them

Modules next to the folders may be used by all of them, and import nothing heavy:
{base}.
`rankscope/__init__.py` names what is public and loads it when it is used ([Python](../reference/api.md)).
""".strip()


def page() -> str:
    """The page."""
    rows = [row(name) for folder in FLOW for name in (folder, *(f"{folder}/{room}" for room in rooms_of(folder)))]
    base = ", ".join(code(name) for name in sorted(BASE))
    return whole_page(
        "Architecture",
        INTRODUCTION,
        table(["folder", "what it is for", "files", "lines"], rows),
        AROUND.format(base=base),
    )


def picture() -> str:
    """The folders with their rooms, and an arrow for every pair of folders of which one imports from the other."""
    sizes = {folder: len(files_in(folder)) for folder in FLOW}
    return draw(FLOW, {folder: rooms_of(folder) for folder in FLOW}, sizes, imports_between())


def row(name: str) -> list[str]:
    """A folder or a room: what it says of itself, and how large it is; lines to the hundred."""
    files = files_in(name)
    lines = sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files)
    shown = code(name) if "/" not in name else f"&nbsp;&nbsp;{code(name.partition('/')[2])}"
    return [shown, summary_of(SOURCE / name), f"{len(files):,}", f"{max(100, round(lines, -2)):,}"]


def rooms_of(folder: str) -> list[str]:
    """The rooms of a folder, in their order where a test holds one, else by name."""
    found = sorted(each.parent.name for each in (SOURCE / folder).glob("*/__init__.py"))
    return ROOMS.get(folder, found)


def files_in(name: str) -> list[Path]:
    """All modules of a folder or a room."""
    return sorted((SOURCE / name).rglob("*.py"))


def summary_of(package: Path) -> str:
    """The first sentence of a package's docstring."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def imports_between() -> dict[tuple[str, str], int]:
    """How many import statements of the second folder name something in the first."""
    counts: dict[tuple[str, str], int] = {}
    for folder in FLOW:
        for other in (other for path in files_in(folder) for other in imported_folders(path)):
            if other in FLOW and other != folder:
                counts[other, folder] = counts.get((other, folder), 0) + 1
    return counts


def imported_folders(path: Path) -> list[str]:
    """The folder that each import statement of a file names."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "rankscope":
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankscope."):
            names.append(str(node.module).split(".")[1])
    return names
