"""Judgements: which items are relevant to which query, and how much."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope import column_names
from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import InputError
from rankscope.inputs import forks, tables
from rankscope.inputs.checks import KEPT, Problems, shorten_value
from rankscope.inputs.judged_lists import JudgedLists
from rankscope.inputs.plain_nested import PlainNested, from_columns
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.lazily import LazyModule
from rankscope.wording import setting_value

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")


@dataclass(frozen=True)
class Qrels:
    """Judgements as a table (query, item, grade) in the order they were given, each with the line it came from.

    A grade below 0 means: in the pool, not judged.
    >>> Qrels.of({"q1": {"a": 2, "b": 0}}).table.rows()
    [('q1', 'a', 2.0), ('q1', 'b', 0.0)]
    """

    table: pl.DataFrame
    line: IntArray
    name: str = "judgements"
    digest: str = ""
    word: str = "row"

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None, *, keep: bool = True) -> Qrels:
        """Judgements from a path (`-`: standard input), a nested dictionary, a frame, or three arrays.

        Whoever does not `keep` them saves a copy: a dictionary must not change until they have been used.
        """
        forks.check()
        if isinstance(data, Qrels):
            return data
        if isinstance(data, str | Path):
            from rankscope.inputs.formats import read_qrels

            reading = reading or Reading()
            return read_qrels(Source.of(data, reading.max_ratio), reading)
        from rankscope.inputs import objects

        plain = objects.plain_of(data, "grade", keep)
        if plain is not None:
            return PlainQrels(plain)
        problems = Problems("judgements")
        table = objects.table_of(data, "grade", problems)
        if table is None:
            raise InputError.of("judgements", [f"cannot read judgements from a {type(data).__name__}"])
        return cls.from_table(table, problems)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, problems: Problems) -> Qrels:
        """Judgements from any frame that has a query, an item and a grade column."""
        return cls.from_table(tables.Table.numbered(frame), problems)

    @classmethod
    def from_source(cls, source: Source, read: Callable[[Problems], tables.Table]) -> Qrels:
        """Judgements from a file whose table `read` reads; a table without rows is a problem."""
        problems = Problems(source.name)
        table = read(problems)
        if not table.frame.height and not problems.count:
            problems.add("", "holds no judgements")
        return cls.from_table(table, problems, source.digest)

    @classmethod
    def from_table(cls, table: tables.Table, problems: Problems, digest: str = "") -> Qrels:
        """Judgements from a table; raises with the `problems` known already and with those found here."""
        needed = {"query": column_names.QUERY, "item": column_names.ITEM, "grade": column_names.GRADE}
        chosen = replace(table, frame=tables.columns_of(table.frame, needed, problems, {}))
        good = tables.check_table(chosen, "grade", problems)
        problems.raise_if_any()
        return cls(table=good.frame, line=good.line, name=problems.source, digest=digest, word=good.word)

    @cached_property
    def top_grade(self) -> float:
        """The highest grade of all judgements; 0 where there are none."""
        return float(self.table.get_column("grade").max() or 0.0)  # type: ignore[arg-type]

    @cached_property
    def plain(self) -> PlainNested | None:
        """By query and item; None where an item is judged twice, or the rows of a query are scattered."""
        query, item, grade = (self.table.get_column(name) for name in ("query", "item", "grade"))
        return from_columns(query.to_list(), item.to_list(), grade.to_numpy(), "grade")

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
        return bool((self.table.get_column("grade") % 1 == 0).all())

    def need_whole_grades(self, who: str) -> None:
        """Raise an error that names every grade with a fraction: some programs know whole grades only."""
        if self.has_whole_grades:
            return
        broken = np.flatnonzero((self.table.get_column("grade") % 1 != 0).to_numpy())
        problems = Problems(self.name)
        for row in broken[:KEPT].tolist():
            query, item, grade = self.table.row(row)
            line = int(self.line[row])
            what = f"query {query}, item {shorten_value(item)}: grade {grade:g} is not whole"
            problems.add(f"{self.word} {line}", what, f"{who} knows whole grades only.", order=line)
        problems.more(max(0, broken.size - KEPT))
        problems.raise_if_any()

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {item: grade}}, whole grades as ints."""
        nested: dict[str, dict[str, float]] = {}
        for query, item, grade in self.table.iter_rows():
            nested.setdefault(query, {})[item] = int(grade) if grade == int(grade) else grade
        return nested

    def __len__(self) -> int:
        return self.table.height


class PlainQrels(Qrels):
    """Judgements of a dictionary that needed no repair; the table is made when it is asked for."""

    nested: PlainNested

    def __init__(self, nested: PlainNested) -> None:
        self.__dict__.update(nested=nested, plain=nested, name="judgements", digest="", word="row")

    @cached_property
    def table(self) -> pl.DataFrame:
        """As every judgements have it."""
        return self.nested.table("grade")

    @cached_property
    def line(self) -> IntArray:
        """The rows are counted from 1."""
        return np.arange(1, len(self) + 1, dtype=np.int64)

    @cached_property
    def top_grade(self) -> float:
        """The highest grade of all judgements; 0 where there are none."""
        return float(self.nested.values.max()) if len(self) else 0.0

    @cached_property
    def has_whole_grades(self) -> bool:
        """Whether no grade has a fraction."""
        grades = self.nested.values if self.judged_lists is None else self.judged_lists.levels[1]
        return bool((np.rint(grades) == grades).all())

    def __len__(self) -> int:
        return self.nested.values.size


@dataclass(frozen=True)
class JudgedItems:
    """Judgements in the form the reduction needs: one segment per query, queries in byte order, no item twice."""

    queries: tuple[str, ...]
    offsets: IntArray
    item: pl.Series
    grade: FloatArray
    row_of: dict[str, int] = field(repr=False, compare=False)

    @classmethod
    def of(cls, qrels: Qrels, duplicates: str = "error", without: Iterable[tuple[str, str]] = ()) -> JudgedItems:
        """Sort, and settle duplicates as asked; `without` are (query, item) pairs to leave out."""
        frame = qrels.table.with_columns(pl.Series("line", qrels.line))
        left_out = list(without)
        if left_out:
            junk = pl.DataFrame(left_out, schema={"query": pl.String, "item": pl.String}, orient="row")
            frame = frame.join(junk, on=["query", "item"], how="anti", maintain_order="left")
        frame = frame.sort(["query", "item", "line"])
        frame = _without_duplicates(frame, qrels, duplicates)
        query = frame.get_column("query")
        starts = _starts(query)
        queries = tuple(query.gather(starts).to_list())
        offsets = np.append(starts, len(query)).astype(np.int64)
        grade = np.ascontiguousarray(frame.get_column("grade").to_numpy(), dtype=np.float64)
        return cls(
            queries=queries,
            offsets=offsets,
            item=frame.get_column("item"),
            grade=grade,
            row_of={each: row for row, each in enumerate(queries)},
        )

    @cached_property
    def hash(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """A hash of each item id, for look-up."""
        return self.item.hash(0).to_numpy()

    @cached_property
    def query_row(self) -> IntArray:
        """The query row of each judgement."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))


def _starts(ordered: pl.Series) -> IntArray:
    """Where a sorted column changes."""
    if len(ordered) == 0:
        return np.empty(0, dtype=np.int64)
    changed = (ordered != ordered.shift(1)).fill_null(True).to_numpy()
    return np.flatnonzero(changed)


def _without_duplicates(frame: pl.DataFrame, qrels: Qrels, policy: str) -> pl.DataFrame:
    same = (pl.col("query") == pl.col("query").shift(1)) & (pl.col("item") == pl.col("item").shift(1))
    repeated = frame.select(same.fill_null(False)).to_series().to_numpy()
    if not repeated.any():
        return frame
    if policy == "error":
        _complain(frame, np.flatnonzero(repeated), qrels)
    if policy == "best":
        frame = frame.sort(["query", "item", "grade"], descending=[False, False, True], maintain_order=True)
    keep: Any = "last" if policy == "last" else "first"
    return frame.unique(["query", "item"], keep=keep, maintain_order=True)


def _complain(frame: pl.DataFrame, rows: IntArray, qrels: Qrels) -> None:
    problems = Problems(qrels.name)
    problems.advise(f"Judge an item once per query, or choose {setting_value('duplicates', 'best')}, first or last.")
    for row in rows[:KEPT].tolist():
        query, item, grade, line = frame.row(row)
        _, _, earlier_grade, earlier = frame.row(row - 1)
        name = shorten_value(item)
        what = f"item {name} is judged twice, {earlier_grade:g} in {qrels.word} {earlier} and {grade:g} here"
        problems.add(f"{qrels.word} {line}", f"query {query}: {what}", order=line)
    problems.more(max(0, rows.size - KEPT))
    problems.raise_if_any()
