"""What the tests of graphs of feedback results share."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from rankscope.inputs import collections
from rankscope.reports.graphs.graph import Graph
from tests.reports.graphs.recording import RecordingCanvas
from tests.reports.graphs.test_gallery import GALLERY, fewer_icons


def recorded(graph: Graph) -> RecordingCanvas:
    """The graph on a canvas that only takes notes."""
    canvas = RecordingCanvas()
    graph.draw(canvas)
    return canvas


def every_gallery_page_draws(name: str) -> Callable[[Path, pytest.MonkeyPatch], None]:
    """A test that runs the page of this name on fewer icons."""

    def test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        few = fewer_icons()
        monkeypatch.setattr(collections, "icons", lambda: few)
        monkeypatch.chdir(tmp_path)
        runpy.run_path(str(GALLERY / f"{name}.py"))
        drawn = sorted(each.name for each in tmp_path.iterdir())
        assert f"{name}.svg" in drawn
        assert not any("NaN" in each.read_text() for each in tmp_path.glob("*.svg"))

    return test
