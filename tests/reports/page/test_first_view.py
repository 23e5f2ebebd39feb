"""The page before any script runs: every graph as SVG with its words, the list of queries, folded tables that open."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from rankscope.reports.graphs.inline import inline_svg
from rankscope.reports.page import html
from rankscope.reports.page.first_view import FirstChoice, conclude_curves
from rankscope.reports.page.report import Report
from tests.reports.examples import many_scores, report_of, report_of_two_sizes

FIGURE = re.compile(r'<figure id="graph-([^"]+)".*?</figure>', re.S)
DRAWN = re.compile(r'<svg class="first".*?</svg>', re.S)


@pytest.fixture(
    scope="module",
    params=["two systems", "two sizes", "one system", pytest.param("thirty systems", marks=pytest.mark.thorough)],
)
def page(request: pytest.FixtureRequest) -> str:
    made: dict[str, Callable[[], Report]] = {
        "two systems": lambda: report_of("rough", "fine"),
        "two sizes": report_of_two_sizes,
        "one system": lambda: report_of("rough"),
        "thirty systems": lambda: Report.of(many_scores(30), baseline="system 4"),
    }
    return html.render_report(made[request.param]())


def test_every_graph_stands_in_the_file_with_marks_and_words(page: str) -> None:
    figures = {found[1]: found[0] for found in FIGURE.finditer(page)}
    assert len(figures) > 6
    for name, text in figures.items():
        (svg,) = DRAWN.findall(text)
        drawn = ElementTree.fromstring(svg)  # well-formed, so that nothing in it can end it early
        marks = [each for each in drawn.iter() if each.tag in ("path", "line")]
        assert len(marks) > 6, name
        assert len(list(drawn.iter("text"))) > 5, name
        assert not re.search(r"NaN|Infinity|undefined|None", svg), name
        assert "#" not in svg, f"{name}: a colour that does not turn dark with the page"
        assert len(svg) < 40_000, name


def test_curves_have_their_conclusion_and_series_their_legend(page: str) -> None:
    for name, text in ((found[1], found[0]) for found in FIGURE.finditer(page)):
        assert "What to conclude: " in text, name
        if 'stroke="var(--c' in text:
            assert re.search(r'<ul class="legend"><li>', text), name


@pytest.mark.parametrize(
    ("lower", "told"),
    [
        ({}, "A has the highest mean ER at round 1 and B at round 2."),
        ({"lower": 1}, "B has the lowest mean ER at round 1 and A at round 2."),
    ],
)
def test_the_curve_that_leads_is_the_lowest_where_lower_is_better(lower: dict[str, int], told: str) -> None:
    heights = {"A": [0.5, 0.4, 0.2], "B": [0.5, 0.3, 0.3]}
    marks = [{"role": "curve", "name": name, "x": [0, 1, 2], "y": each} for name, each in heights.items()]
    axes = {"x": {"quantity": "round of feedback"}, "y": {"quantity": "mean", "title": "mean ER", **lower}}
    assert conclude_curves(axes, marks, FirstChoice()) == told


def test_ids_stay_unique(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', re.sub(r"<script.*?</script>", "", page, flags=re.S))
    assert len(ids) == len(set(ids))


def test_the_queries_are_listed_with_the_first_of_them(page: str) -> None:
    section = page[page.index('<section id="queries"') : page.index('<section id="tables"')]
    assert section.count("<tr>") > 10
    assert "What to conclude: " in section
    assert re.search(r'<section class="panel".*?<h3>\S', section, re.S)
    assert section.count("<ol") in (1, 2)


def test_what_is_folded_opens_without_a_script_and_on_paper(page: str) -> None:
    assert "<details" in page
    assert "details-content { content-visibility: visible; display: block" in page


@pytest.mark.thorough
def test_long_tables_of_pairs_say_what_paper_leaves_out() -> None:
    page = html.render_report(Report.of(many_scores(30)))
    hidden = page.count('<tr class="unprinted">')
    assert hidden > 0
    said = re.findall(r"Printed: (\d+) of (\d+) rows, the pairs that differ|None of these (\d+) pairs differs", page)
    assert sum(int(all_of or none) - int(some or 0) for some, all_of, none in said) == hidden


def test_series_wear_what_the_page_says() -> None:
    (figure,) = [each for each in report_of("rough", "fine").figures if each.kind.name == "grip"]
    svg = inline_svg(figure.drawn, "grip", {"rough": 0, "fine": 3})
    assert "var(--c0)" in svg
    assert "var(--c3)" in svg
    assert "var(--c1)" not in svg


def test_hostile_names_stay_text_in_graphs() -> None:
    bad = '</svg><img src=x onerror=alert(1)>"&'
    scores = many_scores(2)
    one, other = scores.systems
    renamed = replace(other, ranks=replace(other.ranks, system=bad))
    page = html.render_report(Report.of(replace(scores, systems=(one, renamed))))
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert "<img" not in outside
    for svg in DRAWN.findall(page):
        ElementTree.fromstring(svg)
