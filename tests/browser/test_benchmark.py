"""The page of a benchmark in a real browser, offline: pictures, frames, graphs, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope.reports.page.benchmark_page import write_benchmark_page
from tests.browser.opened import MARKS, Opened
from tests.reports.benchmark_examples import standings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

FRAME = "item => { const made = getComputedStyle(item.querySelector('.shot')); \
    return [made.borderTopStyle, made.borderTopColor, made.backgroundImage.slice(0, 15)]; }"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmark")
    result = standings(folder)
    write_benchmark_page(result, folder / "page.html", shown=4)
    return folder / "page.html"


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    result = Opened(browser, file, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()


def test_nothing_complains_and_nothing_is_asked_from_the_net(opened: Opened, file: Path) -> None:
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]


def test_every_result_has_a_picture_and_a_frame_that_needs_no_colour(opened: Opened) -> None:
    hits = opened.page.locator(".hit")
    assert hits.count() == 4 * 3 * 10
    right, wrong = opened.page.locator(".hit.yes"), opened.page.locator(".hit.no")
    assert right.count() + wrong.count() == hits.count()
    assert min(right.count(), wrong.count()) > 5
    for which, style, sign in ((right, "solid", "✓"), (wrong, "dashed", "✗")):
        looks = [tuple(which.nth(at).evaluate(FRAME)) for at in range(5)]
        assert {look[0] for look in looks} == {style}
        assert {look[2] for look in looks} == {'url("data:image'}
        assert set(which.locator(".mark").all_inner_texts()) == {sign}
    assert right.first.evaluate(FRAME)[1] != wrong.first.evaluate(FRAME)[1]


def test_pictures_can_be_seen(opened: Opened) -> None:
    shots = opened.page.locator(".query .shot")
    assert shots.count() == 4 * (1 + 3 * 10)
    for at in (0, 1, 45):
        box = shots.nth(at).bounding_box()
        assert box is not None
        assert box["width"] > 50
        assert box["height"] > 40


def test_graphs_are_drawn_and_saved(opened: Opened) -> None:
    plots = opened.page.locator(".plot")
    assert plots.count() == 2
    for place in range(2):
        marks = plots.nth(place).evaluate(MARKS)
        assert marks["seen"] >= 1
        assert marks["broken"] == 0
    with opened.page.expect_download() as waiting:
        opened.page.click('#graph-cost [data-save="csv"]')
    assert "thumbnail(side=8)" in Path(waiting.value.path()).read_text()


def test_light_and_dark(browser: Browser, file: Path) -> None:
    result = Opened(browser, file, color_scheme="dark")
    frame = result.page.locator(".hit.yes").first
    before = frame.evaluate(FRAME)[1]
    result.page.click("#theme")
    assert frame.evaluate(FRAME)[1] != before
    assert result.said == []
    result.context.close()


def test_a_telephone_shows_it_without_a_sideways_scroll(browser: Browser, file: Path) -> None:
    result = Opened(browser, file, viewport={"width": 390, "height": 800})
    assert result.page.evaluate("document.documentElement.scrollWidth") <= 390
    result.context.close()


def test_without_scripts_tables_and_pictures_are_still_there(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("table.standings tbody tr").count() == 3
    assert page.locator(".hit").count() == 4 * 3 * 10
    assert page.locator(".hit").first.evaluate(FRAME)[2] == 'url("data:image'
    context.close()
