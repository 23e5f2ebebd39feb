"""The pages of a suite and of a history in a real browser: nothing complains, nothing is cut off, axe finds nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from rankscope.reports.page import result_pages
from tests.browser.opened import MARKS, Opened
from tests.reports.page.test_history_page import history_of
from tests.reports.page.test_suite_page import suite_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

AXE = Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js"
PAGES = ("suite", "history")
Scheme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    changes = [0.0, 0.03, -0.05, 0.01] * 10
    texts = {
        "suite": result_pages.render_suite([suite_of()], "Six tasks", ["a warning"]),
        "history": result_pages.render_history(history_of(*changes[:28])),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1920, 1200, 400])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    browser: Browser, files: dict[str, Path], name: str, width: int, scheme: Scheme
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, bypass_csp=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(files[name].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run()")
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]] == []
    assert said == []
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_graphs_are_drawn_at_the_width_they_have_with_letters_that_can_be_read(
    browser: Browser, files: dict[str, Path], name: str
) -> None:
    opened = Opened(browser, files[name], viewport={"width": 400, "height": 900}, color_scheme="dark")
    for place in opened.page.locator(".plot").all():
        marks = place.evaluate(MARKS)
        assert marks["shapes"] > 3
        assert marks["broken"] == 0
        assert marks["wide"] <= marks["room"] + 1
    sizes = "[...document.querySelectorAll('.plot text')].map(each => each.getBoundingClientRect().height)"
    assert min(opened.page.evaluate(sizes)) >= 10
    assert all(text.startswith("What to conclude") for text in opened.page.locator(".conclusion").all_inner_texts())
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    opened.context.close()


def test_a_suite_sorts_by_any_task(browser: Browser, files: dict[str, Path]) -> None:
    context = browser.new_context(viewport={"width": 1920, "height": 900}, offline=True)
    page = context.new_page()
    page.goto(files["suite"].as_uri())
    names = "[...document.querySelectorAll('#leaderboard tbody tr')].map(row => row.dataset.name)"
    assert page.evaluate(names) == ["good", "base", "late"]
    page.click("[data-sort=m1]")
    assert page.evaluate(names) == ["good", "base", "late"], "by mean rank the best comes first, gaps last"
    page.click("[data-sort=k0]")
    assert page.evaluate(names)[-1] == "late"
    context.close()
