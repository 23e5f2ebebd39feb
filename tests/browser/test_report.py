"""The report in a real browser, offline: every graph has its marks, nothing complains, choices reach every part."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rankscope.reports.page import html
from rankscope.reports.page.contents import Report
from tests.needs import needed_module, needed_program
from tests.reports.examples import many_scores, report_of, report_of_two_sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MARKS = """place => {
  const shapes = [...place.querySelectorAll("svg path, svg rect")].filter(each => !each.matches(".grid, clipPath *"));
  const boxes = shapes.map(each => each.getBBox());
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
DATA = """async id => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}"""


WORN = """() => [...document.querySelectorAll("figure:not([hidden]) .legend li")].map(each => {
  const sample = each.querySelector("svg [style]");
  const name = each.textContent.split(":")[0].replace(" is better", "");
  return [name, sample ? sample.getAttribute("style").match(/var\\(--\\w+\\)/)[0] : ""];
})"""


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

    def column(self, name: str) -> list[str]:
        """What stands in a column of the leaderboard, from top to bottom."""
        return [text.strip() for text in self.page.locator(f"#leaderboard tbody .c-{name}").all_inner_texts()]

    def systems(self) -> list[str]:
        return self.page.locator("#leaderboard tbody .name").all_inner_texts()

    def queries(self) -> list[str]:
        return self.page.locator("#query-list button.query").all_inner_texts()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems with classes, every kind of graph."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html.render(report_of("rough", "fine")), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen systems; the fifth is the baseline."""
    path = tmp_path_factory.mktemp("report") / "many.html"
    path.write_text(html.render(Report.of(many_scores(14), baseline="system 4")), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    result = Opened(browser, file, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()


@pytest.fixture
def board(browser: Browser, many: Path) -> Iterator[Opened]:
    result = Opened(browser, many, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()


def test_nothing_complains_and_nothing_is_asked_from_the_net(opened: Opened, file: Path) -> None:
    opened.page.mouse.move(400, 400)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]


def test_another_group_changes_picture_and_words(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "two.html").write_text(html.render(report_of_two_sizes()), encoding="utf-8")
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


def test_any_column_sorts_and_places_stay_those_of_the_first_measure(board: Opened) -> None:
    places = dict(zip(board.systems(), board.page.locator("#leaderboard td.place").all_inner_texts(), strict=True))
    head = board.page.locator('#leaderboard th[data-column="m1"]')
    head.get_by_role("button").click()
    values = [float(text.split(",")[0].split("\n")[0].rstrip("▲▼ ") or 0) for text in board.column("m1")]
    assert values == sorted(values, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    now = dict(zip(board.systems(), board.page.locator("#leaderboard td.place").all_inner_texts(), strict=True))
    assert now == places
    board.page.locator('#leaderboard th[data-column="system"]').get_by_role("button").click()
    assert board.systems() == [f"system {number}" for number in range(14)]


def test_a_search_never_hides_the_baseline(board: Opened) -> None:
    board.page.keyboard.press("/")
    board.page.keyboard.type("system 1")
    shown = board.page.locator("#leaderboard tbody tr:visible .name").all_inner_texts()
    assert set(shown) == {"system 1", "system 10", "system 11", "system 12", "system 13", "system 4"}
    assert board.page.locator("#systems-shown").inner_text() == "5 of 14 systems"


def test_the_baseline_stays_in_view(board: Opened) -> None:
    board.page.set_viewport_size({"width": 1280, "height": 420})
    row = board.page.locator("#leaderboard tr.baseline th")
    for top in (0, 200):
        board.page.evaluate(f"scrollTo(0, {top})")
        box = row.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= 420 - box["height"] + 1, top


@pytest.mark.parametrize("width", [360, 400, 600, 831, 900, 980, 1050, 1161, 1200, 1400, 1600, 1920])
def test_no_width_cuts_a_column_under_any_sort(browser: Browser, many: Path, width: int) -> None:
    result = Opened(browser, many, viewport={"width": width, "height": 900})
    for key in ("system", "m0", "difference", "m1"):
        head = result.page.locator(f'#leaderboard th[data-column="{key}"]:visible button')
        if head.count():
            head.click()
        assert result.page.evaluate("document.documentElement.scrollWidth") <= width
        right = result.page.evaluate("document.getElementById('leaderboard').getBoundingClientRect().right")
        assert right <= width, key
    if width <= 830:
        heads = result.page.locator("#leaderboard thead th:visible")
        assert heads.count() == 5
        result.page.select_option("#column", "m1")
        assert result.page.locator('#leaderboard th[data-column="m1"]').is_visible()
        assert not result.page.locator('#leaderboard th[data-column="difference"]').is_visible()
    result.context.close()


# one choice for all graphs


def drawn(opened: Opened, figure: str) -> list[str]:
    names = opened.page.locator(f"#graph-{figure} .legend li:not(.dim) span").all_inner_texts()
    return [name.split(":")[0] for name in names if name != "cannot be reached"]


def test_the_best_three_and_the_baseline_are_drawn_at_first_and_a_tick_adds_a_system(board: Opened) -> None:
    best = [*board.systems()[:3], "system 4"]
    for figure in ("precision-recall", "recall-scope", "grip", "forecast"):
        assert drawn(board, figure) == best
    board.page.check('input[aria-label="Show system 0 in the graphs"]', force=True)
    for figure in ("precision-recall", "recall-scope", "grip", "forecast"):
        assert set(drawn(board, figure)) == {*best, "system 0"}
    board.page.get_by_role("button", name="Remove system 0").click()
    assert not board.page.is_checked('input[aria-label="Show system 0 in the graphs"]')


def test_at_most_eight_curves_and_a_system_keeps_its_colour(board: Opened) -> None:
    colour = """name => [...document.querySelectorAll('#key li')].find(each => each.textContent.includes(name))
        .querySelector('path').getAttribute('style')"""
    first = board.systems()[0]
    before = board.page.evaluate(colour, first)
    for number in (0, 1, 2, 3):
        board.page.check(f'input[aria-label="Show system {number} in the graphs"]', force=True)
    assert board.page.locator("#key li .name").count() == 8
    assert board.page.locator('input[aria-label="Show system 5 in the graphs"]').is_disabled()
    assert board.page.evaluate(colour, first) == before
    styles = board.page.locator("#key li path:first-child").evaluate_all(
        "all => all.map(each => each.getAttribute('style'))"
    )
    assert len(set(styles)) == 8
    board.page.get_by_role("button", name="Best 3 and baseline").click()
    assert board.page.locator("#key li .name").count() == 4


def test_colour_belongs_to_a_system_in_every_graph(board: Opened) -> None:
    keys = board.page.evaluate(WORN)
    systems = set(board.systems())
    worn: dict[str, set[str]] = {}
    for name, colour in keys:
        if name in systems:
            worn.setdefault(name, set()).add(colour)
    assert len(worn) >= 4
    assert all(len(colours) == 1 for colours in worn.values()), worn
    assert worn["system 4"] == {"var(--c0)"}


def test_one_chooser_serves_all_graphs_of_single_systems(board: Opened) -> None:
    wanted = board.systems()[5]
    board.page.select_option("#single", label=wanted)
    for figure in ("per-query-differences", "power-curve", "band", "grep"):
        assert wanted in board.page.locator(f"#graph-{figure} h3").inner_text()


def leaders(graph: dict[str, Any], shown: list[int]) -> list[tuple[str, float]]:
    """Independent of the page: who is highest at each x, by the data that it holds."""
    curves: dict[int, dict[float, float]] = {}
    for mark in graph["marks"]:
        if mark["role"] == "curve" and mark.get("system") in shown:
            points = zip(mark["x"], mark["y"], strict=True)
            curves.setdefault(mark["system"], {}).update({x: y for x, y in points if y is not None})
    grid = sorted({x for curve in curves.values() for x in curve})
    found = []
    for x in grid:
        here = {}
        for system, curve in curves.items():
            xs = sorted(curve)
            if xs[0] <= x <= xs[-1]:
                here[system] = float(np.interp(x, xs, [curve[each] for each in xs]))
        top = sorted(here.values(), reverse=True)
        if len(top) > 1 and top[0] > 0.001 and top[0] - top[1] > 0.0005:
            found.append((str(max(here, key=lambda each: here[each])), x))
    return found


@pytest.mark.parametrize("figure", ["precision-recall", "precision-scope", "recall-scope", "grip"])
def test_what_to_conclude_follows_from_the_data(board: Opened, figure: str) -> None:
    data = board.page.evaluate(DATA, f"data-{figure}")
    systems = board.page.evaluate(DATA, "data-systems")
    shown = [*systems["order"][:3], 0]
    graph = data["graphs"][data["first"]]
    ahead = [int(name) for name, _ in leaders(graph, list(dict.fromkeys(shown)))]
    names = {systems["names"][each] for each in ahead}
    text = board.page.locator(f"#graph-{figure} .conclusion").inner_text()
    told = text.removeprefix("What to conclude: ")
    if len(names) == 1:
        assert told.startswith(f"{names.pop()} has the highest mean")
        assert "at every" in told or "wherever the curves differ" in told
    elif " points, " in told:
        counts = {systems["names"][each]: ahead.count(each) for each in set(ahead)}
        first = max(counts, key=lambda each: counts[each])
        assert told.startswith(f"{first} has the highest mean")
    else:
        assert told.startswith(f"{systems['names'][ahead[0]]} has the highest mean")
        assert names <= {name for name in systems["names"] if name in told}
    pair = re.search(r"By AP (system \d+) and (system \d+) cannot be distinguished", told)
    if pair:
        one, other = (systems["names"].index(each) for each in pair.groups())
        assert systems["different"][one][other] == "0"
    better = re.search(r"By AP (?:(system \d+)|it) is shown to be better than (system \d+)", told)
    if better:
        one = better[1] or systems["names"][ahead[0]]
        assert systems["different"][systems["names"].index(one)][systems["names"].index(better[2])] == "1"


# saving and pointing


@pytest.mark.parametrize(("kind", "suffix"), [("csv", ".csv"), ("svg", ".svg"), ("png", ".png")])
def test_one_click_saves_what_is_behind_a_graph(opened: Opened, kind: str, suffix: str) -> None:
    with opened.page.expect_download() as waiting:
        opened.page.click(f'#graph-grip [data-save="{kind}"]')
    saved = waiting.value
    assert saved.suggested_filename == f"grip{suffix}"
    data = Path(saved.path()).read_bytes()
    starts = {"csv": b"# GRiP", "svg": b"<svg", "png": b"\x89PNG"}
    assert data.startswith(starts[kind])
    if kind == "csv":
        graph = next(figure.drawn for figure in report_of("rough", "fine").figures if figure.kind.name == "grip")
        lines = data.decode().splitlines()
        points = sum(mark.x.size for mark in graph.resolved().marks)  # type: ignore[attr-defined]
        assert len(lines) == 2 + points
    if kind == "svg":
        assert b"var(--" not in re.sub(rb"--[a-z0-9]+:[^;]*;", b"", data) or b"rgb(" in data


def test_the_queries_shown_can_be_saved(opened: Opened) -> None:
    opened.page.get_by_label("Find a query by its number").fill("item 2")
    with opened.page.expect_download() as waiting:
        opened.page.click("#save-queries")
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("query,class,relevant,status of rough,AP of rough")
    assert len(lines) == 11


def test_pointing_at_a_curve_or_pressing_keys_tells_its_numbers(opened: Opened) -> None:
    plot = opened.page.locator("#graph-grip .plot")
    plot.scroll_into_view_if_needed()
    plot.focus()
    tip = plot.locator(".tip")
    opened.page.keyboard.press("ArrowRight")
    first = tip.inner_text()
    assert "generality index" in first
    opened.page.keyboard.press("ArrowRight")
    assert tip.inner_text() != first
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("Escape")
    assert tip.is_hidden()
    box = plot.locator("svg").bounding_box()
    assert box is not None
    for across in range(10, 95, 5):
        opened.page.mouse.move(box["x"] + box["width"] * across / 100, box["y"] + box["height"] * 0.45)
        if tip.is_visible():
            break
    assert "generality index" in tip.inner_text()
    assert opened.said == []


# query by query


def test_queries_stand_by_wins_losses_or_number_and_words_filter_them(opened: Opened) -> None:
    data = opened.page.evaluate(DATA, "data-queries")
    gains = [one - other for one, other in zip(data["values"][1][0], data["values"][0][0], strict=True)]
    wins = opened.queries()
    order = sorted(range(len(gains)), key=lambda row: (-gains[row], row))
    assert wins == [data["queries"][row] for row in order]
    opened.page.locator("#query-tools select").nth(2).select_option("loss")
    losses = sorted(range(len(gains)), key=lambda row: (gains[row], row))
    assert opened.queries() == [data["queries"][row] for row in losses]
    opened.page.locator("#query-tools select").nth(2).select_option("id")
    assert opened.queries() == data["queries"]
    opened.page.get_by_label("Find a query by its number").fill("ITEM 2")
    assert opened.queries() == [f"item 2{digit}" for digit in range(10)]
    assert "10 of 60 queries" in opened.page.locator("#query-count").inner_text()
    won, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    told = opened.page.locator("#query-conclusion").inner_text()
    assert f"fine is better by AP on {won} of 60 queries, rough on {lost}." in told


def test_a_query_that_is_chosen_stays_chosen_and_focused(opened: Opened) -> None:
    third = opened.page.locator("#query-list button.query").nth(2)
    name = third.inner_text()
    third.focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.locator("#query-list [aria-current] button").inner_text() == name
    assert opened.page.evaluate("document.activeElement.textContent") == name
    assert name in opened.page.locator("#panel h3").inner_text()
    assert opened.page.locator("#panel ol").count() == 2


def test_another_measure_shows_its_values(opened: Opened) -> None:
    opened.page.locator("#query-tools select").nth(3).select_option(label="success@1")
    assert set(opened.page.locator("#query-list td.value").all_inner_texts()) <= {".000", "1.000"}


def test_where_lower_is_better_a_lower_value_wins(opened: Opened) -> None:
    opened.page.locator("#query-tools select").nth(3).select_option(label="NMRR")
    values = [float(text) for text in opened.page.locator("#query-list td.value").all_inner_texts()[:2]]
    assert values[0] < values[1]


# light, dark, small, paper, no script


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


def test_a_report_of_one_system_has_its_queries_from_the_worst(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    path.write_text(html.render(report_of("rough")), encoding="utf-8")
    result = Opened(browser, path)
    values = [float(text) for text in result.page.locator("#query-list td.value").all_inner_texts()]
    assert values == sorted(values)
    assert result.page.locator("#key").count() == 0
    assert json.loads(json.dumps(result.said)) == []
    result.context.close()
