"""Features from files: .npy (memory-mapped), .npz, Parquet and Arrow, with labels inside or in a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import Archive, read_npy
from rankscope.inputs.features import Features
from rankscope.inputs.formats.columnar import is_reduction
from rankscope.inputs.formats.frames import read_frame
from rankscope.inputs.label_files import read_labels, read_list
from rankscope.inputs.tables import find_column, listed_columns
from rankscope.names import name_of, visible
from rankscope.wording import setting_usage

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
        known = None if names is None else [str(each) for each in _plain(names)]
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
    return _reader(file)(file, label_column, id_column)


def _plain(values: Any) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _reader(file: Path) -> Callable[[Path, str | None, str | None], FileContents]:
    readers = {
        ".npy": _from_npy,
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
    return reader


def _from_npy(file: Path, label: str | None, name: str | None) -> FileContents:
    return FileContents(read_npy(file))


def _from_npz(file: Path, label: str | None, name: str | None) -> FileContents:
    """Only the arrays that are needed: others may be large."""
    stored = Archive.of(file)
    matrix = _first(stored, VECTOR)
    if matrix is None:
        raise InputError.of(name_of(file), [f"has no array 'features'; arrays: {', '.join(stored.names) or 'none'}"])
    labels, ids = (_named(stored, given, usual) for given, usual in ((label, LABEL), (name, ID)))
    metric = _first(stored, ("metric",))
    taken = _taken(file, "array", {"labels": _key(stored, label, LABEL), "ids": _key(stored, name, ID)})
    return FileContents(
        matrix=matrix,
        labels=labels,
        ids=ids,
        split=_first(stored, SPLIT),
        metric="" if metric is None else str(metric),
        taken=taken,
    )


def _key(stored: Archive, given: str | None, usual: Sequence[str]) -> str | None:
    return given or next((name for name in usual if name in stored), None)


def _taken(file: Path, what: str, chosen: dict[str, str | None]) -> str:
    """Which columns or arrays were taken for labels and names."""
    said = [f"{name} from {what} '{each}'" for name, each in chosen.items() if each is not None]
    return f"{name_of(file)}: {', '.join(said)}" if said else ""


def _first(stored: Archive, names: Sequence[str]) -> NDArray[Any] | None:
    return next((stored.array(name) for name in names if name in stored), None)


def _named(stored: Archive, given: str | None, usual: Sequence[str]) -> Any:
    if given is not None and given not in stored:
        raise InputError.of(name_of(stored.path), [f"has no '{given}'; there are: {', '.join(stored.names)}"])
    return _first(stored, usual if given is None else (given,))


def _from_table(file: Path, label: str | None, name: str | None) -> FileContents:
    frame = read_frame(file)
    if is_reduction(frame):
        told = "Ranks are made already; give the features that they were made from."
        raise InputError.of(name_of(file), ["is a saved reduction (*.ranks.parquet), it has no features"], told)
    missing = [each for each in (label, name) if each is not None and each not in frame.columns]
    if missing:
        raise InputError.of(name_of(file), [f"has no column '{each}'" for each in missing], _columns(frame))
    chosen = {
        "labels": label or find_column(frame, LABEL),
        "ids": name or find_column(frame, ID),
        "split": find_column(frame, SPLIT),
    }
    rest = frame.drop([each for each in chosen.values() if each is not None])
    there = {what: None if each is None else frame.get_column(each).to_list() for what, each in chosen.items()}
    return FileContents(
        _matrix(rest, file), there["labels"], there["ids"], there["split"], taken=_taken(file, "column", chosen)
    )


def _columns(frame: pl.DataFrame) -> str:
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
        raise InputError.of(name_of(file), ["has neither a column of vectors nor columns of numbers"], _columns(frame))
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
