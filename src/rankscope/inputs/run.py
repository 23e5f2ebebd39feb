"""Rankings: what one system returned for each query, as scores; and several runs at once, each under its own name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankscope.core.caching import check_fork
from rankscope.core.display import Display, Displayed, LongTable
from rankscope.core.errors import InputError, SwappedInputs
from rankscope.core.names import distinct_names
from rankscope.core.wording import how_many
from rankscope.inputs.plain_objects import PlainNested, plain_of
from rankscope.inputs.problems import Problems, raise_all
from rankscope.inputs.reading import DEFAULT_READING, Reading
from rankscope.inputs.run_rows import FirstRows, RunBlock, prefetch
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.parts import PartFiles
    from rankscope.inputs.tables import Table


SMALL_FILE = 64 << 20  # stored bytes
BlockReader = Callable[["Run", Problems, bool], Iterator[RunBlock]]


@dataclass(frozen=True, eq=False)
class HeldRows:
    """The one table of a run that is in memory."""

    rows: Table | PlainNested

    def __call__(self, problems: Problems) -> Iterator[Table]:
        """One table, again and again the same; that of a dictionary is made when it is asked for."""
        from rankscope.inputs.tables import Table

        rows = self.rows
        yield rows if isinstance(rows, Table) else Table.numbered(rows.table("score"), rows.ordered)


@dataclass(frozen=True, eq=False)
class BlocksOfTables:
    """The rows of tables that `read` gives whenever they are asked for; a file without rows is a problem."""

    read: Callable[[Problems], Iterator[Table]]
    source: Source | None = None

    def __call__(self, run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        from rankscope.inputs.tables import block_of_table

        rows = 0
        for table in prefetch(self.read(problems)) if self.source else self.read(problems):
            rows += table.frame.height
            run.notes |= dict.fromkeys(table.notes)
            block, ordered, ranks = block_of_table(table, problems, rank)
            run.gives_scores = run.gives_scores and not ordered
            if block is not None:
                run.first = run.first.and_these(block.query, block.rows.score, ranks)
                yield block
        if self.source and not rows and not problems.count and not run.is_part:
            problems.add("", "holds no rankings")


class Run(Displayed):
    """A system's rankings; the rows come in blocks, as often as they are asked for, and need never be all in memory.

    `tag` is the run tag of a TREC file, `gives_scores` says whether there are scores or only an order (a list of ids, a
    column of ranks); both are known once it has been read. `name` is what results call the system.
    >>> Run.of({"q1": {"a": 2.0, "b": 1.0}}, name="mine").table().rows()
    [('q1', 'a', 2.0), ('q1', 'b', 1.0)]
    """

    def __init__(self, name: str, reader: BlockReader, source: Source | PartFiles | None = None, tag: str = "") -> None:
        self.name, self.source, self.tag = name, source, tag
        self.gives_scores = True
        self.in_order = False  # the rows of a query stand in the order of its ranking, whatever their scores
        self.is_part = False  # one of several files, which may be empty if others are not
        self.plain: PlainNested | None = None  # the rows by query and item, where a dictionary gave them
        self.notes: dict[str, None] = {}  # what must be said of it, once it has been read
        self.rolled_up = False  # its items are documents already
        self.chunks: Run | None = None  # what it was rolled up from
        self.first = FirstRows()  # what its first rows tell, once they have been read
        self.ascending = False  # its scores were read as those of which the smallest is best
        self._reader = reader

    def blocks(self, problems: Problems, rank: bool = False) -> Iterator[RunBlock]:
        """The rows in the order they were given; `rank` asks for the rank column too."""
        return self._reader(self, problems, rank)

    @property
    def place(self) -> str:
        """What messages call it."""
        return self.source.name if self.source else self.name

    @property
    def is_held(self) -> bool:
        """Whether its rows are in memory, so that they can be seen without reading anything."""
        return isinstance(self._reader, BlocksOfTables) and isinstance(self._reader.read, HeldRows)

    @property
    def share(self) -> float:
        """How much of the file has been read, from 0 to 1."""
        return self.source.share if self.source else 1.0

    @property
    def is_small(self) -> bool:
        """Whether it fits in any memory: rows that are there already, or files of a few megabytes."""
        if self.rolled_up or self.source is None:
            return True
        return self.source.address == "-" or self.source.size < SMALL_FILE

    @property
    def digest(self) -> str:
        """SHA-256 of the file; empty for Python objects."""
        return self.source.digest if self.source else ""

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None, *, name: str = "", keep: bool = True) -> Run:
        """A run from a path (`-`: standard input), a dictionary, a frame, or three arrays (query, item, score).

        {query: {item: score}} gives scores, {query: [item, ...]} an order, best first. Runs of ranx, scored documents
        of ir_datasets and results of LangChain and LlamaIndex by query are read too. Whoever does not `keep` the run
        saves a copy: a dictionary must not change until it has been used.
        """
        check_fork()
        how = reading or DEFAULT_READING
        if isinstance(data, Run):
            run = data
        elif isinstance(data, str | Path):
            run = cls.from_path(data, how)
            run.name = name or run.name
        else:
            run = cls._of_object(data, how, name, keep)
        if how.scores == "ascending" and not run.ascending:
            run = run.negated()
        if how.roll_up is None or run.rolled_up:
            return run
        from rankscope.inputs.roll_up import rolled_run

        return rolled_run(run, how.roll_up)

    @classmethod
    def _of_object(cls, data: Any, reading: Reading, name: str, keep: bool) -> Run:
        named = reading.only_for("score").columns if reading.maps else ()
        plain = None if named else plain_of(data, "score", keep)
        if plain is not None:
            return cls.from_plain(name or "run", plain)
        from rankscope.inputs.library_objects import RUNS, library_rows

        rows = library_rows(data, "score", name or "run")
        if rows is not None:
            return cls.of(rows.data, name=name or rows.name, keep=False)
        from rankscope.inputs import objects

        table = objects.table_of_object(data, "score", Problems(name or "run"), named)
        if table is None:
            raise InputError.of(name or "run", [f"cannot read a run from a {type(data).__name__}"], RUNS)
        return cls.from_tables(name or "run", HeldRows(table))

    def negated(self) -> Run:
        """The same where the smallest score is best: scores are negated; what is an order only stays.

        >>> Run.of({"q1": {"a": 0.5, "b": 2.0}}).negated().table().rows()
        [('q1', 'a', -0.5), ('q1', 'b', -2.0)]
        """
        if self.plain is not None:
            result = self if self.plain.ordered else Run.from_plain(self.name, self.plain.negated())
            result.ascending = True
            return result

        def read(result: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
            for block in self.blocks(problems, rank):
                rows = replace(block.rows, score=0.0 - block.rows.score) if self.gives_scores else block.rows
                turned_round(result)
                yield RunBlock(block.query, rows)
            turned_round(result)

        def turned_round(result: Run) -> None:
            result.take_facts(self)
            result.first = self.first.turned_round()

        result = Run(self.name, read, self.source, self.tag)
        turned_round(result)
        result.ascending = True
        return result

    def take_facts(self, other: Run) -> None:
        """What is known of another run, whose rows it has."""
        self.tag, self.gives_scores, self.in_order = other.tag, other.gives_scores, other.in_order
        self.is_part, self.first = other.is_part, other.first
        self.notes |= other.notes

    @classmethod
    def from_path(cls, path: str | Path, reading: Reading) -> Run:
        """A run from a file, or from all files of a folder or pattern."""
        from rankscope.inputs.formats.registry import read_run

        if str(path) != "-" and not os.path.isfile(path):
            from rankscope.inputs.parts import run_of_parts

            several = run_of_parts(path, reading)
            if several is not None:
                return several
        return read_run(Source.of(path, reading.max_ratio), reading)

    @classmethod
    def from_matrix(cls, items: Any, scores: Any = None, queries: Any = None, name: str = "") -> Run:
        """A run from a matrix of retrieved ids, one row per query, as FAISS returns it; -1 and None are padding.

        Without `scores` the order counts, best first; scores are better when higher: negate distances, or evaluate
        with `scores="ascending"`.
        Without `queries` the rows are called 0, 1, 2 and so on.
        >>> Run.from_matrix([[3, 1], [2, -1]]).table().rows()
        [('0', '3', 0.0), ('0', '1', -1.0), ('1', '2', 0.0)]
        """
        from rankscope.inputs import objects

        check_fork()
        table = objects.table_of_matrix(items, scores, queries, name or "run")
        return cls.from_tables(name or "run", HeldRows(table))

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, name: str) -> Self:
        """A run from any frame that has a query and an item column and a score or a rank column."""
        from rankscope.inputs.tables import Table

        return cls.from_tables(name, HeldRows(Table.numbered(frame)))

    @classmethod
    def from_plain(cls, name: str, plain: PlainNested) -> Run:
        """A run from a dictionary that needs no repair; its rows become columns when they are asked for."""
        run = cls(name, BlocksOfTables(HeldRows(plain)), tag=name)
        run.plain = plain
        run.gives_scores = not (plain.ordered and plain.values.size)
        return run

    @classmethod
    def from_tables(cls, name: str, read: Callable[[Problems], Iterator[Table]], source: Source | None = None) -> Self:
        """A run whose tables `read` gives whenever its rows are asked for; a file without rows is a problem."""
        return cls(name, BlocksOfTables(read, source), source, tag=name)

    def table(self) -> pl.DataFrame:
        """All rows as one table (query, item, score); raises on the first bad file, with all its problems."""
        from rankscope.inputs.tables import frame_of_blocks

        problems = Problems(self.place)
        blocks = list(self.blocks(problems))
        problems.raise_if_any()
        return frame_of_blocks(blocks)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {item: score}}."""
        nested: dict[str, dict[str, float]] = {}
        for query, item, score in self.table().iter_rows():
            nested.setdefault(query, {})[item] = score
        return nested

    def display(self) -> Display:
        """What is not in memory is not read to be shown, for it may be large, or come once."""
        if self.is_held:
            return self._display_of_rows(f"Run {self.name}")
        where = f"in {self.place}" if self.source else "which is made when it is asked for"
        return Display(f"Run {self.name}, {where}: .table() gives its rows")

    def _display_of_rows(self, title: str, notes: tuple[str, ...] = ()) -> Display:
        frame = self.table()
        queries = frame.get_column("query").n_unique()
        told = f"{how_many(frame.height, 'row', 'rows')} of {how_many(queries)}"
        return Display(f"{title}: {told}", LongTable.of_frame(frame), notes, ".choices")


# Several runs at once, each under a name of its own.

CONTAINERS = (Mapping, list, tuple)  # what a dictionary of runs holds, one level below its names
LISTED = (list, tuple, np.ndarray)
RESPONSES = (("hits", "hits"), ("response", "docs"))  # of Elasticsearch and OpenSearch, and of Solr


def named_runs(runs: Any, reading: Reading, errors: list[InputError]) -> list[Run]:
    """Runs with distinct names, from one run, a list of runs, or {name: run}; a bad one adds to `errors`.

    They are to be used at once: dictionaries are not copied.
    """
    if isinstance(runs, Mapping) and _is_by_name(runs):
        pairs = [(str(name), data) for name, data in runs.items()]
    else:
        # Named tuples, as ir_datasets has them, are rows of one run rather than several runs.
        several = isinstance(runs, list) and not (runs and isinstance(runs[0], tuple) and hasattr(runs[0], "query_id"))
        pairs = [("", data) for data in (runs if several else [runs])]
    results = []
    for name, data in pairs:
        try:
            results.append(Run.of(data, reading, name=name, keep=False))
        except InputError as error:
            errors.append(error)
    if len(results) > 1:
        paths = [None if run.source is None or run.source.address == "-" else run.source.address for run in results]
        for run, name in zip(results, distinct_names([run.name for run in results], paths), strict=True):
            run.name = name
    return results


@contextmanager
def all_problems(runs: Iterable[Run], *others: Callable[[], object]) -> Iterator[None]:
    """In this block the first input that cannot be read raises the problems of all of them: of the other runs too, and
    of what `others` read.
    """
    try:
        yield
    except SwappedInputs:
        raise
    except InputError as error:
        told = {report.source for report in error.reports}
        rest = (partial(_read_through, run) for run in runs if run.place not in told)
        errors = [*_errors_of(others), error, *_errors_of(rest)]
        if len(errors) == 1:
            raise
        raise_all(errors)


def _errors_of(reads: Iterable[Callable[[], object]]) -> Iterator[InputError]:
    for read in reads:
        try:
            read()
        except InputError as error:
            yield error


def _read_through(run: Run) -> None:
    """Raise what is wrong with the rows of a run."""
    problems = Problems(run.place)
    for _ in run.blocks(problems):
        pass
    problems.raise_if_any()


def _is_by_name(runs: Mapping[Any, Any]) -> bool:
    """{name: run} rather than {query: {item: score}} or {query: response}: the values are runs themselves."""
    first = next(iter(runs.values()), None)
    if _is_response(first):
        return False
    if isinstance(first, Mapping):
        inner = next(iter(first.values()), None)
        return isinstance(inner, CONTAINERS) or _is_response(inner)
    return first is not None and not isinstance(first, LISTED)


def _is_response(value: Any) -> bool:
    """What a search engine answered to one query: a dictionary, or what its client makes of it."""
    body = value if isinstance(value, Mapping) else getattr(value, "body", None)
    if not isinstance(body, Mapping):
        return False
    return any(isinstance(body.get(one), Mapping) and two in body[one] for one, two in RESPONSES)
