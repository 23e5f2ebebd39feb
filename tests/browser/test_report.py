"""The report in a real browser, offline: every graph has its marks, nothing complains, dark and paper are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope.reports.page import html
from tests.browser.opened import MARKS, Opened
from tests.reports.examples import report_of, report_of_two_sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_nothing_complains_and_nothing_is_asked_from_the_net(opened: Opened, file: Path) -> None:
    opened.page.mouse.move(400, 400)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]


def test_another_group_changes_picture_and_words(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "two.html").write_text(html.render_report(report_of_two_sizes()), encoding="utf-8")
    opened = Opened(browser, tmp_path / "two.html", viewport={"width": 1280, "height": 900})
    figure = opened.page.locator("#graph-precision-recall")
    chosen = figure.locator("select")
    first, words = chosen.input_value(), figure.locator(".subtitle").inner_text()
    picture = figure.locator(".plot svg").inner_html()
    chosen.select_option(index=1 if first == "0" else 0)
    assert figure.locator(".subtitle").inner_text() != words
    assert figure.locator(".plot svg").inner_html() != picture
    assert figure.locator(".plot").evaluate(MARKS)["broken"] == 0
    chosen.select_option(first)
    assert figure.locator(".subtitle").inner_text() == words
    assert opened.said == []
    opened.context.close()


def test_every_graph_has_its_marks_at_its_real_width_and_a_conclusion(opened: Opened) -> None:
    plots = opened.page.locator("figure:not([hidden]) .plot")
    assert 10 < plots.count() <= 25
    for place in range(plots.count()):
        plot = plots.nth(place)
        marks = plot.evaluate(MARKS)
        name = plot.evaluate("each => each.closest('figure').id")
        assert marks["shapes"] >= 2, name
        assert marks["seen"] >= 1, name
        assert marks["broken"] == 0, name
        assert marks["words"] >= 6, name
        assert abs(marks["wide"] - min(760, marks["room"])) <= 1, name
        said = plot.evaluate("each => each.closest('figure').querySelector('.conclusion').textContent")
        assert said.startswith("What to conclude: "), name
        sizes = plot.evaluate(
            "each => [...each.querySelectorAll('text')].map(word => parseFloat(getComputedStyle(word).fontSize))"
        )
        assert min(sizes) > 11, name


# the leaderboard


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_readers_light_and_the_button_turns_it(browser: Browser, file: Path, scheme: str) -> None:
    result = Opened(browser, file, color_scheme=scheme)
    paper = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('.plot svg text')).fill"
    before = result.page.evaluate(paper), result.page.evaluate(ink)
    result.page.click("#theme")
    after = result.page.evaluate(paper), result.page.evaluate(ink)
    white = "rgb(255, 255, 255)"
    assert (before[0] == white) == (scheme == "light")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert result.said == []
    result.context.close()


def test_headings_are_not_hidden_by_the_bar(board: Opened) -> None:
    for id in ("graphs", "queries", "settings"):
        board.page.click(f'nav a[href="#{id}"]')
        top = board.page.evaluate(f"document.getElementById('{id}').getBoundingClientRect().top")
        bar = board.page.evaluate("document.querySelector('.top').getBoundingClientRect().bottom")
        at_end = board.page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        assert top >= bar or at_end, id


def test_paper_is_white_complete_and_has_no_buttons_even_for_those_who_read_in_the_dark(
    browser: Browser, many: Path
) -> None:
    result = Opened(browser, many, color_scheme="dark", viewport={"width": 400, "height": 800})
    result.page.emulate_media(media="print")
    assert result.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert result.page.locator("button:visible:not(.query)").count() == 0
    hidden = result.page.locator("#leaderboard th").evaluate_all(
        "all => all.filter(each => getComputedStyle(each).display === 'none').length"
    )
    assert hidden == 0
    heads = result.page.locator("#leaderboard thead th:visible").all_inner_texts()
    assert {"system", "AP", "vs baseline", "P@10"} <= {text.strip() for text in heads}
    assert result.page.pdf().startswith(b"%PDF")
    result.context.close()


def test_without_scripts_the_verdict_and_the_table_are_still_there(browser: Browser, many: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(many.as_uri())
    assert page.locator("#leaderboard tbody tr").count() == 14
    assert "has the best mean AP" in page.locator("h1").inner_text()
    assert "switched off" in page.locator("#graphs .offscript").inner_text()
    assert page.locator("#find").is_hidden()
    context.close()


@pytest.mark.thorough
def test_a_report_of_one_system_has_its_queries_from_the_worst(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    path.write_text(html.render_report(report_of("rough")), encoding="utf-8")
    result = Opened(browser, path)
    values = [float(text) for text in result.page.locator("#query-list td.value").all_inner_texts()]
    assert values == sorted(values)
    assert result.page.locator("#key").count() == 0
    assert json.loads(json.dumps(result.said)) == []
    result.context.close()
