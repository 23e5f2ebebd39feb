from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rankscope.inputs.formats import registry
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from tests.inputs.examples import qrels_error, qrels_of, run_error


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scifact" / "qrels").mkdir(parents=True)
    return tmp_path / "scifact"


def add(folder: Path, split: str) -> Path:
    path = folder / "qrels" / f"{split}.tsv"
    path.write_text(f"query-id\tcorpus-id\tscore\n1\t{split}\t1\n")
    return path


def test_the_test_split_is_taken_or_the_only_one_or_the_one_chosen(folder: Path) -> None:
    add(folder, "dev")
    assert Qrels.of(folder).table.rows() == [("1", "dev", 1.0)]
    path = add(folder, "test")
    assert Qrels.of(folder).table.rows() == [("1", "test", 1.0)]
    assert Qrels.of(str(folder), Reading(format="beir")).table.rows() == [("1", "test", 1.0)]
    assert Qrels.of(f"{folder}#dev").table.rows() == [("1", "dev", 1.0)]
    qrels = Qrels.of(folder)
    assert (qrels.name, qrels.digest) == ("test.tsv", hashlib.sha256(path.read_bytes()).hexdigest())


def test_without_a_test_split_the_others_are_named(folder: Path) -> None:
    add(folder, "dev")
    add(folder, "train")
    error = qrels_error(folder)
    assert "has no split 'test'; there are: dev, train" in error
    assert "Choose one behind a #: scifact#dev" in error
    assert "has no split 'x'; there are: dev, train" in qrels_error(f"{folder}#x")


def test_a_folder_without_judgements_is_refused(folder: Path) -> None:
    assert "qrels/test.tsv" in qrels_error(folder)
    assert "has no judgements" in qrels_error(folder, Reading(format="beir"))


def test_a_folder_is_no_run(folder: Path) -> None:
    add(folder, "test")
    assert "is a folder, which holds judgements and no run" in run_error(folder)


def test_a_bad_file_in_the_folder_is_named_with_its_lines(folder: Path) -> None:
    add(folder, "test").write_text("query-id\tcorpus-id\tscore\n1\ta\tx\n1\tb\n")
    error = qrels_error(folder)
    assert "test.tsv: 2 problems" in error
    assert "line 2: grade must be a number, got 'x'" in error


def test_a_split_is_written_as_beir_reads_it(folder: Path) -> None:
    registry.write_file(qrels_of([("1", "a b", 1.0)]), folder / "qrels" / "test.tsv", format="beir")
    assert (folder / "qrels" / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\n1\ta b\t1\n"
    assert Qrels.of(folder).table.rows() == [("1", "a b", 1.0)]
