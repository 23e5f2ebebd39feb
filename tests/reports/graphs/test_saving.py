"""Files: each format, whole or not at all, the same bytes every time, nothing to load from the net."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks
from rankscope.reports.graphs import saving
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.layout import Look
from rankscope.reports.graphs.saving import FORMATS, render_graph
from tests.needs import needed_module
from tests.reports.graphs.examples import empty_graph, falling

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

    monkeypatch.setattr(saving, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(saving, "_bundled", bundled)
    saving.vega_script.cache_clear()
    try:
        assert saving.vega_script() == "let vega;"
        saving.vega_script.cache_clear()
        assert saving.vega_script() == "let vega;"
    finally:
        saving.vega_script.cache_clear()
    assert len(numbers) == 1
    (stored,) = (tmp_path / "cache").iterdir()
    assert "vl-convert" in stored.name


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(saving, "cache_folder", lambda: tmp_path / "file")
    monkeypatch.setattr(saving, "_bundled", lambda: "let vega;")
    saving.vega_script.cache_clear()
    try:
        assert saving.vega_script() == "let vega;"
    finally:
        saving.vega_script.cache_clear()


def test_the_data_of_a_graph_are_a_table() -> None:
    first, *rest = render_graph(graph(), "csv").decode().splitlines()
    assert first.endswith("x: recall r; y: precision p")
    rows = list(csv.DictReader(rest))
    assert [(row["role"], row["name"], row["x"], row["y"], row["query"]) for row in rows] == [
        ("curve", "a", "0.2", "0.9", "x"),
        ("curve", "a", "0.5", "0.6", "</script>"),
        ("curve", "a", "1", "0.1", "z"),
    ]


@pytest.mark.thorough
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


def test_without_matplotlib_a_surface_is_a_heat_map(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saving, "find_spec", lambda name: None)
    assert render_graph(surface(), "png") == render_graph(surface(), "png", flat=True)
    saved = tmp_path / "one.ranks.parquet"
    save_ranks(RelevantRanks.from_ranks([[1, 3], [2, 9]], depth=64, collection=64), saved)
    target = tmp_path / "grep.svg"
    done = CliRunner().invoke(cli, ["graph", "grep", str(saved), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert "! a heat map: to draw the surface in three dimensions, pip install 'rankscope[plots]'" in done.output
    assert b"matplotlib" not in target.read_bytes()
    flat = CliRunner().invoke(cli, ["graph", "grep", str(saved), "-o", str(target), "--flat"])
    assert "heat map:" not in flat.output


def test_the_plane_of_a_surface_holds_its_cut_and_the_random_level() -> None:
    needed_module("matplotlib", "plots")
    index = np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None], (3, 3))
    recall = np.array([[0.2, 0.7, 0.9], [0.2, 0.6, 0.8], [0.2, 0.5, 0.7]])
    precision = np.array([[0.9, 0.7, 0.3], [0.8, 0.6, 0.2], [0.7, 0.5, 0.1]])
    axes = Axis("G", domain=(1, 3)), Axis("r", domain=(0, 1)), Axis("p", domain=(0, 1))
    drawn = Graph("one", *axes[:2]).surface(index, recall, precision, "s", axes[2])
    canvas = saving.Matplotlib3dCanvas(Look.of())
    drawn.draw(canvas)
    *borders, cut, random = [line.get_data_3d() for line in canvas.axes.get_lines()]
    np.testing.assert_allclose(cut[1], [0.7, 0.6, 0.5])
    np.testing.assert_allclose(random[1], 2.0 ** -np.asarray(random[0]))
    np.testing.assert_allclose(random[1], random[2])
    for border in borders:
        np.testing.assert_allclose(border[1], border[2])  # all of it lies in the plane p = r


@pytest.mark.parametrize("width", ["column", 120, "full"])
def test_the_words_of_a_surface_stand_clear_of_it_and_inside_the_picture(width: str | float) -> None:
    needed_module("matplotlib", "plots")
    index, recall = np.meshgrid([1.0, 2.0, 3.0], [0.2, 0.7, 0.9], indexing="ij")
    axes = Axis("generality index", "G = log2(d/c)", domain=(1, 3)), Axis("recall", "r", domain=(0, 1))
    title = Graph("GReP of edges: precision over recall and generality", *axes, subtitle="random distractors " * 8)
    canvas = saving.Matplotlib3dCanvas(Look.of(width=width))
    title.surface(index, recall, 1 - recall / 2, "s", Axis("precision", "p", domain=(0, 1))).draw(canvas)
    canvas.figure.draw_without_rendering()
    whole = canvas.figure.bbox
    sides = (canvas.axes.xaxis, canvas.axes.yaxis, canvas.axes.zaxis)
    for words in (side.label.get_window_extent() for side in sides):
        assert min(words.x0, words.y0) >= 0
        assert words.x1 <= whole.x1
    lowest = min(text.get_window_extent().y0 for text in canvas.figure.texts)
    assert canvas.axes.get_position().y1 * whole.height <= lowest + 0.05 * whole.height  # the box has air at its top
