"""Exact ranks by shards: the same bytes as `nearest_ranks`, wherever the parts are worked on and however it is cut."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.digests import digest_of
from rankscope.engines.nearest.assembling import assemble_ranks
from rankscope.engines.nearest.block import BlockRanks
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.spaces import name_of, shown_scores, space_of
from rankscope.engines.shards.arrays_form import ArraysForm, OfArrays
from rankscope.engines.shards.collection import ADVICE
from rankscope.engines.shards.counting import CountPart, count_shard
from rankscope.engines.shards.cutting import blocks_of
from rankscope.engines.shards.hits import BlockHits, HitsPart, find_hits
from rankscope.engines.shards.known_values import KnownValues, join_values, look_at_values
from rankscope.engines.shards.plan import Shard, ShardPlan
from rankscope.engines.shards.shard_counts import BlockTotals, ShardCounts
from rankscope.errors import InputError
from rankscope.ranks.lots import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.settling import Placed, ranks_of_placed
from rankscope.running.parts import Part, PartsFolder, finished_parts
from rankscope.running.runner import Runner
from rankscope.version import __version__

Progress = Callable[[int, int], None]
P = TypeVar("P", bound=Part)
R = TypeVar("R", bound=OfArrays)
STAGES: dict[Any, tuple[float, float]] = {  # from which share of the time to which
    look_at_values: (0.0, 0.02),
    find_hits: (0.02, 0.1),
    count_shard: (0.1, 1.0),
}


def shards_between(edges: Sequence[int], relevance: Relevance) -> tuple[Shard, ...]:
    """Shards of a collection that begin and end at these numbers of items."""
    several = enumerate(pairwise(edges))
    return tuple(Shard.of(number, first, stop, relevance.gallery) for number, (first, stop) in several)


@dataclass
class ShardRanking:
    """One ranking in parts; finished parts lie in a folder that all workers reach."""

    relevance: Relevance
    plan: ShardPlan
    runner: Runner
    folder: Path
    progress: Progress | None = None
    reused: int = 0  # parts that were there from before

    def ranks(self, system: str) -> RelevantRanks:
        """All ranks; an `InputError` that names all files that were changed or removed meanwhile."""
        with self._naming_changed_files():
            plan = self._with_values()
            hits = self._hits_parts(plan)
            for _ in self._finished(find_hits, plan, hits, BlockHits):
                pass  # they lie in the folder, where the next stage reads them
            totals = self._count(plan, hits)
            blocks = [_block_ranks(plan, self._read(part), total) for part, total in zip(hits, totals, strict=True)]
        return assemble_ranks(blocks, self.relevance, name_of(plan.metric), plan.keep_scores, system)

    def _about(self, work: str) -> dict[str, Any]:
        """What the result of any part depends on in addition to its own queries and items."""
        plan = self.plan
        return {
            "work": work,
            "version": __version__,
            "features": self.relevance.items.digest,
            "metric": name_of(plan.metric),
            "keep_scores": plan.keep_scores,
        }

    def _with_values(self) -> ShardPlan:
        """The plan, with what must be known of the whole collection; what a metric cannot rank is told now."""
        plan = replace(
            self.plan,
            shards=tuple(
                replace(each, digest=digest_of({**self._about("values"), "items": [each.first, each.stop]}))
                for each in self.plan.shards
            ),
        )
        known = [found for _, found in self._finished(look_at_values, plan, plan.shards, KnownValues)]
        values = join_values(known)
        space_of(plan.metric, plan.collection.rows_at(self.relevance.queries[:1]), values)
        ranges = [[each.first, each.stop] for each in plan.shards]
        digest = digest_of({**self._about("plan"), "items": ranges, "memory": plan.memory})
        return replace(plan, values=values, digest=digest)

    def _hits_parts(self, plan: ShardPlan) -> list[HitsPart]:
        about = self._about("hits")
        parts = []
        for queries in blocks_of(self.relevance, len(plan.shards)):
            part = HitsPart.of(self.relevance, queries, "")
            contents = [queries, part.left_out.offsets, part.left_out["item"]]
            parts.append(replace(part, digest=digest_of({**about, "queries": _digest_of_arrays(contents)})))
        return parts

    def _count(self, plan: ShardPlan, hits: Sequence[HitsPart]) -> list[ShardCounts]:
        """The counts of all shards for each block, added as they come."""
        parts = [
            CountPart(
                digest=digest_of({**self._about("count"), "hits": part.digest, "items": [shard.first, shard.stop]}),
                block=number,
                hits=self.folder / f"{part.digest}{ArraysForm.suffix}",
                shard=shard.number,
            )
            for shard in plan.shards  # workers meet one shard after the other
            for number, part in enumerate(hits)
        ]
        totals = [BlockTotals() for _ in hits]
        for part, counts in self._finished(count_shard, plan, parts, ShardCounts):
            totals[part.block].add(counts)
        return [each.result() for each in totals]

    def _finished(
        self, work: Callable[[Any, P], R], plan: ShardPlan, parts: Sequence[P], kind: type[R]
    ) -> Iterator[tuple[P, R]]:
        folder = PartsFolder(self.folder, ArraysForm(kind))
        yield from finished_parts(work, plan, parts, self.runner, folder, self._shown(work))
        self.reused += folder.reused

    def _shown(self, work: Callable[[Any, Any], Any]) -> Callable[[float], None] | None:
        progress, queries = self.progress, self.relevance.queries.size
        begin, end = STAGES[work]

        def show(share: float) -> None:
            assert progress is not None
            progress(int((begin + share * (end - begin)) * queries), queries)

        return None if progress is None else show

    def _read(self, part: HitsPart) -> BlockHits:
        found = PartsFolder(self.folder, ArraysForm(BlockHits)).read(part.digest)
        if found is None:
            raise InputError.of(str(self.folder), ["a finished part was removed"], "Run the command again.")
        return found

    @contextmanager
    def _naming_changed_files(self) -> Iterator[None]:
        """Whatever else a file that was changed or removed may have led to."""
        try:
            yield
        except InputError:
            self._raise_for_changed()
            raise
        self._raise_for_changed()

    def _raise_for_changed(self) -> None:
        changed = self.plan.collection.changed()
        if changed:
            problems = [f"{name} was changed or removed while it was ranked" for name in changed]
            raise InputError.of("features", problems, ADVICE) from None


def _block_ranks(plan: ShardPlan, block: BlockHits, total: ShardCounts) -> BlockRanks:
    """Final ranks of a block from the counts of all shards."""
    shown, hits, best = shown_scores(plan.metric), block.hits, total.best
    placed = Placed(before=np.zeros_like(total.before), others=total.others, earlier=total.earlier)
    found = ranks_of_placed(hits, total.before, placed)
    columns = {"rank": found.rank} | ({"score": shown(hits["score"])} if plan.keep_scores else {})
    lists = None
    if best is not None:
        lists = Ragged(best.offsets, {"score": shown(best["score"]), "lot": lots_of_numbers(best["item"])})
    return BlockRanks(
        queries=block.queries,
        judged=Ragged(hits.offsets, columns),
        ties=found.ties,
        left_out=block.left_out.lengths,
        distractors=lists,
    )


def _digest_of_arrays(arrays: Sequence[IntArray]) -> str:
    result = hashlib.sha256()
    for each in arrays:
        result.update(f"{each.size}\n".encode() + np.ascontiguousarray(each).tobytes())
    return result.hexdigest()
