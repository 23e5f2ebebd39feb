"""Agreement, adjudication and comparing in a real browser: by keyboard alone, and no rule of accessibility broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope.workbench.project import Project
from tests.browser.chromium import Visitor, chromium
from tests.browser.test_workbench import LOOKS, problems
from tests.browser.workbenches import Bench, picture_project, served_from_thread
from tests.clusters import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

PATHS = (
    "/agreement?measure=P@5",
    "/adjudicate",
    "/compare",
    "/compare?mode=interleaved",
    "/compare/results",
    "/export",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def judged_by_two(folder: Path) -> Project:
    """Two people who differ about every third picture, a comment, a machine, and some preferences."""
    from rankscope.workbench.preferences import Comparing, mark_of_choice
    from rankscope.workbench.store.events import MarkEvent

    project = picture_project(folder, 14, per_item=2, repeat=0.0)
    assert project.pool is not None
    pairs = [(query, item) for query, rows in project.pool.by_query.items() for item in rows]
    for name, shift in (("ann", 0), ("bob", 1)):
        who = project.invite(name).assessor.id
        for place, (query, item) in enumerate(pairs):
            project.grade(who, query, item, (place + shift * (place % 3 == 0)) % 3, ms=900)
    project.save(
        MarkEvent(assessor=who, key="c", kind="comment", query=pairs[0][0], item=pairs[0][1], detail={"text": "?"})
    )
    project.import_labels({pairs[0][0]: {item: 1 for query, item in pairs if query == pairs[0][0]}}, "robot", "machine")
    for place, shown in enumerate(Comparing.of(project).plan(who, "side by side")):
        project.save(mark_of_choice(who, f"k{place}", shown, "left"))
    return project


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with served_from_thread(judged_by_two(tmp_path_factory.mktemp("deciding"))) as found:
        yield found


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
def test_pages_with_something_to_decide_are_open_to_everybody(
    browser: Browser, bench: Bench, size: tuple[int, int], theme: str
) -> None:
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": theme, "reduced_motion": "reduce"}
    visitor = Visitor(browser, **look)
    page = visitor.open(bench.link("eve", "admin"))
    found = {}
    for path in PATHS:
        page.goto(f"{bench.address}{path}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if broken := problems(page) + ([f"{wide} pixels too wide"] if wide > 0 else []):
            found[path] = broken
    visitor.close()
    assert found == {}
    assert visitor.said == []


def test_everything_is_decided_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with served_from_thread(judged_by_two(tmp_path)) as bench:
        state = bench.project.state
        visitor = Visitor(browser)
        page = visitor.open(bench.link("zoe", "adjudicator"))
        zoe = bench.project.assessor_named("zoe").id
        page.goto(f"{bench.address}/adjudicate")
        for key, rulings in (("1", 1), ("n", 1), ("2", 2), ("z", 1), ("0", 2)):
            page.wait_for_selector("html[data-ready=yes]")
            with page.expect_navigation():
                page.keyboard.press(key)
            assert sum(map(bool, state.rulings.values())) == rulings, key
        page.goto(f"{bench.address}/compare")
        for key, answers in (("ArrowLeft", 1), ("z", 0), ("e", 1), ("ArrowRight", 2)):
            page.wait_for_selector("html[data-ready=yes]")
            if key == "ArrowRight" and not page.query_selector("[data-key~=ArrowRight]"):
                break
            with page.expect_navigation():
                page.keyboard.press(key)
            own = [each for said in state.preferences.values() for each in said if each.assessor == zoe]
            assert len(own) == answers, key
        assert all(each.ms is not None for each in own)
        page.goto(f"{bench.address}/compare?mode=interleaved")
        page.wait_for_selector("html[data-ready=yes]")
        page.focus("[name=clicked]")
        page.keyboard.press("Space")
        with page.expect_navigation():
            page.keyboard.press("s")
        own = [each for said in state.preferences.values() for each in said if each.assessor == zoe]
        wait_until(lambda: own[-1].details.get("clicked"), "a click is kept")
        visitor.close()
        assert visitor.said == []
