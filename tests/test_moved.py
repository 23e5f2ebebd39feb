"""Addresses of before version 1.1 still give what they gave, with a word on where it stands."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import rankscope
from rankscope import moved

FORMER = {  # a package with names that it gave
    "adapters": ("beir", "ranx", "metrics", "sklearn"),
    "collections": ("ALL", "COLLECTIONS", "Collection", "CollectionKind", "LabelledImages", "Truth", "icons", "load"),
    "curves": ("Curve", "Region", "grip", "grnp", "precision_scope", "search_effort", "Surface", "mean_at_scopes"),
    "evaluation": ("evaluate", "scores"),
    "forecast": ("ALL", "ASSUMPTIONS", "Forecast", "ForecastInterval", "MeasureForecast", "forecast"),
    "fusion": ("ALL", "FUSIONS", "FusionMethod", "Candidates"),
    "graphs": ("ALL", "FEEDBACK", "KINDS", "Graph", "by_name", "grip_graph", "precision_recall_graph"),
    "sampling": ("Estimated", "EstimatedRange", "SampleSize", "estimate", "needed_sample", "relative_deviation"),
    "statistics": ("band", "compare", "homogeneity", "ScoreTable", "Test", "anova", "tukey", "welch", "ALL"),
}


@pytest.mark.parametrize("package", FORMER)
def test_a_name_of_a_former_package_is_found_and_said_to_have_moved(package: str) -> None:
    for name in FORMER[package]:
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
