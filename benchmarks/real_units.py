"""Real rankings as populations: sampling units with their curves and scores, to draw samples from.

The truth of a population is the mean over all its queries; a sample draws units (queries, or whole classes) with
replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.forecast_cases import DATA
from benchmarks.forecast_data import corel1k, icons
from rankscope.analysis.statistics.query_curves import precision_at_recall
from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.engines.nearest import nearest_ranks
from rankscope.measures.average_precision import AP
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.ranks.relevant_ranks import RelevantRanks

LEVELS = 10
ROBUST_RUNS = ("InexpC2", "Sel50", "UIUC03Rd1", "oce03noXbmD", "pircRBa1", "rutcor03100")
TEXTS = ("adi", "cacm", "cisi", "cranfield", "medline", "npl")
TEXT_RUNS = ("lsi100", "coord")
ONE_SIZE, SMALLEST = 9, 6  # classes of icons: those of nine, and those of six or more


@dataclass(frozen=True, eq=False)
class Sample:
    """Queries drawn: precision at recall levels and AP of each, and the class of each where classes were drawn."""

    curves: FloatArray
    scores: FloatArray
    classes: list[str] | None


@dataclass(frozen=True, eq=False)
class Population:
    """All queries of one run on one collection; with `classes`, whole classes are drawn."""

    source: str
    run: str
    curves: FloatArray
    scores: FloatArray
    classes: tuple[str, ...] | None = None

    @cached_property
    def _members(self) -> list[IntArray]:
        """The queries of each unit."""
        if self.classes is None:
            return [np.array([row]) for row in range(len(self.curves))]
        number = class_numbers(self.classes)
        return [np.flatnonzero(number == each) for each in range(int(number.max()) + 1)]

    @property
    def units(self) -> int:
        return len(self._members)

    def every(self, step: int) -> Population:
        """Every so manyth query."""
        classes = None if self.classes is None else self.classes[::step]
        return replace(self, curves=self.curves[::step], scores=self.scores[::step], classes=classes)

    def sample(self, chance: np.random.Generator, units: int) -> Sample:
        """So many units, drawn with replacement; a class drawn twice counts as two."""
        chosen = [self._members[unit] for unit in chance.integers(0, self.units, units).tolist()]
        rows = np.concatenate(chosen)
        names = [str(unit) for unit, members in enumerate(chosen) for _ in members]
        return Sample(self.curves[rows], self.scores[rows], None if self.classes is None else names)


def populations() -> Iterator[Population]:
    """Every population of which the data are there."""
    yield from _runs("Robust 2003", DATA / "trec-robust03" / "qrels.txt.gz", ROBUST_RUNS)
    for name in TEXTS:
        yield from _runs(name, DATA / "text" / name / "qrels.txt", TEXT_RUNS)
    yield from class_populations()


def class_populations() -> Iterator[Population]:
    """Those whose units are classes."""
    yield from _icons()
    yield from _corel()


def _runs(source: str, qrels: Path, wanted: tuple[str, ...]) -> Iterator[Population]:
    paths = {path.name.partition(".")[0]: path for path in (qrels.parent / "runs").glob("*.gz")}
    chosen = {name: paths[name] for name in wanted if name in paths}
    if chosen:
        for each in evaluate(qrels, chosen, "AP").systems:
            yield _population(source, each.ranks)


def _icons() -> Iterator[Population]:
    if (DATA / "icons20k").is_dir():
        data = icons()
        size = np.bincount(data.classes[data.classes >= 0])
        yield _classed("icons20k, classes of 9", "pixels", data.vectors, data.classes, size == ONE_SIZE)
        yield _classed("icons20k, classes of 6 to 308", "pixels", data.vectors, data.classes, size >= SMALLEST)


def _corel() -> Iterator[Population]:
    """All photos are ranked; every fifth is a query, so that samples of a hundred classes stay small."""
    if (DATA / "corel1k").is_dir():
        data = corel1k()
        every = np.ones(int(data.classes.max()) + 1, dtype=np.bool_)
        for metric in ("l1", "cosine"):
            population = _classed("Corel-1k", f"colours, {metric}", data.vectors, data.classes, every, metric)
            yield population.every(5)


def _classed(
    source: str, run: str, vectors: FloatArray, classes: IntArray, chosen: BoolArray, metric: str = "cosine"
) -> Population:
    """Members of the classes chosen are queries; all other items are distractors."""
    asked = (classes >= 0) & chosen[classes]
    ranks = nearest_ranks(vectors, np.where(asked, classes, -1), metric, system=run)
    return _population(source, ranks, ranks.classes)


def _population(source: str, ranks: RelevantRanks, classes: tuple[str, ...] | None = None) -> Population:
    counted = ranks.take(np.flatnonzero(ranks.relevant > 0))
    curves = precision_at_recall(counted, LEVELS).values
    return Population(source, ranks.system, curves, AP().of(counted), classes)
