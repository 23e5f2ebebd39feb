"""Files: each format, whole or not at all, the same bytes every time, nothing to load from the net."""

from __future__ import annotations

import builtins
import csv
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.errors import MissingExtra, SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.canvases import page
from rankscope.graphs.graph import Graph
from rankscope.graphs.saving import FORMATS, render_graph
from tests.graphs.examples import empty_graph, falling
from tests.needs import needed_module

BEGINS = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "html": b"<!DOCTYPE", "json": b"{", "csv": b"# "}


def graph() -> Graph:
    return empty_graph("<b>Title</b> & </script>").curve(falling(), "a", facts={"query": ["x", "</script>", "z"]})


def surface() -> Graph:
    x, y = np.meshgrid(np.arange(1.0, 4.0), np.linspace(0.1, 1, 5), indexing="ij")
    result = Graph("Surface", Axis("generality index", "G"), Axis("recall", "r", domain=(0, 1)))
    return result.surface(x, y, 1 - y / 2, "s", Axis("precision", "p", domain=(0, 1)))


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_is_written_and_is_what_its_suffix_says(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph.{format}"
    graph().save(path)
    assert path.read_bytes().startswith(BEGINS[format])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("format", FORMATS)
def test_equal_graphs_give_equal_bytes(format: str) -> None:
    assert render_graph(graph(), format) == render_graph(graph(), format)


def test_an_unknown_suffix_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"\.svg, \.pdf, \.png, \.html"):
        graph().save(tmp_path / "graph.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_pdf_is_one_column_wide_in_points() -> None:
    size = re.search(rb"/MediaBox ?\[0 0 ([\d.]+)", render_graph(graph(), "pdf"))
    assert size is not None
    assert float(size[1]) == pytest.approx(85 / 25.4 * 72, abs=0.5)


def test_a_page_loads_nothing_and_keeps_text_as_text() -> None:
    text = render_graph(graph(), "html").decode()
    outside = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.findall(r"src=|href=|url\(|@import", outside)
    assert "<script src" not in text
    assert "<title>&lt;b&gt;Title&lt;/b&gt; &amp; &lt;/script&gt;</title>" in text
    assert text.count("</script>") == 2


def test_the_script_is_made_once_and_then_lies_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []

    def bundled() -> str:
        numbers.append(1)
        return "let vega;"

    monkeypatch.setattr(page, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(page, "_bundled", bundled)
    page.script.cache_clear()
    try:
        assert page.script() == "let vega;"
        page.script.cache_clear()
        assert page.script() == "let vega;"
    finally:
        page.script.cache_clear()
    assert len(numbers) == 1
    (stored,) = (tmp_path / "cache").iterdir()
    assert "vl-convert" in stored.name


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(page, "cache_folder", lambda: tmp_path / "file")
    monkeypatch.setattr(page, "_bundled", lambda: "let vega;")
    page.script.cache_clear()
    try:
        assert page.script() == "let vega;"
    finally:
        page.script.cache_clear()


def test_the_data_of_a_graph_are_a_table() -> None:
    first, *rest = render_graph(graph(), "csv").decode().splitlines()
    assert first.endswith("x: recall r; y: precision p")
    rows = list(csv.DictReader(rest))
    assert [(row["role"], row["name"], row["x"], row["y"], row["query"]) for row in rows] == [
        ("curve", "a", "0.2", "0.9", "x"),
        ("curve", "a", "0.5", "0.6", "</script>"),
        ("curve", "a", "1", "0.1", "z"),
    ]


def test_a_surface_is_drawn_in_three_dimensions_or_as_a_heat_map() -> None:
    needed_module("matplotlib", "plots")
    assert render_graph(surface(), "svg") != render_graph(surface(), "svg", flat=True)
    assert render_graph(surface(), "svg") == render_graph(surface(), "svg")
    assert b"matplotlib" in render_graph(surface(), "svg")
    assert render_graph(surface(), "pdf", theme="dark").startswith(b"%PDF")


def test_a_heat_map_has_a_cell_wherever_the_surface_reaches() -> None:
    cells = [row for layer in surface().vega_lite()["layer"] for row in layer["data"]["values"] if "z" in row]
    assert len({row["middle"] for row in cells}) == 3
    assert all(0.5 <= row["z"] <= 0.95 for row in cells)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def refusing(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **more)

    for name in [each for each in sys.modules if each.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(MissingExtra, match=r"rankscope\[plots\]"):
        render_graph(surface(), "png")
    assert render_graph(surface(), "png", flat=True).startswith(b"\x89PNG")
