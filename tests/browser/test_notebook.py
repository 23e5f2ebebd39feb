"""The notebook of the tutorials runs, shows what it shows in the file, and no display is longer than a screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankscope.core.display import LINES
from tests.needs import needed_module
from tools.run_notebooks import TUTORIALS, displays, executed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

NOTEBOOK = TUTORIALS / "results-in-a-notebook.ipynb"
SCREEN = 700
LOOKS = {"light": "background:#fff;color:#111", "dark": "background:#111;color:#ddd"}
SIZES = "() => [...document.querySelectorAll('section')].map(each => [each.offsetHeight, each.scrollWidth])"
STRANGE = """() => [...document.querySelectorAll('section > div, section td, section th')].filter(each => {
  const style = getComputedStyle(each);
  return style.color !== getComputedStyle(document.body).color || style.backgroundColor !== 'rgba(0, 0, 0, 0)';
}).length"""


@pytest.fixture(scope="module")
def ran() -> Any:
    needed_module("nbformat", "dev")
    needed_module("nbclient", "dev")
    needed_module("ipykernel", "dev")
    return executed(NOTEBOOK)


def texts(shown: list[dict[str, str]]) -> list[str]:
    """What a prompt would show, without the size of a page: that follows every change of how reports look."""
    return [re.sub(r"[\d,]+ bytes", "some bytes", each["text/plain"]) for each in shown]


def test_the_notebook_shows_what_is_in_the_file(ran: Any) -> None:
    import nbformat

    stored = displays(nbformat.read(NOTEBOOK, as_version=4))  # type: ignore[no-untyped-call]
    assert texts(displays(ran)) == texts(stored)
    assert len(stored) > 20


def ours(ran: Any) -> list[dict[str, str]]:
    """What rankscope shows, without frames of polars."""
    return [each for each in displays(ran) if "dataframe" not in each.get("text/html", "dataframe")]


def test_at_a_prompt_nothing_is_longer_than_ten_lines(ran: Any) -> None:
    assert len(ours(ran)) > 18
    assert max(len(each["text/plain"].splitlines()) for each in ours(ran)) <= LINES


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("width", [400, 900])
def test_no_display_is_longer_than_a_screen(look: str, width: int, ran: Any, browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "displays.html"
    body = "".join(f"<section>{each['text/html']}</section>" for each in ours(ran))
    page.write_text(f"<!doctype html><meta charset=utf-8><body style='{LOOKS[look]}'>{body}", encoding="utf-8")
    opened = browser.new_page(viewport={"width": width, "height": 900})
    opened.goto(page.as_uri())
    sizes = opened.evaluate(SIZES)
    assert len(sizes) == len(ours(ran))
    assert max(height for height, _ in sizes) <= SCREEN
    assert max(across for _, across in sizes) <= width
    assert opened.evaluate(STRANGE) == 0  # text and paper are those of the page around, whatever its colours
    opened.close()
