"""Exact ranks on a graphics card, through torch: the same numbers as on the processor, bit for bit.

Each float32 vector is split into two half-precision parts, x = hi + lo, and one matrix product of three times the
depth, [hi hi lo] with [hi lo hi], gives the scores in float32. They are counted against the limits of each query's hits
in one pass; what lies between the limits of a hit has its reference computed in float64, terms added in the order of
the features, on the card as well. Where too much is in doubt the products are made in float64 instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.block import BlockRanks, Ranker
from rankscope.engines.nearest.gpu_counting import Counter
from rankscope.engines.nearest.gpu_products import METRICS, Products
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.spaces import Metric
from rankscope.errors import MissingExtra, SettingError
from rankscope.ranks.counting import Counted
from rankscope.ranks.dense import already_counted
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Close, final_ranks
from rankscope.wording import setting_value

QUERIES = 8192  # of a tile
ITEMS = 1 << 17
MOST_HITS = 1 << 23  # of a block
FINISHING = 4  # blocks whose ranks are settled on the host meanwhile
CLOSE = 1 << 24  # more items than this in doubt, for the queries of a tile: precise products are cheaper


def torch_for(device: str) -> Any:
    """The torch module, if it can work on the device; else an error that says what to do."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "gpu") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingError(f"torch finds no graphics card here: use {setting_value('device', 'cpu')}")
    return torch


class GpuRanker(Ranker):
    """Ranks block after block on a device that torch knows: cuda, or cpu."""

    tile_queries = QUERIES
    tile_items = ITEMS

    def __init__(self, matrix: NDArray[Any], metric: Metric, relevance: Relevance, device: str) -> None:
        if not isinstance(metric, str) or metric not in METRICS:
            asked, other = setting_value("device", device), setting_value("device", "cpu")
            raise SettingError(f"{asked} ranks by {', '.join(METRICS)}; use {other} for other metrics")
        self.torch, self.device, self.relevance = torch_for(device), device, relevance
        self.count, self.precise = len(matrix), False
        self.products = Products(self.torch, matrix, metric, device)
        self.counter = Counter(self.torch, device)
        self.spent: dict[str, float] = {}
        absent = np.flatnonzero(~relevance.gallery)
        self.absent = self._sent(absent) if absent.size else None

    def block_size(self) -> int:
        """As many queries as bring a few million hits together."""
        asked = self.relevance.queries
        some = asked[:: max(1, asked.size // 64)]
        hits = self.relevance.hits(some)[0].size / max(1, some.size)
        return int(np.clip(MOST_HITS / max(hits, 1.0), 1, 1 << 17))

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        """Block after block; while the card works, the hits of the next are looked up and earlier ones are finished."""
        with ThreadPoolExecutor(1 + FINISHING) as pool:
            hits = pool.submit(self.relevance.hits, blocks[0])
            waiting: deque[Future[BlockRanks]] = deque()
            for number, queries in enumerate(blocks):
                mine = hits.result()[0]
                if number + 1 < len(blocks):
                    hits = pool.submit(self.relevance.hits, blocks[number + 1])
                waiting.append(pool.submit(self._finished, self._on_device(queries, mine)))
                if len(waiting) > FINISHING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def ranked(self, queries: IntArray, following: IntArray | None = None) -> BlockRanks:
        """The ranks of one block."""
        return self._finished(self._on_device(queries, self.relevance.hits(queries)[0]))

    def close(self) -> None:
        """Nothing is under way after a block."""

    def _on_device(self, queries: IntArray, hits: Ragged) -> _Screened:
        """References and order of the hits, counts, and references of what is in doubt."""
        with self._timed("hits"):
            block = _OnDevice(self, queries, hits)
        found, references, highs = [], [], []
        for start in range(0, queries.size, self.tile_queries):
            tile = block.tile(start, min(start + self.tile_queries, queries.size))
            with self._timed("products and counts"):
                counted, high = self._tile(tile)
            with self._timed("references in doubt"):
                one, other = self._sent(tile.own[counted.row]), self._sent(counted.item)
                references.append(self.products.reference(one, other).cpu().numpy())
            found.append(
                Counted(
                    above=counted.above,
                    within=counted.within,
                    row=counted.row + start,
                    item=counted.item,
                    score=counted.score,
                )
            )
            highs.append(high)
        return _Screened(
            queries=queries,
            hits=block.hits,
            left_out=block.left_out,
            found=found,
            references=references,
            high=np.concatenate(highs),
        )

    def _sent(self, values: NDArray[Any]) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Add up the time of a phase; each ends with numbers back on the host."""
        begin = perf_counter()
        yield
        self.spent[what] = self.spent.get(what, 0.0) + perf_counter() - begin

    def _tile(self, tile: _Tile) -> tuple[Counted, Any]:
        precise = self.precise
        found = self._counted(tile, precise)
        if not precise and found is None:
            self.precise = precise = True
            found = self._counted(tile, precise)
        if found is None:
            return self._by_hand(tile)
        return found

    def _counted(self, tile: _Tile, precise: bool) -> tuple[Counted, Any] | None:
        """Counts of a tile of queries against all items; None if too much is in doubt."""
        low, high = self.products.limits(tile.query_of_hit, tile.score, precise)
        left = self.products.query_side(tile.queries, precise)
        counts = self.counter.start(tile.hits, low, high, CLOSE)
        for number, first in enumerate(range(0, self.count, self.tile_items)):
            last = min(first + self.tile_items, self.count)
            scores = self.products.scores(left, first, last, precise)
            row, item = tile.out(number)
            scores[row, item - first] = -float("inf")
            if self.absent is not None:
                gone = self.absent[(self.absent >= first) & (self.absent < last)]
                scores[:, gone - first] = -float("inf")
            counts.add(scores, first)
        found = counts.result()
        return None if found is None else (found, high.cpu().numpy())

    def _by_hand(self, tile: _Tile) -> tuple[Counted, Any]:
        """Where nearly everything is equal: every item is in doubt and has its reference computed."""
        rows, count = tile.own.size, self.count
        everyone = np.ones((rows, count), dtype=np.bool_)
        everyone[:, ~self.relevance.gallery] = False
        for number in range(len(tile.bounds) - 1):
            row, item = (each.cpu().numpy() for each in tile.out(number))
            everyone[row, item] = False
        row, item = np.nonzero(everyone)
        within = np.bincount(row, minlength=rows)[tile.hits.row]
        nothing = np.zeros(tile.hits.size, dtype=np.int64)
        flat = np.zeros(row.size, dtype=np.float32)
        return Counted(above=nothing, within=within, row=row, item=item, score=flat), np.zeros(
            tile.hits.size, dtype=np.float32
        )

    def _finished(self, result: _Screened) -> BlockRanks:
        """Ranks and ties, settled by the references."""
        above, within, row, item, screened = (
            np.concatenate([getattr(part, each) for part in result.found])
            for each in ("above", "within", "row", "item", "score")
        )
        order = np.lexsort((item, row))
        row, item, screened = row[order], item[order], screened[order]
        score = np.concatenate(result.references)[order]
        already = np.zeros(within.size, dtype=np.int64)
        mixed = within > 0  # nothing in doubt is near the others
        already[mixed] = already_counted(result.hits.where(mixed), row, screened, result.high[mixed])
        ranked = final_ranks(result.hits, above, Close(row=row, item=item, score=score, counted=already, within=within))
        judged = Ragged(result.hits.offsets, {"rank": ranked.rank})
        return BlockRanks(
            queries=result.queries, judged=judged, ties=ranked.ties, left_out=result.left_out.lengths, distractors=None
        )


@dataclass(frozen=True, eq=False)
class _Screened:
    """What the card found of a block."""

    queries: IntArray
    hits: Ragged  # item and score, best first
    left_out: Ragged
    found: list[Counted]
    references: list[FloatArray]
    high: NDArray[Any]


class _OnDevice:
    """A block on the device: its hits, best first, and what is no distractor, tile by tile."""

    def __init__(self, ranker: GpuRanker, queries: IntArray, hits: Ragged) -> None:
        torch, sent = ranker.torch, ranker._sent
        self.own, self.queries = queries, sent(queries)
        self.left_out = ranker.relevance.left_out(queries)
        row, item = sent(hits.row), sent(hits["item"])
        score = ranker.products.reference(self.queries[row], item)
        order = torch.argsort(-score, stable=True)  # the earlier of two equals comes first
        order = order[torch.argsort(row[order], stable=True)]
        self.item, self.score, self.row = item[order], score[order], row[order]
        self.hits = Ragged(hits.offsets, {"item": self.item.cpu().numpy(), "score": self.score.cpu().numpy()})
        self.step = ranker.tile_queries
        self.columns = -(-ranker.count // ranker.tile_items)
        out_row = torch.cat([self.row, sent(self.left_out.row)])
        out_item = torch.cat([self.item, sent(self.left_out["item"])])
        place = (out_row // self.step) * self.columns + out_item // ranker.tile_items
        order = torch.argsort(place)
        self.out_row, self.out_item = out_row[order], out_item[order]
        cells = -(-queries.size // self.step) * self.columns
        self.bounds = torch.searchsorted(place[order], torch.arange(cells + 1, device=ranker.device)).tolist()

    def tile(self, start: int, stop: int) -> _Tile:
        """The queries from start to stop."""
        first, last = (int(self.hits.offsets[each]) for each in (start, stop))
        number = start // self.step * self.columns
        bounds = self.bounds[number : number + self.columns + 1]
        hits = self.hits.take(np.arange(start, stop))
        query = self.queries[self.row[first:last]]
        return _Tile(
            own=self.own[start:stop],
            queries=self.queries[start:stop],
            hits=hits,
            query_of_hit=query,
            score=self.score[first:last],
            out_row=self.out_row - start,
            out_item=self.out_item,
            bounds=bounds,
        )


@dataclass(frozen=True, eq=False)
class _Tile:
    """Some queries of a block, on the host and on the device."""

    own: IntArray
    queries: Any
    hits: Ragged
    query_of_hit: Any
    score: Any
    out_row: Any
    out_item: Any
    bounds: list[int]

    def out(self, number: int) -> tuple[Any, Any]:
        """Row and item of what is no distractor among the items of one tile."""
        here = slice(self.bounds[number], self.bounds[number + 1])
        return self.out_row[here], self.out_item[here]
