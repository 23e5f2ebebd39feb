"""Every output format on the same small result."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from rankscope.core.errors import SettingError
from rankscope.measures.evaluation import score_tables as tables
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.score_tables import class_grid, query_grid, summary_grid
from rankscope.measures.evaluation.scores import Scores
from rankscope.reports import output_formats
from rankscope.reports.output_formats import OUTPUT_FORMATS
from tests.needs import needed_module

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"x": 0}}
RUNS = {
    "good_one": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "9": {"a": 1.0}},
    "worse|one": {"1": {"b": 2.0, "a": 1.0}},
}


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(QRELS, RUNS, ["AP", "ER", "num_ret"])


def test_the_best_of_each_measure_is_marked_also_where_lower_is_better(scores: Scores) -> None:
    rows = summary_grid(scores).rows
    assert [[cell.text for cell in row if cell.best] for row in rows] == [["1.0000", "0.0000"], []]


def test_counts_have_no_best_and_print_as_whole_numbers(scores: Scores) -> None:
    assert [row[-1].text for row in summary_grid(scores).rows] == ["3", "2"]


def test_every_query_has_a_status(scores: Scores) -> None:
    status = [(row[0].text, row[1].text, row[2].text) for row in query_grid(scores).rows]
    assert status == [
        ("good_one", "1", "answered"),
        ("good_one", "2", "answered"),
        ("good_one", "3", "no relevant"),
        ("good_one", "9", "not judged"),
        ("worse|one", "1", "answered"),
        ("worse|one", "2", "missing"),
        ("worse|one", "3", "no relevant"),
    ]


def test_undefined_values_are_dashes_in_tables_and_null_in_data(scores: Scores) -> None:
    assert query_grid(scores).rows[2][3].text == "-"
    long = scores.to_polars()
    assert long.filter(pl.col("query") == "3").get_column("value").to_list()[:1] == [None]
    assert (
        json.loads(OUTPUT_FORMATS.find("json").render(scores, True))["systems"][0]["queries"][2]["values"]["AP"] is None
    )


def test_many_measures_stand_below_each_other() -> None:
    text = tables.render_table(evaluate(QRELS, RUNS, "all_trec"))
    assert text.startswith("measure")
    assert "iprec_at_recall" not in text.splitlines()[0]


def test_latex_escapes_its_special_signs_and_marks_the_best(scores: Scores) -> None:
    text = output_formats.render_latex(scores)
    assert r"good\_one" in text
    assert r"\mathbf{1}.\mathbf{000}" in text
    assert text.count(r"\\") == 3


def test_markdown_escapes_pipes(scores: Scores) -> None:
    text = tables.render_markdown(scores)
    assert "| worse\\|one |" in text
    assert "**1.0000**" in text


def test_csv_has_one_row_per_value(scores: Scores) -> None:
    read = pl.read_csv(io.StringIO(output_formats.render_csv(scores, per_query=True)))
    assert read.height == 2 * 3 * 3
    assert pl.read_csv(io.StringIO(output_formats.render_csv(scores))).columns == [
        "system",
        "measure",
        "value",
        "queries",
    ]


def test_parquet_holds_the_long_table(scores: Scores) -> None:
    read = pl.read_parquet(io.BytesIO(output_formats.render_parquet(scores, per_query=True)))
    assert read.equals(scores.to_polars())


def test_trec_lines_of_several_systems_follow_each_other(scores: Scores) -> None:
    lines = output_formats.render_trec(scores, per_query=True).splitlines()
    assert lines[0] == "map                   \t1\t1.0000"
    assert [line for line in lines if line.startswith("num_ret")][-1] == "num_ret               \tall\t2"


def test_worst_and_best_orders_stand_beside_the_expected_value() -> None:
    tied = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["AP"], ties="expected")
    assert summary_grid(tied).rows[0][1].text == "0.7500 [0.5000, 1.0000]"


def test_classes_have_their_own_grid() -> None:
    scores = evaluate(QRELS, RUNS, ["AP"], classes={"1": "easy", "2": "hard"})
    rows = [[cell.text for cell in row] for row in class_grid(scores).rows]
    assert ["worse|one", "hard", "1", "0.0000"] in rows


def test_an_unknown_format_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingError, match="markdown"):
        OUTPUT_FORMATS.find("markdwn")


def test_a_notebook_shows_a_table(scores: Scores) -> None:
    assert "<table " in scores._repr_html_()
    assert "worse|one" in scores._repr_html_()


def test_pandas_gets_the_long_table(scores: Scores) -> None:
    needed_module("pandas", "pandas")
    assert list(scores.to_pandas().columns) == scores.to_polars().columns
