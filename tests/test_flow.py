"""Data flows one way through the rooms: import-linter holds their order, and these tests what it does not see."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from itertools import chain
from pathlib import Path

from rankscope import FLOW
from rankscope.feedback.methods import ALL as METHODS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rankscope"
MODULES = sorted(SOURCE.rglob("*.py"))
ADDRESS = re.compile(r"rankscope\.(\w+)[\w.]*:\w+")
UPWARDS = {"measures/evaluation/scores.py"}  # scores for a paper show what tests say of them


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


@cache
def texts_in(path: Path) -> frozenset[str]:
    """Every string of a file that is no docstring."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_the_rooms_import_in_their_order() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()


def test_addresses_that_are_loaded_by_name_follow_the_order_too() -> None:
    against = []
    for path in MODULES:
        room, *rest = path.relative_to(SOURCE).parts
        if not rest or str(path.relative_to(SOURCE)) in UPWARDS:
            continue
        named = {found[1] for text in texts_in(path) if (found := ADDRESS.fullmatch(text))}
        later = set(FLOW[FLOW.index(room) + 1 :]) & named
        against += [f"{path.relative_to(SOURCE)} names {each}" for each in sorted(later)]
    assert not against, "\n".join(against)


def test_a_feedback_study_knows_no_method_by_name() -> None:
    files = {each.address.partition(":")[0] for each in METHODS.values()}
    for path in sorted((SOURCE / "feedback" / "study").glob("*.py")):
        assert not imported_names(path) & files, path.name


def test_measures_read_no_ids_and_no_files() -> None:
    for path in sorted((SOURCE / "measures").glob("*.py")):
        names = imported_names(path)
        assert not [each for each in names if each.startswith("rankscope.inputs")], path
        assert not names & {"rankscope.core.files", "rankscope.core.names", "rankscope.ranks.storage", "polars"}, path
        assert "rankscope.ranks.reduction" not in names, path


def test_evaluation_stands_on_measures_and_ranks_without_their_parts() -> None:
    of_measures = [path for path in (SOURCE / "measures").glob("*.py") if path.name != "__init__.py"]
    for path in of_measures:
        later = [each for each in imported_names(path) if re.match(r"rankscope\.measures\.(evaluation|fusion)", each)]
        assert not later, path
    assert not [each for each in imported_names(SOURCE / "ranks" / "relevant_ranks.py") if "ranks.parts" in each]


def listed_names(path: Path) -> set[str]:
    """Modules that a file lists as texts, loaded when they are named: `module:attribute`, of a package or whole."""
    package = ".".join(path.parent.relative_to(SOURCE.parent).parts)
    modules = {text.partition(":")[0] for text in texts_in(path)}
    room = ".".join(package.split(".")[:2])
    return {name for each in modules for name in (each, f"{package}.{each}", f"{room}.{each}", f"rankscope.{each}")}


def test_no_module_is_reached_by_deep_import_only() -> None:
    commands = (SOURCE / "commands").glob("*.py"), (SOURCE / "commands" / "line").glob("*.py")
    entries = {SOURCE / "__main__.py", *chain.from_iterable(commands)}
    names = {
        path: ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for path in MODULES
        if path.name != "__init__.py"
    }
    stubs = {
        f"{'.'.join(path.parent.relative_to(SOURCE.parent).parts)}.{module}"
        for path in SOURCE.rglob("__init__.pyi")
        for module in re.findall(r"^from \.([\w.]+) import", path.read_text(), re.M)
    }
    used = {name for path in MODULES for name in imported_names(path) | listed_names(path) if name != names.get(path)}
    assert not {name for path, name in names.items() if path not in entries} - used - stubs


def test_every_room_has_its_place_in_the_flow() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(FLOW)


def test_the_first_room_needs_no_heavy_package() -> None:
    for path in (SOURCE / "core").glob("*.py"):
        tree = ast.parse(path.read_text())
        used = {
            name.partition(".")[0]
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        assert path.name == "arrays.py" or not used & {"numpy", "polars"}, path
