"""The page of the study of feedback on texts says what its program says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests.data import data_folder

STUDIES = Path(__file__).parents[1] / "docs" / "studies"
PAGE = (STUDIES / "text-feedback.md").read_text(encoding="utf-8")


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RANKSCOPE_DATA", str(data_folder("text").parent))
    monkeypatch.syspath_prepend(str(STUDIES))
    return importlib.import_module("text_feedback_study")


@pytest.mark.thorough
def test_the_page_has_the_table_that_the_program_prints(study: Any) -> None:
    assert study.table(study.results_of("adi")).strip() in PAGE


def test_the_page_has_the_quality_of_expansions(study: Any) -> None:
    row = study.pseudo_feedback("adi")
    assert f"| adi | {row['bm25']:.4f} | {row['rm3']:.4f} | {row['rocchio']:.4f} |" in PAGE


def test_every_collection_has_its_table_and_its_best_method_is_named(study: Any) -> None:
    for name in study.COLLECTIONS:
        part = PAGE.split(f"## {name} (")[1].split("\n## ")[0]
        rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][2:]
        compared = [row[0].removeprefix("| ") for row in rows][: len((*study.ON_WORDS, *study.ON_VECTORS))]
        assert set(compared) == {*study.ON_WORDS, *study.ON_VECTORS}
        best = re.search(r"- (\S+) has the best mean", part)
        assert best is not None
        assert best[1] == compared[0]
