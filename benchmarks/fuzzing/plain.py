"""Plain slow readers and the plainest average precision: what confirms an answer."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable
from typing import Any

from rankscope.core.columns import GRADE, ITEM, KNOWN, QUERY, RANK, SCORE

Row = tuple[str, str, float]
MARK = b"\xef\xbb\xbf"
MARKS = re.compile("(^|[\n\r])(?:[ \t\v\f]*\ufeff)+")
BLANKS = re.compile("[ \t\v\f\r]+")
WHOLE = 2**53


class RefusedError(Exception):
    """The plain reader finds no table in the bytes."""


def number(value: Any, truth: bool = False) -> float:
    """A number that is one."""
    if isinstance(value, bool) and truth:
        return float(value)
    if isinstance(value, str) and value.isascii() and "_" not in value:
        try:
            value = float(value)
        except ValueError:
            raise RefusedError(f"no number: {value!r}") from None
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        raise RefusedError(f"no number: {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise RefusedError("a number without end") from None


def name(value: Any) -> str:
    """An id."""
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            raise RefusedError("no text") from None
    if isinstance(value, str) and value:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise RefusedError("half a surrogate pair") from None
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and abs(value) < WHOLE and value == int(value):
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value)
    raise RefusedError(f"no id: {value!r}")


def text_of(data: bytes) -> str:
    """UTF-8 without a NUL, without marks where lines begin."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise RefusedError("not UTF-8") from None
    if "\0" in text:
        raise RefusedError("a NUL")
    return MARKS.sub(r"\1", text)


def trec_rows(data: bytes, run: bool) -> list[Row]:
    """`query Q0 item rank score tag`, in all whole lines perhaps without the tag, or `query iteration item grade`."""
    rows, widths = [], set()
    for line in data.split(b"\n"):
        kept = line.strip(b" \t\v\f\r")
        while kept.startswith(MARK):
            kept = kept.removeprefix(MARK).strip(b" \t\v\f\r")
        if not kept or kept.startswith(b"#"):  # a comment may hold anything
            continue
        fields = [field for field in BLANKS.split(text_of(kept)) if field]
        widths.add(len(fields))
        if (run and len(fields) < 5) or (not run and len(fields) != 4):
            raise RefusedError(f"{len(fields)} fields")
        rows.append((fields[0], fields[2], number(fields[4 if run else 3])))
    if run and 5 in widths and (len(widths) > 1 or b"\n" not in data):
        raise RefusedError("a tag is missing")
    return rows


def csv_rows(data: bytes, run: bool) -> list[Row]:
    """A table with a header."""
    text = text_of(data)
    first = next((line for line in re.split("[\r\n]+", text) if line), "")
    separator = max(",\t;", key=lambda each: _words(first, each))
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        raise RefusedError("quotes") from None
    records = [record for record in records if record]
    if not records or any(len(record) != len(records[0]) for record in records):
        raise RefusedError("fields")
    return table_rows([dict(zip(records[0], record, strict=True)) for record in records[1:]], records[0], run)


def _words(line: str, separator: str) -> tuple[int, int]:
    try:
        fields = next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return 0, 0
    return sum(field.strip().lower() in KNOWN for field in fields), len(fields)


def table_rows(records: Iterable[dict[str, Any]], names: list[str], run: bool) -> list[Row]:
    """Rows of a table by the names of its columns."""

    def column(words: Iterable[str]) -> str | None:
        by_name = {each.strip().lower(): each for each in reversed(names)}
        return next((by_name[word] for word in words if word in by_name), None)

    query, item = column(QUERY), column(ITEM)
    value = column(SCORE if run else GRADE)
    sign = 1.0
    if run and value is None:
        value, sign = column(RANK), -1.0
    if query is None or item is None or value is None or len(set(names)) < len(names):
        raise RefusedError("columns")
    return [
        (name(row.get(query)), name(row.get(item)), sign * number(_stripped(row.get(value)), not run))
        for row in records
    ]


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def json_rows(data: bytes, run: bool) -> list[Row]:
    """{query: {item: number}}; a name may stand twice. What is no JSON as a whole may be lines of it."""
    try:
        value = _loaded(text_of(data))
    except RefusedError:
        return json_lines_rows(data, run)
    if not isinstance(value, Pairs):
        raise RefusedError("no object")
    rows: list[Row] = []
    for query, answer in value:
        if run and isinstance(answer, list) and not isinstance(answer, Pairs):
            rows += [(name(query), name(each), -float(place)) for place, each in enumerate(answer)]
        elif isinstance(answer, Pairs):
            rows += [(name(query), name(item), number(score, not run)) for item, score in answer]
        else:
            raise RefusedError("no answer")
    return rows


def json_lines_rows(data: bytes, run: bool) -> list[Row]:
    """One object a line."""
    records = []
    for line in text_of(data).split("\n"):
        if line.strip():
            value = _loaded(line.strip())
            if not isinstance(value, Pairs) or len(dict(value)) < len(value):
                raise RefusedError("no object")
            records.append(dict(value))
    names = list(dict.fromkeys(key for record in records for key in record))
    return table_rows(records, names, run)


class Pairs(list[tuple[str, Any]]):
    """An object as its pairs."""


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=Pairs)
    except (ValueError, RecursionError):
        raise RefusedError("no JSON") from None


READERS = {"trec": trec_rows, "csv": csv_rows, "tsv": csv_rows, "json": json_rows, "jsonl": json_lines_rows}


def average_precision(qrels: list[Row], run: list[Row], duplicates: str) -> dict[str, float]:
    """AP of every query that has relevant items; ties by item, last first; a query without an answer has 0."""
    if any(math.isinf(grade) for _, _, grade in qrels):
        raise RefusedError("an infinite grade")
    judged, ranked = _settled(qrels, duplicates), _settled(run, duplicates)
    if not set(judged) & set(ranked):
        raise RefusedError("no query in common")
    found = {}
    for query, grades in judged.items():
        relevant = {item for item, grade in grades.items() if grade >= 1}
        listed = sorted(ranked.get(query, {}).items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
        hits, total = 0, 0.0
        for rank, (item, _) in enumerate(listed, 1):
            if item in relevant:
                hits += 1
                total += hits / rank
        if relevant:
            found[query] = total / len(relevant)
    return found


def _settled(rows: list[Row], duplicates: str) -> dict[str, dict[str, float]]:
    settled: dict[str, dict[str, float]] = {}
    for query, item, value in rows:
        known = settled.setdefault(query, {})
        if item in known and duplicates == "error":
            raise RefusedError("twice")
        if item not in known or duplicates == "last" or (duplicates == "best" and value > known[item]):
            known[item] = value
    return settled
