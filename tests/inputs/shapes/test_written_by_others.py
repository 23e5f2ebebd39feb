"""Files that other programs wrote are read without being told what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from tests.inputs.examples import run_error

FILES = Path(__file__).parent / "files"
SCORED = [("q1", "d7", 3.25), ("q1", "d2", 2.5), ("q1", "d9", 1.0), ("q2", "d4", 1.75), ("q2", "d1", 0.5)]
RANKED = [("q1", "d7"), ("q1", "d2"), ("q1", "d9"), ("q2", "d4"), ("q2", "d1")]
JUDGED = [("q1", "d7", 2.0), ("q1", "d9", 1.0), ("q2", "d1", 1.0), ("q2", "d5", 1.0)]


@pytest.mark.parametrize(
    "name",
    [
        "ranx-run.json",
        "ranx-run.trec",
        "ranx-run.parquet",
        "pyserini.trec.txt",
        "pyterrier.res.gz",
        "pandas-columns.json",
        "pandas-records.json",
        "pandas-lines.jsonl",
        "pandas.csv",
    ],
)
def test_runs_with_scores(name: str) -> None:
    assert sorted(Run.of(FILES / name).table().rows()) == sorted(SCORED)


@pytest.mark.parametrize("name", ["pyserini.msmarco.tsv", "pyserini.kilt.jsonl"])
def test_runs_with_an_order_only(name: str) -> None:
    run = Run.of(FILES / name)
    table = run.table().sort("query", "score", descending=[False, True])
    assert [row[:2] for row in table.rows()] == RANKED
    assert not run.gives_scores


@pytest.mark.parametrize("name", ["ranx-qrels.json", "ranx-qrels.trec", "ranx-qrels.parquet"])
def test_judgements(name: str) -> None:
    assert sorted(Qrels.of(FILES / name).table.rows()) == JUDGED


def test_a_file_packed_with_lz4_is_told_what_it_is() -> None:
    assert "packed with lz4: unpack it first" in run_error(FILES / "ranx-run.lz4")
