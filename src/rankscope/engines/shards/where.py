"""Where a collection in parts is ranked: as a whole where it fits and nobody asks for more, else by shards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankscope.engines.nearest.nearest import Device, nearest_ranks
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.spaces import Metric
from rankscope.engines.shards.collection import RowFile, StoredRows
from rankscope.engines.shards.cutting import rows_of_shard, shard_edges
from rankscope.engines.shards.plan import ShardPlan
from rankscope.engines.shards.ranking import Progress, ShardRanking, shards_between
from rankscope.errors import InputError, SettingError
from rankscope.inputs.feature_parts import FeatureParts
from rankscope.number_texts import how_many
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.home import Home
from rankscope.running.memory import in_words
from rankscope.running.runner import Runner
from rankscope.running.threads import with_threads
from rankscope.scale.estimate import LONG, in_time
from rankscope.scale.where import silent
from rankscope.validation import check
from rankscope.wording import setting_usage

PRODUCTS_A_SECOND = 1.35e10  # of two features, by one core, counting included
OWN = "a metric that is a function is called for one collection in one place"


@dataclass(frozen=True)
class ShardsWhere:
    """Nothing here changes a number. `folder` holds finished parts; all workers must reach it."""

    runner: Runner
    memory: int
    folder: Path
    device: str = "cpu"
    threads: int | None = None
    progress: Progress | None = None
    say: Callable[[str], None] = field(default=silent, repr=False)

    def holds(self, items: FeatureParts) -> bool:
        """Whether all features may be in memory at once, in this process."""
        return isinstance(self.runner, Home) and items.nbytes <= self.memory // 2


def rank_parts(
    items: FeatureParts,
    metric: Metric,
    where: ShardsWhere,
    *,
    query_item: str = "removed",
    junk: Any = (),
    keep_scores: bool = False,
    system: str = "nearest",
) -> tuple[RelevantRanks, int]:
    """What `nearest_ranks` gives for all items together, bit for bit; and how many parts were there from before.

    Raises `SettingError` for a metric that is a function and cannot see all features here.
    """
    check({"device": where.device}, device=Device())
    if callable(metric):
        return _by_function(items, metric, where, query_item, junk, keep_scores, system), 0
    relevance = Relevance.of(items, query_item, junk)
    if relevance.queries.size == 0:
        raise InputError.of("features", ["no query has a relevant item in its collection"])
    plan = ShardPlan(
        collection=StoredRows(
            tuple(RowFile.of(part.array, part.path) for part in items.parts), width=items.width, kind=items.kind
        ),
        metric=metric,
        keep_scores=keep_scores,
        memory=where.memory,
        device=where.device,
        shards=shards_between(_edges(items, where.memory), relevance),
    )
    where.say(announcement(system, relevance, plan, getattr(where.runner, "count", None) or 1))
    ranking = ShardRanking(
        relevance=relevance, plan=plan, runner=where.runner, folder=where.folder, progress=where.progress
    )
    with with_threads(where.threads):
        return ranking.ranks(system), ranking.reused


def _edges(items: FeatureParts, memory: int) -> list[int]:
    return shard_edges([len(part.array) for part in items.parts], rows_of_shard(memory, items.width))


def _by_function(
    items: FeatureParts,
    metric: Metric,
    where: ShardsWhere,
    query_item: str,
    junk: Any,
    keep_scores: bool,
    system: str,
) -> RelevantRanks:
    if not isinstance(where.runner, Home):
        raise SettingError(f"{OWN}: rank it without {setting_usage('on')}")
    if not where.holds(items):
        size, memory = in_words(items.nbytes), in_words(where.memory)
        raise SettingError(f"{OWN}: {size} of features need twice as much memory, {memory} are allowed")
    return nearest_ranks(
        items.joined(), metric=metric, query_item=query_item, junk=junk, keep_scores=keep_scores, system=system
    )


def announcement(system: str, relevance: Relevance, plan: ShardPlan, cores: int) -> str:
    """What is going to happen, in one line."""
    queries, items, shards = relevance.queries.size, len(relevance.items), len(plan.shards)
    seconds = queries * items * relevance.items.width / PRODUCTS_A_SECOND / cores
    how = "1 shard" if shards == 1 else f"{shards:,} shards"
    time = f", {in_time(seconds)}" if seconds > LONG and plan.device == "cpu" else ""
    return (
        f"{system}: {how_many(queries, 'queries')} x {how_many(items, 'items')} in {how} within "
        f"{in_words(plan.memory)} each{time}"
    )
