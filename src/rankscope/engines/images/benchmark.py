"""Many descriptors on one collection: describe all pictures, rank them exactly, note what it cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.collections.collection import Collection
from rankscope.engines.images.benchmark_store import Store, plain
from rankscope.engines.images.clocked import Step
from rankscope.engines.images.contender import Contender
from rankscope.engines.images.decoding import MAX_PIXELS, Source
from rankscope.engines.images.picture_set import PictureSet, Progress, as_rows, open_pictures, shares_of
from rankscope.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

STEPS = "descriptors"
DESCRIBING = 0.8  # of the time of one contender, for the line of progress


@dataclass(frozen=True, eq=False)
class ContenderTrial:
    """One contender: the ranks it gave, and what it cost in milliseconds of processor time."""

    contender: Contender
    store: Store
    ranks: RelevantRanks
    values: int  # numbers that describe a picture
    metric: str
    describe_ms: float
    query_ms: float

    @property
    def name(self) -> str:
        """As people write it."""
        return str(self.contender)

    def first(self, queries: IntArray, count: int = 10) -> First:
        """The first results of a few queries, by position; the query itself is left out, ties stand in order."""
        distances = self.contender.distances(self.store.matrix(self.contender))(queries)
        distances[np.arange(queries.size), queries] = np.inf
        order = np.argsort(distances, axis=1, kind="stable")[:, : min(count, distances.shape[1] - 1)]
        return First(order, np.take_along_axis(distances, order, axis=1))


@dataclass(frozen=True, eq=False)
class First:
    """First results: one row for each query."""

    items: IntArray
    distances: FloatArray


@dataclass(frozen=True, eq=False)
class Benchmark:
    """All trials on the readable pictures of a collection; `problems` names the others and says why."""

    pictures: PictureSet
    trials: tuple[ContenderTrial, ...]
    queries: IntArray  # positions of the pictures asked
    problems: tuple[tuple[str, str], ...] = ()
    reused: int = 0  # contenders whose vectors lay in the folder

    @cached_property
    def ranks(self) -> tuple[RelevantRanks, ...]:
        """Of all trials."""
        return tuple(trial.ranks for trial in self.trials)

    def rows(self, ids: Sequence[str]) -> IntArray:
        """Positions of pictures by their names."""
        return as_rows(self.pictures.ids, ids)


def benchmark(
    collection: Collection | PictureSet,
    contenders: Sequence[Contender],
    folder: str | Path,
    *,
    queries: str = "all",
    max_pixels: int = MAX_PIXELS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Try every contender on every picture, and keep vectors and ranks in a folder.

    What lies there from before, made from the same pictures by the same contender, is not made again. Pictures that
    cannot be read, or have more than `max_pixels`, are left out and named. `queries`: all that have a class mate,
    `every N` of them, or a file.
    """
    whole = collection if isinstance(collection, PictureSet) else PictureSet.of(collection, max_pixels)
    _check(contenders)
    store = Store.at(folder, whole)
    missing = [each for each in contenders if not store.has(each)]
    kept, sources, problems = _read(store, bool(missing), threads, progress)
    asked = kept.queries(queries)
    trials = []
    for number, contender in enumerate(contenders):
        ends = number / len(contenders), (number + DESCRIBING) / len(contenders), (number + 1) / len(contenders)
        if contender in missing:
            step = shares_of(progress, STEPS, *ends[:2])
            result = contender.vectors(sources, threads, step)
            store.keep(contender, result.described, kept, result.milliseconds)
        trials.append(_ranked(store, contender, kept, asked, threads, shares_of(progress, STEPS, *ends[1:])))
    return Benchmark(
        pictures=kept, trials=tuple(trials), queries=asked, problems=problems, reused=len(contenders) - len(missing)
    )


def _check(contenders: Sequence[Contender]) -> None:
    files: dict[str, str] = {}
    for each in map(str, contenders):
        other = files.setdefault(plain(each), each)
        if other != each:
            raise SettingError(f"{each} and {other} would go into one file: try them in two folders")
    if not files:
        raise SettingError("a benchmark needs a descriptor")


def _read(
    store: Store, needed: bool, threads: int | None, progress: Progress | None
) -> tuple[PictureSet, tuple[Source, ...], tuple[tuple[str, str], ...]]:
    """The readable pictures; decoded only if something has to be described."""
    known = store.problems()
    if known is not None and not needed:
        broken = {name for name, _ in known}
        rows = [row for row, name in enumerate(store.pictures.ids) if name not in broken]
        return store.pictures.take(np.array(rows, dtype=np.int64)), (), known
    found = open_pictures(store.pictures, threads=threads, progress=progress)
    store.note_problems(found.problems)
    return found.pictures, found.sources, found.problems


def _ranked(
    store: Store,
    contender: Contender,
    kept: PictureSet,
    asked: IntArray,
    threads: int | None,
    step: Step | None,
) -> ContenderTrial:
    names = [kept.ids[row] for row in asked.tolist()]
    matrix = store.matrix(contender)
    ranks = store.ranks(contender, names)
    if ranks is None:
        before = time.process_time()
        result = contender.ranks(matrix, kept.labels, kept.ids, asked, threads, step)
        spent = time.process_time() - before
        ranks = store.keep_ranks(contender, result, names, 1000 * spent / asked.size)
    elif step is not None:
        step(1, 1)
    return ContenderTrial(
        contender=contender,
        store=store,
        ranks=ranks,
        values=matrix.shape[1],
        metric=contender.metric,
        describe_ms=store.milliseconds(contender, "describe"),
        query_ms=store.milliseconds(contender, "query"),
    )
