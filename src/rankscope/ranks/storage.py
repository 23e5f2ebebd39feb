"""RelevantRanks in one Parquet file, `*.ranks.parquet`: one row per query, lists in cells, the rest as metadata.

Equal inputs give equal bytes. Every command accepts such a file in place of QRELS RUN. What must hold of a reduction
stands in one table: a file that was edited or damaged must not give a number.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core import digests
from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.caching import check_fork
from rankscope.core.errors import InputError
from rankscope.core.files import atomic
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import name_of
from rankscope.core.settings import Settings
from rankscope.inputs.formats import columnar_layouts
from rankscope.inputs.formats.columnar import PARQUET
from rankscope.inputs.mix_ups import UnlikeIds
from rankscope.inputs.problems import KEPT, Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.inputs.sources import MAX_RATIO, Source
from rankscope.inputs.values import as_number
from rankscope.ranks.kept_scores import LOTS
from rankscope.ranks.ragged import Ragged, changes
from rankscope.ranks.reduction import collect_rows, nothing_found
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, UnmetItems, rank_counts

SCHEMA = 1
SUFFIX = ".ranks.parquet"
ROWS_IN_GROUP = 1 << 16
KEY = "rankscope"
LISTS: dict[str, tuple[str, ...]] = {
    "judged": ("rank", "grade", "score"),
    "pooled": ("rank", "grade", "score"),
    "levels": ("grade", "count"),
    "ties": ("start", "size"),
    "distractors": ("score", "lot"),
}
FLOATS = ("grade", "score")
SOUND = "Not saved. Is the size of the collection right?"
AGAIN = "Make the file again from the run or the features."


@dataclass(frozen=True)
class StoredColumn:
    """What a column of the file holds, whether it is always there, and whether cells may be empty."""

    kind: pl.DataType
    always: bool = True
    gaps: bool = False


COLUMNS: dict[str, StoredColumn] = {
    "query": StoredColumn(pl.String()),
    "answered": StoredColumn(pl.Boolean()),
    "depth": StoredColumn(pl.Int64()),
    "collection": StoredColumn(pl.Int64()),
    "class": StoredColumn(pl.String(), gaps=True),
    "left_out": StoredColumn(pl.Int64(), always=False),
}
for _name, _columns in LISTS.items():
    for _each in _columns:  # scores and distractors are there only where they were kept
        _kind = pl.List(pl.Float64 if _each in FLOATS else pl.Int64)
        COLUMNS[f"{_name}_{_each}"] = StoredColumn(_kind, always=_name != "distractors" and _each != "score")
ABOUT: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "system": ("text", lambda value: isinstance(value, str)),
    "tag": ("text", lambda value: isinstance(value, str)),
    "top_grade": ("a finite number", lambda value: _is_finite(value)),
    "not_judged": ("a list of texts", lambda value: isinstance(value, list) and all(isinstance(x, str) for x in value)),
    "provenance": ("an object", lambda value: _is_provenance(value)),
    "unmet": ("what was seen of item ids, or not there", lambda value: value is None or _unmet_of(value) is not None),
}


@strict_keywords
def save_ranks(ranks: RelevantRanks, path: str | Path) -> None:
    """Write a reduction, whole or not at all; one that could not be read back is refused with its problems."""
    check_fork()
    problems = Problems(name_of(path), [SOUND])
    complain_of_ranks(ranks, problems)
    problems.raise_if_any()
    with atomic(path, "wb") as file:
        write_frame(ranks_to_frame(ranks), about_ranks(ranks), file)


def write_frame(frame: pl.DataFrame, about: dict[str, Any], file: BinaryIO) -> None:
    """A table with its notes, and the digest of the file among these; equal ones give equal bytes."""
    note = json.dumps({**about, digests.DIGEST_KEY: digests.UNSEALED}, sort_keys=True)
    whole = io.BytesIO()
    frame.write_parquet(whole, row_group_size=ROWS_IN_GROUP, metadata={KEY: note})
    data = bytearray(whole.getbuffer())
    digests.seal(data)
    file.write(data)


def read_frame(data: bytes, problems: Problems) -> tuple[pl.DataFrame, dict[str, Any]]:
    """What `write_frame` wrote, with the digest among the notes; what was changed since is an `InputError`.

    Files of a time before digests have none, and are believed as far as they make sense.
    """
    notes = PARQUET.attempt(problems, partial(columnar_layouts.parquet_notes, data))
    about = _about(notes.get(KEY), problems.source)
    if digests.DIGEST_KEY in about and not digests.is_sealed(data, str(about[digests.DIGEST_KEY])):
        raise digests.damaged(problems.source, AGAIN)
    return PARQUET.frame(data, io.BytesIO(data), problems, MAX_RATIO), about


def about_ranks(ranks: RelevantRanks) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "system": ranks.system,
        "tag": ranks.tag,
        "top_grade": ranks.top_grade,
        "not_judged": ranks.not_judged,
        "provenance": dict(ranks.provenance),
        **({} if ranks.unmet is None else {"unmet": asdict(ranks.unmet)}),
    }


def ranks_to_frame(ranks: RelevantRanks) -> pl.DataFrame:
    """One row for each query, lists in cells: the table of a *.ranks.parquet file.

    >>> frame = ranks_to_frame(RelevantRanks.from_ranks([[1, 3]], queries=["a"]))
    >>> frame.select("query", "depth", "judged_rank").row(0)
    ('a', 3, [1, 3])
    """
    columns: list[pl.Series] = [
        pl.Series("query", ranks.queries, dtype=pl.String),
        pl.Series("answered", ranks.answered, dtype=pl.Boolean),
        pl.Series("depth", ranks.depth, dtype=pl.Int64),
        pl.Series("collection", ranks.collection, dtype=pl.Int64),
        pl.Series("class", ranks.classes or [None] * len(ranks), dtype=pl.String),
    ]
    if ranks.left_out is not None:
        columns.append(pl.Series("left_out", ranks.left_out, dtype=pl.Int64))
    for name, inner in LISTS.items():
        lists: Ragged | None = getattr(ranks, name)
        if lists is not None:
            columns += [_as_lists(f"{name}_{each}", lists, each) for each in inner if each in lists]
    return pl.DataFrame(columns)


@strict_keywords
def load_ranks(path: str | Path) -> RelevantRanks:
    """Read a reduction back; one `InputError` with everything that cannot be so.

    Nothing in the file is believed: an edited rank or count would give a number that no ranking has.
    """
    check_fork()
    problems = Problems(name_of(path), [AGAIN])
    data = Source(str(path)).whole()
    table, about = read_frame(data, problems)
    # Whether the notes are those of a reduction; raises where they are of another schema.
    if about.get("schema") != SCHEMA:
        what = f"has schema {about.get('schema')}, this version of rankscope reads {SCHEMA}"
        raise InputError.of(problems.source, [what], f"Update rankscope, or: {AGAIN}")
    for name, (kind, holds) in ABOUT.items():
        if not holds(about.get(name)):
            problems.add("", f"{name} must be {kind}, got {shorten_value(about.get(name))}")
    _check_columns(table, problems)
    problems.raise_if_any()
    ranks = ranks_from_frame(table, about)
    complain_of_ranks(ranks, problems)
    problems.raise_if_any()
    return ranks


def ranks_from_frame(table: pl.DataFrame, about: Mapping[str, Any]) -> RelevantRanks:
    """The ranks that a table of `ranks_to_frame` holds, with what `about_ranks` says next to it."""
    lists: dict[str, Any] = {
        name: _as_ragged(table, name, inner)
        for name, inner in LISTS.items()
        if any(f"{name}_{each}" in table.columns for each in inner)
    }
    classes = table.get_column("class")
    return RelevantRanks.assemble(
        table.get_column("query").to_list(),
        lists.pop("judged"),
        depth=_array(table, "depth"),
        answered=_array(table, "answered"),
        collection=_array(table, "collection"),
        system=about["system"],
        tag=about["tag"],
        top_grade=float(about["top_grade"]),
        classes=None if classes.null_count() == len(classes) else classes.fill_null("").to_list(),
        not_judged=tuple(about["not_judged"]),
        provenance=about["provenance"],
        unmet=None if about.get("unmet") is None else _unmet_of(about["unmet"]),
        left_out=_array(table, "left_out") if "left_out" in table.columns else None,
        unchecked=digests.DIGEST_KEY not in about,
        **lists,
    )


def _about(text: str | None, source: str) -> dict[str, Any]:
    if text is None:
        advice = "evaluate ... -o NAME.ranks.parquet makes one."
        raise InputError.of(source, ["is Parquet, but no saved reduction"], advice)
    try:
        about = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(source, [f"is damaged: {error}"], AGAIN) from None
    return about if isinstance(about, dict) else {}


def _is_finite(value: Any) -> bool:
    number = None if isinstance(value, str) else as_number(value)
    return number is not None and math.isfinite(number)


def _unmet_of(value: Any) -> UnmetItems | None:
    """What was seen of item ids; None where it is not whole."""
    if not isinstance(value, dict) or not isinstance(value.get("ids"), dict):
        return None
    given = [(UnmetItems, {**value, "ids": None}), (UnlikeIds, value["ids"])]
    if any(each.keys() != {name.name for name in fields(kind)} for kind, each in given):
        return None
    ids = UnlikeIds(**{**value["ids"], **{name: tuple(value["ids"][name]) for name in ("run", "judged")}})
    plain = (value["found"], value["returned"], value["judged"], value["occur"], ids.met, ids.looked_at)
    texts = (*ids.run, *ids.judged, ids.change, ids.pattern)
    sound = all(isinstance(each, int) for each in plain) and all(isinstance(each, str) for each in texts)
    return UnmetItems(**{**value, "ids": ids}) if sound else None


def _is_provenance(value: Any) -> bool:
    parts = (value.get(name, {}) for name in ("settings", "judgements")) if isinstance(value, dict) else (None,)
    return all(isinstance(part, dict) for part in parts)


def _check_columns(table: pl.DataFrame, problems: Problems) -> None:
    """All columns are there, with values of their kinds in every row; lists that belong together match."""
    for name, needed in COLUMNS.items():
        if name not in table.columns:
            if needed.always:
                problems.add("", f"has no column {name}")
        elif table.schema[name] != needed.kind:
            problems.add("", f"column {name} must be {needed.kind}, got {table.schema[name]}")
        elif not needed.gaps:
            column = table.get_column(name)
            inside = column.dtype == pl.List and (column.list.drop_nulls().list.len() != column.list.len()).any()
            if column.null_count() or inside:
                problems.add("", f"column {name} has empty cells")
    if not problems.count:
        for name in LISTS:
            # Columns that describe the same items have one value for each of them.
            there = [each for each in table.columns if each.partition("_")[0] == name and each in COLUMNS]
            for first, other in pairwise(there):
                lengths = [table.get_column(each).list.len().to_numpy() for each in (first, other)]
                for row in np.flatnonzero(lengths[0] != lengths[1]).tolist():
                    what = f"{first} has {lengths[0][row]} values, but {other} {lengths[1][row]}"
                    problems.add(f"query {table.item(row, 'query')}", what, order=row)


def _as_lists(name: str, lists: Ragged, column: str) -> pl.Series:
    """A ragged column as a column of lists, empty ones included."""
    kind = pl.Float64 if column in FLOATS else pl.Int64
    rows = pl.DataFrame({"row": lists.row.astype(np.uint32), name: pl.Series(lists[column], dtype=kind)})
    grouped = rows.group_by("row", maintain_order=True).agg(pl.col(name))
    everything = pl.DataFrame({"row": np.arange(len(lists), dtype=np.uint32)})
    joined = everything.join(grouped, on="row", how="left", maintain_order="left")
    empty = pl.Series([[]], dtype=pl.List(kind))
    return joined.get_column(name).fill_null(empty)


def _as_ragged(table: pl.DataFrame, name: str, inner: tuple[str, ...]) -> Ragged:
    there = {each: table.get_column(f"{name}_{each}") for each in inner if f"{name}_{each}" in table.columns}
    lengths = next(iter(there.values())).list.len().to_numpy()
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    flat = {each: column.explode().drop_nulls().to_numpy() for each, column in there.items()}
    kinds = {each: np.float64 if each in FLOATS else np.int64 for each in there}
    return Ragged(offsets, {each: np.array(column, dtype=kinds[each]) for each, column in flat.items()})


def _array(table: pl.DataFrame, name: str) -> NDArray[Any]:
    return np.array(table.get_column(name).to_numpy())


def reduce_rows(run: pl.DataFrame, qrels: pl.DataFrame, settings: Settings | None = None, **more: Any) -> pl.DataFrame:
    """One row for each judged query among these rows, as a *.ranks.parquet file holds it; none where none is judged.

    All rows of a query must be there. `more`: `junk` and `keep_scores`, as in `ranks.reduce`.
    >>> run = pl.DataFrame({"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [2.0, 1.0, 1.0]})
    >>> qrels = pl.DataFrame({"query": ["a", "c"], "item": ["y", "y"], "grade": [1, 1]})
    >>> reduce_rows(run, qrels).select("query", "depth", "judged_rank").rows()
    [('a', 2, [2])]
    """
    judged, rows = Qrels.of(qrels), Run.of(run)
    found = collect_rows(nothing_found(judged, rows.place, settings or Settings(), **more), rows)
    found.problems.raise_if_any()
    there = np.sort(np.fromiter(found.rows_of_query, np.int64, len(found.rows_of_query)))
    return ranks_to_frame(found.assembled(rows, judged, there))


LARGEST = 1 << 40  # of ranks and counts: products with the number of queries stay exact
Broken = Callable[[RelevantRanks], BoolArray]
Wrong = Callable[[NDArray[Any]], BoolArray]


@dataclass(frozen=True)
class Invariant:
    """What must hold of a column of the file, and for which queries it does not."""

    column: str
    holds: str
    broken: Broken


def complain_of_ranks(ranks: RelevantRanks, problems: Problems) -> None:
    """Every query for which a rule does not hold is a problem.

    >>> problems = Problems("x")
    >>> complain_of_ranks(RelevantRanks.from_ranks([[1, 2], [3, 3]]), problems)
    >>> print(problems.report())
    x: 1 problem
      query q2: judged_rank must ascend, each rank once, got [3, 3]
    """
    for rule in RULES:
        rows = np.flatnonzero(rule.broken(ranks))
        for row in rows[:KEPT].tolist():
            what = f"{rule.column} must {rule.holds}, got {shorten_value(_cell_of(ranks, rule.column, row))}"
            problems.add(f"query {ranks.queries[row]}", what, order=row)
        problems.more(max(0, rows.size - KEPT))


def _cell_of(ranks: RelevantRanks, column: str, row: int) -> Any:
    name, _, inner = column.partition("_")
    lists = getattr(ranks, name, None) if inner else None
    if isinstance(lists, Ragged):
        known = inner if inner in lists else next(iter(lists.columns))
        return lists[known][lists.offsets[row] : lists.offsets[row + 1]].tolist()
    values = ranks.queries if column == "query" else getattr(ranks, column)
    return values[row].item() if isinstance(values, np.ndarray) else values[row]


def _wrong_values(column: str, wrong: Wrong) -> Broken:
    """The queries of which a value, or an element of the list, is wrong; a column that is not there is not."""
    name, _, inner = column.partition("_")

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists = getattr(ranks, name, None)
        if isinstance(lists, Ragged):
            return _any_wrong(lists, wrong(lists[inner])) if inner in lists else _none_broken(ranks)
        values = getattr(ranks, column, None)
        return _none_broken(ranks) if values is None else wrong(values)

    return broken


def _none_broken(ranks: RelevantRanks) -> BoolArray:
    return np.zeros(len(ranks), dtype=np.bool_)


def _any_wrong(lists: Ragged, wrong: BoolArray) -> BoolArray:
    return lists.count(wrong) > 0


def _beyond(least: int, most: int = LARGEST) -> Wrong:
    return lambda values: (values < least) | (values > most)


def _not_ascending(lists: Ragged, values: NDArray[Any], ends: NDArray[Any] | None = None) -> BoolArray:
    """The queries of which a value does not exceed the one before it (the end of that, where elements have one)."""
    if lists.size < 2:
        return np.zeros(len(lists), dtype=np.bool_)
    before = (values if ends is None else ends)[:-1]
    same = lists.row[1:] == lists.row[:-1]
    return _any_wrong(lists, np.concatenate([[False], same & ~(values[1:] > before)]))


def _out_of_order(column: str) -> Broken:
    name, _, inner = column.partition("_")
    return lambda ranks: _not_ascending(getattr(ranks, name), getattr(ranks, name)[inner])


def _ids_twice(ranks: RelevantRanks) -> BoolArray:
    first: dict[str, int] = {}
    return np.array([first.setdefault(each, row) != row for row, each in enumerate(ranks.queries)], dtype=np.bool_)


def _judged_beyond_collection(ranks: RelevantRanks) -> BoolArray:
    judged = ranks.levels.total(np.where(ranks.levels["grade"] >= 0, ranks.levels["count"], 0))
    return (ranks.collection >= 0) & (judged > ranks.collection)


def _outside(name: str) -> Broken:
    """Ranks before the list or behind its end."""

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists: Ragged = getattr(ranks, name)
        return _any_wrong(lists, (lists["rank"] < 1) | (lists["rank"] > ranks.depth[lists.row]))

    return broken


def _more_than_judged(name: str) -> Broken:
    """More items found at a grade than were judged with it."""

    def broken(ranks: RelevantRanks) -> BoolArray:
        lists: Ragged = getattr(ranks, name)
        row = np.concatenate([ranks.levels.row, lists.row])
        grade = np.concatenate([ranks.levels["grade"], lists["grade"]])
        left = np.concatenate([ranks.levels["count"], np.full(lists.size, -1)])
        order = np.lexsort((grade, row))
        row, grade, left = row[order], grade[order], left[order]
        short = _none_broken(ranks)
        if row.size:
            starts = np.flatnonzero(changes(row, grade))
            short[row[starts][np.add.reduceat(left, starts) < 0]] = True
        return short

    return broken


def _shared_ranks(ranks: RelevantRanks) -> BoolArray:
    judged, pooled = (
        each.with_columns(rank=np.clip(each["rank"], 0, LARGEST)) for each in (ranks.judged, ranks.pooled)
    )
    row, rank = pooled.row, pooled["rank"]
    return _any_wrong(pooled, rank_counts(judged, row, rank) > rank_counts(judged, row, rank - 1))


def _tie_ends(ties: Ragged) -> IntArray:
    return ties["start"] + np.clip(ties["size"], 0, LARGEST) - 1


def _ties_outside(ranks: RelevantRanks) -> BoolArray:
    start, depth = ranks.ties["start"], ranks.depth[ranks.ties.row]
    return _any_wrong(ranks.ties, (start < 1) | (start > depth) | (_tie_ends(ranks.ties) > depth))


def _ties_overlap(ranks: RelevantRanks) -> BoolArray:
    return _not_ascending(ranks.ties, ranks.ties["start"], _tie_ends(ranks.ties))


WITHIN_LARGEST = f"and {LARGEST:,}"
RULES: tuple[Invariant, ...] = (
    Invariant("query", "be there once", _ids_twice),
    Invariant("query", "be text", lambda ranks: np.array([not each for each in ranks.queries], dtype=np.bool_)),
    Invariant("depth", f"lie within 0 {WITHIN_LARGEST}", _wrong_values("depth", _beyond(0))),
    Invariant("depth", "be 0 for a query that was not answered", lambda ranks: ~ranks.answered & (ranks.depth != 0)),
    Invariant("collection", f"lie within 0 {WITHIN_LARGEST}, or be -1", _wrong_values("collection", _beyond(UNKNOWN))),
    Invariant(
        "collection",
        "be at least the depth",
        lambda ranks: (ranks.collection >= 0) & (ranks.depth > ranks.collection),
    ),
    Invariant("collection", "hold all items judged", _judged_beyond_collection),
    Invariant("left_out", f"lie within 0 {WITHIN_LARGEST}", _wrong_values("left_out", _beyond(0))),
    Invariant("levels_grade", "be finite", _wrong_values("levels_grade", lambda grade: ~np.isfinite(grade))),
    Invariant("levels_grade", "ascend", _out_of_order("levels_grade")),
    Invariant(
        "levels_grade",
        "not exceed top_grade",
        lambda ranks: _any_wrong(ranks.levels, ranks.levels["grade"] > ranks.top_grade),
    ),
    Invariant("levels_count", f"lie within 1 {WITHIN_LARGEST}", _wrong_values("levels_count", _beyond(1))),
    Invariant("judged_rank", "lie within 1 and the depth", _outside("judged")),
    Invariant("judged_rank", "ascend, each rank once", _out_of_order("judged_rank")),
    Invariant("judged_grade", "be 0 or more", _wrong_values("judged_grade", lambda grade: ~(grade >= 0))),
    Invariant("judged_grade", "be counted in levels_count", _more_than_judged("judged")),
    Invariant("judged_score", "be numbers", _wrong_values("judged_score", np.isnan)),
    Invariant("pooled_rank", "lie within 1 and the depth", _outside("pooled")),
    Invariant("pooled_rank", "ascend, each rank once", _out_of_order("pooled_rank")),
    Invariant("pooled_rank", "not be the rank of a judged item", _shared_ranks),
    Invariant("pooled_grade", "be below 0", _wrong_values("pooled_grade", lambda grade: ~(grade < 0))),
    Invariant("pooled_grade", "be counted in levels_count", _more_than_judged("pooled")),
    Invariant("pooled_score", "be numbers", _wrong_values("pooled_score", np.isnan)),
    Invariant("ties_size", f"lie within 2 {WITHIN_LARGEST}", _wrong_values("ties_size", _beyond(2))),
    Invariant("ties_start", "make groups within 1 and the depth", _ties_outside),
    Invariant("ties_start", "lie behind the group before", _ties_overlap),
    Invariant("distractors_score", "be numbers", _wrong_values("distractors_score", np.isnan)),
    Invariant(
        "distractors_lot", f"lie within 0 and {LOTS - 1:,}", _wrong_values("distractors_lot", _beyond(0, LOTS - 1))
    ),
)
