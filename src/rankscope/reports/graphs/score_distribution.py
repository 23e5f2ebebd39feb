"""Scores of relevant items and of the best distractors: how far a system keeps them apart."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.ranks.kept_scores import why_no_scores
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import ONE, kind
from rankscope.reports.graphs.systems import Systems, counted_systems

MOST_BINS = 60
PARTED = 0.9  # share of the relevant items above a threshold from which on it parts them
WHAT = "the score distribution"


@kind("score-distribution", "scores of relevant items and distractors", systems=ONE, needs=("scores",))
def score_distribution_graph(systems: Systems) -> Graph:
    """Scores of the relevant items found, against those of the best distractors of each query, of one system.

    Where the two overlap a threshold on the score cannot part them. Only the best distractors of a query are kept, 256
    of them, so their curve is the upper end of all. Needs the scores: saved ranks have them, if the run had.
    """
    (queries,) = counted_systems(systems, WHAT, ONE)
    hits, others = _scores(queries)
    edges = _edges(np.concatenate([hits, others]))
    kept = float((hits > np.quantile(others, 0.99)).mean())
    most = int(queries.distractors.lengths.max()) if queries.distractors is not None else 0
    graph = Graph(
        f"Scores of {queries.system}",
        Axis("score", domain=(float(edges[0]), float(edges[-1]))),
        Axis("share of items", "per bin"),
        subtitle=f"{how_many(len(queries))}; {kept:.0%} of the relevant items score above 99% of these distractors",
        conclusion=_conclusion(kept),
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
            f"{WHAT} needs the scores of {queries.system}, but {why}: reduce a run that has scores with "
            "rankscope evaluate QRELS RUN -o NAME.ranks.parquet (keep_scores=True in Python)"
        )
    assert queries.distractors is not None
    hits = queries.judged["score"][queries.judged["grade"] >= queries.rel]
    others = queries.distractors["score"]
    hits, others = hits[np.isfinite(hits)], others[np.isfinite(others)]
    if not hits.size or not others.size:
        raise SettingError(f"{WHAT}: {queries.system} has no finite scores of {'distractors' if hits.size else 'hits'}")
    return hits, others


def _edges(scores: FloatArray) -> FloatArray:
    low, high = float(scores.min()), float(scores.max())
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, min(MOST_BINS, max(8, int(scores.size**0.5))) + 1)


def _conclusion(share: float) -> str:
    """Whether one threshold parts relevant items from distractors.

    >>> _conclusion(0.02)
    'A threshold on the score that lets 1 % of these distractors through keeps 2 % of the relevant items: too few.'
    """
    verdict = "too few" if share < PARTED / 2 else "some are lost" if share < PARTED else "nearly all"
    return (
        "A threshold on the score that lets 1 % of these distractors through keeps "
        f"{100 * share:.0f} % of the relevant items: {verdict}."
    )
