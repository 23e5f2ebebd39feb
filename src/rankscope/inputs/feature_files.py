"""Features from files: .npy (memory-mapped), .npz, Parquet and Arrow, with labels inside or in a file of their own;
from one file, or from several as one collection, in byte order of their names.

`.npy` files stay where they are and are mapped; others are unpacked, into files where they must not fill the memory.
Whatever is wrong with any of them is told at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.columns import plain_name
from rankscope.core.errors import InputError
from rankscope.core.files import atomic
from rankscope.core.names import name_of, visible
from rankscope.core.wording import setting_usage
from rankscope.inputs.array_files import Archive, read_npy
from rankscope.inputs.features import Features, ItemFacts, LabelledItems, checked_matrix, listed_values, row_parts
from rankscope.inputs.formats.columnar import is_reduction, read_frame
from rankscope.inputs.formats.delimited import read_delimited_table
from rankscope.inputs.parts import is_pattern, part_files
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.remote import is_remote
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import find_column, listed_columns

LABEL = ("label", "labels", "class", "classes", "category", "target")
ID = ("id", "ids", "item_id", "name", "item", "file", "path")
SPLIT = ("split", "role", "subset")
VECTOR = ("features", "feature", "vector", "embedding", "embeddings", "x")


@dataclass(frozen=True)
class FileContents:
    """What a file holds."""

    matrix: NDArray[Any]
    labels: Any = None
    ids: Any = None
    split: Any = None
    metric: str = ""
    taken: str = ""


def read_features(
    path: str | Path,
    *,
    labels: str | Path | None = None,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    queries: str | Path | Iterable[Any] | None = None,
    junk_labels: Iterable[Any] = (),
) -> Features:
    """Features from a file; raises `InputError` with every problem.

    `.npy` holds the matrix alone and is not read into memory; labels come from a file of their own: one per line,
    `.npy`, or a table with an id and a label. `.npz` holds the arrays features, labels, ids and split, perhaps the
    metric that goes with them; a mean and sd only tell how the features were scaled before. Parquet and Arrow hold a
    column of vectors, or one column per feature, next to label, id and split. `label_column` names the column of the
    label file where there is one, else of the features; `id_column` that of the features, or of the label file where
    these have no names. `queries` is a file of ids, one per line, or the ids themselves.
    """
    file = Path(path)
    found = read_contents(file, None if labels is not None else label_column, id_column)
    names = found.ids
    if labels is not None:
        plain = names.tolist() if isinstance(names, np.ndarray) else names
        known = None if plain is None else [str(each) for each in plain]
        given = read_labels(labels, known, label_column, id_column if names is None else None)
        names = given.ids if names is None else names
        found = replace(found, labels=given.labels, ids=names, taken=given.taken)
    if found.labels is None:
        raise InputError.of(name_of(file), ["has no labels"], advice_on_labels())
    asked = read_list(queries) if isinstance(queries, str | Path) else queries
    try:
        features = Features.of(
            found.matrix,
            found.labels,
            found.ids,
            separator=separator,
            split=found.split,
            queries=asked,
            junk_labels=junk_labels,
        )
        return replace(features, metric=found.metric, taken=found.taken)
    except InputError as error:
        report = error.reports[0]
        raise InputError.of(name_of(file), list(report.problems), report.advice, report.count) from None


def advice_on_labels() -> str:
    """What to do where features have no labels."""
    file, column = setting_usage("labels", "FILE"), setting_usage("label_column", "NAME")
    return f"Give them with {file}, or name their column with {column}."


def read_contents(file: Path, label_column: str | None = None, id_column: str | None = None) -> FileContents:
    """What one file holds, not yet checked."""
    readers: dict[str, Callable[[Path, str | None, str | None], FileContents]] = {
        ".npy": lambda file, label, name: FileContents(read_npy(file)),
        ".npz": _from_npz,
        ".parquet": _from_table,
        ".pq": _from_table,
        ".arrow": _from_table,
        ".feather": _from_table,
        ".ipc": _from_table,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        known = ", ".join(readers)
        raise InputError.of(name_of(file), [f"features are read from {known}, got '{file.suffix}'"])
    if not file.is_file():
        raise InputError.of(name_of(file), ["cannot be read: No such file"], f"Looked for {visible(str(file))}")
    return reader(file, label_column, id_column)


def _from_npz(file: Path, label: str | None, name: str | None) -> FileContents:
    """Only the arrays that are needed: others may be large."""
    stored = Archive.of(file)
    matrix = _first_array(stored, VECTOR)
    if matrix is None:
        raise InputError.of(name_of(file), [f"has no array 'features'; arrays: {', '.join(stored.names) or 'none'}"])
    labels, ids = (_named_array(stored, given, usual) for given, usual in ((label, LABEL), (name, ID)))
    metric = _first_array(stored, ("metric",))
    taken = _taken_columns(file, "array", {"labels": _key(stored, label, LABEL), "ids": _key(stored, name, ID)})
    return FileContents(
        matrix=matrix,
        labels=labels,
        ids=ids,
        split=_first_array(stored, SPLIT),
        metric="" if metric is None else str(metric),
        taken=taken,
    )


def _key(stored: Archive, given: str | None, usual: Sequence[str]) -> str | None:
    return given or next((name for name in usual if name in stored), None)


def _taken_columns(file: Path, what: str, chosen: dict[str, str | None]) -> str:
    """Which columns or arrays were taken for labels and names."""
    said = [f"{name} from {what} '{each}'" for name, each in chosen.items() if each is not None]
    return f"{name_of(file)}: {', '.join(said)}" if said else ""


def _first_array(stored: Archive, names: Sequence[str]) -> NDArray[Any] | None:
    return next((stored.array(name) for name in names if name in stored), None)


def _named_array(stored: Archive, given: str | None, usual: Sequence[str]) -> Any:
    if given is not None and given not in stored:
        raise InputError.of(name_of(stored.path), [f"has no '{given}'; there are: {', '.join(stored.names)}"])
    return _first_array(stored, usual if given is None else (given,))


def _from_table(file: Path, label: str | None, name: str | None) -> FileContents:
    frame = read_frame(file)
    if is_reduction(frame):
        told = "Ranks are made already; give the features that they were made from."
        raise InputError.of(name_of(file), ["is a saved reduction (*.ranks.parquet), it has no features"], told)
    missing = [each for each in (label, name) if each is not None and each not in frame.columns]
    if missing:
        raise InputError.of(name_of(file), [f"has no column '{each}'" for each in missing], _advice_on_columns(frame))
    chosen = {
        "labels": label or find_column(frame, LABEL),
        "ids": name or find_column(frame, ID),
        "split": find_column(frame, SPLIT),
    }
    rest = frame.drop([each for each in chosen.values() if each is not None])
    there = {what: None if each is None else frame.get_column(each).to_list() for what, each in chosen.items()}
    return FileContents(
        _matrix(rest, file), there["labels"], there["ids"], there["split"], taken=_taken_columns(file, "column", chosen)
    )


def _advice_on_columns(frame: pl.DataFrame) -> str:
    return f"Columns: {listed_columns(frame)}"


def _matrix(frame: pl.DataFrame, file: Path) -> NDArray[Any]:
    """The one column of vectors, or all numeric columns side by side."""
    vectors = [each for each in frame.columns if isinstance(frame.schema[each], pl.List | pl.Array)]
    named = find_column(frame.select(vectors), VECTOR) if vectors else None
    if named is None and len(vectors) > 1:
        raise InputError.of(name_of(file), ["has several columns of vectors"], "Call one of them features.")
    if vectors:
        return _from_lists(frame.get_column(named or vectors[0]), file)
    numeric = [each for each in frame.columns if frame.schema[each].is_numeric()]
    if not numeric:
        raise InputError.of(
            name_of(file), ["has neither a column of vectors nor columns of numbers"], _advice_on_columns(frame)
        )
    holes = [each for each in numeric if frame.get_column(each).null_count()]
    if holes:
        raise InputError.of(name_of(file), [f"column '{each}' has empty cells" for each in holes])
    return frame.select(numeric).to_numpy()


def _from_lists(column: pl.Series, file: Path) -> NDArray[Any]:
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    lengths = column.list.len().fill_null(0).to_numpy()
    usual = int(lengths.max(initial=0))
    wrong = np.flatnonzero(lengths != usual).tolist()
    inner = column.explode() if not wrong else pl.Series([], dtype=pl.Float64)
    problems = [f"item {row}: {lengths[row]} features, others have {usual}" for row in wrong[:100]]
    if inner.null_count():
        problems.append(f"column '{column.name}' has empty values in its vectors")
    if problems:
        raise InputError.of(name_of(file), problems, total=len(wrong) + bool(inner.null_count()))
    return inner.to_numpy().reshape(len(column), usual)


# Labels and lists of ids from files: one per line, .npy, or a table with an id and a label.

TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class Labels:
    """A label for each item, and the items' names where the file has them."""

    labels: Sequence[Any]
    ids: Sequence[Any] | None = None
    taken: str = ""  # what of the file was taken for what, in words


def read_labels(
    path: str | Path, names: Sequence[str] | None = None, label_column: str | None = None, id_column: str | None = None
) -> Labels:
    """Labels in the order of the items; those of a table with ids are matched to `names`, where these are known.

    The columns of a table are found by their usual names, unless they are given.
    """
    file = Path(path)
    if file.suffix.lower() == ".npy":
        values = read_npy(file)
        if values.ndim != 1:
            raise InputError.of(name_of(file), [f"labels must be a list, got shape {values.shape}"])
        return Labels(values.tolist(), taken=f"{name_of(file)}: one label for each item, in their order")
    if file.suffix.lower() not in TABLES:
        return Labels(read_list(file), taken=f"{name_of(file)}: a label on each line, in the order of the items")
    frame = _table_of_labels(file, [each for each in (label_column, id_column) if each is not None])
    missing = [each for each in (label_column, id_column) if each is not None and each not in frame.columns]
    if missing:
        raise InputError.of(name_of(file), [f"has no column '{each}'" for each in missing], _advice_on_columns(frame))
    label, name = label_column or find_column(frame, LABEL), id_column or find_column(frame, ID)
    if label is None:
        raise InputError.of(name_of(file), [f"has no column called label; columns: {listed_columns(frame)}"])
    labels, taken = frame.get_column(label).to_list(), _taken_labels(file, frame, label, name, names is not None)
    if name is None:
        return Labels(labels, taken=taken)
    ids = [str(each) for each in frame.get_column(name).to_list()]
    return Labels(labels, ids, taken) if names is None else Labels(_matched(file, ids, labels, names), taken=taken)


def _taken_labels(file: Path, frame: pl.DataFrame, label: str, name: str | None, named: bool) -> str:
    """Which columns were taken for what, and which were not."""
    how = order = "rows in the order of the items"
    if name is not None:
        how = f"ids from column '{name}', " + ("matched to the items'" if named else order)
    rest = [each for each in frame.columns if each not in (label, name)]
    return f"{name_of(file)}: labels from column '{label}', {how}" + (f"; not read: {', '.join(rest)}" if rest else "")


def _matched(file: Path, ids: list[str], labels: list[Any], names: Sequence[str]) -> list[Any]:
    """Labels by name; a name that the table does not have has none, one that is there twice is a problem."""
    problems, known = Problems(name_of(file)), {}
    for row, (name, label) in enumerate(zip(ids, labels, strict=True), start=1):
        if name in known:
            problems.add(f"row {row}", f"id {shorten_value(name)} is there twice")
        known[name] = label
    for name in sorted(set(known) - set(names))[:20]:
        problems.add("", f"id {shorten_value(name)} is no item of the features")
    problems.raise_if_any()
    return [known.get(name) for name in names]


def _table_of_labels(file: Path, given: Sequence[str]) -> pl.DataFrame:
    """All columns; the header is known by the usual names, or by those that were given."""
    if file.suffix.lower() == ".parquet":
        return read_frame(file)
    problems, known = Problems(name_of(file)), frozenset((*LABEL, *ID, *map(plain_name, given)))
    table = read_delimited_table(Source(str(file)), problems, expected="id,label", known=known)
    problems.raise_if_any()
    return table.frame


def read_list(path: str | Path) -> list[str]:
    """The lines of a text file, blanks at their ends cut off; empty lines at the end do not count."""
    file = Path(path)
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError.of(name_of(file), [f"cannot be read: {reason}"], f"Looked for {visible(str(file))}") from None
    while lines and not lines[-1]:
        lines.pop()
    return lines


# Features in several files as one collection: a folder, a pattern, or several paths, in byte order of their names.

FACTS_OF_ITEMS = ("labels", "ids", "split")
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
    _check_alike(parts, several, FACTS_OF_ITEMS if labels is None else FACTS_OF_ITEMS[1:], problems)
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
        # Programs that write in parts leave empty files too, of whatever width.
        is_empty = contents.matrix.ndim == 2 and len(contents.matrix) == 0
        array = contents.matrix if is_empty else checked_matrix(contents.matrix, mine)
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
    facts: dict[str, Any] = {}
    for what in FACTS_OF_ITEMS:
        own = [getattr(each, what) for each in several]
        facts[what] = None if own[0] is None else [value for each in own for value in listed_values(each)]
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


class _Places:
    """Which file an item stands in, and where, in words."""

    def __init__(self, parts: Sequence[FeaturePart]) -> None:
        self.names = [part.name for part in parts]
        self.ends = np.cumsum([len(part.array) for part in parts])

    def __call__(self, row: int) -> str:
        number = int(np.searchsorted(self.ends, row, side="right"))
        if number == len(self.names):
            return f"item {row}"
        return f"{self.names[number]}, item {row - (int(self.ends[number - 1]) if number else 0)}"
