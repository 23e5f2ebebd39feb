"""The pages that explain one idea each: every number is computed, every picture shows it, every graph leads there."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rankscope.reports.graphs import ALL, FEEDBACK
from rankscope.reports.graphs.graph import Dots, Graph, ShadedRegion, Stroke, Tiles
from rankscope.reports.graphs.kinds import PAGES as EXPLAINED
from rankscope.reports.graphs.kinds import explanation_of
from rankscope.reports.page.html import render_report
from tests.reports.examples import report_of
from tools.docs.explained import forecast, generality, grep, grip, normalization, radial
from tools.docs.explained.pages import with_block
from tools.docs.explained.shipped import edges, said
from tools.make_docs import DOCS, PAGES

EXPLANATIONS: dict[str, ModuleType] = {
    "g": generality,
    "grip": grip,
    "grep": grep,
    "radial-averaging": radial,
    "normalization": normalization,
    "forecast": forecast,
}


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_each_page_has_one_picture_that_is_there(name: str) -> None:
    text = (DOCS / "explanation" / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[.+?\]\((.+?)\)", text, re.DOTALL) == [f"{name}.svg"]
    assert (DOCS / "explanation" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
    assert {f"explanation/{name}.md", f"explanation/{name}.svg"} <= {page.path for page in PAGES}


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_no_number_of_a_text_is_written_by_hand(name: str) -> None:
    """Numbers of the template itself are those of definitions: G = 1, a = 2, .5, 90 %."""
    template = re.sub(r"\{.*?\}", "", EXPLANATIONS[name].TEXT)
    assert not re.findall(r"\.\d\d+|\d{3,}", template)


def test_every_kind_that_has_a_page_is_a_kind_and_the_page_is_there() -> None:
    names = {kind.name for kind in (*ALL, *FEEDBACK)}
    assert set(EXPLAINED) <= names
    assert all((DOCS.parent / explanation_of(name)).exists() for name in EXPLAINED)
    assert {Path(page).stem for page in EXPLAINED.values()} == set(EXPLANATIONS)
    reference = (DOCS / "reference" / "graphs.md").read_text(encoding="utf-8")
    assert all(f"(../explanation/{page})" in reference for page in EXPLAINED.values())


def test_pages_written_by_hand_say_where_the_made_part_goes() -> None:
    with pytest.raises(ValueError, match="must have one place"):
        with_block("statistics.md", lambda: "text")()


def curves_of(graph: Graph) -> dict[str, Stroke]:
    return {mark.name: mark for mark in graph.marks if isinstance(mark, Stroke)}


def test_g_halves_the_share_of_relevant_items() -> None:
    (tiles,) = [mark for mark in generality.graph().marks if isinstance(mark, Tiles)]
    shares = [float(np.isfinite(tiles.shade[tiles.y == row]).mean()) for row in (5, 4, 3, 2, 1)]
    assert shares == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
    found, queries = generality.numbers(), edges()
    index = np.log2(queries.collection / queries.relevant)
    assert (found["low"], found["high"]) == (index.min(), index.max())
    assert found["factor"] == pytest.approx(queries.relevant.max() / queries.relevant.min())


DRAWS = 400


def test_grip_is_the_mean_over_distractors_left_out() -> None:
    """The exact mean at G = 5 against random thinnings of the same queries."""
    same = curves_of(grip.graph())["the same queries"]
    level, queries = 5, edges()
    followed = np.flatnonzero(np.log2(queries.collection / queries.relevant) >= grip.numbers()["reach"])
    chance, means = np.random.default_rng(0), []
    ranks = queries.judged.lists("rank")
    for row in followed.tolist():
        own = np.sort(np.asarray(ranks[row]))
        c, d = own.size, int(queries.collection[row])
        before = own - np.arange(1, c + 1)  # distractors before each relevant item
        kept = c * (2**level - 1)
        drawn = chance.hypergeometric(before[:, None], d - c - before[:, None], kept, (c, DRAWS))
        means.append(((drawn + np.arange(1, c + 1)[:, None]) <= c).mean())  # each item by itself: the mean of hits
    assert same.y[same.x.tolist().index(level)] == pytest.approx(np.mean(means), abs=0.005)
    assert said(same.y[-1]) == grip.numbers()["last"]
    varying = curves_of(grip.graph())["whoever reaches G"]
    assert varying.y[-1] > varying.y[varying.x.tolist().index(grip.numbers()["reach"])], "it rises at the end"


def test_the_dots_of_grep_are_grip() -> None:
    same = curves_of(grip.graph())["the same queries"]
    slices = curves_of(grep.graph())
    for name, mark in slices.items():
        (dot,) = mark.markers
        level = float(name.removeprefix("G = "))
        assert mark.x[dot] == pytest.approx(mark.y[dot]) == pytest.approx(same.y[same.x.tolist().index(level)])
    heights = [mark.y for mark in slices.values()]
    assert not any((above <= below).any() for above, below in pairwise(heights)), "they sink"


def test_points_of_equal_scope_lie_on_one_line_and_the_mean_between_them() -> None:
    good, poor, mean = (curves_of(radial.graph())[name] for name in ("a good query", "a poor query", "radial mean"))
    assert good.markers == poor.markers == mean.markers
    for place, a in zip(mean.markers, radial.SCOPES, strict=True):
        for mark in (good, poor, mean):
            assert mark.y[place] == pytest.approx(mark.x[place] / a)
        assert mean.x[place] == pytest.approx((good.x[place] + poor.x[place]) / 2)
    one = mean.markers[radial.SCOPES.index(1.0)]
    assert said(mean.y[one]) == radial.numbers()["mean"]


def test_efficiency_is_the_lower_line_divided_by_the_upper() -> None:
    upper, lower = curves_of(normalization.graph()).values()
    half = upper.x.tolist().index(0.5)
    assert said(lower.y[half] / upper.y[half]) == normalization.numbers()["efficiency"]
    assert said(float((lower.y / upper.y).mean())) == normalization.numbers()["mae"]


def test_what_came_lies_in_the_interval_of_the_forecast() -> None:
    graph = forecast.graph()
    (band,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion)]
    (came,) = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert band.low[-1] <= came.y[0] <= band.high[-1]
    assert said(came.y[0]) == forecast.numbers()["truth"]
    assert len(edges()) == forecast.numbers()["queries"]


def test_graphs_of_a_report_lead_to_their_pages() -> None:
    report = report_of("rough_1", "fine")
    page = render_report(report)
    shown = {figure.kind.name for figure in report.figures if figure.graph is not None}
    wanted = {explanation_of(name) for name in shown} - {""}
    assert wanted
    assert set(re.findall(r"Explained in <code>(docs/explanation/.+?)</code>", page)) == wanted
