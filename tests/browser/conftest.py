"""Reports that several tests open in the browser that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankscope.reports.page import html
from rankscope.reports.page.report import Report
from tests.browser.chromium import chromium
from tests.browser.opened import Opened
from tests.reports.examples import many_scores, report_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems with classes, every kind of graph."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html.render_report(report_of("rough", "fine")), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen systems; the fifth is the baseline."""
    path = tmp_path_factory.mktemp("report") / "many.html"
    path.write_text(html.render_report(Report.of(many_scores(14), baseline="system 4")), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    result = Opened(browser, file, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()


@pytest.fixture
def board(browser: Browser, many: Path) -> Iterator[Opened]:
    result = Opened(browser, many, viewport={"width": 1280, "height": 900})
    yield result
    result.context.close()
