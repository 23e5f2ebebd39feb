"""Data flows one way through the folders: a folder imports only from itself and from folders above it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from rankscope import FLOW
from rankscope.feedback.methods import ALL as METHODS

SOURCE = Path(__file__).parents[1] / "src" / "rankscope"
BASE = {
    "errors",
    "extras",
    "settings",
    "displayed",
    "catalogue",
    "confined",
    "column_names",
    "digests",
    "arrays",
    "calling",
    "files",
    "file_guard",
    "file_kinds",
    "lazily",
    "left_behind",
    "names",
    "notation",
    "number_texts",
    "option_types",
    "peers",
    "process_messages",
    "redirects",
    "resumable",
    "validation",
    "version",
    "wording",
}
ROOMS = {  # the order inside a folder; what stands outside of its rooms may use all of them
    "statistics": [
        "table",
        "intervals",
        "pairs",
        "variance",
        "components",
        "verdicts",
        "sequential",
        "agreement",
        "preferences",
    ],
    "feedback": ["examples", "methods", "users", "study", "normalization", "packs"],
    "reports": ["formats", "texts", "page", "displays"],
}
MODULES = sorted(SOURCE.rglob("*.py"))


@cache
def imported_names(path: Path) -> frozenset[str]:
    """Modules that a file imports, and what it imports from them, by whole names."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(names)


def imported_parts(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported_names(path) if name.startswith("rankscope.")}


def test_a_module_imports_only_from_its_folder_and_those_above() -> None:
    against = []
    for path in MODULES:
        folder = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        allowed = BASE if folder in BASE else {*BASE, *FLOW[: FLOW.index(folder) + 1]} if folder in FLOW else None
        more = sorted(imported_parts(path) - allowed) if allowed is not None else []
        against += [f"{path.relative_to(SOURCE)} imports {', '.join(more)}"] if more else []
    assert not against, "\n".join(against)


@pytest.mark.parametrize("folder", ROOMS)
def test_a_room_imports_only_from_itself_and_those_before(folder: str) -> None:
    rooms = ROOMS[folder]
    assert {path.name for path in (SOURCE / folder).iterdir() if path.suffix != ".py"} - {"__pycache__"} == set(rooms)
    against = []
    for path in sorted((SOURCE / folder).rglob("*.py")):
        room, *rest = path.relative_to(SOURCE / folder).parts
        later = rooms[rooms.index(room) + 1 :] if rest else []
        names = [name.split(".") for name in imported_names(path) if name.startswith(f"rankscope.{folder}.")]
        against += [f"{room}/{path.name} imports {'.'.join(name)}" for name in names if name[2] in later]
    assert not against, "\n".join(against)


def test_a_feedback_study_knows_no_method_by_name() -> None:
    files = {each.address.partition(":")[0] for each in METHODS.values()}
    for path in sorted((SOURCE / "feedback" / "study").glob("*.py")):
        assert not imported_names(path) & files, path.name


def test_measures_read_no_ids_and_no_files() -> None:
    for path in sorted((SOURCE / "measures").glob("*.py")):
        assert not imported_parts(path) & {"inputs", "files", "file_kinds", "names", "engines", "collections"}, path
        assert not imported_names(path) & {"rankscope.ranks.reduce", "rankscope.ranks.storage", "polars"}, path


def listed_names(path: Path) -> set[str]:
    """Modules that a file lists as texts, loaded when they are named: `module:attribute`, of its package or whole."""
    package = ".".join(path.parent.relative_to(SOURCE.parent).parts)
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    modules = {text.partition(":")[0] for text in texts if isinstance(text, str)}
    return {each if each.startswith("rankscope.") else f"{package}.{each}" for each in modules}


def test_no_module_is_reached_by_deep_import_only() -> None:
    entries = {SOURCE / "__main__.py", *(SOURCE / "cli").glob("*.py")}
    names = {
        path: ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for path in MODULES
        if path.name != "__init__.py"
    }
    used = {name for path in MODULES for name in imported_names(path) | listed_names(path) if name != names.get(path)}
    assert not {name for path, name in names.items() if path not in entries} - used


def test_every_folder_has_its_place_in_the_flow() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(FLOW)


def test_modules_at_the_base_need_no_heavy_package() -> None:
    for name in BASE - {"arrays"}:
        used = {each.partition(".")[0] for each in imported_names(SOURCE / f"{name}.py")}
        assert not used & {"numpy", "polars"}
