"""Every labelled item in turn is the query, the rest of its class the target: exact ranks over the whole collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.threads import one_core_each, with_threads
from rankscope.core.validation import COUNT, FLAG, OneOf, Optional, check
from rankscope.core.wording import setting_usage
from rankscope.engines.nearest import metrics
from rankscope.engines.nearest.blocks import BlockRanker, BlockRanks, Ranker, cells_within
from rankscope.engines.nearest.domains import Distractors, DomainRanker, parse_distractors
from rankscope.engines.nearest.relevance import POLICIES, Relevance
from rankscope.engines.nearest.two_sided import TwoSidedRanker, pays, tile_side
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks, versions

MEMORY = 512 << 20
SMALL = 1 << 24  # pairs up to which it does not matter who does what,
NARROW = 64  # if they have no more features than this

Progress = Callable[[int, int], None]
Kept = Callable[[int, IntArray, Callable[[IntArray], BlockRanks]], BlockRanks]  # number of the block, its queries


class Device(OneOf):
    """Where scores are computed; several graphics cards have numbers, as cuda:1."""

    def __init__(self) -> None:
        super().__init__(("cpu", "cuda", "torch-cpu"))

    def plain(self, value: Any) -> str:
        card = isinstance(value, str) and value.removeprefix("cuda:").isdecimal() and value.startswith("cuda:")
        return str(value if card else super().plain(value))


@strict_keywords
def nearest_ranks(
    features: ArrayLike | Features,
    labels: Iterable[Any] = (),
    metric: metrics.Metric = "cosine",
    ids: Iterable[Any] | None = None,
    *,
    query_item: str = "removed",
    junk: Iterable[tuple[str, str]] = (),
    block: int | None = None,
    memory: int = MEMORY,
    threads: int | None = None,
    device: str = "cpu",
    keep_scores: bool = False,
    progress: Progress | None = None,
    system: str = "nearest",
    kept: Kept | None = None,
    distractors: str | Distractors | None = None,
) -> RelevantRanks:
    """Exact ranks of all class mates of every item that has any.

    In a collection of n items a query of a class of m has d = n - 1 and c = m - 1: a class of two means c = 1. With
    `query_item="kept"` the query stays and is relevant: d = n, c = m. `kept_ignored` gives the numbers of `removed`.
    Items without a class (label -1, None or empty) and lone members of a class are distractors and never queries.
    `junk` are (query, item) pairs: items that leave the collection of a query. `features` may be `Features`, which
    knows several labels per item and queries apart from the collection; then labels and ids are its own.

    A metric is a name (`engines.nearest.ALL`), a mixture, `0.7*l1[0:64] + 0.3*cosine[64:]`, or a function of a query's
    row and a table of rows that returns distances. Scores that count are float64, added in the order of the features.
    Equal scores stand in the order of the items. Queries are worked on `block` at a time, or as many as fit into
    `memory` bytes; neither this nor the number of threads changes a bit of the result. `progress` is called with the
    number of queries done and of all. `keep_scores` keeps the scores of the hits and of the best distractors, for the
    growth forecast. `kept` may answer for a block that was ranked before. `device="cuda"` works on a graphics card.
    `distractors` ranks each class among its members and so many others: "nearest(500)", those of least mean distance to
    the members of the class, or "random(500)"; one set for all queries of a class.

    Raises `InputError` with every problem of the input, `SettingError` for an unknown metric.
    >>> ranks = nearest_ranks([[0], [1], [3], [4]], labels=["a", "b", "a", ""], metric="l1")
    >>> ranks.queries, ranks.judged.lists("rank"), ranks.collection
    (('0', '2'), [[2], [3]], array([3, 3]))
    """
    metric = metrics.metric_named(metric)
    plain = check(
        locals(),
        query_item=OneOf(POLICIES),
        block=Optional(COUNT),
        memory=COUNT,
        threads=Optional(COUNT),
        device=Device(),
        keep_scores=FLAG,
    )
    query_item, block, memory, threads, device, keep_scores = plain.values()
    items = features if isinstance(features, Features) else Features.of(features, labels, ids)
    relevance = Relevance.of(items, query_item, junk)
    if relevance.queries.size == 0:
        raise InputError.of("features", ["no query has a relevant item in its collection"])
    chosen = None if distractors is None else parse_distractors(distractors)
    ranker, blocks = _ranker(metric, items.matrix, relevance, memory, keep_scores, device, block, chosen)
    pairs, found, done = relevance.queries.size * len(items), [], 0
    # A part of the queries of a block by each thread, and matrix products by one core; small ones take no notice.
    large = pairs > SMALL or pairs * items.width > SMALL * NARROW
    with with_threads(threads), one_core_each() if large else nullcontext():
        if kept is None:
            stream = ranker.stream(blocks)
        else:
            stream = (kept(number, queries, ranker.ranked) for number, queries in enumerate(blocks))
        for ready in stream:
            found.append(ready)
            done += ready.queries.size
            if progress is not None:
                progress(done, relevance.queries.size)
    return assemble_ranks(found, relevance, metrics.metric_name(metric), keep_scores, system, chosen)


def _ranker(
    metric: metrics.Metric,
    matrix: NDArray[Any],
    relevance: Relevance,
    memory: int,
    keep_scores: bool,
    device: str,
    block: int | None,
    distractors: Distractors | None,
) -> tuple[BlockRanker, list[IntArray]]:
    """What ranks blocks, and the queries of each block."""
    if distractors is not None:
        if device != "cpu":
            usage = setting_usage("distractors")
            raise SettingError(f"{usage} are chosen by the CPU: leave {setting_usage('device')} out")
        space = metrics.space_of(metric, matrix)
        in_domains = DomainRanker(space, relevance, distractors, keep_scores, cells_within(space, memory))
        return in_domains, in_domains.blocks
    if device != "cpu":
        from rankscope.engines.nearest.gpu import GpuRanker

        gpu = GpuRanker(matrix, metric, relevance, device.removeprefix("torch-"), keep_scores)
        return gpu, _blocks(relevance, block or gpu.block_size())
    space = metrics.space_of(metric, matrix)
    cells = cells_within(space, memory)
    side = tile_side(relevance.queries.size, cells, block)
    if side and pays(space, relevance, keep_scores, memory):
        blocks = _blocks(relevance, side)
        return TwoSidedRanker(space, relevance, keep_scores, blocks), blocks
    # Queries in a block: as many as whole rows fit, but enough to make reading the items worth while.
    step = max(1, cells // len(matrix)) if space.exact else max(cells // len(matrix), min(256, int(np.sqrt(cells))), 1)
    return Ranker(space, keep_scores, cells, relevance=relevance), _blocks(relevance, block or step)


def _blocks(relevance: Relevance, step: int) -> list[IntArray]:
    """So many queries at a time."""
    return [relevance.queries[start : start + step] for start in range(0, relevance.queries.size, step)]


# All blocks together: `RelevantRanks`, in byte order of the query ids.


def assemble_ranks(
    blocks: Sequence[BlockRanks],
    relevance: Relevance,
    metric: str,
    keep_scores: bool,
    system: str,
    distractors: Distractors | None = None,
) -> RelevantRanks:
    """The result of all blocks; `distractors` are those among which each class was ranked, where that was not all."""
    items = relevance.items
    queries = np.concatenate([np.empty(0, dtype=np.int64), *(block.queries for block in blocks)])
    order = np.array(sorted(range(queries.size), key=lambda place: items.ids[queries[place]].encode()), dtype=np.int64)
    left_out = np.concatenate([np.empty(0, dtype=np.int64), *(block.left_out for block in blocks)])[order]
    collection = int(np.count_nonzero(relevance.gallery)) - left_out
    best = [block.distractors for block in blocks if block.distractors is not None]
    return RelevantRanks.assemble(
        [items.ids[row] for row in queries[order].tolist()],
        Ragged.join([block.judged for block in blocks]).take(order),
        depth=collection,
        collection=collection,
        ties=Ragged.join([block.ties for block in blocks]).take(order),
        system=system,
        classes=[items.labels[row] for row in queries[order].tolist()],
        distractors=Ragged.join(best).take(order) if keep_scores else None,
        left_out=left_out,
        provenance=_provenance(relevance, metric, distractors),
    )


def _provenance(relevance: Relevance, metric: str, distractors: Distractors | None) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    items = relevance.items
    settings: dict[str, Any] = {"metric": metric, "ties": "position", "query_item": relevance.policy}
    settings |= {} if distractors is None else {"distractors": str(distractors)}
    without = relevance.asked.size - relevance.queries.size
    more = {"junk_pairs": int(relevance.junk.size)} if relevance.junk.size else {}
    return {
        "features": {
            "sha256": items.digest,
            "rows": len(items),
            "columns": items.width,
            "type": str(items.kind),
        },
        "judgements": {"complete": True, "queries_without_relevant": int(without), **more},
        "settings": settings,
        "versions": versions(),
    }
