"""JSON that has been parsed, of whatever shape, to a table of rows: rows, columns, records of a query and its results,
and objects whose names are queries. A new shape of a record adds its line to `RECORDS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

import polars as pl

from rankscope.core.columns import ITEM, QUERY, ROLES, loose_name, plain_name
from rankscope.core.errors import InputError
from rankscope.inputs.column_map import (
    ELSEWHERE,
    RESULTS,
    complain_of_missing_column,
    rename_columns,
    stands_in,
    value_at_path,
)
from rankscope.inputs.formats import json_rows
from rankscope.inputs.formats.json_rows import NESTED_FORMS, JsonChoices, ObjectPairs, ResultRows, fields_of, list_of
from rankscope.inputs.formats.json_tools import (
    ElasticResponse,
    Kilt,
    QuepidRatings,
    QuepidSnapshot,
    RatingRequests,
    RreEvaluation,
    RreRatings,
    SeveralResponses,
    SolrResponse,
)
from rankscope.inputs.formats.registry import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.tables import Table, check_names, series_of_values

# Records that hold a query and its results, in lists or on lines: {"query": ..., "results": [...]}.

NAMES_OF_LISTS = {
    "score": (
        "results",
        "hits",
        "docs",
        "documents",
        "items",
        "ranking",
        "retrieved",
        "retrieved_ids",
        "retrieved_context_ids",
        "retrieved_contexts_ids",
        "contexts",
        "ctxs",
        "candidates",
        "predictions",
    ),
    "grade": (
        "relevant",
        "relevant_ids",
        "relevant_docs",
        "relevant_documents",
        "relevant_items",
        "reference_context_ids",
        "judgements",
        "judgments",
        "ratings",
        "labels",
        "qrels",
        "gold",
        "positive_passages",
        "positive_ctxs",
        "results",
        "items",
        "docs",
        "documents",
    ),
}

RECORDS_SHAPE = InputShape(
    name="Records of a query and its results",
    holds=HOLDS_EITHER,
    about="A list of objects, or an object on each line, each with a query and a list of results: ids in their order, "
    "or objects with an id and a score or rank. The list may be called results, hits, docs, documents, items, "
    "ranking, retrieved, contexts, ctxs, candidates or retrieved_context_ids; for judgements relevant, "
    "relevant_ids, judgements, ratings, labels, gold, positive_passages or reference_context_ids. Files of ragas, "
    "DPR and Tevatron are of this shape. Without a grade all that is listed as relevant has grade 1.",
    examples=(
        Example(
            "search.json",
            '[{"query": "red shoes", "results": [{"id": "p7", "score": 3.1}, {"id": "p2", "score": 2.4}]},\n'
            ' {"query": "blue hat", "results": [{"id": "p4", "score": 1.9}]}]\n',
        ),
        Example(
            "ragas.jsonl",
            '{"user_input": "Who wrote it?", "retrieved_context_ids": ["d1#2", "d3#0"], '
            '"reference_context_ids": ["d1#2"]}\n'
            '{"user_input": "When?", "retrieved_context_ids": ["d2#1", "d1#0"], "reference_context_ids": ["d2#1"]}\n',
        ),
        Example(
            "ragas.jsonl",
            '{"user_input": "Who wrote it?", "retrieved_context_ids": ["d1#2", "d3#0"], '
            '"reference_context_ids": ["d1#2"]}\n'
            '{"user_input": "When?", "retrieved_context_ids": ["d2#1", "d1#0"], "reference_context_ids": ["d2#1"]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example(
            "nested.json",
            '[{"search": {"text": "red shoes"}, "payload": {"found": [{"product": {"sku": "p7"}, "bm": 3.1}]}}]\n',
            columns="query=search.text,results=payload.found,item=product.sku,score=bm",
        ),
    ),
)


def results_of(record: dict[Any, Any], hits: ResultRows) -> Any:
    """The list of results, or the object {item: number}; None where there is none."""
    asked = hits.choices.columns.get(RESULTS)
    if asked is not None:
        return value_at_path(record, asked)
    by_name = {loose_name(name): value for name, value in record.items() if isinstance(name, str)}
    found = (by_name[word] for word in NAMES_OF_LISTS[hits.choices.value] if word in by_name)
    return next((each for each in found if list_of(each) is not None or _holds(each, int, float)), None)


def _holds(value: Any, *kinds: type) -> bool:
    """Whether it is an object that holds values of these kinds alone."""
    fields = fields_of(value)
    return fields is not None and all(isinstance(each, kinds) for each in fields.values())


# Objects whose names are queries: {query: {item: number}}, {query: [ids]}, {query: [{"id": ..., "score": ...}]}.

ANSWERS_LOOKED_AT = 50

NESTED_SHAPE = InputShape(
    name="{query: {item: number}}",
    holds=HOLDS_EITHER,
    about="Scores or grades by query and item, as ranx, pytrec_eval and BEIR keep them.",
    examples=(
        Example("run.json", '{"q1": {"a": 2.5, "b": 1.0}, "q2": {"c": 0.3}}\n'),
        Example("qrels.json", '{"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}\n', HOLDS_JUDGEMENTS),
    ),
)
IDS_SHAPE = InputShape(
    name="{query: [ids]}",
    holds=HOLDS_EITHER,
    about="Ids by query: of a run in their order, best first; as judgements all that is listed has grade 1.",
    examples=(
        Example("order.json", '{"q1": ["a", "b"], "q2": ["c"]}\n'),
        Example("relevant.json", '{"q1": ["a", "d"], "q2": ["c"]}\n', HOLDS_JUDGEMENTS),
    ),
)
OBJECTS_SHAPE = InputShape(
    name="{query: [objects]}",
    holds=HOLDS_EITHER,
    about="Lists of objects by query, with an id and a score, rank or grade; or pairs [id, score]. Also "
    "{query: {contexts: [...]}}, as Pyserini writes runs for DPR. Without scores and ranks the order counts.",
    examples=(
        Example("hits.json", '{"q1": [{"id": "a", "score": 2.5}, {"id": "b", "score": 1.0}]}\n'),
        Example("pairs.json", '{"q1": [["a", 2.5], ["b", 1.0]]}\n'),
        Example("graded.json", '{"q1": [{"id": "a", "grade": 2}, {"id": "d", "grade": 0}]}\n', HOLDS_JUDGEMENTS),
        Example(
            "dpr.json",
            '{"0": {"question": "Who?", "answers": ["Ada"], "contexts": [\n'
            '  {"docid": "290", "score": "85.2", "text": "Ada ...", "has_answer": true},\n'
            '  {"docid": "12", "score": "80.1", "text": "...", "has_answer": false}]}}\n',
            HOLDS_RUN,
        ),
    ),
)
RESPONSES_SHAPE = InputShape(
    name="{query: response}",
    holds=HOLDS_RUN,
    about="Responses of Elasticsearch, OpenSearch or Solr as they came, by the query that each answers; in Python a "
    "dictionary of what the client's `search` gave.",
    examples=(
        Example(
            "by-query.json",
            '{"q1": {"took": 3, "hits": {"total": {"value": 2}, "hits": [{"_id": "p7", "_score": 3.1}, '
            '{"_id": "p2", "_score": 2.4}]}},\n'
            ' "q2": {"took": 2, "hits": {"total": {"value": 1}, "hits": [{"_id": "p4", "_score": 1.9}]}}}\n',
        ),
    ),
)
COLUMNS_SHAPE = InputShape(
    name="Columns",
    holds=HOLDS_EITHER,
    about="A table column by column: {query: [...], item: [...], score: [...]}, or as pandas writes it by itself, "
    "{column: {row: value}}.",
    examples=(
        Example("columns.json", '{"query": ["q1", "q1"], "item": ["a", "b"], "score": [2.5, 1.0]}\n'),
        Example(
            "frame.json", '{"qid": {"0": "q1", "1": "q1"}, "docno": {"0": "a", "1": "b"}, "score": {"0": 2, "1": 1}}\n'
        ),
    ),
)
KEYED_SHAPES = (NESTED_SHAPE, IDS_SHAPE, OBJECTS_SHAPE, RESPONSES_SHAPE, COLUMNS_SHAPE)
ENGINES = (ElasticResponse(), SolrResponse())


def keyed_table(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    """The rows of an object whose names are queries, or columns."""
    frame = _frame_of_columns(data, choices, problems)
    if frame is not None:
        return Table.numbered(rename_columns(frame, tuple(choices.columns.items()), problems))
    hits = ResultRows(choices, problems)
    engine = _engine_of(data, hits)
    if engine is not None:
        _refuse_other_use(RESPONSES_SHAPE, choices, problems)
        for number, (query, answer) in enumerate(data.items(), 1):  # the hits of each response under its query
            if not engine.recognises(fields_of(answer) or {}, hits):
                what = f"must have a response as the others do, got {shorten_value(answer)}"
                hits.problems.add(f"query {query}", what)
                continue
            hits.answered = query
            engine.add(answer, number, len(data), hits)
        return hits.table()
    if not _has_lists(data, hits):
        return json_rows.table_of_nested(data, choices.value, problems)
    for query, answer in data.items():
        fields = fields_of(answer)
        found = None if fields is None else results_of(fields, hits)
        hits.add(query, answer if found is None else found)
    return hits.table()


def _refuse_other_use(shape: InputShape, choices: JsonChoices, problems: Problems) -> None:
    """A response is no judgement, and ratings are no run."""
    wanted = HOLDS_RUN if choices.value == "score" else HOLDS_JUDGEMENTS
    if shape.holds not in (HOLDS_EITHER, wanted):
        problems.add("", f"is of the shape '{shape.name}', which holds {shape.holds} and not {wanted}")
        raise InputError([problems.report()])


def _engine_of(data: Any, hits: ResultRows) -> ElasticResponse | SolrResponse | None:
    """The search engine whose responses the first answers are; None where they are none."""
    answers = [fields_of(answer) for _, answer in islice(data.items(), ANSWERS_LOOKED_AT)]
    known = (each for each in ENGINES if any(one is not None and each.recognises(one, hits) for one in answers))
    return next(known, None)


def is_keyed(data: Any) -> bool:
    """Whether names are queries: what they hold are objects of numbers, lists, or responses of a search engine."""
    if _engine_of(data, ResultRows(JsonChoices("score"), Problems(""))) is not None:
        return True
    answers = [answer for _, answer in islice(data.items(), ANSWERS_LOOKED_AT)]
    return bool(answers) and all(list_of(each) is not None or _holds(each, int, float, str) for each in answers)


def _has_lists(data: Any, hits: ResultRows) -> bool:
    """Whether the first answers are lists of objects, of pairs, or, as judgements, of ids; or records with such."""
    for _, answer in islice(data.items(), ANSWERS_LOOKED_AT):
        listed, fields = list_of(answer), fields_of(answer)
        if listed and (hits.choices.value == "grade" or not isinstance(listed[0], str | int | float)):
            return True
        if fields is not None and results_of(fields, hits) is not None:
            return True
    return False


def _frame_of_columns(data: Any, choices: JsonChoices, problems: Problems) -> pl.DataFrame | None:
    """The table where names are those of columns; None where they are queries."""
    names = {plain_name(name) for name, _ in data.items() if isinstance(name, str)}
    mapped = {name for role, name in choices.columns.items() if role in ("query", "item")}
    all_mapped = len(mapped) == 2 and mapped <= {name for name, _ in data.items()}
    if not all_mapped and not (names & set(QUERY) and names & set(ITEM)):
        return None
    columns = {name: _values_of_column(values) for name, values in data.items()}
    lengths = {None if each is None else len(each) for each in columns.values()}
    if len(lengths) != 1 or None in lengths:
        return None
    check_names(map(str, columns), problems)
    return pl.DataFrame([series_of_values(str(name), values) for name, values in columns.items() if values is not None])


def _values_of_column(values: Any) -> list[Any] | None:
    fields = fields_of(values)
    if fields is not None:
        return list(fields.values()) if all(str(name).isdecimal() for name in fields) else None
    return list_of(values)


ROWS_SHAPE = InputShape(
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
    def shape(self) -> InputShape: ...

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """Whether a record is of this shape."""
        ...

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its rows; `number` counts records from 1, `of` is how many there are."""
        ...


class AnyRecord:
    """A query and its results under names that people use."""

    shape = RECORDS_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By a list of results; alone it must name its query too, for {query: [ids]} may have such a name."""
        return results_of(record, hits) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its results under its query, or under its number where it names none."""
        found = results_of(fields_of(record) or {}, hits)
        hits.add_numbered(hits.query_of(record), number, of, [] if found is None else found)


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
ALL_JSON_SHAPES: tuple[InputShape, ...] = (
    *KEYED_SHAPES,
    ROWS_SHAPE,
    RECORDS_SHAPE,
    *(each.shape for each in RECORDS[:-1]),
)


def table_of_json(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    """The rows of parsed JSON; raises where it has no shape known here."""
    own = _without_others_map(data, choices, problems)
    table = _table_of_known_shape(data, own, problems)
    return table if own is choices else table.noted((ELSEWHERE,))


def _without_others_map(data: Any, choices: JsonChoices, problems: Problems) -> JsonChoices:
    """Without columns that are those of another file: none is here, and the shape is known without them."""
    listed = list_of(data)
    first = listed[0] if listed else data
    fields = fields_of(first)
    if not choices.columns or fields is None or any(stands_in(first, path) for path in choices.columns.values()):
        return choices
    plain = replace(choices, columns={})
    keyed_by_query = listed is None and is_keyed(data)
    known = keyed_by_query or _record_shape(fields, ResultRows(plain, problems), alone=listed is None) is not None
    return plain if known else choices


def _table_of_known_shape(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    fields = fields_of(data)
    has_parts = fields is not None and RreEvaluation().recognises(fields, ResultRows(choices, problems))
    if choices.part and not has_parts:
        problems.add("", "has no parts, so nothing can stand behind a #")
        raise InputError([problems.report()])
    if fields is not None:
        shape = _record_shape(fields, ResultRows(choices, problems), alone=True)
        return keyed_table(data, choices, problems) if shape is None else _table_of_records([data], choices, problems)
    listed = list_of(data)
    if listed is None or (listed and fields_of(listed[0]) is None):
        forms = f"{NESTED_FORMS[choices.value]}, or a list of objects"
        of_first = f" of {json_kind(listed[0])}" if listed else ""
        problems.add("", f"must hold {forms}, got {json_kind(data)}{of_first}")
        raise InputError([problems.report()])
    return _table_of_records(listed, choices, problems) if listed else ResultRows(choices, problems).table()


def json_kind(value: object) -> str:
    """What a JSON value is called in JSON.

    >>> json_kind(None), json_kind([1]), json_kind({"a": 1}), json_kind(True)
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


def _table_of_records(listed: Sequence[Any], choices: JsonChoices, problems: Problems) -> Table:
    """The rows of all records, which must be of the shape of the first."""
    hits = ResultRows(choices, problems)
    shape = _record_shape(fields_of(listed[0]) or {}, hits, alone=False)
    if shape is None:
        return rows_table(listed, choices, problems)
    _refuse_other_use(shape.shape, choices, problems)
    for number, record in enumerate(listed, 1):
        fields = fields_of(record)
        if fields is None or not shape.recognises(fields, hits):
            got = shorten_value(dict(record) if isinstance(record, ObjectPairs) else record)
            problems.add(f"record {number}", f"must be like the first record ({shape.shape.name}), got {got}")
        elif isinstance(record, ObjectPairs) and len(fields) < len(record):
            problems.add(f"record {number}", "has a name twice")
        else:
            shape.add(record, number, len(listed), hits)
    # Where the query was mapped to a name that no record has, the names that are there.
    asked = hits.choices.columns.get("query")
    if asked is not None and not hits.query and listed and hits.query_of(listed[0]) is None:
        complain_of_missing_column("query", asked, map(str, fields_of(listed[0]) or {}), hits.problems)
    return hits.table()


def rows_table(listed: Sequence[Any], choices: JsonChoices, problems: Problems) -> Table:
    """The rows of a list of objects; a name that only some of them have is missing in the others."""
    rows: list[dict[Any, Any]] = []
    for number, record in enumerate(listed, 1):
        fields = fields_of(record)
        if fields is None:
            problems.add(f"row {number}", f"must be an object, got {json_kind(record)}", order=number)
        elif isinstance(record, ObjectPairs) and len(fields) < len(record):
            problems.add(f"row {number}", "has a name twice", order=number)
        else:
            rows.append(fields)
    names = dict.fromkeys(str(name) for row in rows for name in row)
    check_names(names, problems)
    frame = pl.DataFrame([series_of_values(name, [row.get(name) for row in rows]) for name in names])
    if choices.columns and not set(choices.columns) & set(ROLES):
        problems.add("", f"no list of results at '{choices.columns[RESULTS]}'; names: {', '.join(names)}")
    return Table.numbered(rename_columns(frame, tuple(choices.columns.items()), problems) if rows else frame)
