"""The tutorial of the first hour, walked on the shipped icons; its pictures are there and small."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope.workbench.serving import demo_project
from tests.browser.chromium import Visitor, chromium
from tools.docs.first_hour import COMMANDS, PAGE, PICTURES, RUNS, served, walk

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough

LARGEST = 1_000_000  # bytes of all pictures


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_the_first_hour_can_be_walked(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.workbench.serving.DEPTH", 2)
    monkeypatch.setattr("rankscope.workbench.serving.QUERIES", 3)
    seen: list[str] = []
    with served(demo_project(tmp_path / "icons")) as (bench, address):
        visitor = Visitor(browser)
        page = visitor.open(f"{address}/nothing")
        hour = walk(page, bench, address, lambda _page, name: seen.append(name), "bike")
        visitor.close()
    assert [each for each in visitor.said if "401" not in each and "404" not in each] == []
    assert hour.marks >= 6
    assert len(hour.found) == 3
    assert hour.found[-1] >= hour.found[0] > 0
    shown = re.findall(r"first-hour/(\w+)\.jpg", PAGE.read_text(encoding="utf-8"))
    assert set(shown) <= set(seen)


def test_its_pictures_are_there_and_small() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = {PAGE.parent / each for each in re.findall(r"\]\((first-hour/\w+\.jpg)\)", text)}
    assert shown == set(PICTURES.glob("*.jpg"))
    assert sum(each.stat().st_size for each in shown) < LARGEST
    assert COMMANDS in text
    assert RUNS in text
