"""What the project says of itself in several files is the same everywhere."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")


def test_the_versions_of_python_that_are_promised_are_tested() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    tested = re.search(r"python: \[(.+)\]", WORKFLOW)
    assert tested is not None
    assert promised == [each for each in re.findall(r"[\d.]+", tested[1]) if each in promised]
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == f"py{promised[0].replace('.', '')}"


def test_every_requirement_has_a_lowest_version() -> None:
    requirements = [
        *PROJECT["dependencies"],
        *(each for some in PROJECT["optional-dependencies"].values() for each in some),
    ]
    own = [each for each in requirements if not each.startswith("rankscope[")]
    assert [each for each in own if not re.fullmatch(r"[\w-]+>=[\d.]+(,<\d+)?", each)] == []


def own_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Whatever stands in a function, without the functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from (child, *own_statements(child))


def test_no_test_returns() -> None:
    """Cases of which nothing can be asserted are not collected, and examples of a property are assumed away."""
    early = [
        f"{path.relative_to(ROOT)}:{statement.lineno}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for statement in own_statements(node)
        if isinstance(statement, ast.Return)
    ]
    assert early == []


def test_no_property_test_has_a_deadline() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    told = [path for path in (ROOT / "tests").rglob("*.py") if "deadline=" in path.read_text(encoding="utf-8")]
    assert {path.name for path in told} == {"conftest.py", "test_habits.py"}
