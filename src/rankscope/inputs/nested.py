"""{query: {item: number}}, or for rankings {query: [item, ...]} best first, from Python dictionaries and from JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.ids import id_text
from rankscope.inputs.numbers import as_number, no_number
from rankscope.inputs.tables import Table

FORMS = {"score": "{query: {item: score}} or {query: [item, ...]}", "grade": "{query: {item: grade}}"}


class ObjectPairs(list[tuple[str, Any]]):
    """A JSON object as the pairs it was written with: a name that stands twice stays twice."""

    def items(self) -> Iterable[tuple[str, Any]]:
        """As a dictionary's."""
        return self


def table_of(data: Mapping[Any, Any] | ObjectPairs, value: str, problems: Problems) -> Table:
    """The rows of a nested dictionary; `value` is 'score' or 'grade'. Whatever cannot be a row is a problem."""
    rows = _Rows(value, problems)
    for query, answer in data.items():
        rows.add(query, answer)
    if problems.count:
        problems.advise(f"The form is {FORMS[value]}.")
    columns = [
        pl.Series("query", rows.query, pl.String),
        pl.Series("item", rows.item, pl.String),
        pl.Series(value, rows.values, pl.Float64),
    ]
    return Table.numbered(pl.DataFrame(columns), rows.ordered)


@dataclass
class _Rows:
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
            self.problems.add(f"query {text}", f"must have {self._form}, got {_kind(answer)}")

    @property
    def _form(self) -> str:
        return "{item: score} or [item, ...]" if self.value == "score" else "{item: grade}"

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


def _kind(value: object) -> str:
    return "an object" if isinstance(value, ObjectPairs) else f"{type(value).__name__} {_written(value)}"


def _written(value: object) -> str:
    """Pairs as the object they were written as."""
    return shorten_value(dict(value)) if isinstance(value, ObjectPairs) else shorten_value(value)
