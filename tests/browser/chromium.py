"""The Chromium that is installed, and pages that note everything they say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.needs import needed_module, needed_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Page

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    advice = "the pages are not tried in a browser. Debian: apt-get install chromium"
    found = os.environ.get("CHROMIUM") or needed_program("chromium", "chromium-browser", advice=advice)
    api = needed_module("playwright.sync_api", "dev")
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=OPTIONS)
        yield browser
        browser.close()


class Visitor:
    """Somebody with a browser of their own; `said` is everything that its pages complained about."""

    def __init__(self, browser: Browser, **look: Any) -> None:
        self.context: BrowserContext = browser.new_context(**look)
        self.context.set_default_timeout(20_000)
        self.said: list[str] = []

    def open(self, address: str) -> Page:
        """A new tab."""
        page = self.context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", self._refuse)
        page.goto(address)
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(f"{kind}: {text}")

    def _refuse(self, dialog: Dialog) -> None:
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        """Close all tabs."""
        self.context.close()
