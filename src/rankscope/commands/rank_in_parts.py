"""Vectors in several files, or ranked elsewhere: read, cut into parts and ranked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.commands.rank import Ranking, items_of
from rankscope.core.errors import SettingError
from rankscope.core.machine import memory_text
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.parts import Home, Runner, parts_folder
from rankscope.core.runners import runner_of
from rankscope.core.wording import setting_usage
from rankscope.engines.shards.ranking import ShardsWhere, rank_parts
from rankscope.inputs.feature_files import FeatureParts, Keep, Unpacking, read_feature_parts
from rankscope.inputs.features import Features, LabelledItems
from rankscope.inputs.qrels import read_junk
from rankscope.inputs.reading import Reading
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks


def ranked_in_parts(
    ranking: Ranking,
    features: Any,
    how: dict[str, Any],
    on: str | Runner,
    work: str | Path | None,
    say: Callable[[str], None],
) -> tuple[RelevantRanks, LabelledItems, int]:
    """The ranks, the items, and how many parts were there from before.

    At home, features that fit into half of the memory are ranked as one collection.
    """
    runner, memory = runner_of(on), int(ranking.choices["memory"])
    if ranking.output is not None and not str(ranking.output).endswith(RANKS_SUFFIX):
        raise SettingError(f"the result must be called NAME{RANKS_SUFFIX}, got '{ranking.output}'")
    with parts_folder(work, ranking.output) as folder:
        keep = Unpacking(folder, memory // 2 if isinstance(runner, Home) else 0)
        items = feature_parts_of(features, how, keep)
        where = ShardsWhere(runner, memory, folder, say=say, **ranking.free)
        if on == Home.name and where.holds(items):
            return ranking.whole(items.joined())
        _refuse_distractors(ranking, items, where)
        ranks, reused = rank_parts(
            items,
            ranking.metric_of(items),
            where,
            query_item=ranking.choices["query_item"],
            junk=read_junk(ranking.junk, Reading()) if ranking.junk is not None else [],
            keep_scores=ranking.choices["keep_scores"],
            system=ranking.system,
        )
        if ranking.output is not None:
            save_ranks(ranks, ranking.output)
    return ranks, items, reused


def _refuse_distractors(ranking: Ranking, items: FeatureParts, where: ShardsWhere) -> None:
    """Distractors are chosen with all features at hand."""
    if ranking.choices["distractors"] is None:
        return
    room = memory_text(2 * items.nbytes)
    advice = f"leave {setting_usage('on')} out" + ("" if where.holds(items) else f" and allow {room} of memory")
    asked = setting_usage("distractors")
    raise SettingError(f"{asked} are chosen in one process that holds all features: {advice}")


def feature_parts_of(features: Any, how: dict[str, Any], keep: Keep) -> FeatureParts:
    """Features as parts: of files, of an array, or of `Features`."""
    if isinstance(features, str | Path):
        return read_feature_parts([features], **how, keep=keep)
    if isinstance(features, list | tuple) and features and all(isinstance(each, str | Path) for each in features):
        return read_feature_parts(features, **how, keep=keep)
    return as_one_part(items_of(features, **how), keep)


def as_one_part(items: Features, keep: Keep) -> FeatureParts:
    """Features that lie in memory as the only part."""
    return FeatureParts(
        parts=(keep(items.matrix, "features"),),
        several=items.several,
        ids=items.ids,
        queries=items.queries,
        gallery=items.gallery,
        metric=items.metric,
        taken=items.taken,
    )
