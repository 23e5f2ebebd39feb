"""What is behind a graph can be saved, and pointing or pressing keys tells its numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.opened import Opened
from tests.reports.examples import report_of


@pytest.mark.parametrize(("kind", "suffix"), [("csv", ".csv"), ("svg", ".svg"), ("png", ".png")])
def test_one_click_saves_what_is_behind_a_graph(opened: Opened, kind: str, suffix: str) -> None:
    with opened.page.expect_download() as waiting:
        opened.page.click(f'#graph-grip [data-save="{kind}"]')
    saved = waiting.value
    assert saved.suggested_filename == f"grip{suffix}"
    data = Path(saved.path()).read_bytes()
    starts = {"csv": b"# GRiP", "svg": b"<svg", "png": b"\x89PNG"}
    assert data.startswith(starts[kind])
    if kind == "csv":
        graph = next(figure.drawn for figure in report_of("rough", "fine").figures if figure.kind.name == "grip")
        lines = data.decode().splitlines()
        points = sum(mark.x.size for mark in graph.resolved().marks)  # type: ignore[attr-defined]
        assert len(lines) == 2 + points
    if kind == "svg":
        assert b"var(--" not in re.sub(rb"--[a-z0-9]+:[^;]*;", b"", data) or b"rgb(" in data


def test_the_queries_shown_can_be_saved(opened: Opened) -> None:
    opened.page.get_by_label("Find a query by its number").fill("item 2")
    with opened.page.expect_download() as waiting:
        opened.page.click("#save-queries")
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("query,class,relevant,status of rough,AP of rough")
    assert len(lines) == 11


@pytest.mark.thorough
def test_pointing_at_a_curve_or_pressing_keys_tells_its_numbers(opened: Opened) -> None:
    plot = opened.page.locator("#graph-grip .plot")
    plot.scroll_into_view_if_needed()
    plot.focus()
    tip = plot.locator(".tip")
    opened.page.keyboard.press("ArrowRight")
    first = tip.inner_text()
    assert "generality index" in first
    opened.page.keyboard.press("ArrowRight")
    assert tip.inner_text() != first
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("Escape")
    assert tip.is_hidden()
    box = plot.locator("svg").bounding_box()
    assert box is not None
    for across in range(10, 95, 5):
        opened.page.mouse.move(box["x"] + box["width"] * across / 100, box["y"] + box["height"] * 0.45)
        if tip.is_visible():
            break
    assert "generality index" in tip.inner_text()
    assert opened.said == []


# query by query
