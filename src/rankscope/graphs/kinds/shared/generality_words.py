"""Of which generality curves are, in words: with it goes the level of a random order (Sebe et al. 2004, section 4).

Curves over recall or scope can be read against each other only at one generality, and only if that is stated: then
c (relevant items of a query), d (size of the collection), G = log2(d/c) and the random level c/d stand on the graph.
Where queries of several generalities are averaged, or d is not known, a caution stands there in their place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.graph import Graph
from rankscope.graphs.kinds.shared.describing import from_to, number, size_known, size_note, unit_note
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

CAUTION = "levels depend on the mix of queries"
APART = 0.05  # of the height: random levels that lie closer than this share a name


def generality_words(systems: Sequence[RelevantRanks]) -> str:
    """c, d, G and the random level of queries of one generality; of others what they range over, and a caution.

    >>> one, other = (RelevantRanks.from_ranks([ranks], collection=64) for ranks in ([1, 2], [1, 2, 3, 4]))
    >>> generality_words([one])
    'c = 2, d = 64, G = 5, random level 0.0312'
    >>> generality_words([one, other])
    'mixed generality: c = 2 to 4, d = 64, G = 4 to 5, levels depend on the mix of queries'
    >>> generality_words([RelevantRanks.from_ranks([[1, 2]])])
    'c = 2, d not known: generality and random level unknown'
    >>> generality_words([RelevantRanks.from_ranks([[1, 2], [3]])])
    'mixed generality: c = 1 to 2, d not known, levels depend on the mix of queries'
    """
    relevant = np.concatenate([each.relevant for each in systems])
    collection = np.concatenate([each.collection for each in systems])
    classes = f"c = {from_to(relevant)}"
    if (collection == UNKNOWN).any():
        if np.ptp(relevant) == 0:
            return f"{classes}, d not known: generality and random level unknown"
        return f"mixed generality: {classes}, d not known, {CAUTION}"
    index = np.log2(collection / relevant)
    sizes = f"{classes}, d = {from_to(collection)}, G = {from_to(index)}"
    if np.ptp(relevant) == np.ptp(collection) == 0:
        return f"{sizes}, random level {number(float(relevant[0] / collection[0]))}"
    return f"mixed generality: {sizes}, {CAUTION}"


def notes_of(systems: Sequence[RelevantRanks]) -> list[str]:
    """For the legend: the queries of each system, and their sizes where these differ between systems."""
    same = len({(each.relevant.tobytes(), each.collection.tobytes()) for each in systems}) == 1
    return [unit_note(each) if same else size_note(each) for each in systems]


def random_name(levels: FloatArray) -> str:
    """The name of a line at the random level: its value, or the mean of several.

    >>> random_name(np.array([0.25, 0.25])), random_name(np.array([0.25, 0.5]))
    ('random 0.25', 'mean random 0.375')
    """
    return f"{'mean random' if np.ptp(levels) > 0 else 'random'} {number(float(levels.mean()))}"


def with_random_level(graph: Graph, queries: RelevantRanks) -> Graph:
    """A level line where a random order of these queries lies, if that is known."""
    if not size_known([queries]):
        return graph
    share = queries.relevant / queries.collection
    return graph.rule(y=float(share.mean()), label=random_name(share))


def with_random_levels(graph: Graph, levels: Sequence[float]) -> Graph:
    """A line for each of several random levels; those that run together share the name of the highest."""
    ordered = sorted(set(levels), reverse=True)
    named: list[list[float]] = []
    for level in ordered:
        if named and named[-1][0] - level < APART:
            named[-1].append(level)
        else:
            named.append([level])
    for first, *others in named:
        graph = graph.rule(y=first, label=f"random {'up to ' if others else ''}{number(first)}")
        for level in others:
            graph = graph.rule(y=level)
    return graph
