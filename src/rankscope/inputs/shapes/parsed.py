"""JSON that has been parsed, of whatever shape, to a table of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import polars as pl

from rankscope.column_names import ROLES
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.column_map import ELSEWHERE, RESULTS, complain, rename_columns, stands_in
from rankscope.inputs.nested import FORMS, ObjectPairs
from rankscope.inputs.shapes import keyed, records
from rankscope.inputs.shapes.elastic import ElasticResponse, RatingRequests, SeveralResponses
from rankscope.inputs.shapes.hits import JsonChoices, ResultRows, fields_of, list_of
from rankscope.inputs.shapes.kilt import Kilt
from rankscope.inputs.shapes.quepid import QuepidRatings, QuepidSnapshot
from rankscope.inputs.shapes.rre import RreEvaluation, RreRatings
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.shapes.solr import SolrResponse
from rankscope.inputs.tables import Table, check_names, series

ROWS = InputShape(
    name="List of rows",
    holds=HOLDS_EITHER,
    about="Objects with a query, an item and a score, rank or grade, under the names that columns of tables have.",
    examples=(
        Example(
            "rows.json",
            '[{"query_id": "q1", "doc_id": "a", "score": 2.5},\n {"query_id": "q1", "doc_id": "b", "score": 1.0}]\n',
        ),
        Example("judged.json", '[{"search term": "hat", "url": "/a", "relevant": true}]\n', HOLDS_JUDGEMENTS),
    ),
)


class RecordShape(Protocol):
    """One shape of a record: recognised by its names, read into hits."""

    @property
    def shape(self) -> InputShape: ...  # noqa: D102  (what it declares)

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """Whether a record is of this shape."""
        ...

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its rows; `number` counts records from 1, `of` is how many there are."""
        ...


class AnyRecord:
    """A query and its results under names that people use."""

    shape = records.SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By a list of results; alone it must name its query too, for {query: [ids]} may have such a name."""
        return records.recognises(record, hits)

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its results under its query."""
        records.add(record, number, of, hits)


RECORDS: tuple[RecordShape, ...] = (
    ElasticResponse(),
    SeveralResponses(),
    SolrResponse(),
    RatingRequests(),
    QuepidSnapshot(),
    QuepidRatings(),
    RreRatings(),
    RreEvaluation(),
    Kilt(),
    AnyRecord(),
)
SHAPES: tuple[InputShape, ...] = (*keyed.SHAPES, ROWS, records.SHAPE, *(each.shape for each in RECORDS[:-1]))


def table_of(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    """The rows of parsed JSON; raises where it has no shape known here."""
    own = _without_others_map(data, choices, problems)
    table = _table_of(data, own, problems)
    return table if own is choices else table.noted((ELSEWHERE,))


def _without_others_map(data: Any, choices: JsonChoices, problems: Problems) -> JsonChoices:
    """Without columns that are those of another file: none is here, and the shape is known without them."""
    listed = list_of(data)
    first = listed[0] if listed else data
    fields = fields_of(first)
    if not choices.columns or fields is None or any(stands_in(first, path) for path in choices.columns.values()):
        return choices
    plain = replace(choices, columns={})
    keyed_by_query = listed is None and keyed.is_keyed(data)
    known = keyed_by_query or _record_shape(fields, ResultRows(plain, problems), alone=listed is None) is not None
    return plain if known else choices


def _table_of(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    if choices.part and not _has_parts(data, choices, problems):
        problems.add("", "has no parts, so nothing can stand behind a #")
        raise InputError([problems.report()])
    fields = fields_of(data)
    if fields is not None:
        shape = _record_shape(fields, ResultRows(choices, problems), alone=True)
        return keyed.keyed_table(data, choices, problems) if shape is None else _records([data], choices, problems)
    listed = list_of(data)
    if listed is None or (listed and fields_of(listed[0]) is None):
        forms = f"{FORMS[choices.value]}, or a list of objects"
        problems.add("", f"must hold {forms}, got {kind(data)}{_first(listed)}")
        raise InputError([problems.report()])
    return _records(listed, choices, problems) if listed else ResultRows(choices, problems).table()


def _has_parts(data: Any, choices: JsonChoices, problems: Problems) -> bool:
    fields = fields_of(data)
    return fields is not None and RreEvaluation().recognises(fields, ResultRows(choices, problems))


def _first(listed: list[Any] | None) -> str:
    return f" of {kind(listed[0])}" if listed else ""


def kind(value: object) -> str:
    """What a JSON value is called in JSON.

    >>> kind(None), kind([1]), kind({"a": 1}), kind(True)
    ('null', 'a list', 'an object', 'true')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if fields_of(value) is not None:
        return "an object"
    if list_of(value) is not None:
        return "a list"
    return "text" if isinstance(value, str) else "a number"


def is_record(record: Any, choices: JsonChoices, problems: Problems) -> bool:
    """Whether an object is a record with results, and not a row of a table."""
    fields = fields_of(record)
    rows = ResultRows(_without_others_map([record], choices, problems), problems)
    return fields is not None and _record_shape(fields, rows, alone=False) is not None


def _record_shape(fields: dict[Any, Any], hits: ResultRows, alone: bool) -> RecordShape | None:
    """The shape of a record; one that stands alone in its file must name its query, if it is of no engine."""
    for each in RECORDS:
        if each.recognises(fields, hits):
            general = isinstance(each, AnyRecord) and RESULTS not in hits.choices.columns
            return None if general and alone and hits.query_of(fields) is None else each
    return None


def _records(listed: Sequence[Any], choices: JsonChoices, problems: Problems) -> Table:
    """The rows of all records, which must be of the shape of the first."""
    hits = ResultRows(choices, problems)
    shape = _record_shape(fields_of(listed[0]) or {}, hits, alone=False)
    if shape is None:
        return rows_table(listed, choices, problems)
    _refuse_other_use(shape.shape, choices, problems)
    for number, record in enumerate(listed, 1):
        fields = fields_of(record)
        if fields is None or not shape.recognises(fields, hits):
            what = f"must be like the first record ({shape.shape.name}), got {shorten_value(_plain(record))}"
            problems.add(f"record {number}", what)
        elif isinstance(record, ObjectPairs) and len(fields) < len(record):
            problems.add(f"record {number}", "has a name twice")
        else:
            shape.add(record, number, len(listed), hits)
    _refuse_lost_columns(hits, listed)
    return hits.table()


def _plain(record: Any) -> Any:
    return dict(record) if isinstance(record, ObjectPairs) else record


def _refuse_other_use(shape: InputShape, choices: JsonChoices, problems: Problems) -> None:
    """A response is no judgement, and ratings are no run."""
    wanted = HOLDS_RUN if choices.value == "score" else HOLDS_JUDGEMENTS
    if shape.holds not in (HOLDS_EITHER, wanted):
        problems.add("", f"is of the shape '{shape.name}', which holds {shape.holds} and not {wanted}")
        raise InputError([problems.report()])


def _refuse_lost_columns(hits: ResultRows, listed: Sequence[Any]) -> None:
    """Where the query was mapped to a name that no record has, the names that are there."""
    asked = hits.choices.columns.get("query")
    if asked is None or hits.query or not listed or hits.query_of(listed[0]) is not None:
        return
    complain("query", asked, map(str, fields_of(listed[0]) or {}), hits.problems)


def rows_table(listed: Sequence[Any], choices: JsonChoices, problems: Problems) -> Table:
    """The rows of a list of objects; a name that only some of them have is missing in the others."""
    rows: list[dict[Any, Any]] = []
    for number, record in enumerate(listed, 1):
        fields = fields_of(record)
        if fields is None:
            problems.add(f"row {number}", f"must be an object, got {kind(record)}", order=number)
        elif isinstance(record, ObjectPairs) and len(fields) < len(record):
            problems.add(f"row {number}", "has a name twice", order=number)
        else:
            rows.append(fields)
    names = dict.fromkeys(str(name) for row in rows for name in row)
    check_names(names, problems)
    frame = pl.DataFrame([series(name, [row.get(name) for row in rows]) for name in names])
    if choices.columns and not set(choices.columns) & set(ROLES):
        problems.add("", f"no list of results at '{choices.columns[RESULTS]}'; names: {', '.join(names)}")
    return Table.numbered(rename_columns(frame, tuple(choices.columns.items()), problems) if rows else frame)
