"""What is scored of a round: the list (full, residual, frozen or split), what the user saw, ties and a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.threads import in_threads
from rankscope.feedback.study.experiment import ListName
from rankscope.feedback.users.users import Numbers, mix_bits
from rankscope.ranks.ragged import Ragged, divide
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.score_tables import ranks_from_scores


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
    return _frozen_list(ranks, listed) if name == "frozen" else ranks


def _frozen_list(ranks: RelevantRanks, listed: Listed) -> RelevantRanks:
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


# What the user gets to see, round by round: hits, new hits, and all so far (after Luo & Nascimento 2004).

SHARES = (
    "actual precision",
    "actual recall",
    "new precision",
    "new recall",
    "cumulative precision",
    "cumulative recall",
    "new precision of unseen",
    "new recall of the rest",
)
OF_ONE_DISPLAY = tuple(name for name in SHARES if not name.startswith("cumulative"))


@dataclass(frozen=True, eq=False)
class DisplayQuality:
    """One display of each session: how much is on it, how much of that is relevant, new, and both; and the same so far.

    A display that is not full keeps the scope as its divisor; what cannot be divided is NaN.
    """

    scope: int
    relevant: IntArray  # that can be found in all
    hits: IntArray
    unseen: IntArray
    new_hits: IntArray
    seen: IntArray  # different items seen so far, this display included
    seen_hits: IntArray

    def shares(self) -> dict[str, FloatArray]:
        """Precision and recall, in every way of counting, by the names of `SHARES`."""
        before = self.seen_hits - self.new_hits
        result = (
            self.hits / self.scope,
            divide(self.hits, self.relevant),
            self.new_hits / self.scope,
            divide(self.new_hits, self.relevant),
            divide(self.seen_hits, self.seen),
            divide(self.seen_hits, self.relevant),
            divide(self.new_hits, self.unseen),
            divide(self.new_hits, self.relevant - before),
        )
        return dict(zip(SHARES, result, strict=True))


def display_quality(
    shown: IntArray, hit: BoolArray, seen: BoolArray, relevant: IntArray, before: DisplayQuality | None
) -> DisplayQuality:
    """Count one display: sessions x places, -1 in empty ones; whether each is relevant, and whether seen before."""
    there = shown >= 0
    new = there & ~seen
    unseen, new_hits = new.sum(axis=1), (new & hit).sum(axis=1)
    total, total_hits = (0, 0) if before is None else (before.seen, before.seen_hits)
    hits = (there & hit).sum(axis=1)
    return DisplayQuality(
        scope=shown.shape[1],
        relevant=relevant,
        hits=hits,
        unseen=unseen,
        new_hits=new_hits,
        seen=total + unseen,
        seen_hits=total_hits + new_hits,
    )


def trace_displays(
    displays: Sequence[Sequence[str]], target: ArrayLike, scope: int | None = None
) -> list[DisplayQuality]:
    """The displays of one session, given by the names of the items shown.

    >>> one, two = trace_displays(["aXYbZ", "abcWZ"], list("abcdef"))
    >>> two.shares()["cumulative precision"].round(6), two.shares()["new precision of unseen"]
    (array([0.428571]), array([0.5]))
    """
    wanted = set(np.asarray(target).tolist())
    size = max(map(len, displays)) if scope is None else scope
    known: set[str] = set()
    qualities: list[DisplayQuality] = []
    for display in displays:
        names = [*display, *[""] * (size - len(display))]
        shown = np.array([[0 if name else -1 for name in names]])
        hit, seen = (np.array([[name in some for name in names]]) for some in (wanted, known))
        qualities.append(
            display_quality(shown, hit, seen, np.array([len(wanted)]), qualities[-1] if qualities else None)
        )
        known |= set(display)
    return qualities


def fingerprints(displayed: IntArray, ranks: Ragged) -> Numbers:
    """One number per session: the same where the same items are shown and relevant items have the same ranks.

    >>> one, two, three = fingerprints(np.array([[4, 7], [4, 7], [7, 4]]), Ragged.of([[1, 5]] * 3, "rank"))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    places = np.arange(displayed.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        total: Numbers = mix_bits(mix_bits((displayed + 1).astype(np.uint64)) + places).sum(axis=1, dtype=np.uint64)
        np.add.at(total, ranks.row, mix_bits(ranks["rank"].astype(np.uint64)))
    return total


def tied_pairs(ranks: RelevantRanks) -> IntArray:
    """Of each session: pairs of a relevant and an irrelevant item with equal scores; the order of items decides them.

    >>> tied_pairs(ranks_from_scores([[0.5, 0.5, 0.5, 0.2], [4, 3, 2, 1]], [True, False, False, True]))
    array([2, 0])
    """
    first, size, row = ranks.ties["start"], ranks.ties["size"], ranks.ties.row
    found = Ragged(ranks.judged.offsets, {"rank": ranks.judged["rank"]})
    hits = rank_counts(found, row, first + size - 1) - rank_counts(found, row, first - 1)
    return np.bincount(row, hits * (size - hits), minlength=len(ranks)).astype(np.int64)
