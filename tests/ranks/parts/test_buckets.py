"""Rows shared out to the buckets of their queries: which files there are, and what waits for how long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from rankscope.inputs.run_rows import RunBlock
from rankscope.ranks.parts.work import ROW_BYTES, BucketWriter, block_of_frame, bucket_of, read_bucket


def block(queries: list[str], first_line: int) -> RunBlock:
    line = np.arange(first_line, first_line + len(queries))
    return block_of_frame(pl.DataFrame({"query": queries, "item": queries, "score": line / 2, "line": line}))


def test_rows_are_written_when_more_wait_than_may_and_a_bucket_without_rows_has_no_file(tmp_path: Path) -> None:
    assert [bucket_of(query, 3) for query in ("q1", "q2", "q4")] == [1, 0, 1]
    writer = BucketWriter(tmp_path, 3, waiting=2 * ROW_BYTES)
    writer.write([block(["q1", "q2"], 1), block(["q4"], 3), block(["q2", "q1"], 4)])  # the third row is one too many
    assert writer.files == [[f"b000{bucket}-0000{nth}.parquet" for nth in (0, 1)] for bucket in (0, 1)] + [[]]
    assert writer.rows == [2, 3, 0]
    found = [list(read_bucket([tmp_path / name for name in names], (), "row")) for names in writer.files]
    assert [[list(each.rows.line) for each in blocks] for blocks in found] == [[[2], [4]], [[1, 3], [5]], []]
