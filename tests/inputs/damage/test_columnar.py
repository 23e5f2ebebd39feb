"""Damaged Parquet and Arrow files: polars ends the program where a number asks for petabytes, so we look first."""

from __future__ import annotations

import io
import os
import random
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankscope import evaluate
from rankscope.analysis.statistics.explanatory_variables import read_variables
from rankscope.core.errors import InputError
from rankscope.feedback.study.results import load_results
from rankscope.inputs.formats import columnar, columnar_layouts
from rankscope.inputs.formats.columnar import DAMAGED_ADVICE, PARQUET, read_frame
from rankscope.inputs.problems import Problems
from rankscope.inputs.side_tables import read_external_scores
from rankscope.inputs.sources import ExpandedBytes
from rankscope.ranks.reduction import reduce
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.needs import needed_module

FRAME = pl.DataFrame(
    {
        "query": ["1", "1", "a query of more than twelve bytes"] * 3,
        "item": [f"D{number:03d} with some more text" for number in range(9)],
        "score": [1.5, 2.0, 3.0] * 3,
    }
)
ODD = FRAME.with_columns(
    pl.col("query").cast(pl.Categorical).alias("category"),
    pl.Series("lists", [[1, 2], [], None] * 3),
    pl.Series("nothing", [None] * 9),
    (pl.col("score") > 2).alias("truth"),
    pl.struct("query", "score").alias("both"),
)
PACKINGS: dict[str, tuple[Any, ...]] = {
    "parquet": ("uncompressed", "snappy", "gzip", "lz4", "zstd"),
    "arrow": ("uncompressed", "lz4", "zstd"),
    "stream": ("uncompressed", "lz4", "zstd"),
}
CHECKS = {
    "parquet": columnar_layouts.check_parquet,
    "arrow": columnar_layouts.check_arrow,
    "stream": columnar_layouts.check_arrow,
}


def stored(frame: pl.DataFrame, kind: str, packing: Any) -> bytes:
    file = io.BytesIO()
    writers: dict[str, Callable[..., Any]] = {
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
        "stream": frame.write_ipc_stream,
    }
    writers[kind](file, compression=packing)
    return file.getvalue()


EVERY = [(kind, packing) for kind, packings in PACKINGS.items() for packing in packings]


@pytest.mark.parametrize(("kind", "packing"), EVERY)
@pytest.mark.parametrize("frame", [FRAME, ODD, FRAME.head(0), pl.concat([FRAME] * 1000, rechunk=False)])
def test_what_polars_writes_passes(kind: str, packing: str, frame: pl.DataFrame) -> None:
    data = stored(frame, kind, packing)
    CHECKS[kind](data, ExpandedBytes(len(data)))


@pytest.mark.parametrize("packing", ["NONE", "snappy", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_what_pyarrow_writes_as_parquet_passes(packing: str, version: str) -> None:
    parquet = needed_module("pyarrow.parquet", "pandas")
    file = io.BytesIO()
    parquet.write_table(ODD.to_arrow(), file, compression=packing, data_page_version=version, row_group_size=4)
    columnar_layouts.check_parquet(file.getvalue(), ExpandedBytes(len(file.getvalue())))


@pytest.mark.parametrize("packing", [None, "lz4", "zstd"])
@pytest.mark.parametrize("make", ["new_file", "new_stream"])
def test_what_pyarrow_writes_as_arrow_passes(packing: str | None, make: str) -> None:
    ipc = needed_module("pyarrow.ipc", "pandas")
    file, table = io.BytesIO(), ODD.to_arrow()
    with getattr(ipc, make)(file, table.schema, options=ipc.IpcWriteOptions(compression=packing)) as writer:
        writer.write_table(table, max_chunksize=2)
    columnar_layouts.check_arrow(file.getvalue(), ExpandedBytes(len(file.getvalue())))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "packing"), EVERY)
def test_numbers_that_ask_for_petabytes_are_refused(kind: str, packing: str, tmp_path: Path) -> None:
    """Each eight bytes in turn become a huge number; on old code several of these end the program."""
    data = stored(FRAME, kind, packing)
    path = tmp_path / f"x.{'parquet' if kind == 'parquet' else 'arrow'}"
    for place in range(0, len(data) - 8, 8 if kind != "parquet" else 3):
        path.write_bytes(data[:place] + struct.pack("<q", 1 << 55) + data[place + 8 :])
        _read_or_refused(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", PACKINGS)
def test_flipped_bits_give_a_table_or_a_clear_error(kind: str, tmp_path: Path) -> None:
    chance = random.Random(kind)
    path = tmp_path / f"x.{'parquet' if kind == 'parquet' else 'arrow'}"
    for packing in PACKINGS[kind]:
        data = stored(FRAME, kind, packing)
        for _ in range(150):
            flipped = bytearray(data)
            flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(flipped)
            _read_or_refused(path)


def _read_or_refused(path: Path) -> None:
    try:
        frame = read_frame(path)
        evaluate({"1": {"D000 with some more text": 1}}, path, "AP")
    except InputError as error:
        if not str(error).startswith(path.name):
            raise
    else:
        assert frame.height <= 1000


@pytest.mark.parametrize("raised", [EOFError(), OSError("seek"), MemoryError(), pl.exceptions.PanicException("out of")])
def test_whatever_a_reader_stumbles_over_is_a_damaged_file(raised: BaseException) -> None:
    def read(*_: Any) -> pl.DataFrame:
        raise raised

    layout = replace(PARQUET, check=lambda *_: None, read=read)
    with pytest.raises(
        InputError, match=rf"x: 1 problem\n  cannot be read as Parquet: \w+.*\n{re.escape(DAMAGED_ADVICE)}"
    ):
        layout.frame(b"", None, Problems("x"), 1.0)


@pytest.mark.parametrize(
    "read", [load_ranks, read_external_scores, read_variables, load_results], ids=lambda of: of.__name__
)
def test_saved_tables_that_are_damaged_are_read_or_refused(read: Callable[[Path], Any], tmp_path: Path) -> None:
    chance, path = random.Random(0), tmp_path / "saved.ranks.parquet"
    save_ranks(reduce({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, keep_scores=True), path)
    whole, messages = path.read_bytes(), []
    for _ in range(200):
        data = bytearray(whole[: chance.choice([len(whole), chance.randrange(len(whole))])])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            read(path)
        except InputError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert all(message.startswith(path.name) for message in messages)


@pytest.mark.thorough
def test_a_table_of_a_few_bytes_that_becomes_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"query": ["a"]}).select(pl.col("query").repeat_by(200_000_000).explode()).write_parquet(path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match=r"more than 1.0 GB.*\n.*max_ratio=N"):
        read_frame(path)


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Duration("ms")], ids=str)
@pytest.mark.parametrize("name", ["query", "score"])
def test_times_beyond_the_calendar_are_refused(kind: Any, name: str, tmp_path: Path) -> None:
    """polars panics when such a value is looked at, which ends more than a command should."""
    far = pl.Series(name, [2**31 - 1 if kind == pl.Date else 2**62]).cast(pl.Int32 if kind == pl.Date else pl.Int64)
    path = tmp_path / "x.arrow"
    others = pl.DataFrame({each: ["1"] for each in ("query", "item", "score") if each != name})
    others.with_columns(far.cast(kind)).write_ipc(path)
    with pytest.raises(InputError, match=f"column '{name}' holds dates or times beyond the calendar"):
        evaluate({"1": {"1": 1}}, path, "AP")


def test_dates_are_no_problem_in_columns_that_nobody_asks_for(tmp_path: Path) -> None:
    dates = pl.Series("when", [datetime.min, datetime.max])
    frame = pl.DataFrame({"query": ["1", "1"], "item": ["a", "b"], "score": [2, 1]}).with_columns(dates)
    frame.write_parquet(tmp_path / "x.parquet")
    assert evaluate({"1": {"a": 1}}, tmp_path / "x.parquet", "AP")["AP"] == 1


def test_panics_of_polars_are_not_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of these files polars' reader panics, prints where, and raises."""
    rows = 500
    frame = pl.DataFrame({"query": ["q"] * rows, "docid": [f"d{row}" for row in range(rows)]})
    frame = frame.with_columns(score=pl.int_range(rows).sqrt())
    path = tmp_path / "run.parquet"
    frame.write_parquet(path)
    whole, chance, refused = path.read_bytes(), random.Random(1), 0
    for _ in range(150):
        place = chance.randrange(len(whole))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
        try:
            evaluate({"q": {"d1": 1}}, path, ["RR"])
        except InputError:
            refused += 1
    assert refused > 5
    assert not capfd.readouterr().err


def test_what_others_print_while_a_table_is_read_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    def panic() -> None:
        with columnar.panics_unprinted():
            os.write(2, b"thread panicked\n")
            raise pl.exceptions.PanicException("a panic")

    with pytest.raises(pl.exceptions.PanicException):
        panic()
    with columnar.panics_unprinted():
        os.write(2, b"a warning\n")
        with columnar.panics_unprinted():
            os.write(2, b"and another\n")
    assert capfd.readouterr().err == "a warning\nand another\n"
