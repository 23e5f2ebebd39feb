"""Whatever the library gives shows itself: ten lines at a prompt, a screen in a notebook, tables elsewhere."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.display import LINES, SCREEN_COLUMNS, SCREEN_ROWS, WIDTH, Displayed, Tabular
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.page.html import ReportPage
from tests.commands.results import BAD, GOOD, QRELS, RESULTS, RUNS, of
from tests.needs import needed_module

SOURCE = Path(rankscope.__file__).parent
GIVE_NOTHING_NEW = {  # nothing, what another function gives too, or measures, which print as people write them
    "save_ranks",
    "load_ranks",
    "nearest_ranks",
    "parse_measure",
    "parse_measures",
    "describe",
}
SHOWN_INSIDE = {  # what results are made of, and what a report is before it is a page
    "SystemScores": lambda: of("evaluate").systems[0],
    "Column": lambda: of("evaluate").systems[0].columns[0],
    "MeasureCompared": lambda: of("compare").main,
    "Suite": lambda: of("suite").main,
    "Homogeneity": lambda: of("homogeneity")["nearest"],
    "Report": lambda: import_module("rankscope.reports.page.report").Report.of(of("evaluate")),
}
EVERYTHING = {**RESULTS, **SHOWN_INSIDE}
NO_TABLES = {"report", "graph", "homogeneity", "rank", "index", "fuse", "reduce", "Qrels", "Run", "Features"}
NO_TABLES |= {"SystemScores", "Column", "Report"}


def result(name: str) -> Any:
    return of(name) if name in RESULTS else SHOWN_INSIDE[name]()


def test_no_function_is_forgotten() -> None:
    functions = {name for name in rankscope.__all__ if inspect.isfunction(getattr(rankscope, name))}
    assert functions - GIVE_NOTHING_NEW <= set(RESULTS)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", EVERYTHING)
def test_a_result_is_short_at_a_prompt_and_has_a_display(name: str) -> None:
    shown = result(name)
    lines = repr(shown).splitlines()
    assert 1 <= len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert not re.search(r"array\(|object at 0x|dtype=", repr(shown))
    html = shown._repr_html_()
    assert html.count("<tr>") <= SCREEN_ROWS + 2
    assert html.startswith(("<div ", "<img "))


def displayed_classes(base: type = Displayed) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(base)
    for each in subclasses:
        yield each
        yield from displayed_classes(each)


def test_every_class_that_shows_itself_is_shown_here() -> None:
    for path in SOURCE.rglob("*.py"):  # so that all of them are known
        if "import Displayed" in (text := path.read_text(encoding="utf-8")) or "import Tabular" in text:
            import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
    names = {each.__name__ for each in displayed_classes()} - {"Tabular", "PlainQrels", "LiveRun"}
    shown = {each.__name__ for name in EVERYTHING for each in type(result(name)).__mro__}
    assert shown >= names


def test_large_scores_show_their_ends_and_say_what_is_left_out() -> None:
    runs = {f"a system with a long name and number {number}": BAD for number in range(300)}
    scores = rankscope.evaluate(QRELS, runs, [f"P@{cut}" for cut in range(1, 31)])
    lines = repr(scores).splitlines()
    assert len(lines) == LINES
    assert "300 systems, 30 measures" in lines[0]
    assert max(map(len, lines)) <= WIDTH
    left = int(re.search(r"\.\.\. (\d+) rows are left out", repr(scores))[1])  # type: ignore[index]
    assert left + sum("long name" in line and "." in line for line in lines if not line.startswith("!")) == 300
    assert re.search(r"\+(\d+) columns", lines[1])
    html = scores._repr_html_()
    assert f"{300 - SCREEN_ROWS} rows are left out" in html
    assert f"+{31 - SCREEN_COLUMNS} columns" in html
    assert len(html) < 40_000


def test_ranks_of_very_many_queries_are_shown_at_once() -> None:
    ranks = rankscope.RelevantRanks.from_ranks([[1, 5]] * 20_000, relevant=[2] * 20_000)
    assert "20,000 queries" in repr(ranks)
    assert len(repr(ranks).splitlines()) == LINES


def test_names_cannot_do_harm() -> None:
    scores = rankscope.evaluate(QRELS, {"<script>alert(1)</script>\x1b[2J\nnew": GOOD}, "AP")
    assert "\x1b" not in repr(scores)
    assert "<script" not in scores._repr_html_()
    assert len(repr(scores).splitlines()) <= LINES


def test_nothing_is_shown_as_nothing() -> None:
    empty = rankscope.Scores(())
    assert repr(empty) == "No scores: no system"
    assert empty._repr_html_()
    assert repr(rankscope.RelevantRanks.from_ranks([])).startswith("Ranks of run: 0 queries")


def test_a_run_in_a_file_is_not_read_to_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "large.run"
    path.write_text("q Q0 a 1 1.0 large\nthis line is no run\n")
    assert repr(rankscope.Run.of(path)) == "Run large, in large.run: .table() gives its rows"


def test_a_page_is_text_that_a_notebook_frames(tmp_path: Path) -> None:
    page = of("report")
    assert isinstance(page, ReportPage)
    assert page.startswith("<!doctype html>") or "<html" in page
    assert len(repr(page)) < WIDTH
    assert f"{page.save(tmp_path / 'report.html'):,}" in repr(page)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert "<iframe" in page._repr_html_()
    large = type(page)(page + "x" * 4_000_000)
    assert "<iframe" not in large._repr_html_()


def test_what_is_no_table_is_known() -> None:
    assert {name for name in NO_TABLES if isinstance(result(name), Tabular)} == set()


@pytest.mark.parametrize("name", [name for name in EVERYTHING if name not in NO_TABLES])
def test_tables_go_to_frames_pages_and_papers(name: str) -> None:
    shown = result(name)
    assert isinstance(shown, Tabular)
    frame = shown.to_polars()
    assert frame.height
    assert "| ---" in shown.to_markdown() or name == "needed_sample"
    assert "tabular" in shown.to_latex() or name == "needed_sample"
    pandas = needed_module("pandas", "pandas")
    assert list(shown.to_pandas().columns) == frame.columns
    assert isinstance(shown.to_pandas(), pandas.DataFrame)


@pytest.mark.parametrize(
    "name", [name for name in EVERYTHING if name not in NO_TABLES | {"evaluate", "evaluate_ranks"}]
)
def test_a_result_is_written_in_every_format(name: str) -> None:
    shown = result(name)
    assert all(shown.render(format).strip() for format in ("table", "markdown"))
    assert isinstance(json.loads(shown.render("json")), dict)
    assert len(shown.render("csv").splitlines()) > 1


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("files")
    rows = [f"{query} 0 {item} {grade}\n" for query, items in QRELS.items() for item, grade in items.items()]
    (folder / "qrels.txt").write_text("".join(rows))
    for name, run in RUNS.items():
        lines = [f"{q} Q0 {item} 1 {score} {name}\n" for q, items in run.items() for item, score in items.items()]
        (folder / f"{name}.run").write_text("".join(lines))
    return [str(folder / "qrels.txt"), str(folder / "old.run"), str(folder / "new.run")]


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    return done.stdout


MEASURES = ["-m", "AP", "-m", "nDCG@10"]


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_scores_are_written_as_the_command_prints_them(format: str, files: list[str]) -> None:
    scores = rankscope.evaluate(files[0], files[1:], ["AP", "nDCG@10"])
    for per_query in (False, True):
        written = getattr(scores, f"to_{format}")(per_query=per_query)
        words = ["evaluate", *files, *MEASURES, "--format", format, *(["--per-query"] if per_query else [])]
        assert in_python(printed(*words)) == written


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_comparisons_are_written_as_the_command_prints_them(format: str, files: list[str]) -> None:
    compared = rankscope.compare(files[0], files[1:], ["AP", "nDCG@10"])
    written = getattr(compared, f"to_{format}")()
    assert printed("compare", *files, *MEASURES, "--format", format) == written


def test_a_gate_is_written_as_the_command_prints_it(files: list[str]) -> None:
    written = rankscope.gate(files[0], files[1:], ["AP"]).to_markdown()
    assert printed("gate", *files, "-m", "AP", "--format", "markdown") == written


def in_python(text: str) -> str:
    """Warnings name settings as keywords in Python, and as options at the command line."""
    return text.replace("--ties trec_eval", "ties='trec_eval'")


def test_a_frame_of_a_comparison_holds_every_pair_with_all_digits() -> None:
    compared = of("compare")
    frame = compared.to_polars()
    assert frame.get_column("difference").to_list() == [one.pairs[0].difference for one in compared.measures]
    assert frame.get_column("measure").to_list() == ["AP", "nDCG@10"]


def test_shown_numbers_are_those_of_the_result() -> None:
    scores = of("evaluate")
    for system in scores.systems:
        line = next(line for line in repr(scores).splitlines() if line.startswith(system.name))
        assert [float(text) for text in line.split()[1:]] == [round(column.summary, 4) for column in system.columns]
    assert f"{of('compare').main.pairs[0].difference:.3f}".lstrip("0") in repr(of("compare"))


def test_rows_and_dictionaries_stay_what_they_are() -> None:
    rows, by_name = of("interleave_runs"), of("homogeneity")
    assert isinstance(rows, list)
    assert rows == list(rows)
    assert pl.DataFrame(rows).height == len(rows)
    assert isinstance(by_name, dict)
    assert list(by_name) == ["nearest"]


def test_a_graph_is_a_picture_on_its_own_paper() -> None:
    graph = of("graph")
    assert isinstance(graph, Graph)
    assert "max-height:640px" in graph._repr_html_()
    many = graph.described(title="long " * 200)
    assert len(repr(many).splitlines()) <= LINES
    assert max(map(len, repr(many).splitlines())) <= WIDTH


def test_tables_of_scores_are_frames_of_queries_and_systems() -> None:
    frame = of("ScoreTable").to_polars()
    assert frame.columns == ["query", "old", "new"]
    assert np.allclose(frame.select("old", "new").to_numpy(), of("ScoreTable").values)


def test_judgements_are_shown_where_no_extra_is_installed() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('httpx', 'httpcore', 'selectolax', 'starlette')))\n"
        "import rankscope\n"
        "print(rankscope.Qrels.of({'q': {'a': 1}}))\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("judgements: 1 judgement of 1 query")
