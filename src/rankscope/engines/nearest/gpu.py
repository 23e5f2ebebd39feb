"""Exact ranks on a graphics card, through torch: the same numbers as on the processor, bit for bit.

Each float32 vector is split into two half-precision parts, x = hi + lo, and one matrix product of three times the
depth, [hi hi lo] with [hi lo hi], gives the scores in float32. They are counted against the limits of each query's hits
in one pass; what lies between the limits of a hit has its reference computed in float64, terms added in the order of
the features, on the card as well. Where too much is in doubt the products are made in float64 instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.block import BlockRanks, Ranker, already_counted
from rankscope.engines.nearest.counting import Counted
from rankscope.engines.nearest.gpu_counting import Counter
from rankscope.engines.nearest.gpu_products import METRICS, Products
from rankscope.engines.nearest.keys import rounded
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.settling import Close, settled
from rankscope.engines.nearest.spaces import Metric
from rankscope.errors import MissingExtra, SettingError
from rankscope.ranks.ragged import Ragged

Work = tuple[IntArray, Ragged, list[Counted], list[FloatArray], NDArray[Any]]

QUERIES = 8192  # of a tile
ITEMS = 1 << 17
MOST_HITS = 1 << 23  # of a block
CLOSE = 1 << 24  # more items than this in doubt, for the queries of a tile: precise products are cheaper


def torch_for(device: str) -> Any:
    """The torch module, if it can work on the device; else an error that says what to do."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "gpu") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingError("torch finds no graphics card here: use --device cpu")
    return torch


class GpuRanker(Ranker):
    """Ranks block after block on a device that torch knows: cuda, or cpu."""

    tile_queries = QUERIES
    tile_items = ITEMS

    def __init__(self, matrix: NDArray[Any], metric: Metric, relevance: Relevance, device: str) -> None:
        if not isinstance(metric, str) or metric not in METRICS:
            raise SettingError(f"--device {device} ranks by {', '.join(METRICS)}; use --device cpu for other metrics")
        self.torch, self.device, self.relevance = torch_for(device), device, relevance
        self.count, self.precise = len(matrix), False
        self.products = Products(self.torch, matrix, metric, device)
        self.counter = Counter(self.torch, device)
        self.spent: dict[str, float] = {}

    def block_size(self) -> int:
        """As many queries as bring a few million hits together."""
        asked = self.relevance.queries
        some = asked[:: max(1, asked.size // 64)]
        hits = self.relevance.hits(some)[0].size / max(1, some.size)
        return int(np.clip(MOST_HITS / max(hits, 1.0), 1, 1 << 17))

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        """Block after block; the hits of the next are looked up, and the last one is finished, while the card works."""
        with ThreadPoolExecutor(2) as pool:
            hits = pool.submit(self.relevance.hits, blocks[0])
            done = None
            for number, queries in enumerate(blocks):
                mine = hits.result()[0]
                if number + 1 < len(blocks):
                    hits = pool.submit(self.relevance.hits, blocks[number + 1])
                work = self._on_device(queries, mine)
                if done is not None:
                    yield done.result()
                done = pool.submit(self._finished, *work)
            if done is not None:
                yield done.result()

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of one block."""
        return self._finished(*self._on_device(queries, self.relevance.hits(queries)[0]))

    def _on_device(self, queries: IntArray, hits: Ragged) -> Work:
        """References and order of the hits, counts, and references of what is in doubt."""
        with self._timed("references of hits"):
            score = self.products.reference(queries[hits.row], hits["item"])
        with self._timed("order of hits"):
            hits = self._sorted(hits, score)
            left_out = self.relevance.left_out(queries)
        found, references, highs = [], [], []
        for start in range(0, queries.size, self.tile_queries):
            rows = np.arange(start, min(start + self.tile_queries, queries.size))
            part = _Tile(queries[rows], hits.take(rows), left_out.take(rows))
            with self._timed("products and counts"):
                counted, high = self._tile(part)
            with self._timed("references in doubt"):
                references.append(self.products.reference(part.queries[counted.row], counted.item))
            found.append(Counted(counted.above, counted.within, counted.row + start, counted.item, counted.score))
            highs.append(high)
        return queries, hits, found, references, np.concatenate(highs)

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Add up the time of a phase; each ends with numbers back on the host."""
        begin = perf_counter()
        yield
        self.spent[what] = self.spent.get(what, 0.0) + perf_counter() - begin

    def _sorted(self, hits: Ragged, score: FloatArray) -> Ragged:
        """Best first, the earlier of two equals first: two stable sorts on the device."""
        torch = self.torch
        row = torch.from_numpy(hits.row).to(self.device)
        value = torch.from_numpy(score).to(self.device)
        order = torch.argsort(-value, stable=True)
        order = order[torch.argsort(row[order], stable=True)].cpu().numpy()
        return Ragged(hits.offsets, {"item": hits["item"][order], "score": score[order]})

    def _tile(self, part: _Tile) -> tuple[Counted, Any]:
        precise = self.precise
        found = self._counted(part, precise)
        if not precise and found is None:
            self.precise = precise = True
            found = self._counted(part, precise)
        if found is None:
            return self._by_hand(part)
        return found

    def _counted(self, part: _Tile, precise: bool) -> tuple[Counted, Any] | None:
        """Counts of a tile of queries against all items; None if too much is in doubt."""
        low, high = self.products.limits(part.queries[part.hits.row], part.hits["score"], precise)
        below, above = rounded(low, high)
        left = self.products.query_side(part.queries, precise)
        counts = self.counter.start(part.hits, below, above, CLOSE)
        for first in range(0, self.count, self.tile_items):
            last = min(first + self.tile_items, self.count)
            scores = self.products.scores(left, first, last, precise)
            self._clear(scores, part, first, last)
            counts.add(scores, first)
        found = counts.result()
        return None if found is None else (found, above)

    def _clear(self, scores: Any, part: _Tile, first: int, last: int) -> None:
        """Take out of a tile whatever is no distractor."""
        here = slice(*np.searchsorted(part.out_item, [first, last]))
        row, item = (self.torch.from_numpy(each[here]).to(self.device) for each in (part.out_row, part.out_item))
        scores[row, item - first] = -float("inf")
        gallery = self.relevance.gallery[first:last]
        if not gallery.all():
            scores[:, self.torch.from_numpy(np.flatnonzero(~gallery)).to(self.device)] = -float("inf")

    def _by_hand(self, part: _Tile) -> tuple[Counted, Any]:
        """Where nearly everything is equal: every item is in doubt and has its reference computed."""
        rows, count = part.queries.size, self.count
        everyone = np.ones((rows, count), dtype=np.bool_)
        everyone[:, ~self.relevance.gallery] = False
        everyone[part.out_row, part.out_item] = False
        row, item = np.nonzero(everyone)
        within = np.bincount(row, minlength=rows)[part.hits.row]
        nothing = np.zeros(part.hits.size, dtype=np.int64)
        flat = np.zeros(row.size, dtype=np.float32)
        return Counted(nothing, within, row, item, flat), np.zeros(part.hits.size, dtype=np.float32)

    def _finished(
        self, queries: IntArray, hits: Ragged, found: list[Counted], references: list[FloatArray], high: Any
    ) -> BlockRanks:
        """Ranks and ties, settled by the references."""
        above, within, row, item, screened = (
            np.concatenate([getattr(part, each) for part in found])
            for each in ("above", "within", "row", "item", "score")
        )
        order = np.lexsort((item, row))
        row, item, screened = row[order], item[order], screened[order]
        score = np.concatenate(references)[order]
        already = already_counted(hits, row, screened, high)
        ranked = settled(hits, above, Close(row, item, score, already, within))
        judged = Ragged(hits.offsets, {"rank": ranked.rank})
        return BlockRanks(queries, judged, ranked.ties, self.relevance.left_out(queries).lengths, None)


class _Tile:
    """Some queries, their hits best first, and what is no distractor of theirs by item."""

    def __init__(self, queries: IntArray, hits: Ragged, left_out: Ragged) -> None:
        self.queries, self.hits = queries, hits
        row, item = np.concatenate([hits.row, left_out.row]), np.concatenate([hits["item"], left_out["item"]])
        order = np.argsort(item, kind="stable")
        self.out_row, self.out_item = row[order], item[order]
