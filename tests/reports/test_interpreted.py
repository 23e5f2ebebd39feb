"""What LaTeX, a spreadsheet or a terminal would take for its own is text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope import evaluate
from rankscope.core import latex
from rankscope.core.names import UNSEEN, cell, distinct_names, file_names, one_line, slugs, visible
from rankscope.core.rendering import Cell, Grid
from rankscope.measures.evaluation.scores import Scores
from rankscope.reports import output_formats
from rankscope.reports.graphs import precision_recall_graph
from rankscope.reports.graphs.saving import graph_csv
from rankscope.reports.output_formats import OUTPUT_FORMATS
from tests.typeset import typeset

NASTY = ["[x]", "*", " [y", "a\nb % c", "=cmd()", "@sum", "-x", "\x1b[2J", "a\r\nb", "\x9b2J", "a\u202eb", "--"]


def scores_of(*names: str) -> Scores:
    runs = {name: {"=q": {"d1": 1.0}, "-1": {"d2": 1.0}, "q\x1b[0m": {"d1": 0.5, "d2": 0.4}} for name in names}
    return evaluate({"=q": {"d1": 1}, "-1": {"d2": 1}, "q\x1b[0m": {"d2": 1}}, runs, ["AP", "P@1"])


@pytest.mark.parametrize("per_query", [False, True])
def test_latex_rows_and_comments_stay_what_they_are(per_query: bool) -> None:
    text = output_formats.render_latex(scores_of(*NASTY), per_query)
    head = text.partition("\\noindent")[0]
    assert all(line.startswith("% ") for line in head.splitlines())
    bodies = re.findall(r"\\midrule\n(.*?)\n\\bottomrule", text, re.DOTALL)
    rows = [line for body in bodies for line in body.splitlines()]
    assert len(rows) == len(NASTY) * (3 if per_query else 1)
    assert all(line.endswith(" \\\\") for line in rows)
    assert not [line for line in rows if line.lstrip().startswith(("[", "*"))]
    assert not UNSEEN.search(text)


def test_the_first_cell_of_any_table_is_a_cell() -> None:
    text = latex.latex_table(Grid(("*", "x"), ((Cell("[2cm]", number=False), Cell("1")),)))
    assert "{}*" in text
    assert "{}[2cm]" in text


def test_latex_sets_it(tmp_path: Path) -> None:
    typeset(output_formats.render_latex(scores_of(*NASTY), per_query=True), tmp_path)


@pytest.mark.parametrize("per_query", [False, True])
def test_no_text_of_a_csv_file_is_a_formula(per_query: bool) -> None:
    text = OUTPUT_FORMATS.find("csv").render(scores_of(*NASTY), per_query)
    assert isinstance(text, str)
    rows = list(csv.reader(io.StringIO(text)))
    texts = [value for row in rows for value in row if not is_number(value)]
    assert not [value for value in texts if re.match(r"\s*[=+\-@]", value)]
    assert {"'=cmd()", "'@sum", "'-x"} <= set(texts)
    if per_query:
        queries = {row[rows[0].index("query")] for row in rows[1:]}
        assert {"'=q", "-1"} <= queries, "a number stays a number"


def test_nor_in_the_data_of_a_graph() -> None:
    systems = [each.ranks for each in scores_of("=cmd()", "a\nb").systems]
    text = graph_csv(precision_recall_graph(systems).described(title="a\n=b"))
    assert text.startswith("# a\\n=b")
    assert "'=cmd()" in {row[1] for row in csv.reader(io.StringIO(text)) if len(row) > 1}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(st.text(st.sampled_from("=+-@1.5eE \tabc\uff1d"), min_size=1))
def test_a_cell_is_a_number_or_harmless(text: str) -> None:
    result = str(cell(text))
    assert result == text or (result == f"'{text}" and not is_number(text))
    assert is_number(result) or not re.match(r"\s*[=+\-@\uff1d]", result)


@pytest.mark.parametrize(
    "format", [each.name for each in OUTPUT_FORMATS if not each.binary and each.name not in ("csv", "trec", "metrics")]
)
@pytest.mark.parametrize("per_query", [False, True])
def test_no_name_steers_a_terminal(format: str, per_query: bool) -> None:
    text = OUTPUT_FORMATS.find(format).render(scores_of(*NASTY), per_query)
    assert isinstance(text, str)
    assert not UNSEEN.search(text)


def test_json_keeps_the_names() -> None:
    result = json.loads(OUTPUT_FORMATS.find("json").render(scores_of(*NASTY)))
    assert [each["name"] for each in result["systems"]] == NASTY


@given(st.text())
def test_what_is_visible_can_be_written_and_shown(text: str) -> None:
    assert not UNSEEN.search(visible(text))
    assert "\n" not in one_line(text)
    visible(text).encode()


@given(st.lists(st.text(max_size=6), max_size=8))
def test_names_of_files_and_figures_are_all_different(texts: list[str]) -> None:
    for result in (slugs(texts), file_names(texts)):
        assert len({name.casefold() for name in result}) == len(texts)
        assert all(name and "/" not in name and not name.startswith((".", "-")) for name in result)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name) for name in slugs(texts))


PATHS = st.lists(st.sampled_from(["a", "b", "run"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.tuples(st.sampled_from(["x", "y", "a/x", "x (2)"]), PATHS), max_size=6))
def test_systems_are_all_different(given: list[tuple[str, str]]) -> None:
    names, paths = [name for name, _ in given], [path for _, path in given]
    texts = distinct_names(names, paths)
    assert len(set(texts)) == len(texts)
    assert all(
        new.endswith((name, ")", path.split("/")[-1])) for name, path, new in zip(names, paths, texts, strict=True)
    )
