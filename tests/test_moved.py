"""Addresses of before version 1.1 still give what they gave, with a word on where it stands."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rankscope
from rankscope import moved

FORMER = (Path(__file__).parent / "golden" / "former_names.txt").read_text(encoding="utf-8").split()


@pytest.mark.filterwarnings("ignore:rankscope.* stands in rankscope")
def test_every_name_that_a_package_gave_before_is_still_there() -> None:
    missing = []
    for each in FORMER:
        package, name = each.split(":")
        if not hasattr(import_module(package), name):
            missing.append(each)
    assert not missing
    assert len(FORMER) == 387


@pytest.mark.parametrize("package", ["statistics", "graphs", "collections", "adapters", "forecast"])
def test_a_name_of_a_former_package_is_said_to_have_moved(package: str) -> None:
    name = next(each.partition(":")[2] for each in FORMER if each.startswith(f"rankscope.{package}:"))
    with pytest.warns(DeprecationWarning, match=rf"rankscope\.{package}\.{name} stands in rankscope\."):
        assert getattr(getattr(rankscope, package), name) is not None


@pytest.mark.parametrize("address", [*moved.MODULES, "adapters.ranx", "adapters.beir"])
def test_a_former_module_can_be_imported(address: str) -> None:
    code = f"import rankscope.{address} as module; print(module.__doc__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("The former address of rankscope.")


def test_names_are_the_same_objects() -> None:
    with pytest.warns(DeprecationWarning, match=r"stands in rankscope\.measures\.evaluation\.relevance_evaluator now"):
        former = import_module("rankscope.evaluation.relevance_evaluator").RelevanceEvaluator
    assert former is rankscope.RelevanceEvaluator


def test_what_never_was_is_still_missing() -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__("rankscope.nowhere")
    with pytest.raises(AttributeError):
        _ = import_module("rankscope.statistics").nowhere
