"""Features in several files as one collection: a folder, a pattern, or several paths, in byte order of their names.

`.npy` files stay where they are and are mapped; others are unpacked, into files where they must not fill the memory.
Whatever is wrong with any of them is told at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import InputError
from rankscope.files import atomic
from rankscope.inputs.checks import Problems
from rankscope.inputs.feature_checks import checked_matrix, list_of, row_parts
from rankscope.inputs.feature_files import FileContents, advice_on_labels, read_contents
from rankscope.inputs.features import Features, ItemFacts, LabelledItems
from rankscope.inputs.label_files import read_labels, read_list
from rankscope.inputs.part_files import part_files
from rankscope.inputs.sources import Source
from rankscope.names import name_of

FACTS = ("labels", "ids", "split")
Keep = Callable[[NDArray[Any], str], "FeaturePart"]


@dataclass(frozen=True, eq=False)
class FeaturePart:
    """The features of one file; `path` where they are mapped from an .npy file."""

    name: str
    array: NDArray[Any]
    path: Path | None = None


def in_memory(array: NDArray[Any], name: str) -> FeaturePart:
    """What was unpacked stays in memory."""
    return FeaturePart(name, array)


@dataclass
class Unpacking:
    """What is unpacked stays in memory up to so many bytes in all, and goes into files of a folder from then on."""

    folder: Path
    most: int
    held: int = 0
    written: int = 0

    def __call__(self, array: NDArray[Any], name: str) -> FeaturePart:
        """Features of a file that cannot be mapped."""
        if self.held + array.nbytes <= self.most:
            self.held += array.nbytes
            return FeaturePart(name, array)
        path = self.folder.resolve() / f"features-{self.written}.npy"
        with atomic(path, "wb") as stream:
            np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
        self.written += 1
        return FeaturePart(name, np.load(path, mmap_mode="r", allow_pickle=False), path)


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureParts(LabelledItems):
    """Items whose features lie in several tables, one behind the other."""

    parts: tuple[FeaturePart, ...]

    def tables(self) -> Iterator[NDArray[Any]]:
        """A few million features at a time."""
        return chain.from_iterable(row_parts(part.array) for part in self.parts)

    @property
    def width(self) -> int:
        """How many features an item has."""
        return int(self.parts[0].array.shape[1])

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of the features."""
        return self.parts[0].array.dtype

    @property
    def nbytes(self) -> int:
        """How many bytes all features take."""
        return sum(part.array.nbytes for part in self.parts)

    def joined(self) -> Features:
        """The same with all features in one table, in memory unless there is only one file."""
        arrays = [part.array for part in self.parts]
        return Features(
            matrix=arrays[0] if len(arrays) == 1 else np.concatenate(arrays),
            several=self.several,
            ids=self.ids,
            queries=self.queries,
            gallery=self.gallery,
            metric=self.metric,
            taken=self.taken,
        )


def are_parts(features: Any) -> bool:
    """Whether something names several files: a list of paths, a folder, a pattern, or something elsewhere.

    >>> are_parts(["a.npy", "b.npy"]), are_parts("features-*.npy"), are_parts("features.npz"), are_parts([[0.5]])
    (True, True, False, False)
    """
    from rankscope.inputs.part_files import is_pattern
    from rankscope.inputs.remote import is_remote

    if isinstance(features, list | tuple):
        return bool(features) and all(isinstance(each, str | Path) for each in features)
    return isinstance(features, str | Path) and (is_remote(features) or is_pattern(features) or os.path.isdir(features))


def read_feature_parts(
    paths: Sequence[str | Path],
    *,
    labels: str | Path | None = None,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    queries: str | Path | Iterable[Any] | None = None,
    junk_labels: Iterable[Any] = (),
    keep: Keep = in_memory,
) -> FeatureParts:
    """Features from several files; raises `InputError` with every problem of every file.

    Labels, ids and splits lie in all files or in none; labels may also lie in a file of their own, in the order of the
    items or with their ids. The other choices are those of `read_features`. `keep` has what cannot be mapped.
    """
    files = _files_of(paths, without=labels)
    problems = Problems(name_of(str(paths[0]).rstrip("/")) if len(paths) == 1 else f"{len(files)} files")
    columns = None if labels is not None else label_column, id_column
    read = [_read_part(source, name, columns, keep, problems) for name, source in files]
    found = [(part, contents) for part, contents in filter(None, read) if len(part.array)]
    if not found and not problems.any:
        problems.add("", "no file holds any features")
    parts, several = [part for part, _ in found], [contents for _, contents in found]
    _check_alike(parts, several, FACTS if labels is None else FACTS[1:], problems)
    problems.raise_if_any()
    facts, taken = _facts_of(parts, several, labels, label_column, id_column)
    about = ItemFacts(
        labels=facts["labels"],
        ids=facts["ids"],
        separator=separator,
        split=facts["split"],
        queries=read_list(queries) if isinstance(queries, str | Path) else queries,
        junk_labels=junk_labels,
    )
    checked = about.checked(sum(len(part.array) for part in parts), problems, _Places(parts))
    problems.raise_if_any()
    metric = next((each.metric for each in several if each.metric), "")
    return FeatureParts(parts=tuple(parts), metric=metric, taken=taken, **checked)


def _files_of(paths: Sequence[str | Path], without: str | Path | None) -> list[tuple[str, Source]]:
    """Name and file of each part, in byte order; a file of labels among them is none."""
    found: list[tuple[str, Source]] = []
    for path in paths:
        files = part_files(path)
        if files is None:
            source = Source.of(path)
            found.append((source.name, source))
        else:
            found += zip(files.names, files.parts, strict=True)
    labels = None if without is None else os.path.realpath(without)
    kept = [(name, each) for name, each in found if labels is None or os.path.realpath(each.address) != labels]
    if len({name for name, _ in kept}) < len(kept):
        kept = [(each.address, each) for _, each in kept]
    return sorted(kept, key=lambda pair: os.fsencode(pair[0]))


def _read_part(
    source: Source, name: str, columns: tuple[str | None, str | None], keep: Keep, problems: Problems
) -> tuple[FeaturePart, FileContents] | None:
    """One file, checked by itself; None where it cannot be read."""
    mine = Problems(name)
    try:
        file = Path(source.path)
        contents = read_contents(file, *columns)
        array = checked_matrix(contents.matrix, mine) if _has_rows(contents.matrix) else contents.matrix
    except InputError as error:
        for report in error.reports:
            for problem in report.problems:
                mine.add(problem.place, problem.what, report.advice)
            mine.more(report.count - len(report.problems))
    problems.take_over(mine, file=name)
    if mine.any:
        return None
    is_mapped = file.suffix.lower() == ".npy" and source.address == source.path and array.dtype == contents.matrix.dtype
    return FeaturePart(name, array, file.resolve()) if is_mapped else keep(array, name), contents


def _has_rows(matrix: NDArray[Any]) -> bool:
    """Programs that write in parts leave empty files too, of whatever width."""
    return not (matrix.ndim == 2 and len(matrix) == 0)


def _check_alike(
    parts: Sequence[FeaturePart], several: Sequence[FileContents], facts: Sequence[str], problems: Problems
) -> None:
    """All files have the same features, and all have ids, labels and splits or none."""
    for part, contents in zip(parts, several, strict=True):
        first, width, kind = parts[0], part.array.shape[1], part.array.dtype
        if width != first.array.shape[1]:
            problems.add(part.name, f"{width} features, {first.name} has {first.array.shape[1]}")
        if kind != first.array.dtype:
            problems.add(part.name, f"features of type {kind}, those of {first.name} are {first.array.dtype}")
        for what in facts:
            mine, theirs = getattr(contents, what), getattr(several[0], what)
            if (mine is None) != (theirs is None):
                other = first.name if mine is None else part.name
                problems.add(part.name if mine is None else first.name, f"has no {what}, {other} has")
            if mine is not None and len(mine) != len(part.array):
                problems.add(part.name, f"{len(part.array)} rows of features, but {len(mine)} {what}")
        if contents.metric != several[0].metric:
            problems.add(part.name, f"names the metric '{contents.metric}', {first.name} '{several[0].metric}'")


def _facts_of(
    parts: Sequence[FeaturePart],
    several: Sequence[FileContents],
    labels: str | Path | None,
    label_column: str | None,
    id_column: str | None,
) -> tuple[dict[str, Any], str]:
    """Labels, ids and splits of all files one behind the other, and what was taken for them, in words."""
    facts: dict[str, Any] = {what: _behind_each_other([getattr(each, what) for each in several]) for what in FACTS}
    taken = several[0].taken
    if taken and len(parts) > 1:
        taken = f"{taken}, and so of {len(parts) - 1} more"
    if labels is not None:
        names = facts["ids"]
        known = None if names is None else [str(each) for each in names]
        given = read_labels(labels, known, label_column, id_column if names is None else None)
        facts |= {"labels": given.labels, "ids": given.ids if names is None else names}
        taken = given.taken
    if facts["labels"] is None:
        raise InputError.of(", ".join(part.name for part in parts), ["no labels"], advice_on_labels())
    return facts, taken


def _behind_each_other(several: Sequence[Any]) -> list[Any] | None:
    return None if several[0] is None else [entry for each in several for entry in list_of(each)]


class _Places:
    """Which file an item stands in, and where, in words."""

    def __init__(self, parts: Sequence[FeaturePart]) -> None:
        self.names = [part.name for part in parts]
        self.ends = np.cumsum([len(part.array) for part in parts])

    def __call__(self, row: int) -> str:
        """As messages call the item."""
        number = int(np.searchsorted(self.ends, row, side="right"))
        if number == len(self.names):
            return f"item {row}"
        return f"{self.names[number]}, item {row - (int(self.ends[number - 1]) if number else 0)}"
