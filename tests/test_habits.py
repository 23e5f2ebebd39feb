"""What the project says of itself in several files is the same everywhere."""

from __future__ import annotations

import re
import tomllib
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


def test_no_property_test_has_a_deadline() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    told = [path for path in (ROOT / "tests").rglob("*.py") if "deadline=" in path.read_text(encoding="utf-8")]
    assert {path.name for path in told} == {"conftest.py", "test_habits.py"}
