"""Every page of the workbench in a real browser: no rule of accessibility broken, nothing foreign ever runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.chromium import Visitor, chromium
from tests.browser.workbenches import Bench, picture_project, served_from_thread, text_project

from rankscope.workbench.pages.application import ADDRESSES  # isort: skip  (the packages of the web are there)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough

AXE = Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# what overflows depends on the width, what has too little contrast on the theme: each is there
LOOKS = (((1280, 900), "light"), ((768, 1024), "dark"), ((375, 740), "light"), ((320, 640), "dark"))
HOSTILE = '<script>window.bad=1</script><img src=x onerror="window.bad=2">\'"{{7*7}}${7*7}</textarea><svg/onload=bad()>'
ADMIN_ONLY = "admin"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Pictures, two people, some marks of each kind, two guidelines and two pools: every page has something to show."""
    project = picture_project(tmp_path_factory.mktemp("bench"), 14)
    owner = project.assessor_named("owner").id
    project.invite("ann")
    for number, loan in enumerate(project.next_items(owner, 6)):
        project.grade(owner, loan.query, loan.item, number % 3, ms=1500)
    project.add_guideline("Another one.")
    project.make_pool("depth(10)")
    with served_from_thread(project) as found:
        yield found


def pages() -> list[str]:
    """Every page that has an address without anything to fill in."""
    found = [each.path for each in ADDRESSES if each.method == "GET" and each.template and "{" not in each.path]
    return [*found, "/nothing/here"]


def problems(page: Page) -> list[str]:
    """What axe-core finds, each with its place."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES)
    return [f"{each['id']}: {node['html'][:200]}" for each in found["violations"] for node in each["nodes"]]


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
def test_every_page_is_open_to_everybody(browser: Browser, bench: Bench, size: tuple[int, int], theme: str) -> None:
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": theme, "reduced_motion": "reduce"}
    visitor = Visitor(browser, **look)
    page = visitor.open(bench.link("eve", "admin"))
    found: dict[str, Any] = {}
    for path in pages():
        page.goto(f"{bench.address}{path}")
        if path == "/judge":
            page.wait_for_selector("html[data-ready=yes]")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if broken := problems(page) + ([f"{wide} pixels too wide"] if wide > 0 else []):
            found[path] = broken
    visitor.close()
    assert found == {}
    assert [each for each in visitor.said if "404" not in each] == []


def test_dialogs_of_judging_and_an_invitation_are_open_to_everybody(browser: Browser, bench: Bench) -> None:
    visitor = Visitor(browser)
    page = visitor.open(bench.link("eve", "admin"))
    page.goto(f"{bench.address}/judge")
    page.wait_for_selector("html[data-ready=yes]")
    for key in ("g", "?", "c", "Enter"):
        page.keyboard.press(key)
        assert problems(page) == []
        page.keyboard.press("Escape")
    page.goto(f"{bench.address}/people")
    page.fill("#name", "zoe")
    page.click("text=Invite >> nth=-1")
    assert "/enter/" in page.input_value("#link")
    assert problems(page) == []
    visitor.close()
    assert visitor.said == []


def test_at_twice_the_size_of_letters_nothing_is_cut_off(browser: Browser, bench: Bench) -> None:
    visitor = Visitor(browser, viewport={"width": 640, "height": 450}, device_scale_factor=2)  # 1280 at 200 %
    page = visitor.open(bench.link("eve", "admin"))
    for path in pages():
        page.goto(f"{bench.address}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
    visitor.close()


def test_nothing_in_ids_texts_and_names_ever_runs(browser: Browser, tmp_path: Path) -> None:
    texts = {f"{HOSTILE} {number}": f"{HOSTILE} text {number}" for number in range(6)}
    project = text_project(tmp_path, texts, {"q1": HOSTILE, f"q2{HOSTILE}": "a javascript:alert(1)"})
    project.add_guideline(f"{HOSTILE}\njavascript:alert(1)")
    with served_from_thread(project) as bench:
        visitor = Visitor(browser)
        page = visitor.open(bench.link(HOSTILE[:79].strip(), "admin"))
        for path in pages():
            page.goto(f"{bench.address}{path}")
            check_nothing_ran(page)
        page.goto(f"{bench.address}/judge")
        page.wait_for_selector(".tile")
        assert "<script>window.bad=1</script>" in page.locator(".tile").first.inner_text()
        page.keyboard.press("c")
        page.keyboard.type(HOSTILE)
        page.locator("#comment button[value=save]").click()
        for key in ("1", "Enter", "Escape", "g"):
            page.keyboard.press(key)
        page.wait_for_selector("#trail [data-state=saved]")
        check_nothing_ran(page)
        for path in ("/history", "/", "/export", f"/{HOSTILE}", f"/judge?hold={HOSTILE}"):
            page.goto(f"{bench.address}{path}")
            check_nothing_ran(page)
        visitor.close()
        assert [each for each in visitor.said if "404" not in each and "400" not in each] == []


def check_nothing_ran(page: Page) -> None:
    assert page.evaluate("window.bad") is None
    assert page.evaluate("document.querySelectorAll('main script:not([type=\"application/json\"])').length") == 0
    assert page.evaluate("document.querySelectorAll('[onerror], [onload]').length") == 0


def test_a_page_of_another_port_changes_nothing_though_the_cookie_comes_along(browser: Browser, bench: Bench) -> None:
    """The cookie is of the same site whatever the port, so SameSite alone would not help: the origin is looked at."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    from rankscope.workbench.service.server import running

    form = (
        f"<form method=post action='{bench.address}/guidelines'><input name=text value=evil></form>"
        "<script>document.forms[0].submit()</script>"
    )

    async def evil(_request: Any) -> HTMLResponse:
        return HTMLResponse(form)

    visitor = Visitor(browser)
    visitor.open(bench.link("eve", "admin")).close()
    before = len(bench.project.guidelines)
    with running(Starlette(routes=[Route("/", evil)])) as elsewhere:
        page = visitor.open(elsewhere)
        page.wait_for_url(f"{bench.address}/guidelines")
        assert "another site" in page.locator("main").inner_text()
    assert len(bench.project.guidelines) == before
    page.goto(f"{bench.address}/guidelines")
    page.fill("#text", "a form of our own")
    page.click("text=Save as version")
    assert bench.project.guidelines[-1].text == "a form of our own"
    visitor.close()


def test_a_link_of_another_site_signs_nobody_in_unasked(browser: Browser, bench: Bench) -> None:
    """Another site leads to a link of its own: ann stays ann until she says otherwise."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    from rankscope.workbench.service.server import running

    lure = bench.link("mallory", "judge")

    async def evil(request: Any) -> HTMLResponse:
        onward = (
            f"<form method={request.url.path[1:]} action='{lure}'></form><script>document.forms[0].submit()</script>"
        )
        return HTMLResponse(onward)

    visitor = Visitor(browser, viewport={"width": 900, "height": 500})
    visitor.open(bench.link("ann")).close()
    with running(Starlette(routes=[Route("/{way}", evil)])) as elsewhere:
        foreign = elsewhere.replace("127.0.0.1", "localhost")
        refused = visitor.open(f"{foreign}/post")
        refused.wait_for_url(lure)
        assert "another site" in refused.locator("main").inner_text()
        page = visitor.open(f"{foreign}/get")
        page.get_by_text("You are signed in as ann").wait_for()
        page.get_by_role("link", name="Stay ann").click()
        assert page.locator("form.me span").inner_text() == "ann"
        page.goto(lure)
        page.get_by_role("button", name="Go on as mallory").click()
        assert page.locator("form.me span").inner_text() == "mallory"
    visitor.close()
