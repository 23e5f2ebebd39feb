"""Judgements of items that were drawn at random: with the chance of each to be drawn, or with its stratum.

Text of five columns is read in three forms: `query 0 item grade probability` (a project's export, TREC Legal's
.probs), `query 0 item stratum grade` (TREC's sampled qrels, as sample_eval reads them) and `query item grade method
probability` (prels of the Million Query track). Tables have a column pi (or probability) and perhaps one for the
stratum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.core.errors import InputError
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.lines import LineLayout, rows_of_lines
from rankscope.inputs.problems import Problems, place_of_line, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.tables import Table


PROBABILITY = ("pi", "probability", "prob", "inclusion_probability", "inclusion probability")
STRATUM = ("stratum", "strata", "band")
WITH_PROBABILITY = LineLayout(
    kind="judgement with a probability",
    fields=("query", "iteration", "item", "grade", "pi"),
    wanted=("query", "item", "grade", "pi"),
    numbers=("grade", "pi"),
    more_allowed=False,
)
WITH_STRATUM = LineLayout(
    kind="judgement with a stratum",
    fields=("query", "iteration", "item", "stratum", "grade"),
    wanted=("query", "item", "stratum", "grade"),
    numbers=("grade",),
    more_allowed=False,
)
PRELS = LineLayout(
    kind="prels",
    fields=("query", "item", "grade", "method", "pi"),
    wanted=("query", "item", "grade", "pi"),
    numbers=("grade", "pi"),
    more_allowed=False,
)


@dataclass(frozen=True, eq=False)
class SampledQrels:
    """Rows (query, item, grade and, where they are known, pi and stratum), each pair once.

    >>> rows = {"query": ["q", "q"], "item": ["a", "b"], "grade": [1, -1], "pi": [0.5, 0.5]}
    >>> SampledQrels.of(rows).table.columns
    ['query', 'item', 'grade', 'pi']
    """

    table: pl.DataFrame
    name: str

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None) -> SampledQrels:
        """From a path or a Python object; what is wrong is told whole."""
        if isinstance(data, SampledQrels):
            return data
        if isinstance(data, str | Path):
            return _of_path(data, reading or Reading())
        if isinstance(data, Qrels):
            return _checked(data.table, data, Problems(data.name))
        from rankscope.inputs import objects

        problems = Problems("judgements")
        table = objects.table_of_object(data, "grade", problems)
        if table is None:
            raise InputError.of("judgements", [f"cannot read judgements from a {type(data).__name__}"])
        return _of_table(table, problems)

    @property
    def has_probabilities(self) -> bool:
        """Whether there is a column pi."""
        return "pi" in self.table.columns

    @property
    def has_strata(self) -> bool:
        """Whether there is a column stratum."""
        return "stratum" in self.table.columns


def _of_path(path: str | Path, reading: Reading) -> SampledQrels:
    from rankscope.inputs.formats import columnar, delimited, json_files
    from rankscope.inputs.formats.registry import FORMATS, recognised_format

    if not Path(path).is_file():  # a folder, a pattern, irds:, standard input: judgements as everywhere
        return SampledQrels.of(Qrels.from_path(path, reading))
    source, reading = Source.of(path, reading.max_ratio), reading.only_for("grade")
    chosen = FORMATS.find(reading.format) if reading.format else recognised_format(source, reading)
    problems = Problems(source.name)
    if isinstance(chosen, columnar.ColumnarFormat):
        table = columnar.mapped_table(source, chosen, reading, problems)
        return _of_table(table, problems)
    if chosen.name in ("csv", "tsv"):
        known = delimited.known_names(reading.columns)
        table = delimited.read_delimited_table(source, problems, reading.encoding, "query,item,grade,pi", known)
        return _of_table(table, problems, reading.columns)
    if chosen.name == "jsonl":
        return _of_table(json_files.whole_json_lines(source, reading, problems), problems, reading.columns)
    layout = five_columns(source.head(), reading.comments) if chosen.name == "trec" else None
    if layout is None:
        return SampledQrels.of(Qrels.from_path(path, reading))
    from rankscope.inputs.tables import table_of_lines

    parts = list(rows_of_lines(source, layout, problems, reading))
    problems.raise_if_any()
    return _of_table(table_of_lines(parts), problems)


def five_columns(head: bytes, comments: bool = True) -> LineLayout | None:
    """Which of the forms of five columns the first lines have; None for any other text.

    >>> five_columns(b"q1 0 a 1 0.05").kind, five_columns(b"q1 0 a 2 -1").kind, five_columns(b"q1 a 1 0 0.05").kind
    ('judgement with a probability', 'judgement with a stratum', 'prels')
    """
    whole = head.rpartition(b"\n")[0] or head  # the last line may be cut
    rows = [line.split() for line in whole.splitlines() if line.strip() and not (comments and line.startswith(b"#"))]
    if not rows or any(len(row) != 5 for row in rows):
        return None
    last = [row[4] for row in rows]
    if all(_is_whole(each) for each in last) and set(last) != {b"1"}:
        return WITH_STRATUM
    is_prels = all(_is_whole(row[2]) and _is_whole(row[3]) for row in rows) and len({row[1] for row in rows} - {b"0"})
    return PRELS if is_prels else WITH_PROBABILITY


def _is_whole(field: bytes) -> bool:
    return field.removeprefix(b"-").isdigit()


def _of_table(table: Table, problems: Problems, columns: ColumnMap = ()) -> SampledQrels:
    from rankscope.inputs.tables import columns_of, number_column

    table = next(rename_in_tables([table], columns, problems))
    qrels = Qrels.from_table(table, problems)
    more = columns_of(table.frame, {}, problems, {"pi": PROBABILITY, "stratum": STRATUM})
    rows = qrels.table
    if "pi" in more.columns:
        probability = number_column(replace(table, frame=more), "pi", problems)
        bad = ~((probability > 0) & (probability <= 1)).fill_null(True).to_numpy()
        table.complain(bad, problems, {"pi": probability}, "above 0 and at most 1")
        rows = rows.with_columns(probability)
    if "stratum" in more.columns:
        rows = rows.with_columns(more.get_column("stratum").cast(str, strict=False).fill_null(""))
    return _checked(rows, qrels, problems)


def _checked(rows: pl.DataFrame, qrels: Qrels, problems: Problems) -> SampledQrels:
    twice = rows.select("query", "item").is_duplicated().to_numpy()
    for row in np.flatnonzero(twice).tolist():
        what = f"query {qrels.query[row]}, item {shorten_value(qrels.item[row])} is there twice"
        problems.add(place_of_line(int(qrels.line[row]), qrels.word, qrels.files), what, order=int(qrels.line[row]))
    problems.raise_if_any()
    return SampledQrels(rows, qrels.name)
