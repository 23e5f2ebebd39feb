"""Many descriptors on one collection: describe all pictures, rank them exactly, note what it cost; a stopped benchmark
goes on.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic, made_folder
from rankscope.core.names import visible
from rankscope.engines.images.contenders import Contender, Step
from rankscope.engines.images.describing import Described, package_versions, save_features
from rankscope.engines.images.image import MAX_PIXELS, Source
from rankscope.engines.images.picture_set import PictureSet, Progress, open_pictures
from rankscope.inputs.array_files import Archive
from rankscope.inputs.collections.collection import Collection
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import SUFFIX, load_ranks, save_ranks

STEPS = "descriptors"
DESCRIBING = 0.8  # of the time of one contender, for the line of progress


@dataclass(frozen=True, eq=False)
class ContenderTrial:
    """One contender: the ranks it gave, and what it cost in milliseconds of processor time."""

    contender: Contender
    store: BenchmarkStore
    ranks: RelevantRanks
    values: int  # numbers that describe a picture
    metric: str
    describe_ms: float
    query_ms: float

    @property
    def name(self) -> str:
        return str(self.contender)

    def first(self, queries: IntArray, count: int = 10) -> FirstResults:
        """The first results of a few queries, by position; the query itself is left out, ties stand in order."""
        distances = self.contender.distances(self.store.matrix(self.contender))(queries)
        distances[np.arange(queries.size), queries] = np.inf
        order = np.argsort(distances, axis=1, kind="stable")[:, : min(count, distances.shape[1] - 1)]
        return FirstResults(order, np.take_along_axis(distances, order, axis=1))


@dataclass(frozen=True, eq=False)
class FirstResults:
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
        return tuple(trial.ranks for trial in self.trials)

    def rows(self, ids: Sequence[str]) -> IntArray:
        """Positions of pictures by their names."""
        place = {name: row for row, name in enumerate(self.pictures.ids)}
        return np.array([place[name] for name in ids], dtype=np.int64)


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
    files: dict[str, str] = {}
    for each in map(str, contenders):
        other = files.setdefault(plain_name(each), each)
        if other != each:
            raise SettingError(f"{each} and {other} would go into one file: try them in two folders")
    if not files:
        raise SettingError("a benchmark needs a descriptor")
    store = BenchmarkStore.at(folder, whole)
    missing = [each for each in contenders if not store.has(each)]
    kept, sources, problems = _read_pictures(store, bool(missing), threads, progress)
    asked = kept.queries(queries)

    def step(first: float, last: float) -> Step | None:
        """Progress from one contender to another, as a part of the whole."""

        def show(done: int, whole: int) -> None:
            assert progress is not None
            first_share, last_share = first / len(contenders), last / len(contenders)
            progress(STEPS, first_share + (last_share - first_share) * done / max(whole, 1))

        return None if progress is None else show

    trials = []
    for number, contender in enumerate(contenders):
        if contender in missing:
            result = contender.vectors(sources, threads, step(number, number + DESCRIBING))
            store.keep(contender, result.described, kept, result.milliseconds)
        trials.append(_ranked_contender(store, contender, kept, asked, threads, step(number + DESCRIBING, number + 1)))
    return Benchmark(
        pictures=kept, trials=tuple(trials), queries=asked, problems=problems, reused=len(contenders) - len(missing)
    )


def _read_pictures(
    store: BenchmarkStore, needed: bool, threads: int | None, progress: Progress | None
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


def _ranked_contender(
    store: BenchmarkStore,
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


# What a benchmark has done so far, in its folder: a stopped one goes on, and a second run is quick.

FEATURES_FOLDER = "features"
BENCHMARK_RECORD = "record.json"  # times, and pictures that cannot be read


@dataclass(frozen=True)
class BenchmarkStore:
    """The folder of a benchmark, for one set of pictures. Everything in it is known by a digest of what made it."""

    folder: Path
    pictures: PictureSet

    @classmethod
    def at(cls, folder: str | Path, pictures: PictureSet) -> BenchmarkStore:
        """The folder is made if it is not there."""
        made_folder(Path(folder) / FEATURES_FOLDER)
        return cls(Path(folder), pictures)

    def key(self, contender: Contender) -> str:
        """Tells whether features made before are those wanted: same pictures, descriptor and packages."""
        made_by = {"contender": str(contender), "pictures": self.pictures.digest, "versions": package_versions()}
        return digest_of(made_by)[:16]

    # vectors

    def features_path(self, contender: Contender) -> Path:
        return self.folder / FEATURES_FOLDER / f"{plain_name(str(contender))}-{self.key(contender)}.npz"

    def has(self, contender: Contender) -> bool:
        return self.problems() is not None and self.features_path(contender).is_file()

    def matrix(self, contender: Contender) -> NDArray[Any]:
        path = self.features_path(contender)
        try:
            return Archive.of(path).array("features")
        except InputError as error:
            raise InputError.of(visible(str(path)), error.reports[0].problems, "Remove it: it is made again.") from None

    def keep(self, contender: Contender, described: Described, kept: PictureSet, milliseconds: float) -> None:
        """Write the vectors, then the time they took."""
        settings = {"benchmark": self.key(contender), "collection": self.pictures.name}
        save_features(described, self.features_path(contender), kept.ids, kept.labels, settings)
        self._note(contender, describe=milliseconds)

    # ranks

    def ranks_path(self, contender: Contender) -> Path:
        return self.folder / f"{plain_name(str(contender))}{SUFFIX}"

    def ranks(self, contender: Contender, queries: Sequence[str]) -> RelevantRanks | None:
        """Ranks made before from the same vectors and for the same queries."""
        path = self.ranks_path(contender)
        if not path.is_file():
            return None
        try:
            found = load_ranks(path)
        except InputError:
            return None
        return found if found.provenance.get("benchmark") == self._ranks_key(contender, queries) else None

    def keep_ranks(
        self, contender: Contender, ranks: RelevantRanks, queries: Sequence[str], milliseconds: float
    ) -> RelevantRanks:
        """Write the ranks with the key they are known by, then the time of one query."""
        marked = replace(ranks, provenance={**ranks.provenance, "benchmark": self._ranks_key(contender, queries)})
        save_ranks(marked, self.ranks_path(contender))
        self._note(contender, query=milliseconds)
        return marked

    def _ranks_key(self, contender: Contender, queries: Sequence[str]) -> dict[str, str]:
        asked = hashlib.sha256("\n".join(queries).encode()).hexdigest()[:16]
        return {"collection": self.pictures.name, "features": self.key(contender), "queries": asked}

    # what is no array

    def problems(self) -> tuple[tuple[str, str], ...] | None:
        """Which pictures cannot be read and why; None if that is not known yet."""
        found = self._record().get("pictures", {}).get(self.pictures.digest)
        return None if found is None else tuple((name, what) for name, what in found)

    def note_problems(self, problems: Sequence[tuple[str, str]]) -> None:
        record = self._record()
        record.setdefault("pictures", {})[self.pictures.digest] = [list(each) for each in problems]
        self._write(record)

    def milliseconds(self, contender: Contender, what: str) -> float:
        """Processor time of one picture (`describe`) or one query (`query`); NaN if it was not noted."""
        return float(self._record().get("times", {}).get(self.key(contender), {}).get(what, math.nan))

    def _note(self, contender: Contender, **milliseconds: float) -> None:
        record = self._record()
        record.setdefault("times", {}).setdefault(self.key(contender), {}).update(milliseconds)
        self._write(record)

    def _record(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / FEATURES_FOLDER / BENCHMARK_RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, record: dict[str, Any]) -> None:
        with atomic(self.folder / FEATURES_FOLDER / BENCHMARK_RECORD) as file:
            file.write(json.dumps(record, indent=1, sort_keys=True) + "\n")


def plain_name(text: str) -> str:
    """A name without signs that a shell or a file system reads.

    >>> plain_name("lbp(grid=4)")
    'lbp-grid-4'
    """
    return re.sub(r"[^\w.-]+", "-", text).strip("-")
