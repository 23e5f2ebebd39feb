"""`rankscope compare` from files to words, and its mistakes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.commands.line.main import cli
from rankscope.core.errors import SettingError

QUERIES = range(12)


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
    assert result.stdout.startswith("early is significantly better than late by .500 AP")


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "benjamini-hochberg", "none"])
def test_one_measure_without_classes_is_compared_by_every_correction(folder: Path, correction: str) -> None:
    result = compared(folder, "qrels", "late.run", "early.run", "--correction", correction)
    assert result.exit_code == 0
    assert result.stdout.startswith("early is significantly better than late by .500 AP")


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


def test_a_query_far_from_the_others_of_its_cell_is_named(folder: Path) -> None:
    """In `far.run` one relevant item of twenty stands at rank 10, the others first."""
    everyone = range(20)
    (folder / "qrels").write_text("".join(f"q{n} 0 r 1\n" for n in everyone))
    (folder / "kinds.csv").write_text("query,class\n" + "".join(f"q{n},{'xy'[n % 2]}\n" for n in everyone))
    rows = [f"q{n} Q0 x{n}{k} {k} {20 - k} t\n" for n in everyone for k in range(2, 10)]
    far = [f"q{n} Q0 r 1 {1 if n == 7 else 30} t\n" for n in everyone]
    (folder / "far.run").write_text("".join([*rows, *far]))
    (folder / "late.run").write_text("".join([*rows, *(f"q{n} Q0 r 1 {11.5 + n % 3} t\n" for n in everyone)]))
    result = compared(folder, "qrels", "late.run", "far.run", "--by", "kinds.csv", "--quiet")
    assert result.exit_code == 0
    assert "1 value lies beyond 3 standard deviations of the residuals: q7 of far in y (.111, -" in result.stdout


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
    assert page.read_text().startswith("**early is significantly better than late")
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


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".txt", "early is significantly better than late"),
        (".md", "**early is significantly better than late"),
        (".csv", "measure,first,second,first_mean"),
        (".json", "{"),
        (".tex", "% early is significantly better than late"),
        (".html", "<!DOCTYPE html>"),
        ("", "early is significantly better than late"),
    ],
)
def test_a_file_holds_what_its_suffix_says(folder: Path, suffix: str, start: str) -> None:
    target = folder / f"result{suffix}"
    assert compared(folder, "qrels", "late.run", "early.run", "--quiet", "-o", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("command", ["compare", "evaluate", "gate"])
def test_a_suffix_of_another_format_is_refused_before_any_work(folder: Path, command: str) -> None:
    target = folder / "result.xlsx"
    files = [str(folder / name) for name in ("qrels", "late.run", "early.run")]
    result = CliRunner().invoke(cli, [command, *files, "-o", str(target)])
    assert "this command writes no .xlsx file. Name it " in str(result.exception)
    assert not target.exists()
    assert CliRunner().invoke(cli, [command, *files, "-o", str(target), "--format", "json"]).exit_code in (0, 1)
    assert target.read_text().startswith("{")


def test_a_report_is_a_page(folder: Path) -> None:
    files = [str(folder / name) for name in ("qrels", "late.run", "early.run")]
    result = CliRunner().invoke(cli, ["report", *files, "-o", str(folder / "report.pdf")])
    assert f"Give -o {folder / 'report.html'}" in str(result.exception)


def test_rows_of_csv_are_the_pairs_of_json(folder: Path) -> None:
    files = ("qrels", "late.run", "early.run", "-m", "AP,RR", "--quiet")
    rows = list(csv.DictReader(io.StringIO(compared(folder, *files, "--format", "csv").stdout)))
    whole = json.loads(compared(folder, *files, "--format", "json").stdout)
    pairs = [(one["measure"], pair) for one in whole["measures"] for pair in one["pairs"]]
    assert len(rows) == len(pairs) == 2
    for row, (measure, pair) in zip(rows, pairs, strict=True):
        assert (row["measure"], row["better"], row["correction"]) == (measure, pair["better"], "holm")
        assert float(row["second_mean"]) - float(row["first_mean"]) == pytest.approx(pair["difference"])
        assert [float(row[key]) for key in ("p", "p_adjusted")] == [pair["p"], pair["p (holm)"]]


def test_a_table_for_a_paper_is_as_wide_as_asked(folder: Path) -> None:
    files = ("qrels", "late.run", "early.run", "-m", "AP,RR,P@1,P@2,nDCG@10,Rprec,success@1", "--format", "latex")
    assert compared(folder, *files).stdout.count("\\toprule") == 2
    assert compared(folder, *files, "--latex-columns", "2").stdout.count("\\toprule") == 1
    assert "\\dagger" not in compared(folder, *files, "--latex-marks", "none").stdout
    assert "1|2" not in str(compared(folder, *files, "--latex-columns", "wide").exception)
    assert "got 'wide'" in str(compared(folder, *files, "--latex-columns", "wide").exception)


def test_equivalence_is_told_in_words_tables_json_csv_and_on_the_page(folder: Path) -> None:
    (folder / "qrels").write_text("".join(f"q{n} 0 r 1\nq{n} 0 n 0\n" for n in range(40)))
    for name, first in (("late", 40), ("early", 0), ("near", 1)):  # queries of which the relevant item stands second
        lines = [
            f"q{n} Q0 {item} 1 {place} t\n"
            for n in range(40)
            for place, item in enumerate("rn"[:: 1 - 2 * (n >= first)])
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    asked = ("qrels", "late.run", "early.run", "near.run", "-m", "AP,RR", "--equivalent-within", ".3", "--quiet")
    told = compared(folder, *asked).output
    assert "Equivalent within ±.3 AP: 1 of 3 pairs (early and near); significantly" in told
    assert "AP: equivalence within ±.3" in told
    assert "RR: equivalence within ±.3" in told
    first, second = json.loads(compared(folder, *asked, "--format", "json").output)["measures"]
    assert (
        first["equivalence"]["family"]
        == second["equivalence"]["family"]
        == ("family of 3 tests: 3 pairs of systems, Holm")
    )
    outcomes = [each["outcome"] for each in first["equivalence"]["pairs"]]
    assert outcomes == ["different", "different", "equivalent"]
    rows = list(csv.DictReader(io.StringIO(compared(folder, *asked, "--format", "csv").output)))
    assert [row["outcome"] for row in rows[:3]] == outcomes
    assert [float(row["p_equivalence"]) for row in rows[:3]] == [each["p"] for each in first["equivalence"]["pairs"]]
    assert compared(folder, *asked, "-o", str(folder / "page.html")).exit_code == 0
    assert "Equivalent within ±.3 AP: 1 of 3 pairs" in (folder / "page.html").read_text()


def test_without_a_margin_nothing_is_said_of_equivalence(folder: Path) -> None:
    result = compared(folder, "qrels", "late.run", "early.run", "--format", "json", "--quiet")
    assert json.loads(result.output)["measures"][0]["equivalence"] is None
    assert "p_equivalence" not in compared(folder, "qrels", "late.run", "early.run", "--format", "csv").output


@pytest.mark.parametrize(
    ("margins", "words"),
    [
        (("2",), "--equivalent-within 2: no difference in AP exceeds 1"),
        ((".1", ".2", ".3"), "once for each of the 2"),
        (("0",), "is not in the range"),
    ],
)
def test_a_margin_that_means_nothing_is_refused(folder: Path, margins: tuple[str, ...], words: str) -> None:
    options = [part for each in margins for part in ("--equivalent-within", each)]
    result = compared(folder, "qrels", "late.run", "early.run", "-m", "AP,RR", *options)
    assert result.exit_code != 0
    assert words in f"{result.output} {result.exception}"


def test_the_paragraph_for_a_paper_is_that_of_python_and_of_json(folder: Path, tmp_path: Path) -> None:
    asked = ("qrels", "late.run", "early.run", "-m", "AP,P@1", "--equivalent-within", ".02", "--quiet")
    told = compared(folder, *asked, "--write-up").output
    runs = [folder / "late.run", folder / "early.run"]
    made = rankscope.compare(folder / "qrels", runs, ["AP", "P@1"], equivalent_within=0.02)
    assert told == f"{made.write_up()}\n"
    assert told.startswith("We compared late and early by AP on 12 queries. The mean AP was 1.000 for early and .500")
    assert json.loads(compared(folder, *asked, "--format", "json").output)["write_up"] == made.write_up()
    assert compared(folder, *asked, "--write-up", "-o", str(tmp_path / "made.tex")).exit_code == 0
    text = (tmp_path / "made.tex").read_text()
    assert "100\\% confidence" not in text
    assert "95\\% confidence limits" in text
    assert "±" not in text
    assert compared(folder, *asked, "--write-up", "--format", "csv").exit_code == 2


def test_the_paragraph_names_classes_where_they_are_the_sampling_unit() -> None:
    labels = [f"k{n // 4}" for n in range(60)]
    values = np.linspace(0.2, 0.6, 60)
    table = ScoreTable.make({"A": values, "B": values + 0.05 + 0.01 * (np.arange(60) % 7)}, labels)
    told = compare([table], by_unit=True).write_up()
    assert "by AP on 60 queries of 15 classes." in told
    assert "Per-query differences summed over each class, the sampling unit, were tested" in told
