"""The report in a real browser, offline: every graph has its marks, nothing complains, sort and filter work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankscope.reports.page import html
from rankscope.reports.page.contents import Report
from tests.needs import needed_module, needed_program
from tests.reports.examples import report_of, report_of_two_sizes, scores_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = '<img src="http://example.org/x.png" onerror="console.error(1)">'
MARKS = """place => {
  const kinds = ["line", "area", "symbol", "rect"].map(kind => `svg g.mark-${kind} path`).join(", ");
  const shapes = [...place.querySelectorAll(kinds)].filter(path => path.getAttribute("d"));
  const boxes = shapes.map(path => path.getBBox());
  return {
    shapes: shapes.length,
    broken: [...place.querySelectorAll("svg *")].filter(each => ["d", "transform", "x", "y", "width", "height"]
      .some(name => /NaN|Infinity|undefined/.test(each.getAttribute(name) || ""))).length,
    seen: boxes.filter(box => isFinite(box.x + box.y) && box.width + box.height > 0).length,
    words: place.querySelectorAll("svg text").length,
    wide: place.querySelector("svg").getBoundingClientRect().width,
    room: place.getBoundingClientRect().width,
  };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    advice = "the report is not tried in a browser. Debian: apt-get install chromium"
    found = os.environ.get("CHROMIUM") or needed_program("chromium", "chromium-browser", advice=advice)
    api = needed_module("playwright.sync_api", "dev")
    with api.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems; one query has a name that would be mischief if it were more than text."""
    scores = scores_of("rough", "fine")
    systems = []
    for system in scores.systems:
        queries = (HOSTILE, *system.ranks.queries[1:])
        systems.append(replace(system, ranks=replace(system.ranks, queries=queries)))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html.render(Report.of(replace(scores, systems=tuple(systems)))), encoding="utf-8")
    return path


class Opened:
    """A page, and everything it said or asked for."""

    def __init__(self, browser: Browser, file: Path, **look: Any) -> None:
        self.context = browser.new_context(offline=True, accept_downloads=True, **look)
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)

    def column(self, number: int) -> list[str]:
        return self.page.locator(f"#table tbody td:nth-child({number})").all_inner_texts()


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    result = Opened(browser, file, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()


def test_nothing_complains_and_nothing_is_asked_from_the_net(opened: Opened, file: Path) -> None:
    opened.page.mouse.move(400, 400)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]


def test_another_group_changes_picture_words_and_what_is_saved(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "two.html").write_text(html.render(report_of_two_sizes()), encoding="utf-8")
    opened = Opened(browser, tmp_path / "two.html", viewport={"width": 1280, "height": 900})
    figure = opened.page.locator("#graph-precision-recall")
    chosen = figure.locator("select")
    first, words = chosen.input_value(), figure.locator(".subtitle").inner_text()
    others = chosen.locator("option").evaluate_all("all => all.map(each => each.value)")
    other = next(each for each in others if each != first)
    chosen.select_option(other)
    figure.locator(f'.plot[data-graph="{other}"] svg').wait_for()
    assert figure.locator(".subtitle").inner_text() != words
    saved = figure.locator("[data-save]").evaluate_all("all => all.map(each => each.dataset.graph)")
    assert set(saved) == {other}
    assert figure.locator(".plot").evaluate(MARKS)["broken"] == 0
    chosen.select_option(first)
    figure.locator(f'.plot[data-graph="{first}"] svg').wait_for()
    assert figure.locator(".subtitle").inner_text() == words
    assert opened.said == []
    opened.context.close()


def test_every_graph_has_its_marks(opened: Opened) -> None:
    plots = opened.page.locator(".plot")
    assert plots.count() == len(report_of("rough", "fine").figures)
    for place in range(plots.count()):
        plot = plots.nth(place)
        marks = plot.evaluate(MARKS)
        name = plot.get_attribute("data-graph")
        assert marks["shapes"] >= 2, name
        assert marks["seen"] >= 1, name
        assert marks["broken"] == 0, name
        assert marks["words"] >= 6, name
        assert 0.8 * marks["room"] < marks["wide"] <= marks["room"] + 1, name


def test_a_click_on_a_header_sorts_and_another_turns_the_order(opened: Opened) -> None:
    header = opened.page.locator("#table th", has_text="fine")
    header.get_by_role("button").click()
    values = [float(text) for text in opened.column(5)]
    assert header.get_attribute("aria-sort") == "descending"
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 2
    opened.page.locator("#table th", has_text="fine").get_by_role("button").click()
    turned = [float(text) for text in opened.column(5)]
    assert turned == sorted(turned)


def test_words_and_classes_filter_the_queries(opened: Opened) -> None:
    assert "60 queries" in opened.page.locator("#count").inner_text()
    opened.page.fill("#search", "ITEM 2")
    assert sorted(opened.column(1)) == [f"item 2{digit}" for digit in range(10)]
    assert "10 of 60 queries" in opened.page.locator("#count").inner_text()
    opened.page.fill("#search", "")
    opened.page.select_option("#class", label="class 3")
    assert set(opened.column(2)) == {"class 3"}
    assert len(opened.column(2)) == 5
    opened.page.fill("#search", "no such query")
    assert opened.column(1) == []


def test_pages_turn(opened: Opened) -> None:
    assert len(opened.column(1)) == 50
    first = opened.column(1)
    opened.page.click("#next")
    assert len(opened.column(1)) == 10
    assert not set(first) & set(opened.column(1))
    assert opened.page.locator("#next").is_disabled()


def test_another_measure_shows_its_values(opened: Opened) -> None:
    opened.page.select_option("#measure", label="success@1")
    assert set(opened.column(4)) <= {"0.0000", "1.0000"}


@pytest.mark.parametrize(
    ("kind", "suffix"), [("csv", ".csv"), ("vega-lite", ".vl.json"), ("svg", ".svg"), ("png", ".png")]
)
def test_one_click_saves_what_is_behind_a_graph(opened: Opened, kind: str, suffix: str) -> None:
    with opened.page.expect_download() as waiting:
        opened.page.click(f'[data-save="{kind}"][data-graph="grip"]')
    saved = waiting.value
    assert saved.suggested_filename == f"grip{suffix}"
    data = Path(saved.path()).read_bytes()
    if kind == "vega-lite":
        assert "vega-lite" in json.loads(data)["$schema"]
    starts = {"csv": b"# GRiP", "vega-lite": b"{", "svg": b"<svg", "png": b"\x89PNG"}
    assert data.startswith(starts[kind])


def test_the_queries_shown_can_be_saved(opened: Opened) -> None:
    opened.page.fill("#search", "item 2")
    with opened.page.expect_download() as waiting:
        opened.page.click("#save-queries")
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("query,class,relevant,status of rough,AP of rough")
    assert len(lines) == 11


def test_pointing_at_a_curve_tells_its_numbers(opened: Opened) -> None:
    plot = opened.page.locator('.plot[data-graph="grip"]')
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    opened.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    opened.page.mouse.move(box["x"] + box["width"] * 0.52, box["y"] + box["height"] * 0.52)
    tip = opened.page.locator("#vg-tooltip-element.visible")
    tip.wait_for(timeout=5_000)
    assert "generality index" in tip.inner_text()
    assert opened.said == []


def test_hostile_names_stay_text(opened: Opened) -> None:
    opened.page.fill("#search", "onerror")
    assert opened.column(1) == [HOSTILE]
    assert opened.page.locator("#table img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_readers_light_and_the_button_turns_it(browser: Browser, file: Path, scheme: str) -> None:
    result = Opened(browser, file, color_scheme=scheme)
    paper = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('.plot svg text[fill]')).fill"
    before = result.page.evaluate(paper), result.page.evaluate(ink)
    result.page.click("#theme")
    after = result.page.evaluate(paper), result.page.evaluate(ink)
    white = "rgb(255, 255, 255)"
    assert (before[0] == white) == (scheme == "light")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert result.said == []
    result.context.close()


def test_a_telephone_shows_it_without_a_sideways_scroll(browser: Browser, file: Path) -> None:
    result = Opened(browser, file, viewport={"width": 390, "height": 800})
    assert result.page.evaluate("document.documentElement.scrollWidth") <= 390
    result.context.close()


def test_paper_is_white_and_has_no_buttons_even_for_those_who_read_in_the_dark(browser: Browser, file: Path) -> None:
    result = Opened(browser, file, color_scheme="dark")
    result.page.emulate_media(media="print")
    assert result.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert result.page.locator("button:visible").count() == 0
    assert result.page.pdf().startswith(b"%PDF")
    result.context.close()


def test_without_scripts_the_numbers_are_still_there(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("table.measures tbody tr").count() == 4
    assert "switched off" in page.locator("#graphs").inner_text()
    context.close()


def test_a_report_of_one_system_shows_its_measures_as_columns(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    path.write_text(html.render(report_of("rough")), encoding="utf-8")
    result = Opened(browser, path)
    assert result.page.locator("#table th").all_inner_texts() == [
        "query",
        "class",
        "relevant",
        "AP",
        "Rprec",
        "success@1",
        "NMRR",
    ]
    assert result.said == []
    result.context.close()
