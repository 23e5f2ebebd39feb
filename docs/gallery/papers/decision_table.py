"""What HS01's figures 2 and 3 and S04's table 1 share: the four counts of one query at one scope."""

import numpy as np
from base import Base, spread_queries

from rankscope.measures.quadruple import Quadruple
from rankscope.reports.graphs.graph import Axis, Graph

RELEVANT = 8


def example(logos: Base) -> Quadruple:
    """The query in the middle of those with 8 relevant items, at window = cluster size."""
    query = spread_queries(logos.of_size(RELEVANT), [0.5])
    return Quadruple(logos.size, RELEVANT, RELEVANT, int(query.hits(RELEVANT)[0]))


def tiles(
    title: str, subtitle: str, columns: list[str], rows: list[str], words: list[list[str]], below: list[list[str]]
) -> Graph:
    """A table of words, each with a count below it; empty words leave a gap."""
    places = [(x, y) for y in range(len(rows)) for x in range(len(columns)) if words[y][x]]
    graph = Graph(
        title,
        Axis(
            "query result",
            domain=(-0.5, len(columns) - 0.5),
            ticks=tuple(map(float, range(len(columns)))),
            texts=tuple(columns),
        ),
        Axis(
            "ground truth",
            domain=(-0.5, len(rows) - 0.5),
            ticks=tuple(map(float, range(len(rows)))),
            texts=tuple(rows[::-1]),
            rows=3.0,
        ),
        subtitle=subtitle,
    )
    return graph.tiles(
        np.array([x for x, _ in places]),
        np.array([len(rows) - 1 - y for _, y in places]),
        np.array([0.35 if x < 2 and y < 2 else 0.0 for x, y in places]),
        [words[y][x] for x, y in places],
        [below[y][x] for x, y in places],
    )
