"""`rankscope compare` from files to words, and its mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.cli.main import cli
from rankscope.errors import SettingError

QUERIES = range(8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 r 1\nq{n} 0 n 0\n" for n in QUERIES))
    (tmp_path / "late.run").write_text("".join(f"q{n} Q0 n 1 2 t\nq{n} Q0 r 2 1 t\n" for n in QUERIES))
    (tmp_path / "early.run").write_text("".join(f"q{n} Q0 r 1 2 t\nq{n} Q0 n 2 1 t\n" for n in QUERIES))
    (tmp_path / "classes.csv").write_text("query,class\n" + "".join(f"q{n},{'xy'[n % 2]}\n" for n in QUERIES))
    return tmp_path


def compared(folder: Path, *arguments: str) -> Result:
    names = [str(folder / each) if (folder / each).exists() else each for each in arguments]
    return CliRunner().invoke(cli, ["compare", *names])


def test_the_verdict_comes_first(folder: Path) -> None:
    result = compared(folder, "qrels", "late.run", "early.run")
    assert result.exit_code == 0
    assert result.stdout.startswith("early is better than late by .500 AP")


def test_tests_are_named_and_stand_beside_the_verdict(folder: Path) -> None:
    plain = compared(folder, "qrels", "late.run", "early.run", "--quiet")
    result = compared(folder, "qrels", "late.run", "early.run", "--test", "sign,two_way", "--test", "T", "--quiet")
    assert result.exit_code == 0
    assert result.stdout.startswith(plain.stdout.rstrip("\n"))
    headings = [line for line in result.stdout.splitlines() if line in ("AP: sign", "AP: two-way", "AP: t")]
    assert headings == ["AP: sign", "AP: two-way", "AP: t"]
    wrong = compared(folder, "qrels", "late.run", "early.run", "--test", "sing")
    assert isinstance(wrong.exception, SettingError)
    assert "did you mean 'sign'" in str(wrong.exception)


def test_classes_give_tables_of_cells_both_ways(folder: Path) -> None:
    result = compared(folder, "qrels", "late.run", "early.run", "--by", "classes.csv", "--quiet")
    assert result.exit_code == 0
    assert "AP: within classes" in result.stdout
    assert "AP: cells as independent samples, and query by query" in result.stdout


def test_json_has_every_pair_and_the_family(folder: Path) -> None:
    whole = json.loads(compared(folder, "qrels", "late.run", "early.run", "-m", "AP,RR", "--format", "json").stdout)
    assert whole["primary"] == "AP"
    assert whole["families"] == [
        "primary family of 1 test: 1 pair of systems, Holm",
        "secondary family of 1 test: 1 pair of systems, Holm",
    ]
    assert [one["role"] for one in whole["measures"]] == ["primary", "secondary"]
    assert [one["measure"] for one in whole["measures"]] == ["AP", "RR"]
    assert whole["measures"][0]["pairs"][0]["better"] == "early"


def test_markdown_and_graphs_are_written_to_files(folder: Path) -> None:
    page, pictures = folder / "page.md", folder / "pictures"
    result = compared(
        folder, "qrels", "late.run", "early.run", "--by", "classes.csv", "-o", str(page), "--graphs", str(pictures)
    )
    assert result.exit_code == 0
    assert page.read_text().startswith("**early is better than late")
    assert {"band.svg", "per-query-differences.svg", "class-matrix.svg"} <= {each.name for each in pictures.iterdir()}


def test_a_wrong_baseline_one_run_and_a_sum_are_errors(folder: Path) -> None:
    for arguments, words in (
        (("qrels", "late.run", "early.run", "--baseline", "middle"), "no system 'middle'. There are: late, early"),
        (("qrels", "late.run"), "compare needs two systems at least"),
        (("qrels", "late.run", "early.run", "-m", "num_rel"), "means over queries"),
    ):
        result = compared(folder, *arguments)
        assert result.exit_code != 0
        assert words in str(result.exception)
