"""Whole lists, and the same with items left out: what is known, and what comes out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks import Ragged, RelevantRanks
from rankscope.ranks.kept_scores import lots_of_numbers

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
KEPT_DISTRACTORS = 256
NOBODY = -1


@dataclass(frozen=True)
class Case:
    """What is known, and what comes out."""

    sample: RelevantRanks
    whole: RelevantRanks

    @property
    def factor(self) -> float:
        """How many times larger the whole is."""
        return float(self.whole.collection.mean() / self.sample.collection.mean())


@dataclass(frozen=True, eq=False)
class Lists:
    """Rankings as tables, a row per query, best first; NOBODY fills short lists."""

    item: IntArray
    score: FloatArray
    relevant: BoolArray
    missing: IntArray  # relevant items that are not listed
    distractors: IntArray  # of the whole collection
    items: int  # different items, numbered from 0
    classes: tuple[str, ...] | None  # where classes are what queries look for; their lists are complete

    @classmethod
    def of(
        cls,
        lists: Sequence[tuple[IntArray, FloatArray, BoolArray]],
        missing: IntArray,
        distractors: IntArray,
        items: int,
        classes: tuple[str, ...] | None,
    ) -> Lists:
        """From items, scores and relevance of each query."""
        width = max(item.size for item, _, _ in lists)
        table = np.full((len(lists), width), NOBODY)
        score, relevant = np.full(table.shape, -np.inf), np.zeros(table.shape, dtype=np.bool_)
        for row, (item, value, hit) in enumerate(lists):
            table[row, : item.size], score[row, : item.size], relevant[row, : item.size] = item, value, hit
        return cls(table, score, relevant, missing, distractors, items, classes)

    def case(self, factor: float, seed: int) -> Case:
        """Every item but the relevant ones of a query left out by chance, the same items for all queries.

        A list that was cut is shorter when thinned; forecasts are for lists of equal depth, so the whole one is cut.
        """
        kept = np.append(np.random.default_rng([seed, round(factor)]).random(self.items) < 1.0 / factor, False)
        there = (self.relevant | kept[self.item]) & (self.item != NOBODY)
        listed = (there & ~self.relevant).sum(axis=1)
        cut = self.classes is None
        left = np.maximum(np.round(self.distractors / factor).astype(np.int64), listed) if cut else listed
        sample = self._ranks(there, left)
        return Case(sample, self._ranks(self.item != NOBODY, self.distractors, sample.depth if cut else None))

    def _ranks(self, there: BoolArray, distractors: IntArray, depth: IntArray | None = None) -> RelevantRanks:
        """The reduction, by counting."""
        position = np.cumsum(there, axis=1)
        if depth is not None:
            there = there & (position <= depth[:, None])
        hit, others = there & self.relevant, there & ~self.relevant
        relevant = (self.relevant.sum(axis=1) + self.missing).astype(np.int64)
        row, column = np.nonzero(hit)
        best = others & (np.cumsum(others, axis=1) <= KEPT_DISTRACTORS)
        near = np.nonzero(best)
        kept = Ragged.from_rows(near[0], len(there), score=self.score[near], lot=lots_of_numbers(self.item[near]))
        ranks = RelevantRanks.from_ranks(
            np.split(position[hit], np.cumsum(hit.sum(axis=1))[:-1]),
            relevant=relevant,
            depth=there.sum(axis=1),
            collection=relevant + distractors,
            distractors=kept,
            classes=self.classes,
            provenance={"judgements": {"complete": self.classes is not None}},
        )
        return replace(ranks, judged=ranks.judged.with_columns(score=self.score[row, column]))


def other_queries(
    classes: Sequence[str] | None, queries: int, random: np.random.Generator, resamples: int, inner: int
) -> FloatArray:
    """Weights of the queries if others of the same kind had been asked, and under a bootstrap of those.

    Units (classes, where these are given, else queries) are drawn with replacement: a resample for each first index.
    The second index is 0 for the resample itself, and then counts bootstrap draws from it.
    """
    number = np.arange(queries) if classes is None else class_numbers(classes)
    units = int(number.max()) + 1
    drawn = random.multinomial(units, np.full(units, 1.0 / units), size=resamples)[:, None]
    again = random.multinomial(units, drawn / units, size=(resamples, inner))
    times = np.concatenate([drawn, again], axis=1)[..., number].astype(np.float64)
    return times / times.sum(axis=-1, keepdims=True)


def without_scores(ranks: RelevantRanks) -> RelevantRanks:
    """Ranks alone, with the lots of the best distractors."""
    assert ranks.distractors is not None
    return replace(ranks, distractors=Ragged(ranks.distractors.offsets, {"lot": ranks.distractors["lot"]}))
