"""Results of queries gathered from JSON of any shape, until they are a table; and {query: {item: number}} or
{query: [item, ...]}, best first, from JSON and from Python dictionaries that need repair or an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.columns import GRADE, ITEM, LIKELY, QUERY, RANK, SCORE, loose_name
from rankscope.core.wording import mapping_advice
from rankscope.inputs.column_map import value_at_path
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.run_rows import NO_IDS
from rankscope.inputs.tables import Table
from rankscope.inputs.values import as_number, id_text, no_number

ITEM_WORDS = tuple(map(loose_name, (*ITEM, *LIKELY["item"])))
VALUE_WORDS = {
    "score": tuple(map(loose_name, (*SCORE, *LIKELY["score"]))),
    "grade": tuple(map(loose_name, (*GRADE[:-1], *LIKELY["grade"], GRADE[-1]))),
    "rank": tuple(map(loose_name, (*RANK, *LIKELY["rank"]))),
}
QUERY_WORDS = tuple(map(loose_name, (*QUERY, "id", "_id", *LIKELY["query"], "input")))
MIXED_ADVICE = {
    "score": "a run gives a score with every result, or with none",
    "grade": "judgements give a grade with every item, or with none, where all that is listed is relevant",
}


@dataclass(frozen=True)
class JsonChoices:
    """How JSON is read: whether scores or grades are wanted, columns by role, and what file it comes from."""

    value: str
    columns: Mapping[str, str] = field(default_factory=dict)
    stem: str = ""
    part: str = ""


def fields_of(value: Any) -> dict[Any, Any] | None:
    """An object of JSON, a Python dictionary, or the body of an Elasticsearch client's response, by name; else None."""
    if not isinstance(value, ObjectPairs | Mapping) and isinstance(getattr(value, "body", None), Mapping):
        value = value.body
    return dict(value.items()) if isinstance(value, ObjectPairs | Mapping) else None


def list_of(value: Any) -> list[Any] | None:
    """A list of JSON, or of Python; None for anything else, an object too."""
    if isinstance(value, ObjectPairs | str | bytes | Mapping):
        return None
    return list(value) if isinstance(value, Sequence) else None


def first_of(fields: dict[Any, Any], words: Iterable[str]) -> Any:
    """What stands under the first of these names that is there and not null."""
    by_name = {loose_name(name): value for name, value in reversed(fields.items()) if isinstance(name, str)}
    return next((by_name[word] for word in words if by_name.get(word) is not None), None)


@dataclass
class ResultRows:
    """Rows as they are found; whatever cannot be one is a problem, said with its query."""

    choices: JsonChoices
    problems: Problems
    query: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    numbered: int = 0
    named_by_file: bool = False
    answered: Any = None  # the query that stands before the record, and is asked of nothing else

    def query_of(self, record: Any, words: Iterable[str] = QUERY_WORDS) -> Any:
        """The query that a record names, by the column given or by one of these words; None where it names none."""
        if self.answered is not None:
            return self.answered
        asked = self.choices.columns.get("query")
        if asked is not None:
            return value_at_path(record, asked)
        return first_of(fields_of(record) or {}, words)

    def add_numbered(self, query: Any, number: int, of: int, results: Any) -> None:
        """All results of a query; one that has no name is called as the file that holds it alone, or by its number."""
        if query is None and of == 1 and self.choices.stem:
            self.named_by_file = True
            query = self.choices.stem
        elif query is None:
            self.numbered += 1
            query = str(number)
        self.add(query, results)

    def add(self, query: Any, results: Any) -> None:
        """All results of a query: {item: number}, or a list of ids, of objects, or of [id, number]."""
        text = id_text(query)
        if not text:
            self.problems.add("", f"query must be text or a whole number, got {shorten_value(query)}")
            return
        pairs = fields_of(results)
        listed = list_of(results)
        if pairs is not None:
            listed = [[item, number] for item, number in results.items()]
        if listed is None:
            self.problems.add(f"query {text}", f"must have a list of results, got {shorten_value(results)}")
            return
        for position, result in enumerate(listed, 1):
            self._add_result(text, position, result, keyed=pairs is not None)

    def _add_result(self, query: str, position: int, result: Any, keyed: bool) -> None:
        item, value, rank = self._parts(result)
        text = id_text(item)
        place = f"query {query}, item {text}" if keyed and text else f"query {query}, result {position}"
        if not text:
            what = "has no item" if item is None else f"item must be text or a whole number, got {shorten_value(item)}"
            self.problems.add(place, what, self._advice("item", result) if item is None else "")
            return
        number = as_number(value, self.choices.value == "grade")
        ranked = as_number(rank)
        if (keyed or value is not None) and (
            number is None or (self.choices.value == "grade" and abs(number) == float("inf"))
        ):
            self.problems.add(place, no_number(self.choices.value, value, self.problems))
        elif rank is not None and ranked is None:
            self.problems.add(place, f"rank must be a number, got {shorten_value(rank)}")
        else:
            self.query.append(query)
            self.item.append(text)
            self.values.append(number)
            self.ranks.append(float(position) if ranked is None else ranked)

    def _parts(self, result: Any) -> tuple[Any, Any, Any]:
        """Item, score or grade, and rank; None for what is not there."""
        value = self.choices.value
        fields = fields_of(result)
        if fields is not None:
            rank = self._field(result, fields, "rank", VALUE_WORDS["rank"]) if value == "score" else None
            item = self._field(result, fields, "item", ITEM_WORDS)
            return item, self._field(result, fields, value, VALUE_WORDS[value]), rank
        pair = list_of(result)
        if pair is not None and len(pair) == 2:
            return pair[0], pair[1], None
        return result, None, None

    def _field(self, result: Any, fields: dict[Any, Any], role: str, words: Iterable[str]) -> Any:
        asked = self.choices.columns.get(role)
        return first_of(fields, words) if asked is None else value_at_path(result, asked)

    def _advice(self, role: str, result: Any) -> str:
        names = ", ".join(map(str, list(fields_of(result) or {})[:12]))
        said = mapping_advice("Say which it is: {}; names: ", f"{role}=NAME")
        return f"{said}{names}." if said and names else ""

    def table(self) -> Table:
        """The rows; scores from the order where the file gives none, grades of 1 where all that is listed counts."""
        value = self.choices.value
        missing = sum(each is None for each in self.values)
        if 0 < missing < len(self.values):
            first = self.values.index(None)
            place = f"query {self.query[first]}, item {self.item[first]}"
            self.problems.add(place, f"has no {value}, others do: {MIXED_ADVICE[value]}")
        ordered = bool(self.values) and missing == len(self.values)
        numbers = self.values
        if missing:
            made = [1.0] * len(self.ranks) if value == "grade" else [-rank for rank in self.ranks]
            numbers = [given if given is not None else other for given, other in zip(self.values, made, strict=True)]
        columns = [
            pl.Series("query", self.query, pl.String),
            pl.Series("item", self.item, pl.String),
            pl.Series(value, numbers, pl.Float64),
        ]
        columns += [pl.Series("rank", self.ranks, pl.Float64)] if value == "score" else []
        return Table.numbered(pl.DataFrame(columns), ordered and value == "score").noted(self._notes())

    def _notes(self) -> tuple[str, ...]:
        said = list(dict.fromkeys(self.notes))
        if self.numbered:
            said.append(f"{NO_IDS}: numbered 1 to {self.numbered:,} in their order")
        if self.named_by_file:
            said.append("a query that has no id in its file is called after the file")
        return tuple(said)


# {query: {item: number}}, or for rankings {query: [item, ...]} best first, from Python dictionaries and from JSON.

NESTED_FORMS = {"score": "{query: {item: score}} or {query: [item, ...]}", "grade": "{query: {item: grade}}"}


class ObjectPairs(list[tuple[str, Any]]):
    """A JSON object as the pairs it was written with: a name that stands twice stays twice."""

    def items(self) -> Iterable[tuple[str, Any]]:
        return self


def table_of_nested(data: Mapping[Any, Any] | ObjectPairs, value: str, problems: Problems) -> Table:
    """The rows of a nested dictionary; `value` is 'score' or 'grade'. Whatever cannot be a row is a problem."""
    rows = _NestedRows(value, problems)
    for query, answer in data.items():
        rows.add(query, answer)
    if problems.count:
        problems.advise(f"The form is {NESTED_FORMS[value]}.")
    columns = [
        pl.Series("query", rows.query, pl.String),
        pl.Series("item", rows.item, pl.String),
        pl.Series(value, rows.values, pl.Float64),
    ]
    return Table.numbered(pl.DataFrame(columns), rows.ordered)


@dataclass
class _NestedRows:
    value: str
    problems: Problems
    query: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ordered: bool = False

    def add(self, query: object, answer: object) -> None:
        text = id_text(query)
        if not text:
            self.problems.add("", f"query must be text or a whole number, got {shorten_value(query)}")
        elif isinstance(answer, Mapping | ObjectPairs):
            self._add_numbers(text, answer.items())
        elif isinstance(answer, list | tuple | np.ndarray) and self.value == "score":
            self.ordered = True
            self._add_numbers(text, zip(answer, range(0, -len(answer), -1), strict=True))
        else:
            form = "{item: score} or [item, ...]" if self.value == "score" else "{item: grade}"
            got = f"{type(answer).__name__} {shorten_value(answer)}"
            self.problems.add(f"query {text}", f"must have {form}, got {got}")

    def _add_numbers(self, query: str, pairs: Iterable[tuple[object, object]]) -> None:
        truth = self.value == "grade"
        for item, value in pairs:
            text, number = id_text(item), as_number(value, truth)
            if not text:
                self.problems.add(f"query {query}", f"item must be text or a whole number, got {shorten_value(item)}")
            elif number is None or (truth and abs(number) == float("inf")):
                rule = "a finite number" if truth and number is not None else "a number"
                shown = dict(value) if isinstance(value, ObjectPairs) else value
                self.problems.add(f"query {query}, item {text}", no_number(self.value, shown, self.problems, rule))
            else:
                self.query.append(query)
                self.item.append(text)
                self.values.append(number)
