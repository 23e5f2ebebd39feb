"""Judgements: which items are relevant to which query, and how much; and junk, which leaves the list before ranks
count.

`Qrels` are rows as they were given; `JudgedItems` and `JudgedLists` are the two forms that the reduction looks them
up by, the one sorted for columns of ids, the other for dictionaries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.core import columns
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.caching import check_fork, once
from rankscope.core.display import Display, Displayed, LongTable
from rankscope.core.errors import InputError
from rankscope.core.wording import how_many, setting_value
from rankscope.inputs.id_columns import Hashes, IdColumn, TextIds
from rankscope.inputs.plain_objects import PlainNested, plain_from_columns, plain_of
from rankscope.inputs.problems import Problems, place_of_line, shorten_value
from rankscope.inputs.reading import DEFAULT_READING, Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.values import id_text

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.tables import Table


@dataclass(frozen=True, repr=False)
class Qrels(Displayed):
    """Judgements (query, item, grade) in the order they were given, each with the line it came from.

    A grade below 0 means: in the pool, not judged.
    >>> Qrels.of({"q1": {"a": 2, "b": 0}}).table.rows()
    [('q1', 'a', 2.0), ('q1', 'b', 0.0)]
    """

    query: IdColumn
    item: IdColumn
    grade: FloatArray
    line: IntArray
    name: str = "judgements"
    digest: str = ""
    word: str = "row"
    notes: tuple[str, ...] = ()  # what must be said of them
    rolled_up: bool = False  # their items are documents already
    files: tuple[str, ...] = ()  # their names where there are several: the line holds the file's number too then

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None, *, keep: bool = True) -> Qrels:
        """Judgements from a path (`-`: standard input), a nested dictionary, a frame, or three arrays.

        Judgements of ranx and of ir_datasets are read too, in the objects that hold them there.
        Whoever does not `keep` them saves a copy: a dictionary must not change until they have been used.
        """
        check_fork()
        how = reading or DEFAULT_READING
        if isinstance(data, Qrels):
            judged = data
        elif isinstance(data, str | Path):
            judged = cls.from_path(data, how)
        else:
            judged = cls._of_object(data, how, keep)
        if how.roll_up is None or judged.rolled_up:
            return judged
        from rankscope.inputs.roll_up import rolled_qrels

        return rolled_qrels(judged, how.roll_up)

    @classmethod
    def _of_object(cls, data: Any, reading: Reading, keep: bool) -> Qrels:
        named = reading.only_for("grade").columns if reading.maps else ()
        plain = None if named else plain_of(data, "grade", keep)
        if plain is not None:
            return PlainQrels(plain)
        from rankscope.inputs.library_objects import JUDGEMENTS, library_rows

        rows = library_rows(data, "grade", "judgements")
        if rows is not None:
            return cls.of(rows.data, keep=False)
        from rankscope.inputs import objects

        problems = Problems("judgements")
        table = objects.table_of_object(data, "grade", problems, named)
        if table is None:
            raise InputError.of("judgements", [f"cannot read judgements from a {type(data).__name__}"], JUDGEMENTS)
        return cls.from_table(table, problems)

    @classmethod
    def from_path(cls, path: str | Path, reading: Reading) -> Qrels:
        """Judgements from a file, or from all files of a folder or pattern."""
        from rankscope.inputs.formats.registry import read_qrels

        if str(path).startswith("irds:"):
            from rankscope.inputs.irds import irds_judgements

            return irds_judgements(str(path))
        if str(path) != "-" and not os.path.isfile(path):
            from rankscope.inputs.parts import qrels_of_parts

            several = qrels_of_parts(path, reading)
            if several is not None:
                return several
        return read_qrels(Source.of(path, reading.max_ratio), reading)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, problems: Problems) -> Qrels:
        """Judgements from any frame that has a query, an item and a grade column."""
        from rankscope.inputs.tables import Table

        return cls.from_table(Table.numbered(frame), problems)

    @classmethod
    def from_source(cls, source: Source, read: Callable[[Problems], Table]) -> Qrels:
        """Judgements from a file whose table `read` reads; a table without rows is a problem."""
        problems = Problems(source.name)
        table = read(problems)
        if not table.frame.height and not problems.count:
            problems.add("", "holds no judgements")
        return cls.from_table(table, problems, source.digest)

    @classmethod
    def from_table(cls, table: Table, problems: Problems, digest: str = "") -> Qrels:
        """Judgements from a table; raises with the `problems` known already and with those found here."""
        from rankscope.inputs.tables import SeriesIds, check_table, columns_of

        needed = {"query": columns.QUERY, "item": columns.ITEM, "grade": columns.GRADE}
        chosen = replace(table, frame=columns_of(table.frame, needed, problems, {}))
        good = check_table(chosen, "grade", problems)
        problems.raise_if_any()
        return cls(
            query=SeriesIds(good.frame.get_column("query").rechunk()),
            item=SeriesIds(good.frame.get_column("item").rechunk()),
            grade=np.array(good.frame.get_column("grade").to_numpy(), dtype=np.float64),
            line=good.line,
            name=problems.source,
            digest=digest,
            word=good.word,
            notes=table.notes,
        )

    @cached_property
    def table(self) -> pl.DataFrame:
        """The judgements as a table (query, item, grade)."""
        import polars as pl

        from rankscope.inputs.tables import as_series

        return pl.DataFrame({"query": as_series(self.query), "item": as_series(self.item), "grade": self.grade})

    @property
    def top_grade(self) -> float:
        """The highest grade of all judgements; 0 where there are none."""
        return float(self.grade.max()) if self.grade.size else 0.0

    @cached_property
    def plain(self) -> PlainNested | None:
        """By query and item; None where an item is judged twice, or the rows of a query are scattered."""
        return plain_from_columns(self.query.to_list(), self.item.to_list(), self.grade, "grade")

    @cached_property
    def judged_lists(self) -> JudgedLists | None:
        """The judgements ready for look-up; None where `plain` is."""
        return None if self.plain is None else JudgedLists.of(self.plain)

    def prepare(self) -> Qrels:
        """These judgements, made ready once for many runs given as Python objects: the first evaluation waits no more.

        >>> judged = Qrels.of({"q1": {"a": 2, "b": 0}}).prepare()
        >>> from rankscope import evaluate
        >>> [evaluate(judged, {"q1": run}, "AP")["AP"] for run in ({"a": 1.0}, {"b": 2.0, "a": 1.0})]
        [1.0, 0.5]
        """
        if self.judged_lists is not None:
            _ = self.judged_lists.levels
        return self

    @cached_property
    def has_whole_grades(self) -> bool:
        """Whether no grade has a fraction."""
        return bool((np.rint(self.grade) == self.grade).all())

    def need_whole_grades(self, who: str) -> None:
        """Raise an error that names every grade with a fraction: some programs know whole grades only."""
        if self.has_whole_grades:
            return
        problems = Problems(self.name, [f"{who} knows whole grades only."])

        def what(row: int) -> str:
            item = shorten_value(self.item[row])
            return f"query {self.query[row]}, item {item}: grade {self.grade[row]:g} is not whole"

        problems.add_rows(np.flatnonzero(self.grade % 1 != 0), self.line, self.word, what, self.files)
        problems.raise_if_any()

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {item: grade}}, whole grades as ints."""
        nested: dict[str, dict[str, float]] = {}
        for query, item, grade in zip(self.query.to_list(), self.item.to_list(), self.grade.tolist(), strict=True):
            nested.setdefault(query, {})[item] = int(grade) if grade == int(grade) else grade
        return nested

    def __len__(self) -> int:
        return self.grade.size

    def display(self) -> Display:
        frame = self.table.select("query", "item", "grade")
        queries = frame.get_column("query").n_unique()
        title = f"{self.name}: {how_many(len(self), 'judgement', 'judgements')} of {how_many(queries)}"
        return Display(title, LongTable.of_frame(frame))


class PlainQrels(Qrels):
    """Judgements of a dictionary that needed no repair; their columns are made when they are asked for."""

    nested: PlainNested

    def __init__(self, nested: PlainNested) -> None:
        self.__dict__.update(
            nested=nested, plain=nested, grade=nested.values, name="judgements", digest="", word="row", files=()
        )

    @cached_property
    def query(self) -> TextIds:
        """The query of each judgement."""
        row = np.arange(len(self.nested.lists)).repeat(self.nested.lengths)
        return TextIds.of(self.nested.queries).take(row)

    @cached_property
    def item(self) -> TextIds:
        """The item of each judgement."""
        return TextIds.of(self.nested.items())

    @cached_property
    def line(self) -> IntArray:
        """The rows are counted from 1."""
        return np.arange(1, len(self) + 1, dtype=np.int64)


# Judgements in the form the reduction needs.


@dataclass(frozen=True)
class JudgedItems:
    """One segment of items per query, queries in byte order, no item twice.

    >>> judged = JudgedItems.of(Qrels.of({"q2": {"a": 1}, "q1": {"b": 2, "a": 0}}))
    >>> judged.queries, judged.offsets, judged.item.to_list(), judged.grade
    (('q1', 'q2'), array([0, 2, 3]), ['a', 'b', 'a'], array([0., 2., 1.]))
    """

    queries: tuple[str, ...]
    offsets: IntArray
    item: TextIds
    grade: FloatArray
    _like: dict[type[IdColumn], tuple[IdColumn, Hashes]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, qrels: Qrels, duplicates: str = "error", without: Iterable[tuple[str, str]] = ()) -> JudgedItems:
        """Sort, and settle duplicates as asked; `without` are (query, item) pairs to leave out."""
        queries, number = numbered_in_order(qrels.query)
        item = qrels.item.as_texts()
        rows = item.order(number)
        left_out = set(without)
        if left_out:
            pairs = zip(qrels.query.take(rows).to_list(), qrels.item.take(rows).to_list(), strict=True)
            rows = rows[np.array([pair not in left_out for pair in pairs], dtype=np.bool_)]
        rows = _without_duplicates(rows, number, item, qrels, duplicates)
        present, count = np.unique(number[rows], return_counts=True)
        return cls(
            queries=tuple(queries[each] for each in present.tolist()),
            offsets=np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
            item=item.take(rows),
            grade=qrels.grade[rows],
        )

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each query."""
        return {each: row for row, each in enumerate(self.queries)}

    def like(self, ids: IdColumn) -> tuple[IdColumn, Hashes]:
        """The items as a column of the same kind as another, and their hashes, for look-up in it."""
        kind = type(ids)
        if kind not in self._like:
            items = ids.like(self.item)
            self._like[kind] = items, items.hashes()
        return self._like[kind]

    @cached_property
    def query_row(self) -> IntArray:
        """The query row of each judgement."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))


def numbered_in_order(ids: IdColumn) -> tuple[list[str], IntArray]:
    """The distinct ids in byte order, and the number of each row's.

    >>> numbered_in_order(TextIds.of(["q2", "q2", "q1"]))
    (['q1', 'q2'], array([1, 1, 0]))
    """
    starts = ids.starts()
    names = ids.take(starts).to_list()
    distinct = sorted(set(names))
    number_of = {name: number for number, name in enumerate(distinct)}
    numbers = np.array([number_of[name] for name in names], dtype=np.int64)
    return distinct, np.repeat(numbers, np.diff(starts, append=len(ids)))


def _without_duplicates(rows: IntArray, number: IntArray, item: TextIds, qrels: Qrels, policy: str) -> IntArray:
    """One row for each query and item, of rows in their order."""
    same = number[rows[1:]] == number[rows[:-1]]
    same &= item.take(rows[1:]).equals(item.take(rows[:-1]))
    if not same.any():
        return rows
    if policy == "error":
        _complain_of_duplicates(rows[:-1][same], rows[1:][same], qrels)
    group = np.concatenate([[0], np.cumsum(~same)])
    if policy == "best":
        rows = rows[np.lexsort((-qrels.grade[rows], group))]
    chosen = np.concatenate([group[1:] != group[:-1], [True]])
    return rows[chosen] if policy == "last" else rows[np.concatenate([[True], chosen[:-1]])]


def _complain_of_duplicates(earlier: IntArray, later: IntArray, qrels: Qrels) -> None:
    best = setting_value("duplicates", "best")
    once = f"Judge an item once per query, or choose {best}, first or last."
    problems = Problems(qrels.name, [once, "Files of subtopics are for measures of diversity, as alpha_nDCG@10."])
    before = dict(zip(later.tolist(), earlier.tolist(), strict=True))

    def what(row: int) -> str:
        name, first = shorten_value(qrels.item[row]), before[row]
        before_it = place_of_line(int(qrels.line[first]), qrels.word, qrels.files)
        grades = f"{qrels.grade[first]:g} in {before_it} and {qrels.grade[row]:g} here"
        return f"query {qrels.query[row]}: item {name} is judged twice, {grades}"

    problems.add_rows(later, qrels.line, qrels.word, what, qrels.files)
    problems.raise_if_any()


# Judgements of a dictionary, ready for look-up: prepared once, and used for as many runs as there are.

MOST_GRADES = 64  # from the lowest to the highest of whole ones, if they are to be counted without sorting


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """Judged items of each query, as they were given; `queries` are their ids in byte order.

    >>> from rankscope.inputs.plain_objects import plain_nested
    >>> made = JudgedLists.of(plain_nested({"q2": {"a": 1}, "q1": {"b": 0, "c": 2}}, "grade"))
    >>> made.queries, made.query_row
    (('q1', 'q2'), array([1, 0, 0]))
    """

    given: PlainNested
    queries: tuple[str, ...]
    row_of: dict[str, int] = field(repr=False)
    query_row: IntArray  # of each judgement, among `queries`
    grade: FloatArray  # of each judgement, in the order they were given

    @classmethod
    def of(cls, given: PlainNested) -> JudgedLists:
        """Queries without a judged item are none."""
        given = given.answered()
        queries = tuple(sorted(given.queries))
        row_of = dict(zip(queries, range(len(queries)), strict=True))
        rows = np.array([row_of[query] for query in given.queries], dtype=np.int64)
        return cls(
            given=given, queries=queries, row_of=row_of, query_row=rows.repeat(given.lengths), grade=given.values
        )

    @once
    def names(self) -> list[str]:
        """The item of each judgement."""
        return self.given.items()

    @once
    def levels(self) -> tuple[IntArray, FloatArray, IntArray]:
        """Query row, grade and how many items have it, ascending."""
        lowest = np.floor(self.grade.min(initial=0.0))
        distance = (self.grade - lowest).astype(np.int64)
        span = int(distance.max(initial=0)) + 1
        if 0 < span <= MOST_GRADES and (distance + lowest == self.grade).all():
            count = np.bincount(self.query_row * span + distance)
            there = count.nonzero()[0]
            return there // span, there % span + lowest, count[there]
        order = np.lexsort((self.grade, self.query_row))
        row, grade = self.query_row[order], self.grade[order]
        new = np.ones(row.size, dtype=np.bool_)
        new[1:] = (row[1:] != row[:-1]) | (grade[1:] != grade[:-1])
        return row[new], grade[new], np.diff(np.flatnonzero(new), append=row.size)


# Junk: items that are neither relevant nor irrelevant, and leave the list before ranks are counted.


def read_junk(data: Any, reading: Reading) -> list[tuple[str, str]]:
    """Junk as (query, item) pairs: from pairs, {query: [item, ...]}, a table, or a file in the judgements' format."""
    if isinstance(data, str | Path):
        read = Qrels.of(data, replace(reading, map_qrels=(), map_runs=()))  # the map of judgements is not for junk
        return list(zip(read.query.to_list(), read.item.to_list(), strict=True))
    if isinstance(data, Mapping):
        problems = Problems("junk", ["The form is {query: [item, ...]}."])
        for query, items in data.items():
            if isinstance(items, str | bytes) or not isinstance(items, Iterable):  # the items of 'xy' would be x and y
                problems.add(f"query {query}", f"needs a list of items, got {shorten_value(items)}")
        problems.raise_if_any()
        return _checked_pairs([(query, item) for query, items in data.items() for item in items])
    if not hasattr(data, "get_columns"):
        return _checked_pairs(data)
    from rankscope.inputs.tables import columns_of, text_ids

    found = columns_of(data, {"query": columns.QUERY, "item": columns.ITEM}, Problems("junk"), {})
    return _checked_pairs(zip(*(text_ids(column).to_list() for column in found.get_columns()), strict=True))


def _checked_pairs(pairs: Any) -> list[tuple[str, str]]:
    """Pairs of ids as text; anything else is an `InputError`."""
    if not isinstance(pairs, Iterable):
        raise InputError.of("junk", [f"cannot be read from a {type(pairs).__name__}"])
    checked = []
    for pair in pairs:
        ids = [id_text(one) for one in pair] if isinstance(pair, tuple | list) else []
        if len(ids) != 2 or not ids[0] or not ids[1]:
            raise InputError.of("junk", [f"needs (query, item) pairs, got {shorten_value(pair)}"])
        checked.append((ids[0], ids[1]))
    return checked
