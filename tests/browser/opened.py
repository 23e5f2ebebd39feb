"""A page of a report in a browser, offline, with everything it said or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MARKS = """place => {
  const shapes = [...place.querySelectorAll("svg path, svg rect")].filter(each => !each.matches(".grid, clipPath *"));
  const boxes = shapes.map(each => each.getBBox());
  return {
    shapes: shapes.length,
    broken: [...place.querySelectorAll("svg *")].filter(each => ["d", "transform", "x", "y", "width", "height"]
      .some(name => /NaN|Infinity|undefined/.test(each.getAttribute(name) || ""))).length,
    seen: boxes.filter(box => isFinite(box.x + box.y) && box.width + box.height > 0).length,
    words: place.querySelectorAll("svg text").length,
    wide: place.querySelector("svg").getBoundingClientRect().width,
    room: place.getBoundingClientRect().width,
  };
}"""  # of one graph: how many shapes, which are broken or unseen, and how wide it is


class Opened:
    """A page, and everything it said or asked for."""

    def __init__(self, browser: Browser, file: Path, **look: Any) -> None:
        self.context = browser.new_context(offline=True, accept_downloads=True, **look)
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)

    def column(self, name: str) -> list[str]:
        """What stands in a column of the leaderboard, from top to bottom."""
        return [text.strip() for text in self.page.locator(f"#leaderboard tbody .c-{name}").all_inner_texts()]

    def systems(self) -> list[str]:
        return self.page.locator("#leaderboard tbody .name").all_inner_texts()

    def queries(self) -> list[str]:
        return self.page.locator("#query-list button.query").all_inner_texts()
