"""Quality while a collection grows as a whole, and while only its distractors do (Huijsmans & Sebe 2001, 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.curves.sizes import known_sizes
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.banded import band_words, with_band
from rankscope.graphs.kinds.shared.chance import band_around, interval_facts, intervals_of
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems, shown_of
from rankscope.graphs.kinds.shared.generality_words import generality_words, random_name
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import ONE
from rankscope.number_texts import decimal_text, plain_number
from rankscope.statistics.intervals.band import Band
from rankscope.statistics.table.query_curves import QueryCurves

if TYPE_CHECKING:
    from rankscope.curves.growing_alike import EvenGrowth

WHAT = "growth of a whole collection"
ALIKE, ALONE = "relevant items and distractors grow alike", "only distractors grow"


@kind(
    "even-growth",
    "quality while relevant items and distractors grow alike",
    systems=ONE,
    needs=("collection size",),
    enough=500,
)
def even_growth_graph(
    systems: Systems,
    shares: Annotated[
        Sequence[float] | None,
        Option(
            "shares of today's collection, as 0.25,0.5,1. Default: 1, 1/2, 1/4, 1/8, as far as half of the queries "
            "have a relevant item left",
            metavar="X,X",
            above=0,
        ),
    ] = None,
) -> Graph:
    """Precision = recall (at scope c) of one system while the whole collection grows, its relevant items too.

    Where relevant items and distractors grow alike the generality stays, and so should quality, at a scope that grows
    with the class; where only distractors grow it falls. From shares of today's collection: members of the class and
    distractors are left out at random, exact means over all ways to do so. Only queries whose class has a member left
    at the least of the `shares` are followed. Needs the size of the collection.
    """
    (queries,) = counted_systems(systems, WHAT, ONE)
    known_sizes(queries, WHAT)
    from rankscope.curves.growing_alike import even_growth

    grown = even_growth(queries, shares)
    y = Axis("precision = recall", "p = r", domain=(0, 1))
    ticks = tuple(sorted(grown.shares.tolist()))
    x = Axis("share of today's collection", "", "log2", domain=(ticks[0], ticks[-1]), ticks=ticks)
    graph = Graph(f"{queries.system} while the whole collection grows", x, y)
    name = random_name(grown.chance[:, 0])
    graph = graph.guides([_random(grown, grown.chance, name)], dashed=True, at=1.0, side="above left")
    graph = graph.guides([_random(grown, grown.chance_alone, "")], dashed=True)
    bands: list[Band] = []
    for name, values in ((ALIKE, grown.alike), (ALONE, grown.alone)):
        graph, around = _with(graph, grown, name, values)
        bands.append(around)
    told = [each for each in band_words(bands) if "sampling units" not in each]
    words = [_who(grown), generality_words([grown.queries]), "exact means over all ways to leave items out", *told]
    return graph.described(
        subtitle="; ".join(words),
        summary=f"Quality of {queries.system} while relevant items and distractors grow.",
        conclusion=_conclusion(grown),
    )


def _conclusion(grown: EvenGrowth) -> str:
    """How far quality moves from the least share to the whole collection, with both growing and with one."""
    order = np.argsort(grown.shares)
    least = plain_number(float(grown.shares[order[0]]))
    both, alone = (values.mean(axis=0)[order] for values in (grown.alike, grown.alone))
    ends = [f"{decimal_text(float(each[0]))} to {decimal_text(float(each[-1]))}" for each in (both, alone)]
    return (
        f"From {least} of the collection to all of it, precision at scope c goes from {ends[0]} where relevant items "
        f"grow too, and from {ends[1]} where only distractors grow."
    )


def _who(grown: EvenGrowth) -> str:
    """Which queries are followed."""
    shown = shown_of(grown.queries, grown.counted)
    least = int(np.ceil(1 / grown.shares.min() - 1e-9))
    return shown if len(grown.queries) == grown.counted else f"{shown} with c >= {least}"


def _with(graph: Graph, grown: EvenGrowth, name: str, values: FloatArray) -> tuple[Graph, Band]:
    """One curve with its band; its facts are the mean scope and class."""
    own = grown.queries
    order = np.argsort(grown.shares)
    curves = QueryCurves(
        x=grown.shares[order], values=values[:, order], queries=own.queries, classes=own.classes, system=own.system
    )
    around = band_around(curves, own)
    scope = grown.members if name == ALIKE else np.broadcast_to(own.relevant[:, None], grown.members.shape)
    limits = intervals_of(curves, own)
    facts = {
        "mean scope": [f"{each:.4g}" for each in scope[:, order].mean(axis=0)],
        **interval_facts(limits, limits.ways),
    }
    return with_band(graph, around, name, facts=facts, markers=range(order.size), shaded=True), around


def _random(grown: EvenGrowth, chance: FloatArray, name: str) -> Curve:
    order = np.argsort(grown.shares)
    return Curve(grown.shares[order], chance.mean(axis=0)[order], name)
