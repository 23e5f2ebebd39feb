"""Precision and recall over scope, precision over a doubling window, and the scores of relevant items and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.curves.scope import bounded_at
from rankscope.analysis.curves.window import ceiling, ceilings, window_curves, window_mean
from rankscope.analysis.statistics.query_curves import Axis as Quantity
from rankscope.analysis.statistics.query_curves import over_scope as curves_over_scope
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.ranks.kept_scores import why_no_scores
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.graphs.graph import Axis, Graph, Side
from rankscope.reports.graphs.kinds import ONE, SEVERAL, Option, kind
from rankscope.reports.graphs.systems import (
    MOST_BANDS,
    Systems,
    band_around,
    band_words,
    chosen_scopes,
    counted_systems,
    facts_of,
    generality_words,
    legend_notes,
    number,
    pointwise_facts,
    random_name,
    rows_of_size,
    size_known,
    thin_words,
    with_band,
)

# Precision over scope and recall over scope: a curve per system over a doubling scope, between random and ideal.


@kind("precision-scope", "share of the first s items that is relevant")
def precision_scope_graph(systems: Systems) -> Graph:
    """Precision against scope: what share of the first s items is relevant, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return graph_over_scope(systems, "precision", ((0.45, "above right"), (0.02, "above right")))


@kind("recall-scope", "share of the relevant items among the first s")
def recall_scope_graph(systems: Systems) -> Graph:
    """Recall against scope: what share of the relevant items stands among the first s, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return graph_over_scope(systems, "recall", ((0.4, "above left"), (0.8, "below right")))


def graph_over_scope(systems: Systems, quantity: Quantity, places: tuple[tuple[float, Side], ...]) -> Graph:
    """Precision or recall over scope, with the levels of an ideal and a random order, named at these places."""
    shown = counted_systems(systems, f"the {quantity}-scope graph")
    last = max(_last_scope(queries) for queries in shown)
    y = Axis(quantity, quantity[0], domain=(0, 1))
    graph = Graph(f"{quantity.capitalize()} over scope", Axis("scope", "s", "log2", domain=(1, max(2, last))), y)
    for level, (at, side) in zip(_levels(shown[0], quantity, last), places, strict=False):
        graph = graph.guides([level], dashed=True, at=at, side=side)
    shaded = len(shown) <= MOST_BANDS
    ends, bands = [], []
    for queries, note in zip(shown, legend_notes(shown), strict=True):
        curves = curves_over_scope(queries, chosen_scopes(_last_scope(queries)), quantity)
        around = band_around(curves, queries, drawn=shaded)
        bound = bounded_at(queries, around.x.astype(np.int64))
        told = {**facts_of(replace(around.curve(), lower_bound=bound)), **pointwise_facts(curves, queries)}
        graph = with_band(graph, around, queries.system, note, facts=told, markers=7, shaded=shaded)
        ends += around.x[bound][:1].tolist()
        bands.append(around)
    ended = f"a lower bound from s = {min(ends):,.0f} on, where rankings have ended" if ends else ""
    means = "means over queries" if max(map(len, shown)) > 1 else ""
    stated = generality_words(shown)
    subtitle = "; ".join(filter(None, [stated, means, ended, *(band_words(bands) if shaded else [thin_words(bands)])]))
    summary = f"{quantity} over scope of {', '.join(each.system for each in shown)}; {stated}."
    return graph.described(subtitle=subtitle, summary=summary)


def _last_scope(queries: RelevantRanks) -> int:
    known = queries.collection[queries.collection != UNKNOWN]
    longest = max(1, int(queries.depth.max(initial=1)))
    return min(longest, int(known.min())) if known.size else longest


def _levels(queries: RelevantRanks, quantity: Quantity, last: int) -> Iterator[Curve]:
    """The means over the queries of the ideal system and, where the size is known, of a random order."""
    scopes = np.geomspace(1, max(2, last), 121)
    sizes, counts = np.unique(queries.relevant, return_counts=True)
    of_size = sizes[:, None].astype(np.float64)
    best = np.minimum(1.0, of_size / scopes if quantity == "precision" else scopes / of_size)
    yield Curve(scopes, (best * counts[:, None]).sum(axis=0) / counts.sum(), "ideal")
    if not size_known([queries]):
        return
    if quantity == "precision":
        share = queries.relevant / queries.collection
        yield Curve(scopes, np.full(scopes.size, share.mean()), random_name(share))
    else:
        collections, weight = np.unique(queries.collection, return_counts=True)
        mean = np.average(scopes[None, :] / collections[:, None], axis=0, weights=weight)
        yield Curve(scopes, np.minimum(1.0, mean), "random s/d")


# The precision-window graph (Huijsmans & Sebe 2001): what can be read where the class size is not known.

LOWEST = 2.0**-20
FAR_BELOW = 64.0  # a random level so many times below the curves is left out


@kind("precision-window", "precision over scope on log2 scales, class size known or not", paper_width="full")
def precision_window_graph(
    systems: Systems,
    queries: Annotated[Sequence[str], Option("a curve for this query", "--query", metavar="ID")] = (),
    relevant: Annotated[
        int | None, Option("class size known: queries with this number of relevant items", metavar="C", least=1)
    ] = None,
) -> Graph:
    """Precision against scope, both on log2 scales, where each diagonal is a number of hits.

    The mean of each system, or with `queries` a curve for each of these queries of one system. The diagonal on which a
    curve settles is a lower bound of its class size. With `relevant` the class size is known: only queries with this
    many relevant items, below the ceiling they share. An open triangle at the bottom stands for a scope without hits.
    """
    shown = counted_systems(systems, "the precision-window graph", ONE if queries else SEVERAL)
    if relevant is not None:
        shown = [each.take(rows_of_size(each, relevant)) for each in shown]
    if queries:
        some = shown[0].take(_rows(shown[0], queries))
        lines = window_curves(some, chosen_scopes(max(1, int(some.depth.max(initial=1)))))
        curves = list(zip(lines, [f"c = {c:,}" for c in some.relevant.tolist()], strict=True))
    else:
        means = [window_mean(each, chosen_scopes(max(1, int(each.depth.max(initial=1))))) for each in shown]
        curves = list(zip(means, legend_notes(shown), strict=True))
    last = max(2.0, *(float(curve.more["scope"].max()) for curve, _ in curves))
    seen = np.concatenate([curve.more["precision"] for curve, _ in curves])
    random = (relevant or 1) / float(shown[0].collection.max()) if size_known(shown) else 0.0
    level = random if random * FAR_BELOW >= _bottom(seen, last, None) else None  # a lower one would squeeze the curves
    floor = _bottom(seen, last, level)
    x, y = Axis("scope", "s", "log2", domain=(1, last)), Axis("precision", "p", "log2", domain=(floor, 1))
    if queries:
        what, stated = f"{how_many(len(queries))} of {shown[0].system}", generality_words([some])
    else:
        what, stated = "means over queries" if len(shown[0]) > 1 else how_many(1), generality_words(shown)
    diagonals = "grey diagonals: v hits, the number on top" if relevant is None else ""
    subtitle = "; ".join(filter(None, (what, stated, diagonals)))
    graph = Graph("Precision over a doubling window", x, y, subtitle=subtitle)
    if relevant is None:
        graph = graph.guides(_diagonals(last, floor))
    elif relevant < last:  # what more than all relevant items would be, and its border v = c
        beyond = np.geomspace(relevant, last, 100)
        limit = 2.0 ** ceiling(relevant, beyond).y
        graph = graph.area(Region(beyond, limit, np.ones(limit.size)), f"out of reach: more than {relevant:,} hits")
        graph = graph.guides([Curve(beyond, limit, "ceiling c/s")], at=0.45)
    if level is not None:
        name = f"{'lowest random level 1/d' if relevant is None else 'random level c/d'} = {number(level)}"
        graph = graph.guides([Curve(np.array([1.0, last]), np.full(2, level), name)], dashed=True, at=0.03)
    for curve, note in curves:
        graph = _with_window(graph, curve, note, floor)
    return graph.described(summary=f"Precision over scope on log2 scales of {', '.join(c.name for c, _ in curves)}.")


def _bottom(seen: FloatArray, last: float, level: float | None) -> float:
    """A power of two below everything that is drawn."""
    lowest = seen[seen > 0].min(initial=1.0) if (seen > 0).any() else 1 / last
    lowest = min(lowest, level) if level is not None else lowest
    return float(min(max(LOWEST, 2.0 ** np.floor(np.log2(lowest) - (level == lowest))), 0.5))


def _with_window(graph: Graph, curve: Curve, note: str, floor: float) -> Graph:
    scope: FloatArray = curve.more["scope"].astype(np.float64)
    precision: FloatArray = curve.more["precision"]
    nothing = precision == 0
    shown = Curve(scope, np.where(nothing, np.nan, precision))
    facts = {"hits v (mean)": [f"{value:.4g}" for value in scope * precision]}
    if curve.queries is not None:
        facts["queries"] = [f"{value}" for value in curve.queries]
    graph = graph.curve(shown, curve.name, note, facts=facts, markers=7)
    if nothing.any():
        edge = Curve(scope[nothing], np.full(int(nothing.sum()), floor))
        graph = graph.points(edge, curve.name, open=True, edge=True, facts={"precision p": ["0"] * len(edge)})
    return graph


def _diagonals(last: float, floor: float) -> list[Curve]:
    """Lines of equal hits, from the bottom or the right edge up to p = 1, where they are named."""
    lines = []
    for line in ceilings(int(last)):
        hits = float(2.0 ** line.x[0])
        end = min(last, hits / floor)
        if hits < last:
            name = f"{hits:,.0f}" if hits > 1 else "v = 1"
            lines.append(Curve(np.array([end, hits]), np.array([hits / end, 1.0]), name))
    return lines


def _rows(system: RelevantRanks, wanted: Sequence[str]) -> IntArray:
    missing = [query for query in wanted if query not in system.queries]
    if missing:
        raise SettingError(f"{system.system} has no query {', '.join(missing)} with a relevant item")
    return np.array([system.queries.index(query) for query in wanted], dtype=np.int64)


# Scores of relevant items and of the best distractors: how far a system keeps them apart.

MOST_BINS = 60
PARTED = 0.9  # share of the relevant items above a threshold from which on it parts them
SCORE_DISTRIBUTION = "the score distribution"


@kind("score-distribution", "scores of relevant items and distractors", systems=ONE, needs=("scores",))
def score_distribution_graph(systems: Systems) -> Graph:
    """Scores of the relevant items found, against those of the best distractors of each query, of one system.

    Where the two overlap a threshold on the score cannot part them. Only the best distractors of a query are kept, 256
    of them, so their curve is the upper end of all. Needs the scores: saved ranks have them, if the run had.
    """
    (queries,) = counted_systems(systems, SCORE_DISTRIBUTION, ONE)
    hits, others = _scores(queries)
    scores = np.concatenate([hits, others])
    low, high = float(scores.min()), float(scores.max())
    low, high = (low - 0.5, low + 0.5) if low == high else (low, high)
    bins = min(MOST_BINS, max(8, int(scores.size**0.5))) if np.ptp(scores) > 0 else 1
    edges = np.linspace(low, high, bins + 1)
    kept = float((hits > np.quantile(others, 0.99)).mean())
    most = int(queries.distractors.lengths.max()) if queries.distractors is not None else 0
    graph = Graph(
        f"Scores of {queries.system}",
        Axis("score", domain=(float(edges[0]), float(edges[-1]))),
        Axis("share of items", "per bin"),
        subtitle=f"{how_many(len(queries))}; {kept:.0%} of the relevant items score above 99% of these distractors",
        conclusion=_parting_conclusion(kept),
        summary=f"Score distributions of relevant items and distractors of {queries.system}.",
    )
    for name, values, note in (
        ("relevant", hits, how_many(hits.size, "item", "items")),
        ("distractors", others, f"{how_many(others.size, 'item', 'items')}, the {most} best of each query"),
    ):
        share = np.histogram(values, edges.size - 1, (edges[0], edges[-1]))[0] / max(values.size, 1)
        x, y = np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(share, 2), [0.0]])
        graph = graph.band(Region(x, np.zeros(x.size), y), name)
        # The bin that each corner of the steps belongs to.
        row = np.clip(np.arange(x.size) // 2 - (np.arange(x.size) % 2 == 0), 0, edges.size - 2)
        facts = {
            "bin": [f"{edges[i]:.4g} to {edges[i + 1]:.4g}" for i in row.tolist()],
            "share": [f"{value:.2%}" for value in y.tolist()],
        }
        graph = graph.curve(Curve(x, y), name, note, markers=0, facts=facts)
    return graph


def _scores(queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
    why = why_no_scores(queries)
    if why:
        raise SettingError(
            f"{SCORE_DISTRIBUTION} needs the scores of {queries.system}, but {why}: reduce a run that has scores with "
            "rankscope evaluate QRELS RUN -o NAME.ranks.parquet (keep_scores=True in Python)"
        )
    assert queries.distractors is not None
    hits = queries.judged["score"][queries.judged["grade"] >= queries.rel]
    others = queries.distractors["score"]
    hits, others = hits[np.isfinite(hits)], others[np.isfinite(others)]
    if not hits.size or not others.size:
        raise SettingError(
            f"{SCORE_DISTRIBUTION}: {queries.system} has no finite scores of {'distractors' if hits.size else 'hits'}"
        )
    return hits, others


def _parting_conclusion(share: float) -> str:
    """Whether one threshold parts relevant items from distractors.

    >>> _parting_conclusion(0.02)
    'A threshold on the score that lets 1 % of these distractors through keeps 2 % of the relevant items: too few.'
    """
    verdict = "too few" if share < PARTED / 2 else "some are lost" if share < PARTED else "nearly all"
    return (
        "A threshold on the score that lets 1 % of these distractors through keeps "
        f"{100 * share:.0f} % of the relevant items: {verdict}."
    )
