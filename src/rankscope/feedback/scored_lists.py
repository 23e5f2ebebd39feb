"""Which list is scored after a round, as `RelevantRanks`: full, residual, frozen or split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.hit_ranks import hit_ranks
from rankscope.feedback.protocol import ListName
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


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

    full: all items but the query. residual: without what was given or shown, c and d less by it. frozen: what was shown
    keeps the place where it was first shown, the rest follows in the new order. split: the other half of all items.
    A row of NaN, a session that failed, has no list, or ends with what was shown where that is in it.
    """
    good = ~np.isnan(values[:, 0]) if values.shape[1] else np.zeros(len(values), np.bool_)
    out = listed.out(name)
    ranked = listed.relevant.where(~out[listed.relevant.row, listed.relevant["item"]])
    answered = ranked.where(good[ranked.row])
    found, ties = hit_ranks(values, out, answered)
    size, relevant = (~out).sum(axis=1), ranked.lengths
    depth = np.where(good, size, 0)
    if name == "frozen":
        shown = np.bincount(listed.places[0], minlength=len(values))
        found, ties, relevant = _frozen(found, ties, relevant, listed, shown)
        size, depth = size + shown, depth + shown
    return RelevantRanks(
        queries=tuple(queries),
        judged=found.with_columns(grade=np.ones(found.size)),
        pooled=Ragged(np.zeros(len(values) + 1, np.int64), {"rank": np.empty(0, np.int64), "grade": np.empty(0)}),
        levels=_levels(relevant),
        depth=depth,
        answered=good | (depth > 0),
        collection=size.astype(np.int64),
        ties=ties,
        system=system,
        classes=None if classes is None else tuple(classes),
        provenance={} if provenance is None else provenance,
    )


def _frozen(
    found: Ragged, ties: Ragged, relevant: IntArray, listed: Listed, shown: IntArray
) -> tuple[Ragged, Ragged, IntArray]:
    """The new order moved down below what was shown, whose relevant items stand where they were shown."""
    row, item, place = listed.places
    width = listed.seen.shape[1]
    hit = np.isin(row * width + item, listed.relevant.row * width + listed.relevant["item"])
    rows = np.concatenate([row[hit], found.row])
    ranks = np.concatenate([place[hit], found["rank"] + shown[found.row]])
    order = np.lexsort((ranks, rows))
    whole = Ragged.from_rows(rows[order], len(found), rank=ranks[order])
    moved = ties.with_columns(start=ties["start"] + shown[ties.row])
    return whole, moved, relevant + np.bincount(row[hit], minlength=len(found))


def _levels(relevant: IntArray) -> Ragged:
    some = np.flatnonzero(relevant)
    return Ragged.from_rows(some, relevant.size, grade=np.ones(some.size), count=relevant[some].astype(np.int64))
