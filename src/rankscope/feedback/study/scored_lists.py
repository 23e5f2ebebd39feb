"""Which list is scored after a round, as `RelevantRanks`: full, residual, frozen or split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.study.protocol import ListName
from rankscope.ranks.from_scores import ranks_from_scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.threads import in_threads


@dataclass(frozen=True, eq=False)
class Listed:
    """What every list of a block of sessions is made from.

    `relevant` has the target of each session as column `item`. `query` and `given` mark what the user began with,
    `half` the items feedback may come from (None: all), `seen` what was shown, and `places` where it was first shown:
    session, item and place. All masks are sessions x items.
    """

    relevant: Ragged
    query: BoolArray
    given: BoolArray
    seen: BoolArray
    places: tuple[IntArray, IntArray, IntArray]
    half: BoolArray | None = None

    def out(self, name: ListName) -> BoolArray:
        """The items that are not ranked anew in a list of this name."""
        if name == "full":
            return self.query
        if name == "split" and self.half is not None:
            return self.half | self.given | self.query
        return self.seen | self.given | self.query


def scored_list(
    name: ListName,
    values: FloatArray,
    listed: Listed,
    *,
    system: str = "feedback",
    queries: Sequence[str],
    classes: Sequence[str] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> RelevantRanks:
    """The list of each session as ranks of its relevant items; equal scores stand in the order of the items.

    full: all items but the query. residual: without what was given or shown, c and d smaller by it. frozen: what was
    shown keeps the place where it was first shown, the rest follows in the new order. split: the other half of all
    items. A row of NaN, a session that failed, has no list, or ends with what was shown where that is in it.
    """
    out = listed.out(name)
    ranks = ranks_from_scores(
        values,
        listed.relevant,
        ~out,
        system=system,
        queries=queries,
        classes=classes,
        provenance={} if provenance is None else provenance,
        each=in_threads,
    )
    return _frozen(ranks, listed) if name == "frozen" else ranks


def _frozen(ranks: RelevantRanks, listed: Listed) -> RelevantRanks:
    """The new order moved down below what was shown, whose relevant items stand where they were shown."""
    row, item, place = listed.places
    count, width = len(ranks), listed.seen.shape[1]
    hit = np.isin(row * width + item, listed.relevant.row * width + listed.relevant["item"])
    shown = np.bincount(row, minlength=count)
    rows = np.concatenate([row[hit], ranks.judged.row])
    rank = np.concatenate([place[hit], ranks.judged["rank"] + shown[ranks.judged.row]])
    order = np.lexsort((rank, rows))
    depth = ranks.depth + shown
    return RelevantRanks.assemble(
        ranks.queries,
        Ragged.from_rows(rows[order], count, rank=rank[order]),
        relevant=ranks.relevant + np.bincount(row[hit], minlength=count),
        depth=depth,
        answered=ranks.answered | (depth > 0),
        collection=ranks.collection + shown,
        ties=ranks.ties.with_columns(start=ranks.ties["start"] + shown[ranks.ties.row]),
        system=ranks.system,
        classes=ranks.classes,
        provenance=ranks.provenance,
    )
