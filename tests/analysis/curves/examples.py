"""Rankings shared by the tests of curves: complete or cut, with all sizes known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from rankscope.ranks import RelevantRanks

THREE = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 4, 9, 12], [2, 3, 8, 20]], collection=20)
MIXED = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 2, 4, 7, 11, 30]])
LOGOS = RelevantRanks.from_ranks(
    [
        [1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 17, 21, 28, 40, 90],
        [2, 6, 13, 25, 45, 80, 140, 230, 400, 700, 1200, 2100, 3600, 6000, 10000, 17000],
    ],
    depth=21094,
    collection=21094,
)


@st.composite
def complete_rankings(draw: st.DrawFn, most: int = 4, same_size: bool = False) -> RelevantRanks:
    """Some queries over whole collections: every relevant item has its rank."""
    count = draw(st.integers(1, most))
    size = draw(st.integers(2, 40))
    relevant = draw(st.integers(1, size))
    ranks, sizes = [], []
    for _ in range(count):
        if not same_size:
            size = draw(st.integers(1, 40))
            relevant = draw(st.integers(1, size))
        ranks.append(sorted(draw(st.permutations(range(1, size + 1)))[:relevant]))
        sizes.append(size)
    queries = RelevantRanks.from_ranks(ranks, depth=sizes, collection=sizes)
    return replace(queries, classes=tuple(draw(st.sampled_from("abc")) for _ in ranks))


def cut_at(queries: RelevantRanks, depth: int) -> RelevantRanks:
    """The same rankings, of which only the first items are known."""
    return queries.cut(depth)


def hits_by_hand(ranks: Sequence[int], scope: float) -> float:
    """Hits within a scope, linear between whole scopes."""
    below = int(np.floor(scope + 1e-9))
    first = sum(rank <= below for rank in ranks)
    return first + (scope - below) * (sum(rank <= below + 1 for rank in ranks) - first)
