"""What tests need in addition to the core they ask for in one place; nothing that was just installed is skipped for."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import MAY_LACK, needed_module, needed_program
from tools import cpu_torch

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {name: set(needs) for name, needs in PROJECT["optional-dependencies"].items()}
TESTS = [path for path in (ROOT / "tests").rglob("*.py") if path.name not in ("needs.py", "test_needs.py")]


def calls(function: str) -> Iterator[tuple[str, list[str]]]:
    """Where the function is called in the tests, and the words it is given."""
    for path in TESTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(function):
                words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                yield f"{path.name}:{node.lineno}", [word for word in words if isinstance(word, str)]


def installed_by(goal: str) -> set[str]:
    """The extras that a rule of the Makefile installs."""
    rule = re.search(rf"/{goal}:.*\n(?:\t.*\n)*?\t.*'\.\[([a-z,]+)\]'", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert rule is not None
    names = set(rule[1].split(","))
    for requirement in [each for name in names for each in EXTRAS[name]]:
        inner = re.fullmatch(r"rankscope\[(.+)\]", requirement)
        names |= set(inner[1].split(",")) if inner else set()
    return names


@pytest.mark.thorough
def test_no_test_looks_for_packages_or_programs_by_itself() -> None:
    assert not [where for function in ("importorskip", "which", "find_spec") for where, _ in calls(function)]


@pytest.mark.thorough
def test_every_need_names_an_extra_that_is_installed_for_the_tests_or_torch_or_spark() -> None:
    needs = [(where, *words) for where, words in calls("needed_module")]
    assert {extra for _, _, extra in needs} <= set(EXTRAS)
    elsewhere = {(name, extra) for _, name, extra in needs if extra not in installed_by("dev")}
    assert elsewhere == {("torch", "gpu"), ("pyspark", "spark")}
    assert "spark" in installed_by("spark")


def test_spark_has_an_environment_of_its_own() -> None:
    assert any(each.startswith("pandas") and each.endswith("<3") for each in EXTRAS["spark"])
    assert "spark" not in installed_by("dev")  # where pandas is newer


def test_the_packages_that_make_models_for_the_tests_come_with_dev() -> None:
    assert any(each.startswith("onnx>") for each in EXTRAS["dev"])


def test_a_torch_for_the_processor_is_chosen_from_what_pip_lists() -> None:
    assert doctest.testmod(cpu_torch).failed == 0
    assert cpu_torch.wanted() in EXTRAS["gpu"]
    assert cpu_torch.cpu_requirement("ERROR: No matching distribution found for torch", "linux") is None


def test_what_is_missing_is_skipped_where_anything_may_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    for may_lack in (None, "no_such_thing", "cuda no_such_thing"):
        monkeypatch.delenv(MAY_LACK, raising=False)
        if may_lack is not None:
            monkeypatch.setenv(MAY_LACK, may_lack)
        with pytest.raises(pytest.skip.Exception, match=r"NO NO_SUCH_THING: pip install 'rankscope\[dev\]'"):
            needed_module("no_such_thing.inside", "dev")
        with pytest.raises(pytest.skip.Exception, match="NO NO_SUCH_THING: look elsewhere"):
            needed_program("no_such_thing", "nor_this", advice="look elsewhere")


@pytest.mark.parametrize("may_lack", ["", "cuda", "no_such"])
def test_what_is_missing_is_a_failure_where_it_has_to_be_there(may_lack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MAY_LACK, may_lack)
    with pytest.raises(pytest.fail.Exception, match="no_such_thing is missing"):
        needed_module("no_such_thing", "dev")
    with pytest.raises(pytest.fail.Exception, match="no_such_thing is missing"):
        needed_program("no_such_thing", advice="")


def test_what_is_there_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MAY_LACK, "")
    assert needed_module("os.path", "dev") is os.path
    assert Path(needed_program("no_such_thing", Path(sys.executable).name, advice="")).exists()


def test_a_package_that_lacks_one_of_its_own_needs_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_installed.py").write_text("import no_such_thing")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError):
        needed_module("half_installed", "dev")


@pytest.mark.thorough
@pytest.mark.parametrize(("may_lack", "passes"), [("no_such_thing", True), ("", False)])
@pytest.mark.parametrize("place", ["", "def test_it(): "])
def test_a_run_of_tests_passes_or_fails(place: str, may_lack: str, passes: bool, tmp_path: Path) -> None:
    lines = ["from tests.needs import needed_module", f'{place}needed_module("no_such_thing", "dev")']
    (tmp_path / "test_one.py").write_text("\n".join(lines))
    (tmp_path / "test_two.py").write_text("def test_other(): pass")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "--rootdir", str(tmp_path), "."]
    there = {**os.environ, MAY_LACK: may_lack, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=there, capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout
    assert ("NO NO_SUCH_THING" if passes else "no_such_thing is missing") in done.stdout
