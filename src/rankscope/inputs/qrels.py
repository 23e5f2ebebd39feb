"""Judgements: which items are relevant to which query, and how much."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope import column_names
from rankscope.arrays import FloatArray, IntArray
from rankscope.displayed import Displayed
from rankscope.errors import InputError
from rankscope.inputs import forks
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.id_columns import IdColumn, TextIds
from rankscope.inputs.judged_lists import JudgedLists
from rankscope.inputs.plain_nested import PlainNested, from_columns
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.tables import Table

PLAIN = Reading()


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
        forks.check()
        judged = cls._as_given(data, reading or PLAIN, keep)
        if reading is None or reading.roll_up is None or judged.rolled_up:
            return judged
        from rankscope.inputs.rolled_qrels import rolled_qrels

        return rolled_qrels(judged, reading.roll_up)

    @classmethod
    def _as_given(cls, data: Any, reading: Reading, keep: bool) -> Qrels:
        if isinstance(data, Qrels):
            return data
        if isinstance(data, str | Path):
            return cls.from_path(data, reading)
        from rankscope.inputs.plain_objects import plain_of

        reading = reading.only_for("grade")
        plain = None if reading.columns else plain_of(data, "grade", keep)
        if plain is not None:
            return PlainQrels(plain)
        from rankscope.inputs.library_objects import JUDGEMENTS, library_rows

        rows = library_rows(data, "grade", "judgements")
        if rows is not None:
            return cls.of(rows.data, keep=False)
        from rankscope.inputs import objects

        problems = Problems("judgements")
        table = objects.table_of(data, "grade", problems, reading.columns)
        if table is None:
            raise InputError.of("judgements", [f"cannot read judgements from a {type(data).__name__}"], JUDGEMENTS)
        return cls.from_table(table, problems)

    @classmethod
    def from_path(cls, path: str | Path, reading: Reading) -> Qrels:
        """Judgements from a file, or from all files of a folder or pattern."""
        from rankscope.inputs.formats import read_qrels

        if str(path).startswith("irds:"):
            from rankscope.inputs.irds import judgements

            return judgements(str(path))
        if str(path) != "-" and not os.path.isfile(path):
            from rankscope.inputs.part_qrels import qrels_of_parts

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
        from rankscope.inputs import tables
        from rankscope.inputs.series_ids import SeriesIds

        needed = {"query": column_names.QUERY, "item": column_names.ITEM, "grade": column_names.GRADE}
        chosen = replace(table, frame=tables.columns_of(table.frame, needed, problems, {}))
        good = tables.check_table(chosen, "grade", problems)
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

        from rankscope.inputs.series_ids import as_series

        return pl.DataFrame({"query": as_series(self.query), "item": as_series(self.item), "grade": self.grade})

    @property
    def top_grade(self) -> float:
        """The highest grade of all judgements; 0 where there are none."""
        return float(self.grade.max()) if self.grade.size else 0.0

    @cached_property
    def plain(self) -> PlainNested | None:
        """By query and item; None where an item is judged twice, or the rows of a query are scattered."""
        return from_columns(self.query.to_list(), self.item.to_list(), self.grade, "grade")

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
