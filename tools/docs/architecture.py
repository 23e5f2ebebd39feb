"""docs/explanation/architecture.md: the rooms of the code in the order of the flow, and a picture of their imports."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from rankscope import FLOW
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page
from tools.docs.rooms_picture import draw

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rankscope"
INTRODUCTION = """
Data flows one way through ten rooms: each imports only from itself and from the rooms above it (`analysis` and
`engines` do not know each other), and inside a room a folder only from itself and from those before it.
`[tool.importlinter]` in `pyproject.toml` holds that order, `tests/test_flow.py` what it does not see; this page and its
picture are made from the rooms and their imports. A file is a subject: look for it by its name.

![The rooms in the order of the flow; an arrow leads from what is imported to what imports it](architecture.svg)

An arrow leads from a room to one that imports from it, and is as wide as there are imports; all import from `core`,
which has no arrows for this reason. The order, from top to bottom:
""".strip()
AROUND = """
## Around them

`rankscope/__init__.pyi` lists what is public, and `__init__.py` loads it when it is used
([Python](../reference/api.md)); `moved.py` answers for addresses of before version 1.1.
""".strip()
FILES = """
## Files

{lists}
""".strip()


def page() -> str:
    """The page."""
    rows = [row(name) for folder in FLOW for name in (folder, *(f"{folder}/{room}" for room in rooms_of(folder)))]
    return whole_page(
        "Architecture",
        INTRODUCTION,
        table(["room", "what it is for", "files", "lines"], rows),
        FILES.format(lists="\n\n".join(file_list(name) for name in FLOW)),
        AROUND,
    )


def picture() -> str:
    """The folders with their rooms, and an arrow for every pair of folders of which one imports from the other."""
    sizes = {folder: len(files_in(folder)) for folder in FLOW}
    arrows = {pair: count for pair, count in imports_between().items() if pair[0] != "core"}  # every room imports it
    return draw(FLOW, {folder: rooms_of(folder) for folder in FLOW}, sizes, arrows)


def row(name: str) -> list[str]:
    """A folder or a room: what it says of itself, and how large it is; lines to the hundred."""
    files = files_in(name)
    lines = sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files)
    shown = code(name) if "/" not in name else f"&nbsp;&nbsp;{code(name.partition('/')[2])}"
    return [shown, summary_of(SOURCE / name), f"{len(files):,}", f"{max(100, round(lines, -2)):,}"]


def rooms_of(folder: str) -> list[str]:
    """The rooms of a folder, in their order where a test holds one, else by name."""
    found = sorted(each.parent.name for each in (SOURCE / folder).glob("*/__init__.py"))
    order = ordered_rooms()
    return sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))


def ordered_rooms() -> list[str]:
    """The folders inside rooms in the order that import-linter holds."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [layer.split(" | ") for each in contracts for layer in reversed(each["layers"])]
    return [name.rpartition(".")[2] for layer in layers for name in layer if name.count(".") == 2]


def file_list(room: str) -> str:
    """The files of a room by folder, named without their suffix."""
    folders = ["", *rooms_of(room)]
    lines = []
    for folder in folders:
        names = sorted(each.stem for each in (SOURCE / room / folder).glob("*.py") if each.stem != "__init__")
        if names:
            lines.append(f"- `{room}/{folder}{'/' * bool(folder)}`: {', '.join(names)}")
    return "\n".join(lines)


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
