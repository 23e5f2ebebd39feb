"""Names and texts that would be mischief stay text; everything can be done by keyboard; axe-core finds nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope import report
from tests.browser.opened import Opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

AXE = Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js"
FOUND = """axe.run().then(result =>
  result.violations.map(each => [each.id, each.nodes.map(node => node.html.slice(0, 120))]))"""
NASTY = (
    "<script>window.caught = 1</script>",
    "</script><script>window.caught = 2</script>",
    '"><img src=x onerror="window.caught = 3">',
    "javascript:window.caught=4//",
    "{{ 7 * 7 }} {% raw %} ${window.caught = 5}",
    "datum.x; window.caught = 6",
    "'; window.caught = 7; '",
    "--> <svg onload=window.caught=8>",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Systems, queries, items, titles, texts, words and classes that are all mischief."""
    folder = tmp_path_factory.mktemp("hostile")
    queries = list(NASTY)
    qrels = {query: dict.fromkeys(NASTY[:4], 1) for query in queries}
    runs = {
        name: {
            query: {item: float((place * 3 + row) % 7) for place, item in enumerate(NASTY)}
            for row, query in enumerate(queries)
        }
        for name in NASTY[:5]
    }
    report(
        qrels,
        runs,
        ["AP", "P@2"],
        output=folder / "page.html",
        title=NASTY[1],
        baseline=NASTY[2],
        topics={query: {"title": NASTY[0] + query, "desc": NASTY[2]} for query in queries},
        docs="https://example.org/?q={id}",
        classes={query: NASTY[row % 3] for row, query in enumerate(queries)},
        collection_size=1000,
    )
    return folder / "page.html"


def test_nothing_that_a_file_says_is_run(browser: Browser, hostile: Path) -> None:
    opened = Opened(browser, hostile, viewport={"width": 1280, "height": 900})
    page = opened.page
    for press in page.locator("#query-list button.query").all()[:4]:
        press.click()
    for key in ("system", "m1"):
        page.locator(f'#leaderboard th[data-column="{key}"] button').click()
    for box in page.locator(".pick input").all():
        box.check(force=True)
    for plot in page.locator("figure:not([hidden]) .plot").all():
        plot.focus()
        page.keyboard.press("ArrowRight")
    page.locator("summary").evaluate_all("all => all.forEach(each => each.click())")
    assert page.evaluate("window.caught") is None
    assert page.locator("img[src=x], svg[onload]").count() == 0
    assert page.locator("script").count() == len(page.locator("script[type='text/plain']").all()) + 1
    links = page.locator("#panel a").evaluate_all("all => all.map(each => each.href)")
    assert links
    assert all(link.startswith("https://example.org/?q=") and "<" not in link for link in links)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("data:", "blob:", "file:"))] == []
    assert set(opened.systems()) == set(NASTY[:5])
    opened.context.close()


def test_a_saved_picture_of_hostile_names_is_only_a_picture(browser: Browser, hostile: Path, tmp_path: Path) -> None:
    opened = Opened(browser, hostile)
    with opened.page.expect_download() as waiting:
        opened.page.click('#graph-precision-scope [data-save="svg"]')
    text = Path(waiting.value.path()).read_text()
    assert "<script" not in text
    assert "onerror=" not in text.replace("onerror=&quot;", "")
    opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1920, 1200, 400])
def test_axe_finds_nothing(browser: Browser, many: Path, hostile: Path, width: int, scheme: str) -> None:
    for file in (many, hostile):
        opened = Opened(browser, file, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        opened.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        opened.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = opened.page.evaluate(FOUND)
        assert found == []
        opened.context.close()


def reach(opened: Opened, selector: str, most: int = 400) -> None:
    """Press Tab until the focus is on it."""
    for _ in range(most):
        if opened.page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        opened.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def test_everything_works_by_keyboard(board: Opened) -> None:
    page = board.page
    reach(board, "#theme")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    reach(board, '#leaderboard th[data-column="m1"] button')
    page.keyboard.press("Enter")
    assert page.locator('#leaderboard th[data-column="m1"]').get_attribute("aria-sort") == "descending"
    reach(board, ".pick input:not(:checked)")
    page.keyboard.press("Space")
    assert page.locator("#key li .name").count() == 5
    reach(board, '#key button[data-focus^="remove"]')
    page.keyboard.press("Enter")
    assert page.locator("#key li .name").count() == 4
    assert page.evaluate("document.activeElement !== document.body")
    reach(board, "#key select")
    page.keyboard.press("ArrowDown")
    reach(board, "#graph-precision-recall .plot")
    page.keyboard.press("ArrowRight")
    assert page.locator("#graph-precision-recall .tip").is_visible()
    reach(board, "#single")
    first = page.locator("#graph-power-curve h3").inner_text()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("old => document.querySelector('#graph-power-curve h3').textContent !== old", arg=first)
    reach(board, "#query-list button.query")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("#query-list tr").nth(2).get_attribute("aria-current") == "true"
    reach(board, "#tables summary")
    page.keyboard.press("Enter")
    assert page.locator("#tables details").get_attribute("open") is not None
