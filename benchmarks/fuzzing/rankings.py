"""Runs and judgements: TREC text, CSV, JSON, JSON lines, Parquet and Arrow."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.fuzzing.plain import READERS, RefusedError, Row, average_precision, table_rows
from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import packed, wounded
from rankscope.inputs.formats.registry import format_of_file
from rankscope.inputs.sources import Source
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.scores import Scores

IDS = ("1", "2", "10", "q", "D001", "é", "a b", "", "#x", "BZh9", "\ufeffx", "x" * 300, "7.0", "-1", "=1+1", "x^1")
VALUES = ("1", "0", "2", "-1", "0.5", "1e3", "nan", "inf", "-inf", "1e999", "", "n/a", "1_0", "٣", "+1", "0x10", "1.")
NAMES = ("query", "item", "score", "grade", "rank", "qid", "docid", "Query ", "", "label", "x")
Cell = Any


def rows_of(chance: random.Random, run: bool) -> list[tuple[str, str, str]]:
    """A small table, mostly in order: a few of its ids and numbers are odd."""
    odd = chance.random() < 0.12
    rows = []
    for query in range(chance.randrange(1, 4)):
        for item in chance.sample(range(12), chance.randrange(1, 9)):
            value = f"{chance.random() * 9:.3f}" if run else str(chance.randrange(-1, 4))
            rows.append((str(query), f"D{item}", value))
    if odd:
        for _ in range(chance.randrange(1, 4)):
            row = list(chance.choice(rows))
            place = chance.randrange(3)
            row[place] = chance.choice(VALUES if place == 2 else IDS)
            rows.insert(chance.randrange(len(rows)), (row[0], row[1], row[2]))
    return rows


def trec(rows: list[tuple[str, str, str]], chance: random.Random, run: bool) -> bytes:
    """Fields between blanks; sometimes too many or too few, comments, other line ends, marks."""
    blank = chance.choice((" ", " ", " ", "\t", "  "))
    end = chance.choice(("\n", "\n", "\n", "\r\n", "\n\n"))
    lines, spoilt = [], 0.05 if chance.random() < 0.15 else 0.0
    for query, item, value in rows:
        fields = [query, "Q0", item, "1", value, "tag"] if run else [query, "0", item, value]
        if chance.random() < spoilt:
            del fields[chance.randrange(len(fields))]
        if chance.random() < spoilt:
            fields.insert(chance.randrange(len(fields) + 1), chance.choice(IDS))
        lines.append(
            chance.choice(("", "", "", "", " ", "#", "\ufeff")) * (chance.random() < spoilt) + blank.join(fields)
        )
    return (end.join(lines) + end * (chance.random() < 0.9)).encode()


def delimited(rows: list[tuple[str, str, str]], chance: random.Random, run: bool) -> bytes:
    """A header, perhaps with other names or more columns, and rows, perhaps with quotes."""
    separator = chance.choice(",,,\t;")
    header = ["query", "item", "score" if run else "grade"]
    if chance.random() < 0.1:
        header[chance.randrange(3)] = chance.choice(NAMES)
    quote = chance.random() < 0.3
    lines = [header, *map(list, rows)]
    if chance.random() < 0.1:
        lines = [[*line, chance.choice(("x", "1"))] for line in lines]
    if chance.random() < 0.04:
        lines[chance.randrange(len(lines))].append("more")
    text = [separator.join(f'"{each}"' if quote and chance.random() < 0.5 else each for each in line) for line in lines]
    end = chance.choice(("\n", "\n", "\r\n", "\r"))
    return (end.join(text) + end).encode()


def odd_value(chance: random.Random) -> Any:
    return chance.choice((None, True, 1, 1.5, "1", "x", [], {}, [1], {"a": 1}, 10**30, float("inf"), "\ud800", -0.0))


def nested(rows: list[tuple[str, str, str]], chance: random.Random, run: bool) -> bytes:
    """{query: {item: number}}, with a value or two of another kind."""
    tree: dict[str, Any] = {}
    for query, item, value in rows:
        tree.setdefault(query, {})[item] = _number(value)
    if run and chance.random() < 0.2:
        tree = {query: list(answer) for query, answer in tree.items()}
    if chance.random() < 0.15:
        spoilt = chance.choice([tree, *(each for each in tree.values() if isinstance(each, dict))])
        spoilt[chance.choice(IDS)] = odd_value(chance)
    if chance.random() < 0.05:
        tree = {"default": {"test": tree}}
    return json.dumps(tree, ensure_ascii=chance.random() < 0.5).encode(errors="surrogatepass")


def json_lines(rows: list[tuple[str, str, str]], chance: random.Random, run: bool) -> bytes:
    """An object a line, with a value, a name or a line that is none."""
    records: list[Any] = [
        {"query": query, "item": item, "score" if run else "grade": _number(value)} for query, item, value in rows
    ]
    if chance.random() < 0.15:
        record = chance.choice(records)
        record[chance.choice((*record, *NAMES))] = odd_value(chance)
    if chance.random() < 0.05:
        records.insert(chance.randrange(len(records)), odd_value(chance))
    lines = [json.dumps(each, ensure_ascii=chance.random() < 0.5) for each in records]
    return ("\n".join(lines) + "\n").encode(errors="surrogatepass")


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


TEXTS: dict[str, Callable[[list[tuple[str, str, str]], random.Random, bool], bytes]] = {
    "trec": trec,
    "csv": delimited,
    "json": nested,
    "jsonl": json_lines,
}


def text_trial(format: str, chance: random.Random, folder: Path) -> Trial:
    """A run and judgements in one format, one of them perhaps wounded, perhaps packed."""
    data = {run: TEXTS[format](rows_of(chance, run), chance, run) for run in (True, False)}
    hurt = chance.random() < 0.4
    if hurt:
        target = chance.random() < 0.6
        data[target] = wounded(data[target], chance)
    paths = {run: folder / ("run" if run else "qrels") for run in (True, False)}
    whole = True
    for run, path in paths.items():
        stored, there = packed(data[run], chance)
        whole = whole and there
        path.write_bytes(stored)
    options = {"duplicates": chance.choice(("error", "error", "best", "first", "last"))}
    if chance.random() < 0.3:
        options["format"] = format
    return _trial(paths, options, partial(_text_rows, paths, data, options) if whole else None)


def _text_rows(
    paths: dict[bool, Path], data: dict[bool, bytes], options: dict[str, str], run: bool
) -> list[Row] | None:
    format = options.get("format") or format_of_file(Source(str(paths[run]))).name
    return READERS[format](data[run], run) if format in READERS else None


def _trial(paths: dict[bool, Path], options: dict[str, str], rows: Callable[[bool], list[Row] | None] | None) -> Trial:
    def confirm(scores: Scores) -> None:
        check_scores(scores, rows, options["duplicates"])

    command = ["evaluate", str(paths[False]), str(paths[True]), "-m", "AP", "--duplicates", options["duplicates"]]
    if "format" in options:
        command += ["--input-format", options["format"]]
    kinds = ["AP", "nDCG@10", "P@10", "bpref", "infAP", "RBP"]
    return Trial(lambda: evaluate(paths[False], paths[True], kinds, **options), confirm, tuple(command))  # type: ignore[arg-type]


def check_scores(scores: Scores, rows: Callable[[bool], list[Row] | None] | None, duplicates: str) -> None:
    """Every measure within its range, and AP as the plain reader has it."""
    system = scores.systems[0]
    for column in system.columns:
        known = column.values[~np.isnan(column.values)]
        assert ((known >= 0) & (known <= 1 + 1e-9)).all(), f"{column.asked}: {known}"
    if rows is None:
        return
    try:
        judged, ranked = rows(False), rows(True)
        if judged is None or ranked is None:
            return
        wanted = average_precision(judged, ranked, duplicates)
    except RefusedError as refused:
        raise AssertionError(f"an answer, where the plain reader says: {refused}") from None
    found = dict(zip(system.ranks.queries, system.columns[0].values.tolist(), strict=True))
    answered = dict(zip(system.ranks.queries, system.ranks.answered.tolist(), strict=True))
    for query, value in wanted.items():
        assert not answered[query] or abs(found[query] - value) < 1e-9, f"{query}: {found[query]}, plainly {value}"


# tables with types

ODD_COLUMNS: tuple[Callable[[int], list[Any]], ...] = (
    lambda size: [timedelta(seconds=row) for row in range(size)],
    lambda size: [date(2026, 1, 1 + row % 28) for row in range(size)],
    lambda size: [Decimal(row) for row in range(size)],
    lambda size: [[row] for row in range(size)],
    lambda size: [{"a": row} for row in range(size)],
    lambda size: [row % 2 == 0 for row in range(size)],
    lambda size: [None] * size,
    lambda size: [b"\xff\x00" if row % 2 else b"D1" for row in range(size)],
    lambda size: [float(row) for row in range(size)],
    lambda size: [None if row == 1 else row for row in range(size)],
    lambda size: [2**63 - 1 - row for row in range(size)],
    lambda size: [float("nan")] * size,
)


def frame_of(chance: random.Random, run: bool) -> pl.DataFrame:
    """A table; one of its columns perhaps of an odd type or name."""
    rows = [(query, item, value) for query, item, value in rows_of(chance, run)]
    value = "score" if run else "grade"
    numbers = [_number(each) if isinstance(_number(each), float) else 1.0 for _, _, each in rows]
    frame = pl.DataFrame({"query": [row[0] for row in rows], "item": [row[1] for row in rows], value: numbers})
    if chance.random() < 0.2:
        frame = frame.with_columns(pl.col("query").cast(pl.Categorical))
    if chance.random() < 0.2:
        kind = chance.choice((pl.Float32, pl.Int8, pl.UInt64, pl.String))
        frame = frame.with_columns(pl.col(value).cast(kind, strict=False))
    if chance.random() < 0.15:
        name = chance.choice(frame.columns)
        frame = frame.with_columns(pl.Series(name, chance.choice(ODD_COLUMNS)(frame.height), strict=False))
    if chance.random() < 0.1:
        frame = frame.rename({chance.choice(frame.columns): chance.choice(("x", "Score", "qid"))}, strict=False)
    return frame


def stored_frame(format: str, frame: pl.DataFrame, chance: random.Random) -> bytes:
    """Written in one of the ways there are."""
    file = io.BytesIO()
    if format == "parquet":
        packing: Any = chance.choice(("uncompressed", "snappy", "gzip", "lz4", "zstd"))
        statistics, rows = chance.random() < 0.5, chance.choice((None, 3))
        frame.write_parquet(file, compression=packing, statistics=statistics, row_group_size=rows)
    else:
        packing = chance.choice(("uncompressed", "lz4", "zstd"))
        level = chance.choice((None, pl.CompatLevel.oldest()))
        write = frame.write_ipc if chance.random() < 0.7 else frame.write_ipc_stream
        write(file, compression=packing, compat_level=level)
    return file.getvalue()


def table_trial(format: str, chance: random.Random, folder: Path) -> Trial:
    """A run and judgements as typed tables, one of them perhaps wounded."""
    paths = {run: folder / ("run" if run else "qrels") for run in (True, False)}
    hurt = chance.random() < 0.4
    target = chance.random() < 0.6
    for run, path in paths.items():
        data = stored_frame(format, frame_of(chance, run), chance)
        path.write_bytes(wounded(data, chance) if hurt and run == target else data)
    options = {"duplicates": chance.choice(("error", "error", "best", "first", "last"))}
    return _trial(paths, options, partial(_frame_rows, paths))


def _frame_rows(paths: dict[bool, Path], run: bool) -> list[Row] | None:
    data = paths[run].read_bytes()
    if data[:4] == b"PAR1":
        frame = pl.read_parquet(io.BytesIO(data))
    elif data[:4] == b"\xff\xff\xff\xff":
        frame = pl.read_ipc_stream(io.BytesIO(data))
    elif data[:6] == b"ARROW1":
        frame = pl.read_ipc(io.BytesIO(data))
    else:
        return None
    if any(frame.schema[each] in (pl.Decimal, pl.Datetime, pl.Time) for each in frame.columns):
        return None  # texts of these are polars' own
    return table_rows(frame.iter_rows(named=True), frame.columns, run)
