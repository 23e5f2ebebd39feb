"""Objects whose names are queries: {query: {item: number}}, {query: [ids]}, {query: [{"id": ..., "score": ...}]}."""

from __future__ import annotations

from itertools import islice
from typing import Any

import polars as pl

from rankscope.column_names import ITEM, QUERY, plain_name
from rankscope.errors import InputError
from rankscope.inputs import nested
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.column_map import rename_columns
from rankscope.inputs.shapes import records
from rankscope.inputs.shapes.elastic import ElasticResponse
from rankscope.inputs.shapes.hits import JsonChoices, ResultRows, fields_of, list_of
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.shapes.solr import SolrResponse
from rankscope.inputs.tables import Table, check_names, series

LOOKED_AT = 50

NESTED = InputShape(
    name="{query: {item: number}}",
    holds=HOLDS_EITHER,
    about="Scores or grades by query and item, as ranx, pytrec_eval and BEIR keep them.",
    examples=(
        Example("run.json", '{"q1": {"a": 2.5, "b": 1.0}, "q2": {"c": 0.3}}\n'),
        Example("qrels.json", '{"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}\n', HOLDS_JUDGEMENTS),
    ),
)
IDS = InputShape(
    name="{query: [ids]}",
    holds=HOLDS_EITHER,
    about="Ids by query: of a run in their order, best first; as judgements all that is listed has grade 1.",
    examples=(
        Example("order.json", '{"q1": ["a", "b"], "q2": ["c"]}\n'),
        Example("relevant.json", '{"q1": ["a", "d"], "q2": ["c"]}\n', HOLDS_JUDGEMENTS),
    ),
)
OBJECTS = InputShape(
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
RESPONSES = InputShape(
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
COLUMNS = InputShape(
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
SHAPES = (NESTED, IDS, OBJECTS, RESPONSES, COLUMNS)
ENGINES = (ElasticResponse(), SolrResponse())


def keyed_table(data: Any, choices: JsonChoices, problems: Problems) -> Table:
    """The rows of an object whose names are queries, or columns."""
    frame = _columns(data, choices, problems)
    if frame is not None:
        return Table.numbered(rename_columns(frame, tuple(choices.columns.items()), problems))
    hits = ResultRows(choices, problems)
    if _engine_of(data, hits) is not None:
        if choices.value == "grade":
            problems.add("", f"is of the shape '{RESPONSES.name}', which holds {HOLDS_RUN} and not {HOLDS_JUDGEMENTS}")
            raise InputError([problems.report()])
        return _of_responses(data, hits)
    if not _has_lists(data, hits):
        return nested.table_of(data, choices.value, problems)
    for query, answer in data.items():
        found = records.results_of(fields_of(answer) or {}, hits) if fields_of(answer) is not None else None
        hits.add(query, answer if found is None else found)
    return hits.table()


def _of_responses(data: Any, hits: ResultRows) -> Table:
    """The hits of each response under the query before it."""
    engine = _engine_of(data, hits)
    for number, (query, answer) in enumerate(data.items(), 1):
        if engine is None or not engine.recognises(fields_of(answer) or {}, hits):
            hits.problems.add(f"query {query}", f"must have a response as the others do, got {shorten_value(answer)}")
            continue
        hits.answered = query
        engine.add(answer, number, len(data), hits)
    return hits.table()


def _engine_of(data: Any, hits: ResultRows) -> ElasticResponse | SolrResponse | None:
    """The search engine whose responses the first answers are; None where they are none."""
    answers = [fields_of(answer) for _, answer in islice(data.items(), LOOKED_AT)]
    known = (each for each in ENGINES if any(one is not None and each.recognises(one, hits) for one in answers))
    return next(known, None)


def is_keyed(data: Any) -> bool:
    """Whether names are queries: what they hold are objects of numbers, lists, or responses of a search engine."""
    if _engine_of(data, ResultRows(JsonChoices("score"), Problems(""))) is not None:
        return True
    answers = [answer for _, answer in islice(data.items(), LOOKED_AT)]
    return bool(answers) and all(list_of(each) is not None or _is_answer(each) for each in answers)


def _is_answer(value: Any) -> bool:
    fields = fields_of(value)
    return fields is not None and all(isinstance(each, int | float | str) for each in fields.values())


def _has_lists(data: Any, hits: ResultRows) -> bool:
    """Whether the first answers are lists of objects, of pairs, or, as judgements, of ids; or records with such."""
    for _, answer in islice(data.items(), LOOKED_AT):
        listed, fields = list_of(answer), fields_of(answer)
        if listed and (hits.choices.value == "grade" or not isinstance(listed[0], str | int | float)):
            return True
        if fields is not None and records.recognises(fields, hits):
            return True
    return False


def _columns(data: Any, choices: JsonChoices, problems: Problems) -> pl.DataFrame | None:
    """The table where names are those of columns; None where they are queries."""
    names = {plain_name(name) for name, _ in data.items() if isinstance(name, str)}
    mapped = {name for role, name in choices.columns.items() if role in ("query", "item")}
    if not (names & set(QUERY) and names & set(ITEM)) and not (
        len(mapped) == 2 and mapped <= {n for n, _ in data.items()}
    ):
        return None
    columns = {name: _column(values) for name, values in data.items()}
    lengths = {None if each is None else len(each) for each in columns.values()}
    if len(lengths) != 1 or None in lengths:
        return None
    check_names(map(str, columns), problems)
    return pl.DataFrame([series(str(name), values) for name, values in columns.items() if values is not None])


def _column(values: Any) -> list[Any] | None:
    fields = fields_of(values)
    if fields is not None:
        return list(fields.values()) if all(str(name).isdecimal() for name in fields) else None
    return list_of(values)
