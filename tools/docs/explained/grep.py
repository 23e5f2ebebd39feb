"""docs/explanation/grep.md: what GReP is."""

from __future__ import annotations

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.generality import Surface, grep_surface
from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import edges, said
from tools.docs.markdown import page as whole_page

TEXT = """
GReP is the whole of a system's behaviour: precision over recall *and* [generality](g.md). A precision-recall
graph is one slice of it, at one G. [GRiP](grip.md) is another, through the places where precision equals
recall. Neither shows what happens when both change; the surface does.

![Slices of the surface: precision over recall at four values of G; the lines sink as G grows](grep.svg)

**Read the slices from top to bottom.** All are of the same {queries:,} queries of the same system, edges of the
shipped icons; only the number of distractors differs. At G = {g0} a user who wants about half of the relevant
items (as many items looked at as half the relevant ones) sees {half0} of what is shown relevant; at G = {g3} it
is {half3}. Where as many items are looked at as are relevant, the dots, precision equals recall: {one0},
{one1}, {one2} and {one3}. These four numbers are GRiP.

**What it is for.** A slice at one G says nothing about a collection that is larger or smaller than yours. With
the surface you find the slice of your own G, and see whether a system that wins at small G still wins at large
G, at the recall that your users want. `rankscope graph grep` draws the surface in three dimensions (SVG, PDF,
PNG) or as a map to point at (HTML).
""".strip()
SHOWN = 4  # slices


def surface() -> tuple[Surface, list[int]]:
    """The surface, and the levels shown."""
    found = grep_surface(edges(), a=[0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8])
    last = found.index.size - 1
    return found, [round(part * last / (SHOWN - 1)) for part in range(SHOWN)]


def numbers() -> dict[str, float | str]:
    """What the text says."""
    found, levels = surface()
    half, one = (found.a.tolist().index(each) for each in (0.5, 1.0))
    result: dict[str, float | str] = {"queries": int(found.queries[levels[-1], one])}
    for place, level in enumerate(levels):
        result |= {
            f"g{place}": int(found.index[level]),
            f"half{place}": said(found.precision[level, half]),
            f"one{place}": said(found.precision[level, one]),
        }
    return result


def page() -> str:
    """The page."""
    return whole_page("GReP: precision over recall and generality", flowed(TEXT, **numbers()))


def graph() -> Graph:
    """Slices at a few levels, each with a dot where precision equals recall."""
    found, levels = surface()
    one = found.a.tolist().index(1.0)
    drawn = Graph(
        "Slices of GReP: precision over recall at four values of G",
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle="the same queries of one system; the dots are GRiP",
        ratio=0.75,
        summary="Precision over recall at four values of G; each slice lies below the one before it.",
    )
    for level in levels:
        slice_ = Curve(found.recall[level], found.precision[level])
        drawn = drawn.curve(slice_, f"G = {found.index[level]:.0f}", markers=[one])
    return drawn
