"""What is said of the size of a run, and how long its reduction may take."""

from __future__ import annotations

import gzip
from pathlib import Path

from rankscope.inputs.parts import PartFiles
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.ranks.parts.resources import (
    BYTES_A_ROW,
    BYTES_AT_LEAST,
    LONG,
    PACKED,
    Size,
    announcement,
    rows_within,
    size_of,
)


def test_what_is_going_to_happen_is_told_in_singular_and_plural_with_the_time_where_it_is_long() -> None:
    memory = 1 << 30
    one = announcement("bm25", Size(rows=7, files=1), "whole", parts=1, memory=memory, seconds=LONG)
    assert one == "bm25: about 7 rows in 1 file, by file in 1 part within 1 GB"
    many = announcement("bm25", Size(rows=7000, files=1200), "counted", parts=2, memory=memory, seconds=LONG + 1)
    how = "bm25: about 7,000 rows in 1,200 files, counted where they lie in 2 parts"
    assert many == f"{how} within 1 GB, about 1 minute"


def test_the_rows_within_some_memory_are_those_that_take_it() -> None:
    memory = Size(rows=1000, files=1).memory
    assert memory == BYTES_AT_LEAST + 1000 * BYTES_A_ROW
    assert (rows_within(memory), rows_within(memory - 1), rows_within(0)) == (1000, 999, 1)


def test_a_packed_text_is_taken_for_several_times_its_size(tmp_path: Path) -> None:
    text = b"".join(b"q1 Q0 d%02d 1 1.0 t\n" % number for number in range(40))
    packed = gzip.compress(text)
    (tmp_path / "a.run").write_bytes(text)
    (tmp_path / "b.run.gz").write_bytes(packed)
    rows = [size_of(PartFiles.of_one(Source(str(tmp_path / name))), Reading()).rows for name in ("a.run", "b.run.gz")]
    assert rows == [40, len(packed) * PACKED * 40 // len(text)]
