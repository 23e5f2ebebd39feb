"""RelevantRanks in one Parquet file, `*.ranks.parquet`: one row per query, lists in cells, the rest as metadata.

Equal inputs give equal bytes. Every command accepts such a file in place of QRELS RUN.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.errors import InputError
from rankscope.files import atomic
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

SCHEMA = 1
SUFFIX = ".ranks.parquet"
KEY = "rankscope"
LISTS: dict[str, tuple[str, ...]] = {
    "judged": ("rank", "grade", "score"),
    "pooled": ("rank", "grade", "score"),
    "levels": ("grade", "count"),
    "ties": ("start", "size"),
    "distractors": ("score", "lot"),
}
FLOATS = ("grade", "score")


def is_saved_ranks(path: str) -> bool:
    """Whether a path names a saved reduction."""
    return path.lower().endswith(SUFFIX)


def save_ranks(ranks: RelevantRanks, path: str | Path) -> None:
    """Write a reduction, whole or not at all."""
    rows = len(ranks)
    columns: list[pl.Series] = [
        pl.Series("query", ranks.queries, dtype=pl.String),
        pl.Series("answered", ranks.answered, dtype=pl.Boolean),
        pl.Series("depth", ranks.depth, dtype=pl.Int64),
        pl.Series("collection", ranks.collection, dtype=pl.Int64),
        pl.Series("class", ranks.classes or [None] * rows, dtype=pl.String),
    ]
    if ranks.left_out is not None:
        columns.append(pl.Series("left_out", ranks.left_out, dtype=pl.Int64))
    for name, inner in LISTS.items():
        lists: Ragged | None = getattr(ranks, name)
        if lists is not None:
            columns += [_as_lists(f"{name}_{each}", lists, each) for each in inner if each in lists]
    about = {
        "schema": SCHEMA,
        "system": ranks.system,
        "tag": ranks.tag,
        "top_grade": ranks.top_grade,
        "not_judged": ranks.not_judged,
        "provenance": dict(ranks.provenance),
    }
    with atomic(path, "wb") as file:
        pl.DataFrame(columns).write_parquet(file, metadata={KEY: json.dumps(about, sort_keys=True)})


def load_ranks(path: str | Path) -> RelevantRanks:
    """Read a reduction back; a clear error if it is none, or of a later schema."""
    name = Path(path).name
    about = _about(str(path), name)
    try:
        table = pl.read_parquet(path)
        part = {each: _as_ragged(table, each, inner) for each, inner in LISTS.items()}
        classes = table.get_column("class")
        return RelevantRanks(
            queries=tuple(table.get_column("query").to_list()),
            judged=_there(part["judged"]),
            pooled=_there(part["pooled"]),
            levels=_there(part["levels"]),
            depth=_array(table, "depth", np.int64),
            answered=_array(table, "answered", np.bool_),
            collection=_array(table, "collection", np.int64),
            ties=_there(part["ties"]),
            system=about["system"],
            tag=about["tag"],
            top_grade=about["top_grade"],
            classes=None if classes.null_count() == len(classes) else tuple(classes.fill_null("").to_list()),
            distractors=part["distractors"],
            not_judged=tuple(about["not_judged"]),
            provenance=about["provenance"],
            left_out=_array(table, "left_out", np.int64) if "left_out" in table.columns else None,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError, ValueError, TypeError, OSError) as error:
        raise InputError.of(name, [f"is damaged: {error}"], "Reduce again from the run file.") from None


def _about(path: str, name: str) -> dict[str, Any]:
    try:
        text = pl.read_parquet_metadata(path).get(KEY)
    except FileNotFoundError:
        raise InputError.of(name, ["cannot be read: No such file or directory"], f"Looked for {path}") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError.of(name, [f"is no Parquet file: {error}"]) from None
    if text is None:
        raise InputError.of(
            name, ["is Parquet, but no saved reduction"], "evaluate ... -o NAME.ranks.parquet makes one."
        )
    try:
        about: dict[str, Any] = dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise InputError.of(name, [f"is damaged: {error}"], "Reduce again from the run file.") from None
    if about.get("schema") != SCHEMA:
        what = f"has schema {about.get('schema')}, this version of rankscope reads {SCHEMA}"
        raise InputError.of(name, [what], "Update rankscope, or reduce again from the run file.")
    return about


def _as_lists(name: str, lists: Ragged, column: str) -> pl.Series:
    """A ragged column as a column of lists, empty ones included."""
    kind = pl.Float64 if column in FLOATS else pl.Int64
    rows = pl.DataFrame({"row": lists.row.astype(np.uint32), name: pl.Series(lists[column], dtype=kind)})
    grouped = rows.group_by("row", maintain_order=True).agg(pl.col(name))
    everything = pl.DataFrame({"row": np.arange(len(lists), dtype=np.uint32)})
    joined = everything.join(grouped, on="row", how="left", maintain_order="left")
    empty = pl.Series([[]], dtype=pl.List(kind))
    return joined.get_column(name).fill_null(empty)


def _as_ragged(table: pl.DataFrame, name: str, inner: tuple[str, ...]) -> Ragged | None:
    there = [each for each in inner if f"{name}_{each}" in table.columns]
    if not there:
        return None
    lengths = table.get_column(f"{name}_{there[0]}").list.len().to_numpy()
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    kinds = {each: np.float64 if each in FLOATS else np.int64 for each in there}
    columns = {each: _flat(table.get_column(f"{name}_{each}"), kinds[each]) for each in there}
    return Ragged(offsets, columns)


def _flat(lists: pl.Series, kind: Any) -> NDArray[Any]:
    return np.array(lists.explode().drop_nulls().to_numpy(), dtype=kind)


def _there(lists: Ragged | None) -> Ragged:
    if lists is None:
        raise KeyError("a column is missing")
    return lists


def _array(table: pl.DataFrame, name: str, kind: Any) -> NDArray[Any]:
    return np.array(table.get_column(name).to_numpy(), dtype=kind)
