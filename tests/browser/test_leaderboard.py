"""The leaderboard in a browser: it sorts, keeps the baseline in view, and no width cuts a column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.opened import Opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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


@pytest.mark.sampled(3)
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
