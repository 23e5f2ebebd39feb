"""Browsing, search by example and feedback in a real browser: by keyboard, with a picture dropped in, for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from rankscope.workbench.project import Project
from tests.browser.chromium import Visitor, chromium
from tests.browser.test_workbench import LOOKS, problems
from tests.browser.workbenches import Bench, served_from_thread
from tests.workbench.pages.pictured import pixels_of, png_of, write_pictures

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough

FOCUS = "() => document.activeElement.closest('li') && [...document.activeElement.closest('ul').children]"
PLACE = f"{FOCUS}.indexOf(document.activeElement.closest('li'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("browsing")
    with served_from_thread(Project.new(folder / "project", **write_pictures(folder)), rate=1000) as found:
        yield found


def opened(browser: Browser, bench: Bench, **look: Any) -> tuple[Visitor, Page]:
    visitor = Visitor(browser, **{"viewport": {"width": 1280, "height": 900}, **look})
    return visitor, visitor.open(bench.link("eve", "admin"))


def test_a_grid_is_one_stop_of_the_keyboard_and_arrows_walk_it(browser: Browser, bench: Bench) -> None:
    visitor, page = opened(browser, bench)
    page.goto(f"{bench.address}/browse")
    assert page.locator(".grid a[tabindex='0']").count() == 1
    page.locator(".grid a").first.focus()
    columns = page.evaluate("getComputedStyle(document.querySelector('.grid')).gridTemplateColumns.split(' ').length")
    for key, place in (("ArrowRight", 1), ("l", 2), ("ArrowDown", 2 + columns), ("k", 2), ("End", 23), ("Home", 0)):
        page.keyboard.press(key)
        assert page.evaluate(PLACE) == place, key
    page.keyboard.press("Enter")
    page.wait_for_url("**/like/*")
    assert page.locator("h1").inner_text() == "More like this"
    assert page.locator(".grid .score").count() == 20
    visitor.close()
    assert visitor.said == []


def test_a_picture_is_dropped_in(browser: Browser, bench: Bench) -> None:
    visitor, page = opened(browser, bench)
    page.goto(f"{bench.address}/search")
    page.evaluate(
        """data => {
          const carried = new DataTransfer();
          carried.items.add(new File([new Uint8Array(data)], "mine.png", { type: "image/png" }));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        list(png_of(pixels_of("green", 40))),
    )
    page.wait_for_url("**/like?dropped=*")
    assert page.locator(".query-figure img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 24
    assert {each.strip() for each in page.locator(".grid .chip").all_inner_texts()[:7]} == {"green"}
    visitor.close()
    assert visitor.said == []


def test_a_session_goes_by_keyboard_and_graphs_follow(browser: Browser, bench: Bench) -> None:
    visitor, page = opened(browser, bench)
    page.goto(f"{bench.address}/like/{bench.bench.number_of('blue/1.png')}")
    page.click("text=Begin a feedback session")
    page.wait_for_url("**/session/*")
    page.wait_for_selector("html[data-ready=yes]")
    page.locator("[data-tile]").first.focus()
    for key in ("y", "y", "n"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelectorAll('[data-tile][data-state=saved]').length === 3")
    assert page.locator("#said").inner_text() in {"saved, relevant", "saved, not relevant"}  # the answer that came last
    assert page.locator("[data-set=relevant] .set-count").inner_text() == "3"
    assert page.locator("[data-set=not] .set-count").inner_text() == "1"
    page.click("[data-set=not] .examples button")
    page.wait_for_function("() => document.querySelector('[data-set=not] .set-count').textContent === '0'")
    assert page.locator("[data-tile] >> nth=2").get_attribute("data-mark") == "open"
    page.goto(f"{page.url}?truth=marks")
    page.wait_for_selector("html[data-ready=yes]")
    before = page.locator("#graphs").inner_html()
    page.locator("[data-tile] >> nth=2").focus()
    page.keyboard.press("y")
    page.wait_for_function("before => document.getElementById('graphs').innerHTML !== before", arg=before)
    assert "to scope 3" in str(page.locator("img[alt*='to scope']").get_attribute("alt"))
    page.keyboard.press("r")
    page.wait_for_selector("h2 >> text=Round 1")
    picture = page.locator(".graph img").first
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    visitor.close()
    assert visitor.said == []


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
def test_pages_with_something_on_them_are_open_to_everybody(
    browser: Browser, bench: Bench, size: tuple[int, int], theme: str
) -> None:
    visitor, page = opened(browser, bench, viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
    page.goto(f"{bench.address}/like/0")
    page.click("text=Begin a feedback session")
    page.wait_for_url("**/session/*")
    page.wait_for_selector("html[data-ready=yes]")
    page.click("[data-tile] >> nth=0 >> text=yes")
    page.wait_for_selector("[data-tile][data-state=saved]")
    page.click("text=The rest here is not relevant")
    page.click("text=Next round")
    page.wait_for_selector("h2 >> text=Round 1")
    session = page.url.partition("#")[0]
    found: dict[str, Any] = {}
    paths = ("/like/0", "/browse?order=near", "/browse?order=random", "/search?q=red", "/session")
    for address in (session, f"{session}?truth=marks", *(bench.address + path for path in paths)):
        page.goto(address)
        for each in page.locator("details").all():
            each.evaluate("each => { each.open = true; }")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if broken := problems(page) + ([f"{wide} pixels too wide"] if wide > 0 else []):
            found[address] = broken
    visitor.close()
    assert found == {}
    assert visitor.said == []
