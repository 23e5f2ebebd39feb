"""Judging in a real browser: by keyboard alone, in two tabs, with a server that is killed, and a disk that is full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankscope.workbench.pages.items import task_of
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import NoRoom
from tests.browser.chromium import Visitor, chromium
from tests.browser.workbenches import ServerProcess, picture_project, served_from_thread
from tests.clusters import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SAID = "page => document.getElementById('said').textContent"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def ready(page: Page) -> None:
    """Wait until items are on the stage, or nothing is left."""
    page.wait_for_selector("html[data-ready=yes]")


def all_saved(page: Page) -> None:
    page.wait_for_function(
        "() => document.querySelectorAll('#trail li').length"
        " && [...document.querySelectorAll('#trail li')].every(each => each.dataset.state === 'saved')",
        timeout=60_000,
    )


def kinds(project: Project, name: str = "ann") -> list[tuple[str, int | None]]:
    who = project.assessor_named(name).id
    return [(event.kind, event.grade) for event in project.state.events if event.assessor == who]


def test_a_judge_does_everything_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with served_from_thread(picture_project(tmp_path, 14, double=0.0, repeat=0.0)) as bench:
        visitor = Visitor(browser, viewport={"width": 1280, "height": 900})
        page = visitor.open(bench.link())
        assert page.url == f"{bench.address}/"  # the token is in no address bar
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.trim().startsWith('Begin')"):
                break
        page.keyboard.press("Enter")
        ready(page)
        assert page.locator(".tile").count() == 12
        for key in ("1", "2", "0", "u", "s"):
            page.keyboard.press(key)
        page.keyboard.press("c")
        page.keyboard.type("which z is it? 1")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        for key in ("z", "z", "z", "1"):  # the comment, the skip, the unsure; then a grade instead
            page.keyboard.press(key)
        all_saved(page)
        assert kinds(bench.project) == [
            ("grade", 1),
            ("grade", 2),
            ("grade", 0),
            ("unsure", None),
            ("skip", None),
            ("comment", None),
            ("undo", None),
            ("undo", None),
            ("undo", None),
            ("grade", 1),
        ]
        move_about(page)
        open_and_close(page)
        judge_the_rest(page)
        page.wait_for_selector("#empty:not([hidden])")
        all_saved(page)
        progress = bench.project.progress()
        assert progress.assessors[-1].grades == sum(each.places for each in progress.queries)
        assert progress.open == 0
        assert visitor.said == []
        visitor.close()


def move_about(page: Page) -> None:
    """Arrows and letters choose items, and the focus goes with them."""
    place = "() => [...document.querySelectorAll('.tile')].indexOf(document.activeElement)"
    start = page.evaluate(place)
    assert start >= 0
    for key, step in (("ArrowRight", 1), ("l", 1), ("ArrowLeft", -1), ("h", -1), ("j", 6), ("k", -6)):
        before = page.evaluate(place)
        page.keyboard.press(key)
        assert page.evaluate(place) == before + step, key
    assert page.locator(".tile[tabindex='0']").count() == 1


def open_and_close(page: Page) -> None:
    """The guideline, the keys and the large picture open, hold the focus, and give it back."""
    for key, name in (("g", "guideline"), ("?", "keys"), ("Enter", "large")):
        page.keyboard.press(key)
        assert page.evaluate(f"document.getElementById('{name}').open")
        assert page.evaluate(f"document.getElementById('{name}').contains(document.activeElement)")
        page.keyboard.press("1")  # is no grade while a dialog is open
        page.keyboard.press("Escape")
        assert not page.evaluate(f"document.getElementById('{name}').open")
        assert page.evaluate("document.activeElement.classList.contains('tile')")


def judge_the_rest(page: Page, most: int = 200) -> None:
    for number in range(most):
        if page.evaluate("!document.getElementById('empty').hidden"):
            return
        page.wait_for_selector(".tile, #empty:not([hidden])")
        page.keyboard.press(str(number % 3))
    raise AssertionError("it never ends")


def test_nothing_is_shown_as_saved_that_is_not(browser: Browser, tmp_path: Path, monkeypatch: Any) -> None:
    with served_from_thread(picture_project(tmp_path, double=0.0)) as bench:
        visitor = Visitor(browser)
        visitor.open(bench.link()).close()
        page = visitor.open(f"{bench.address}/judge")
        ready(page)
        journal = bench.project.writer.journal
        append = journal.append

        def full(events: Any) -> None:
            raise NoRoom("cannot write judgements.db: database or disk is full")

        monkeypatch.setattr(journal, "append", full)
        page.keyboard.press("1")
        page.wait_for_selector(".tile[data-state=again]")
        assert "again" in page.locator(".tile[data-state=again] .said").inner_text()
        assert "is full" in page.locator("#trouble").inner_text()
        assert page.locator("[data-state=saved]").count() == 0
        page.keyboard.press("2")  # one goes on judging meanwhile
        monkeypatch.setattr(journal, "append", append)
        all_saved(page)
        assert page.locator("#trouble").is_hidden()
        assert kinds(bench.project) == [("grade", 1), ("grade", 2)]
        visitor.close()


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (400, "text/html", "<h1>Bad gateway of somebody else</h1>"),
        (403, "application/json", '{"format": "rankscope.refusal", "error": "sent by a page of another site"}'),
        (404, "application/json", "{}"),
        (409, "application/json", '{"error": "a proxy"}'),
        (503, "application/json", '{"format": "rankscope.refusal", "error": "the judgements cannot be reached now"}'),
    ],
)
def test_no_mark_is_dropped_for_a_fault_that_is_not_its_own(
    browser: Browser, tmp_path: Path, status: int, kind: str, body: str
) -> None:
    with served_from_thread(picture_project(tmp_path)) as bench:
        visitor = Visitor(browser)
        visitor.open(bench.link()).close()
        page = visitor.open(f"{bench.address}/judge")
        ready(page)
        page.route("**/judge/marks", lambda route: route.fulfill(status=status, content_type=kind, body=body))
        page.keyboard.press("1")
        page.wait_for_selector("#trail [data-state=again]")
        page.unroute("**/judge/marks")
        all_saved(page)
        assert bench.project.state.last == 1
        visitor.close()


def test_two_tabs_of_one_judge(browser: Browser, tmp_path: Path) -> None:
    with served_from_thread(picture_project(tmp_path, double=0.0, repeat=0.0)) as bench:
        visitor = Visitor(browser)
        visitor.open(bench.link()).close()
        tabs = [visitor.open(f"{bench.address}/judge") for _ in range(2)]
        for page in tabs:
            ready(page)
        shown = [page.eval_on_selector_all(".tile", "all => all.map(each => each.dataset.task)") for page in tabs]
        assert not set(shown[0]) & set(shown[1])
        for number in range(4):
            for page in tabs:
                page.keyboard.press(str(number % 3))
        for page in tabs:
            all_saved(page)
        assert len(kinds(bench.project)) == 8
        tabs[0].keyboard.press("z")
        wait_until(lambda: len(kinds(bench.project)) == 9, "the undo of one tab")
        undone = bench.project.state.events[-1]
        task = task_of(bench.bench, (undone.query or "", undone.item or ""))
        assert task in shown[0]  # its own last mark, not that of the other tab
        lent = len(bench.project.assignment.loans)
        tabs[1].goto(f"{bench.address}/")
        wait_until(lambda: 0 < len(bench.project.assignment.loans) < lent, "items of a closed tab go back")
        visitor.close()


@pytest.mark.thorough
def test_the_tab_goes_on_by_itself_when_the_server_is_killed(browser: Browser, tmp_path: Path) -> None:
    project = picture_project(tmp_path, 14, double=0.0, repeat=0.0)
    link = project.invite("ann").path
    project.close()
    server = ServerProcess(project.folder)
    try:
        visitor = Visitor(browser)
        visitor.open(f"{server.address}{link}").close()
        page = visitor.open(f"{server.address}/judge")
        ready(page)
        for _ in range(2):  # kills
            for key in "12":
                page.keyboard.press(key)
            server.kill()
            for key in "0u":
                page.keyboard.press(key)
            page.wait_for_selector("#trail [data-state=again]")
            server.start()
            all_saved(page)
        judge_the_rest(page)
        all_saved(page)
        visitor.close()
    finally:
        server.end()
    with Project.open(project.folder, readonly=True) as after:
        assert kinds(after)[:8] == [("grade", 1), ("grade", 2), ("grade", 0), ("unsure", None)] * 2
        assert after.pool is not None
        assert len(after.state.answers) == len(after.state.events) == len(after.pool.rows)


@pytest.mark.thorough
def test_what_a_closed_tab_could_not_send_is_sent_at_the_next_opening(browser: Browser, tmp_path: Path) -> None:
    project = picture_project(tmp_path, 14, double=0.0, repeat=0.0)
    link = project.invite("ann").path
    project.close()
    server = ServerProcess(project.folder)
    try:
        visitor = Visitor(browser)
        visitor.open(f"{server.address}{link}").close()
        page = visitor.open(f"{server.address}/judge")
        ready(page)
        server.kill()
        for key in "012":
            page.keyboard.press(key)
        page.wait_for_selector("#trail [data-state=again]")
        page.close()
        server.start()
        again = visitor.open(f"{server.address}/judge")
        ready(again)
        all_saved(again)
        visitor.close()
    finally:
        server.end()
    with Project.open(project.folder, readonly=True) as after:
        assert kinds(after) == [("grade", 0), ("grade", 1), ("grade", 2)]


def test_on_a_phone_one_item_and_large_buttons(browser: Browser, tmp_path: Path) -> None:
    with served_from_thread(picture_project(tmp_path, double=0.0)) as bench:
        visitor = Visitor(browser, viewport={"width": 375, "height": 740}, has_touch=True, is_mobile=True)
        visitor.open(bench.link()).close()
        page = visitor.open(f"{bench.address}/judge")
        ready(page)
        assert page.locator(".tile").count() == 1
        sizes = page.eval_on_selector_all(
            ".bar button", "all => all.map(each => each.getBoundingClientRect()).map(each => [each.width, each.height])"
        )
        assert min(min(size) for size in sizes) >= 44
        page.locator(".grade").nth(1).tap()
        all_saved(page)
        assert kinds(bench.project) == [("grade", 1)]
        visitor.close()


LATE_ANSWERS = """
const plain = window.fetch;
window.fetch = async (address, ...rest) => {
  const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
  if (String(address).startsWith("/judge/marks")) await wait(Math.max(0, 5000 - performance.now()));
  const answer = await plain(address, ...rest);
  if (String(address).startsWith("/judge?")) await wait(700);
  return answer;
};
"""
OPEN_OR_ENDED = (
    "() => document.querySelector('.tile.chosen[data-state=open]') || !document.getElementById('empty').hidden"
)


@pytest.mark.thorough
def test_somebody_quicker_than_the_server_is_not_told_that_nothing_is_left(browser: Browser, tmp_path: Path) -> None:
    """All items of an answer may be judged before it comes: then it tells nothing, and is asked for again."""
    with served_from_thread(picture_project(tmp_path, 30, double=0.0, repeat=0.0), rate=1000) as bench:
        visitor = Visitor(browser, viewport={"width": 1280, "height": 900})
        visitor.context.add_init_script(LATE_ANSWERS)
        visitor.open(bench.link()).close()
        page = visitor.open(f"{bench.address}/judge")
        ready(page)
        while page.wait_for_function(OPEN_OR_ENDED) and page.locator("#empty").is_hidden():
            page.keyboard.press("1")
        all_saved(page)
        progress = bench.project.progress()
        assert progress.open == 0
        assert len(kinds(bench.project)) == sum(each.places for each in progress.queries)
        visitor.close()
        assert visitor.said == []
