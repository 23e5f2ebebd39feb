"""docs/explanation/grip.md: what GRiP is."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.generality import GeneralityCurve, grip
from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import edges, said
from tools.docs.markdown import page as whole_page

TEXT = """
GRiP asks what is left of a system's quality when relevant items grow rare. It is the precision among the first
c items of a query with c relevant ones, where precision equals recall (p = r), drawn over the [generality
index](g.md) G.

![GRiP of edges for the same queries at every G, and the mean over whoever reaches each G, which rises at the
end](grip.svg)

**How it is made.** Nothing is searched again. To see a query at a smaller G, distractors are left out at random
until G is reached, and the hits among the first c are averaged over all ways to do so: an exact mean, not a
simulation. The edges of the shipped icons have p = r = {first} at G = 1 and {last} at G = {reach}; a random
order would fall from {chance_first} to {chance_last}.

**Why the same queries.** A query reaches G = log2(d/c) and no further. At high G only queries with few relevant
items are left. The dotted line is the mean over whoever reaches a level: {all:,} queries at G = 1, {few:,} at G
= {end}. From G = {reach} on it goes from {turn} to {top}, and nothing has become better: other queries are
counted. The other line follows the {same:,} queries that reach G = {reach} through all levels.

**How to read it.** Compare systems at the G of your own collection. A steep line: quality that came from an
easy collection. Two lines that cross: which system is better depends on how large the collection is. `rankscope
graph grip` draws it, and [GReP](grep.md) shows all scopes at once. [More on bands and groups](graphs.md).
""".strip()


def curves() -> tuple[GeneralityCurve, GeneralityCurve]:
    """The same queries at every level, and whoever reaches it."""
    return grip(edges()), grip(edges(), members="varying")


def numbers() -> dict[str, float | str]:
    """What the text says."""
    same, varying = curves()
    turn = int(np.flatnonzero(varying.index == same.index[-1])[0])
    return {
        "first": said(same.precision[0]),
        "last": said(same.precision[-1]),
        "reach": int(same.index[-1]),
        "chance_first": said(same.chance[0]),
        "chance_last": said(same.chance[-1]),
        "all": int(varying.queries[0]),
        "few": int(varying.queries[-1]),
        "end": int(varying.index[-1]),
        "turn": said(varying.precision[turn]),
        "top": said(varying.precision[-1]),
        "same": int(same.queries[0]),
    }


def page() -> str:
    """The page."""
    return whole_page("GRiP: what is left when relevant items grow rare", flowed(TEXT, **numbers()))


def graph() -> Graph:
    """Both ways of averaging, and the random level."""
    same, varying = curves()
    end = float(varying.index[-1])
    drawn = Graph(
        "Precision = recall at scope c over generality, edges of icons",
        Axis("generality index", "G = log2(d/c)", domain=(0.7, end + 0.3), ticks=tuple(np.arange(1.0, end + 1))),
        Axis("precision = recall", domain=(0, 1)),
        subtitle="the same queries at every G; dotted: whoever reaches it",
        summary="Followed queries fall from left to right; the mean over whoever reaches a level rises at the end.",
    )
    index = np.linspace(0.7, end + 0.3, 100)
    drawn = drawn.guides([Curve(index, 2.0**-index, name="random")], at=0.2)
    drawn = drawn.curve(varying.curve(), "whoever reaches G", light=True, markers=0)
    return drawn.curve(same.curve(), "the same queries", markers=range(same.index.size))
