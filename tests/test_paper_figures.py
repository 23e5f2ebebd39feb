"""The figures of the papers: each under its own number, from any collection; their page says what they compute."""

from __future__ import annotations

import importlib
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from rankscope.analysis.curves.thinning import even_growth
from rankscope.reports.graphs.graph import Guide, Stroke
from tests.data import data_folder
from tests.needs import needed_module

PAPERS = Path(__file__).parents[1] / "docs" / "gallery" / "papers"
NAMES = sorted(path.stem for path in PAPERS.glob("*_figure_*.py"))


@pytest.fixture(scope="module")
def modules() -> Any:
    """The files of the folder, which import each other by names as short as `base`: nobody else is to meet these."""
    names = ("base", "page", *NAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PAPERS)
        for name in names:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            del sys.modules[name]


@pytest.fixture(scope="module")
def shipped(modules: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The icons that ship with rankscope, ranked once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("icons"))
        patch.setattr(modules["base"], "data_folder", lambda: None)
        return modules["base"].base()


@pytest.fixture(scope="module")
def logos(modules: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ranks 20,000 icons, which takes a while: the numbers of both pages are computed from these ranks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKSCOPE_DATA", str(data_folder("icons20k").parent))
        patch.chdir(tmp_path_factory.mktemp("icons20k"))
        return modules["base"].base()


def test_every_figure_of_both_papers_is_there_under_its_number() -> None:
    numbers = {name: re.findall(r"^(hs01|s04)_figure_(\d\d)([a-c]?)_", name) for name in NAMES}
    found = {(paper, int(number), part) for each in numbers.values() for paper, number, part in each}
    assert {number for paper, number, _ in found if paper == "hs01"} == {*range(1, 15)}
    parts = {(number, part) for paper, number, part in found if paper == "s04"}
    assert parts == {(1, "a"), (1, "b"), (2, "a"), (2, "b"), (2, "c"), (3, "")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_and_told_on_the_shipped_icons(name: str, modules: Any, shipped: Any) -> None:
    figure = modules[name]
    graph = figure.draw(shipped)
    assert graph.marks
    assert "shipped icons" in graph.subtitle or "c = " in graph.subtitle
    about = figure.about(shipped)
    number = re.search(r"figure_0*(\d+[a-c]?)_", name)
    assert number is None or f"figure {number[1]}:" in about.title or "section" in name
    assert all(vars(about).values())
    assert "nan" not in " ".join(vars(about).values()).split()


def test_a_figure_in_three_dimensions_holds_the_plane_and_the_random_level(modules: Any, shipped: Any) -> None:
    needed_module("matplotlib", "plots")
    from rankscope.reports.graphs.layout import Look
    from rankscope.reports.graphs.saving import Matplotlib3dCanvas

    canvas = Matplotlib3dCanvas(Look.of())
    modules["hs01_figure_08_plane"].draw(shipped).draw(canvas)
    assert len(canvas.axes.get_lines()) == 4  # two borders of the plane, GRiP, the random level


@pytest.mark.thorough
def test_the_page_says_what_the_figures_compute(modules: Any, logos: Any) -> None:
    written = (PAPERS / "README.md").read_text(encoding="utf-8")
    assert modules["page"].page(logos) == written, "run: python docs/gallery/papers/page.py"
    pictures = {path.name for path in (PAPERS / "images").iterdir()}
    assert pictures == {f"{modules[name].NAME}.svg" for name in NAMES}


def test_each_curve_of_a_growing_collection_says_its_generality_and_random_level(modules: Any, shipped: Any) -> None:
    figure = modules["hs01_figure_01_growth"]
    graph = figure.draw(shipped)
    notes = {mark.name: mark.note for mark in graph.marks if isinstance(mark, Stroke) and mark.note}
    assert notes["d = 64"] == "G = 3, random 0.125"
    last = f"G = {math.log2(shipped.size / 8):.3g}, random {8 / shipped.size:.3g}"
    assert notes[f"d = {shipped.size:,}"] == last
    assert len(notes) == len(figure.sizes(shipped))
    levels = {mark.name: set(mark.y) for mark in graph.marks if isinstance(mark, Guide) and "random" in mark.name}
    assert (levels["random 0.5"], levels["random 0.125"]) == ({0.5}, {0.125})


@pytest.mark.thorough
def test_precision_boxes_lie_below_the_radial_mean_at_high_recall_and_recall_boxes_above(
    modules: Any, logos: Any
) -> None:
    figure = modules["s04_figure_03_boxes"]
    queries = logos.of_size(figure.RELEVANT)
    below = [each for each in map(figure.boxes_below, figure.pairs_of(queries)) if each is not None]
    assert below == [True] * 17
    assert figure.seen_in_pairs(queries) == [75, 77, 28, 94]
    assert figure.directions(figure.chosen(logos)) == [True] * 4


@pytest.mark.thorough
def test_the_page_on_graphs_says_how_a_collection_grows_as_a_whole(logos: Any) -> None:
    grown = even_growth(logos.ranks, [0.125, 0.25, 0.5, 1.0])
    alike, alone = (values.mean(axis=0) for values in (grown.alike, grown.alone))
    page = " ".join((PAPERS.parents[1] / "explanation" / "graphs.md").read_text(encoding="utf-8").split())
    assert f"Of the {len(grown.queries):,} queries of icons20k with c of at least 8" in page
    (level,) = {f"{value:.3f}".removeprefix("0") for value in alike}
    first, last = (f"{value:.3f}".removeprefix("0") for value in (alone[0], alone[-1]))
    assert f"p = r is {level} at every share from 1/8 to all of it in the first case" in page
    assert f"in the second it falls from {first} to {last}" in page
