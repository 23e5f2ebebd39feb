"""All that trec_eval 9.0.8 and 10.0 printed for the golden cases, line for line. These never skip."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.reports import output_formats
from tests.data import GOLDEN

OPTIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "level2": {"rel": 2},
    "judged-only": {"judged_only": True},
    "depth5": {"depth": 5},
}
CASES = sorted(path for path in GOLDEN.iterdir() if path.is_dir())
EXPECTED = [path for case in CASES for path in sorted(case.glob("expected.*.txt.gz"))]


def test_all_golden_cases_are_here() -> None:
    lines = sum(gzip.decompress(path.read_bytes()).count(b"\n") for path in EXPECTED)
    assert (len(CASES), lines) == (31, 146_904)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: f"{path.parent.name}-{path.name[9:-7]}")
def test_agrees_with_trec_eval_line_for_line(expected: Path) -> None:
    version, _, option = expected.name.removeprefix("expected.").removesuffix(".txt.gz").rpartition(".")
    compat = f"trec_eval-{version.partition('.')[0]}"
    case = expected.parent
    scores = evaluate(case / "qrels", case / "run", "all_trec", compat=compat, **OPTIONS[option])
    assert (
        output_formats.render_trec(scores, per_query=True).splitlines()
        == gzip.decompress(expected.read_bytes()).decode().splitlines()
    )
