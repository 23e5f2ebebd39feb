"""What the project says of itself in several files is the same everywhere."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
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


def own_tests(text: str) -> list[ast.FunctionDef]:
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return [node for node in found if node.name.startswith("test_")]


def is_assertion(node: ast.AST) -> bool:
    """An assert, `pytest.raises`, or a helper that asserts: a bare call of a function, or of assert_..."""
    if isinstance(node, ast.With):
        return any("raises" in ast.unparse(each) for each in node.items)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return isinstance(called, ast.Name) or (isinstance(called, ast.Attribute) and called.attr.startswith("assert"))
    return isinstance(node, ast.Assert)


def asserts(statements: list[ast.stmt]) -> bool:
    """Whether something is asserted in every case: in both branches of an `if`; loops are taken to go round."""
    for each in statements:
        if is_assertion(each):
            return True
        blocks = [block for name in ("body", "orelse", "finalbody") if (block := getattr(each, name, []))]
        if isinstance(each, ast.If):
            if len(blocks) == 2 and all(map(asserts, blocks)):
                return True
        elif any(map(asserts, blocks)):
            return True
    return False


def idle(text: str) -> list[int]:
    """Lines of tests that return, or of parametrised ones that assert nothing in some cases."""
    found = []
    for node in own_tests(text):
        found += [each.lineno for each in own_statements(node) if isinstance(each, ast.Return)]
        given = any("given" in ast.unparse(each) for each in node.decorator_list)
        if node.args.args and not given and any(map(is_assertion, ast.walk(node))) and not asserts(node.body):
            found.append(node.lineno)
    return found


def test_every_case_of_every_test_asserts_something() -> None:
    """Cases of which nothing can be asserted are not collected, and examples of a property are assumed away."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    found = {f"{path.relative_to(ROOT)}": idle(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("if x:\n        return\n    assert x", [3]),
        ("if x:\n        assert x", [1]),
        ("for y in x:\n        if y:\n            assert y", [1]),
        ("if x:\n        assert x\n    elif y:\n        pass\n    else:\n        assert y", [1]),
        ("with raises(E):\n        f(x)", []),
        ("if x:\n        assert x\n    else:\n        same(x)", []),
        ("y = lambda: x\n    assert y()", []),
    ],
)
def test_a_test_that_asserts_nothing_is_seen(body: str, lines: list[int]) -> None:
    assert idle(f"def test_x(x):\n    {body}\n") == lines


def test_no_property_test_has_a_deadline() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    told = [path for path in (ROOT / "tests").rglob("*.py") if "deadline=" in path.read_text(encoding="utf-8")]
    assert {path.name for path in told} == {"conftest.py", "test_habits.py"}
