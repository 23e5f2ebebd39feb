"""Judgements of subtopics: which items are relevant to which part of a query, as TREC's diversity tasks have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.core import columns
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError
from rankscope.core.wording import setting_value
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.problems import Problems, place_of_line, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.tables import Table


SUBTOPIC = ("subtopic", "subtopic_id", "intent", "aspect", "iteration")
FORMS = (
    "Judgements of subtopics are lines of TREC text (query subtopic item grade), a CSV or TSV file or a table with "
    "these columns, {query: {subtopic: {item: grade}}}, {query: {item: {subtopic: grade}}}, or tuples (query, "
    "subtopic, item, grade)."
)


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judgements (query, subtopic, item, grade), by query and item in byte order; subtopics are numbered as they come.

    >>> judged = Subtopics.of({"q": {"s1": {"b": 1, "a": 1}, "s2": {"b": 2}}})
    >>> judged.queries, judged.item_number.tolist(), judged.subtopic.tolist(), judged.grade.tolist()
    (('q',), [0, 1, 1], [0, 0, 1], [1.0, 1.0, 2.0])
    """

    queries: tuple[str, ...]
    query_row: IntArray  # the query of each judgement
    item_number: IntArray  # the number of its item among those of the query
    subtopic: IntArray
    grade: FloatArray
    item: tuple[str, ...]
    name: str = "subtopics"
    digest: str = ""

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None, duplicates: str = "error") -> Subtopics:
        """From a path, nested dictionaries, a frame or tuples; every problem is told at once."""
        if isinstance(data, Subtopics):
            return data
        problems, digest = Problems("subtopics", [FORMS]), ""
        if isinstance(data, str | Path):
            source = Source.of(data, (reading or Reading()).max_ratio)
            problems = Problems(source.name)
            table, digest = _table_of_file(source, reading or Reading(), problems), source.digest
        else:
            table = _table_of_objects(data, problems)
        return cls._of_table(table, problems, duplicates, digest)

    @classmethod
    def _of_table(cls, table: Table, problems: Problems, duplicates: str, digest: str) -> Subtopics:
        import polars as pl

        from rankscope.inputs.tables import check_table, columns_of, text_ids

        needed = {"query": columns.QUERY, "subtopic": SUBTOPIC, "item": columns.ITEM, "grade": columns.GRADE}
        chosen = replace(table, frame=columns_of(table.frame, needed, problems, {}))
        checked = check_table(chosen, "grade", problems)
        problems.raise_if_any()
        frame = checked.frame.with_columns(text_ids(checked.frame.get_column("subtopic")).alias("subtopic"))
        frame = _each_once(frame.with_columns(pl.Series("line", checked.line)), problems, checked.word, duplicates)
        problems.raise_if_any()
        return cls._of_frame(frame, problems.source, digest)

    @classmethod
    def _of_frame(cls, frame: pl.DataFrame, name: str, digest: str) -> Subtopics:
        query, item, subtopic = (frame.get_column(each).to_list() for each in ("query", "item", "subtopic"))
        queries = tuple(sorted(set(query)))
        number = {each: row for row, each in enumerate(queries)}
        kinds = {each: row for row, each in enumerate(dict.fromkeys(subtopic))}
        pairs = sorted(set(zip(query, item, strict=True)))
        first: dict[str, int] = {}
        for place, (each, _) in enumerate(pairs):
            first.setdefault(each, place)
        place_of = {pair: place - first[pair[0]] for place, pair in enumerate(pairs)}
        row = np.array([number[each] for each in query], dtype=np.int64)
        nth = np.array([place_of[pair] for pair in zip(query, item, strict=True)], dtype=np.int64)
        which = np.array([kinds[each] for each in subtopic], dtype=np.int64)
        order = np.lexsort((which, nth, row))
        return cls(
            queries=queries,
            query_row=row[order],
            item_number=nth[order],
            subtopic=which[order],
            grade=frame.get_column("grade").to_numpy()[order],
            item=tuple(item[place] for place in order.tolist()),
            name=name,
            digest=digest,
        )

    @property
    def count(self) -> int:
        """How many subtopics there are at most in one query."""
        pairs = np.unique(np.column_stack([self.query_row, self.subtopic]), axis=0)
        return int(np.bincount(pairs[:, 0]).max(initial=0))

    @cached_property
    def _first_rows(self) -> IntArray:
        """The first judgement of each item of each query."""
        change = (np.diff(self.query_row, prepend=-1) != 0) | (np.diff(self.item_number, prepend=-1) != 0)
        return np.flatnonzero(change)

    def numbered(self) -> Qrels:
        """Each judged item once, with its number as its grade: what the reduction finds by it tells where it stands."""
        return self._as_qrels(self.item_number[self._first_rows].astype(np.float64))

    def flat(self) -> Qrels:
        """Plain judgements: an item is as relevant as to the subtopic that it serves best.

        >>> Subtopics.of({"q": {"s1": {"b": 1, "a": 1}, "s2": {"b": 2}}}).flat().to_dict()
        {'q': {'a': 1, 'b': 2}}
        """
        return self._as_qrels(np.maximum.reduceat(self.grade, self._first_rows))

    def _as_qrels(self, grade: FloatArray) -> Qrels:
        rows = self._first_rows.tolist()
        return Qrels(
            query=TextIds.of([self.queries[each] for each in self.query_row[self._first_rows].tolist()]),
            item=TextIds.of([self.item[each] for each in rows]),
            grade=grade,
            line=np.arange(1, len(rows) + 1, dtype=np.int64),
            name=self.name,
            digest=self.digest,
        )


def _table_of_file(source: Source, reading: Reading, problems: Problems) -> Table:
    """TREC text, or a delimited table with a header."""
    from rankscope.inputs.formats.registry import format_of_file

    kind = reading.format or format_of_file(source, reading.encoding).name
    if kind == "trec":
        from rankscope.inputs.formats.trec import QRELS_LINE
        from rankscope.inputs.lines import rows_of_lines
        from rankscope.inputs.tables import table_of_lines

        parts = list(rows_of_lines(source, QRELS_LINE.want("iteration"), problems, reading))
        if not parts and not problems.count:
            problems.add("", "is empty", "A line reads: query subtopic item grade.")
        problems.raise_if_any()
        return table_of_lines(parts)
    if kind in ("csv", "tsv", "delimited"):
        from rankscope.inputs.formats.delimited import read_delimited_table

        known = columns.KNOWN | frozenset(SUBTOPIC)
        return read_delimited_table(source, problems, reading.encoding, "query,subtopic,item,grade", known)
    raise InputError.of(source.name, [f"subtopics cannot be read from {kind}"], FORMS)


def _table_of_objects(data: Any, problems: Problems) -> Table:
    import polars as pl

    from rankscope.inputs.tables import Table

    if isinstance(data, pl.DataFrame):
        return Table.numbered(data)
    if hasattr(data, "columns") and hasattr(data, "to_dict"):  # pandas
        return Table.numbered(pl.DataFrame({str(name): data[name].to_list() for name in data.columns}))
    rows = list(_rows_of_nested(data, problems) if isinstance(data, Mapping) else _rows_of_tuples(data, problems))
    if not rows and not problems.count:
        problems.add("", "holds no judgements")
    problems.raise_if_any()
    return Table.numbered(pl.DataFrame(rows, schema=["query", "subtopic", "item", "grade"], orient="row", strict=False))


def _rows_of_nested(data: Mapping[Any, Any], problems: Problems) -> Iterable[tuple[Any, ...]]:
    for query, subtopics in data.items():
        for subtopic, grades in subtopics.items() if isinstance(subtopics, Mapping) else ((None, subtopics),):
            if not isinstance(grades, Mapping):
                problems.add(f"query {query}", f"needs {{subtopic: {{item: grade}}}}, got {shorten_value(subtopics)}")
                break
            yield from ((str(query), str(subtopic), str(item), grade) for item, grade in grades.items())


def swap_subtopics_and_items(data: Any) -> dict[Any, dict[Any, dict[Any, Any]]] | None:
    """Three nested dictionaries with the second level as the third; None for anything else.

    >>> swap_subtopics_and_items({"q": {"a": {"s1": 1, "s2": 0}, "b": {"s1": 2}}})
    {'q': {'s1': {'a': 1, 'b': 2}, 's2': {'a': 0}}}
    """
    if not isinstance(data, Mapping):
        return None
    turned: dict[Any, dict[Any, dict[Any, Any]]] = {}
    for query, outer in data.items():
        own = turned.setdefault(query, {})
        for first, inner in outer.items():
            for second, grade in inner.items():
                own.setdefault(second, {})[first] = grade
    return turned


def _rows_of_tuples(data: Any, problems: Problems) -> Iterable[tuple[Any, ...]]:
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        problems.add("", f"cannot read judgements of subtopics from a {type(data).__name__}")
        return
    for place, row in enumerate(data, 1):
        fields = getattr(row, "_fields", ())
        if "iteration" in fields:
            row = (row.query_id, row.iteration, row.doc_id, row.relevance)  # as ir_measures names them
        if not isinstance(row, tuple | list) or len(row) != 4:
            problems.add(f"row {place}", f"needs (query, subtopic, item, grade), got {shorten_value(row)}")
            continue
        yield (str(row[0]), str(row[1]), str(row[2]), row[3])


def _each_once(frame: pl.DataFrame, problems: Problems, word: str, duplicates: str) -> pl.DataFrame:
    """One judgement for each query, subtopic and item: the one that the setting wants, or an error."""
    import polars as pl

    keys = ["query", "subtopic", "item"]
    if duplicates == "best":
        frame = frame.sort("grade", descending=True, maintain_order=True)
    single = frame.unique(keys, keep="last" if duplicates == "last" else "first", maintain_order=True)
    if duplicates != "error" or single.height == frame.height:
        return single.sort("line")
    first = single.select(*keys, pl.col("line").alias("before"))
    twice = frame.join(first, on=keys).filter(pl.col("line") != pl.col("before"))
    for query, subtopic, item, before, line in twice.select(*keys, "before", "line").iter_rows():
        what = (
            f"query {query}, subtopic {subtopic}: item {shorten_value(item)} is judged twice, before in {word} {before}"
        )
        problems.add(place_of_line(line, word, ()), what, order=line)
    best = setting_value("duplicates", "best")
    problems.advise(f"Judge an item once per subtopic, or choose {best}, first or last.")
    return single
