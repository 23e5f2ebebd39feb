"""How a collection is cut into shards and its queries into blocks: by their number alone, never by where they run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.nearest.relevance import Relevance

LEAST_SHARD = 4096  # items, however little memory there is
LEAST_BLOCK, MOST_BLOCK = 256, 2048  # queries
MOST_HITS = 1 << 22  # of a block
PARTS = 64  # at least, where queries are enough


def rows_of_shard(memory: int, width: int) -> int:
    """How many items a shard has at most: half of the memory holds their features in float64.

    >>> rows_of_shard(1 << 30, 512)
    131072
    """
    return max(LEAST_SHARD, memory // (2 * 8 * max(1, width)))


def shard_edges(file_rows: Sequence[int], most: int) -> list[int]:
    """Where shards begin and end: large files are cut evenly, small neighbours are one shard together.

    >>> shard_edges([10, 3, 4, 5], most=8)
    [0, 5, 10, 17, 22]
    """
    edges, end = [0], 0
    for rows in file_rows:
        if end + rows - edges[-1] > most and end > edges[-1]:
            edges.append(end)
        if rows > most:
            pieces = -(-rows // most)
            edges += [end + rows * piece // pieces for piece in range(1, pieces + 1)]
        end += rows
    return edges if edges[-1] == end and len(edges) > 1 else [*edges, end]


def blocks_of(relevance: Relevance, shards: int) -> list[IntArray]:
    """The queries block by block, so that no block has too many hits and there are parts enough."""
    queries = relevance.queries
    hits = max(1.0, relevance.hit_count / queries.size)
    wanted = max(LEAST_BLOCK, -(-queries.size * shards // PARTS))
    size = int(np.clip(MOST_HITS // hits, 1, min(MOST_BLOCK, wanted)))
    edges = [*range(0, queries.size, size), queries.size]
    return [queries[start:stop] for start, stop in pairwise(edges)]
