"""A collection that grows as a whole: relevant items and distractors alike, so that the generality stays.

Only then would a precision-recall graph stay where it is, and the scope has to grow as the collection does (Huijsmans
and Sebe 2001, 1). Looked at backwards: of each class of c a share of k members stays, and of its e distractors e k/c,
both drawn at random. The mean over all draws is exact (`expected_hits_of_class`); that quality does not change with it
is an assumption, which this puts to the test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.sizes import known_sizes, with_relevant_items
from rankscope.curves.thinning import expected_hits, expected_hits_of_class
from rankscope.errors import MeasureError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import Number, Optional, Several, check

HALVINGS = 3  # at most, where no shares are given
SHARE = Number(above=0, most=1)


@dataclass(frozen=True, eq=False)
class EvenGrowth:
    """Precision = recall of each query (row) at each share of today's collection (column), at the scope of its class.

    `alike`: the class has shrunk with its distractors. `alone`: the whole class among as large a share of them. Both
    are lower bounds where a ranking ended before all relevant items were found.
    """

    queries: RelevantRanks  # those whose class has a member at every share
    counted: int  # queries with a relevant item
    shares: FloatArray
    members: IntArray  # k, which is the scope too
    alike: FloatArray
    alone: FloatArray
    chance: FloatArray  # of alike: k/(k + its distractors), c/d but for rounding
    chance_alone: FloatArray


def even_growth(queries: RelevantRanks, shares: Sequence[float] | None = None) -> EvenGrowth:
    """Queries whose class is large enough to have a member at the least share; members are rounded to whole ones.

    Where no shares are given: 1, 1/2, 1/4 and 1/8, as far as half of the queries have a member left.
    >>> grown = even_growth(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100), [0.5, 1.0])
    >>> grown.members.tolist(), grown.alike.round(6).tolist(), grown.chance.round(6).tolist()
    ([[2, 4]], [[0.463996, 0.5]], [[0.04, 0.04]])
    """
    shares = check(locals(), shares=Optional(Several(SHARE)))["shares"]
    queries = with_relevant_items(queries)
    known_sizes(queries, "growth of a whole collection")
    shares = usual_shares(queries) if shares is None else shares
    if not shares:
        raise MeasureError("at least one share of the collection is needed")
    some = np.flatnonzero(queries.relevant * min(shares) >= 1.0 - 1e-9)
    if not some.size:
        raise MeasureError(f"no class of {queries.system} has a member left at a share of {min(shares):g}")
    counted, queries = len(queries), queries.take(some)
    c, e = queries.relevant, queries.collection - queries.relevant
    members = [np.maximum(1, np.floor(share * c + 0.5 + 1e-9).astype(np.int64)) for share in shares]
    kept = [np.floor(e * k / c + 0.5).astype(np.int64) for k in members]
    left = [np.floor(share * e + 0.5).astype(np.int64) for share in shares]
    alike = [expected_hits_of_class(queries, k, m, k).over(k).low for k, m in zip(members, kept, strict=True)]
    return EvenGrowth(
        queries=queries,
        counted=counted,
        shares=np.array(shares, dtype=np.float64),
        members=np.stack(members, axis=1),
        alike=np.stack(alike, axis=1),
        alone=np.stack([expected_hits(queries, m, c).over(c).low for m in left], axis=1),
        chance=np.stack([k / (k + m) for k, m in zip(members, kept, strict=True)], axis=1),
        chance_alone=np.stack([c / (c + m) for m in left], axis=1),
    )


def usual_shares(queries: RelevantRanks) -> tuple[float, ...]:
    """Halves of halves, as far as half of the queries have a member left; one half where some query has two.

    >>> usual_shares(RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 2, 3, 4, 5]], collection=64))
    (0.25, 0.5, 1.0)
    """
    sizes = np.sort(queries.relevant)
    middle = int(sizes[sizes.size // 2]) if sizes.size else 1
    times = min(HALVINGS, max(int(np.log2(middle)), int((sizes >= 2).any())))
    if times == 0:
        raise MeasureError(f"every query of {queries.system} has one relevant item: no class can be smaller")
    return tuple(0.5**each for each in range(times, -1, -1))
