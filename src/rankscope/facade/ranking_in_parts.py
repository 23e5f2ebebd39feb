"""Vectors in several files, or ranked elsewhere: read, cut into parts and ranked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.engines.shards.where import ShardsWhere, rank_parts
from rankscope.errors import SettingError
from rankscope.facade.ranking import SUFFIX, Ranking, items_of
from rankscope.inputs.feature_parts import FeatureParts, Keep, Unpacking, read_feature_parts
from rankscope.inputs.features import Features, LabelledItems
from rankscope.inputs.junk import read_junk
from rankscope.inputs.reading import Reading
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks
from rankscope.running.home import Home
from rankscope.running.memory import in_words
from rankscope.running.runner import Runner
from rankscope.running.runners import runner_of
from rankscope.running.work_folders import parts_folder
from rankscope.wording import setting_usage


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
    if ranking.output is not None and not str(ranking.output).endswith(SUFFIX):
        raise SettingError(f"the result must be called NAME{SUFFIX}, got '{ranking.output}'")
    with parts_folder(work, ranking.output) as folder:
        keep = Unpacking(folder, memory // 2 if isinstance(runner, Home) else 0)
        items = parts_of(features, how, keep)
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
    room = in_words(2 * items.nbytes)
    advice = f"leave {setting_usage('on')} out" + ("" if where.holds(items) else f" and allow {room} of memory")
    asked = setting_usage("distractors")
    raise SettingError(f"{asked} are chosen in one process that holds all features: {advice}")


def parts_of(features: Any, how: dict[str, Any], keep: Keep) -> FeatureParts:
    """Features as parts: of files, of an array, or of `Features`."""
    if isinstance(features, str | Path):
        return read_feature_parts([features], **how, keep=keep)
    if isinstance(features, list | tuple) and features and all(isinstance(each, str | Path) for each in features):
        return read_feature_parts(features, **how, keep=keep)
    return in_one_part(items_of(features, **how), keep)


def in_one_part(items: Features, keep: Keep) -> FeatureParts:
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
