"""How the code is written: the formatter decides, and long constructors name their fields."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 4  # fields that may go by position
SKIP = "fmt: " + "skip"


def test_the_formatter_decides_everywhere() -> None:
    paths = [path for folder in ("src", "tests", "tools", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert [str(path.relative_to(ROOT)) for path in paths if SKIP in path.read_text(encoding="utf-8")] == []


def dataclass_names(trees: Iterable[ast.Module]) -> set[str]:
    """The dataclasses of the project; each name is given once."""
    return {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(each) for each in node.decorator_list)
    }


def own_class_of(call: ast.Call, around: str) -> str:
    """The name of the class that is called, `cls` being the one around; nothing for methods."""
    name = ast.unparse(call.func).split(".")[-1]
    return around if name == "cls" else name


def long_positional_calls(tree: ast.AST, classes: set[str], around: str = "") -> Iterator[str]:
    """Constructors that get more than four fields by position: a swapped number would be invisible."""
    for node in ast.iter_child_nodes(tree):
        inside = node.name if isinstance(node, ast.ClassDef) else around
        if isinstance(node, ast.Call) and len(node.args) > MOST and own_class_of(node, inside) in classes:
            yield f"line {node.lineno}: {ast.unparse(node.func)}"
        yield from long_positional_calls(node, classes, inside)


@pytest.mark.thorough
def test_constructors_get_more_than_four_fields_by_keyword() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")}
    classes = dataclass_names(trees.values())
    assert {"Band", "Curve", "RelevantRanks"} <= classes
    found = [
        f"{path.relative_to(ROOT)} {call}"
        for path, tree in trees.items()
        for call in long_positional_calls(tree, classes)
    ]
    assert found == []


def test_a_long_call_by_position_is_found() -> None:
    text = "class A:\n    def make(cls):\n        return cls(1, 2, 3, 4, 5), A(1, 2, 3, 4), m.A(1, 2, 3, 4, *rest)"
    assert list(long_positional_calls(ast.parse(text), {"A"})) == ["line 3: cls", "line 3: m.A"]
