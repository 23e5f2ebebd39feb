"""Tables and figures for a paper: files that LaTeX takes as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankscope.core.errors import SettingError
from rankscope.core.latex import PAGE
from rankscope.reports.page.paper import difference_grid, measure_grid, write_paper
from tests.reports.examples import report_of
from tests.typeset import overfull_boxes, typeset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paper")
    write_paper(report_of("rough_1", "fine"), place)
    return place


def test_every_graph_is_a_figure(folder: Path) -> None:
    drawn = {f"{figure.id}.pdf" for figure in report_of("rough_1", "fine").figures if figure.graph is not None}
    assert {path.name for path in folder.glob("*.pdf")} == drawn
    assert all(path.read_bytes().startswith(b"%PDF") for path in folder.glob("*.pdf"))


def test_the_lines_to_copy_name_files_that_are_there(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"\\(?:input|includegraphics\[[^]]*\])\{([^}]+)\}", text)
    assert {path.name for path in folder.iterdir()} == {*named, "README.md"}


def test_a_table_has_means_with_intervals_and_the_best_in_bold(folder: Path) -> None:
    text = (folder / "measures.tex").read_text(encoding="utf-8")
    assert re.search(r"fine & \.\\mathbf\{\d{3}\}\^\{\\dagger\} & \[\.\d{3}, (\.|1\.)\d{3}\]", text)
    assert r"rough\_1" in text
    assert "better and $\\ddagger$ worse than rough\\_1" in text.replace("\n", " ")
    assert text.startswith("% 60 queries judged")


def test_cells_are_the_estimates() -> None:
    report = report_of("rough_1", "fine")
    row = report.estimates.rows[0]
    assert measure_grid(report).rows[0][1].text.startswith(f"{row.means[0].value:.3f} [")
    assert measure_grid(report).rows[1][0].text == "fine"
    assert difference_grid(report).rows[0][1].text.startswith(f"{row.differences[0].estimate.value:+.3f} [")


def test_every_table_fits_into_its_column(folder: Path, tmp_path: Path) -> None:
    tables = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.tex"))]
    assert len(tables) == 2
    assert overfull_boxes(typeset("\\par\n".join(tables), tmp_path, "twocolumn,a4paper")) == []


def test_tables_across_two_columns_are_put_into_wide_floats(tmp_path: Path) -> None:
    write_paper(report_of("rough_1", "fine"), tmp_path, width=PAGE)
    assert r"\begin{table*}" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_one_system_has_no_table_of_differences(tmp_path: Path) -> None:
    result = write_paper(report_of("rough_1"), tmp_path / "new")
    assert "differences.tex" not in {path.name for path, _ in result}


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingError, match="cannot write into"):
        write_paper(report_of("rough_1"), tmp_path / "file" / "paper")


def test_each_table_says_how_its_own_intervals_were_made(tmp_path: Path) -> None:
    report = report_of("rough", "fine")
    write_paper(report, tmp_path)
    differences = (tmp_path / "differences.tex").read_text()
    assert "tests that decide (sign-flip and skew-t)" in differences
    assert "bounded" not in differences
    assert "bounded (fewer than 25" in (tmp_path / "measures.tex").read_text()
    captions = re.findall(r"\\caption\{(.+)\}", (tmp_path / "README.md").read_text())
    (caption,) = [text for text in captions if text.startswith("Paired differences")]
    assert "limits are those of the tests that decide" in caption
    assert "primary family of 1 test" in caption
    assert "bounded" not in caption
    assert report.compared is not None
    for row, one in zip(report.estimates.rows, report.compared.measures, strict=True):
        assert (row.differences[0].estimate.low, row.differences[0].estimate.high) == (
            one.pairs[0].low,
            one.pairs[0].high,
        )
