"""Packed files: never more memory than is allowed, and text is not taken for them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from rankscope import evaluate
from rankscope.core.errors import SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.sources import ALWAYS_ALLOWED, PORTION, ExpandedBytes, Source, TooLargeError, unpack_bytes

QRELS = {"q": {"a": 1}}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("name", PACKERS)
def test_members_one_behind_the_other_come_out_in_portions(name: str) -> None:
    pack = PACKERS[name]
    plain = [bytes(PORTION + 5), b"", b"the end" * 1000]
    stored = b"".join(map(pack, plain)) + bytes(9)
    for step in (1 << 20, 1000, 7):
        pieces = [stored[start : start + step] for start in range(0, len(stored), step)]
        pieces = [b"".join(pieces[:2000]), *pieces[2000:]]
        found = list(unpack_bytes(pieces, ExpandedBytes(0)))
        assert b"".join(found) == b"".join(plain)
        assert max(map(len, found)) <= 2 * PORTION


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PACKERS)
def test_a_small_file_that_becomes_gigabytes_is_refused_by_name(name: str, tmp_path: Path) -> None:
    """8 GB of zeros in a few thousand bytes: refused after 1 GB has come by, of which little is kept."""
    path = tmp_path / "bomb.run"
    member = PACKERS[name](bytes(64 << 20))
    path.write_bytes(member * 128)
    code = (
        "import resource, rankscope, sys\n"
        "from rankscope.inputs.sources import Source\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    for _ in Source(sys.argv[1])._plain(Source(sys.argv[1])._stored()): pass\n"
        "except rankscope.core.errors.InputError as error: print(error)\n"
        "assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.match(r"bomb.run: 1 problem\n  it unpacks to more than 1.\d GB, over 200 times its own", done.stdout)
    assert "max_ratio=N" in done.stdout


def test_a_ratio_counts_only_beyond_a_gigabyte() -> None:
    assert ALWAYS_ALLOWED == 1 << 30
    ExpandedBytes(1).add(ALWAYS_ALLOWED)
    with pytest.raises(TooLargeError):
        ExpandedBytes(1).add(ALWAYS_ALLOWED + 1)
    ExpandedBytes(ALWAYS_ALLOWED // 50).add(2 * ALWAYS_ALLOWED)
    ExpandedBytes(1, max_ratio=1e10).add(2 * ALWAYS_ALLOWED)


def test_the_ratio_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"q Q0 a 1 1 t\n"))
    assert evaluate(QRELS, path, "AP", max_ratio=1e6)["AP"] == 1
    with pytest.raises(SettingError, match="max_ratio=0: must be a number of at least 1"):
        evaluate(QRELS, path, "AP", max_ratio=0)


@pytest.mark.parametrize("first", ["BZh", "BZh9", "BZh91", "BZhang"])
def test_a_query_that_begins_as_bzip2_does_is_a_query(first: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(f"{first} Q0 a 1 1.0 t\n")
    assert evaluate({first: {"a": 1}}, path, "AP")["AP"] == 1
    assert b"".join(unpack_bytes([bz2.compress(b"")], ExpandedBytes(0))) == b""


def test_byte_order_marks_of_joined_files_go(tmp_path: Path) -> None:
    path, mark = tmp_path / "joined.run", "\ufeff"
    path.write_text(f"{mark}q1 Q0 a 1 1.0 t\n{mark}q2 Q0 a 1 1.0 t\n", encoding="utf-8")
    assert evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, path, "AP")["AP"] == 1
    qrels = tmp_path / "qrels.csv"
    qrels.write_text(f"{mark}query,item,grade\nq1,a,1\n{mark}q2,a,1\n", encoding="utf-8")
    assert evaluate(qrels, path, "AP")["AP"] == 1
    path.write_text(f"{mark}q1 Q0 a 1 1.0 t\n{mark}q2 Q0 a 1 1.0 t\n", encoding="utf-16-le")
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    assert evaluate(judged, path, "AP", encoding="utf-16-le")["AP"] == 1


def test_marks_go_alike_in_the_first_line_and_in_others(tmp_path: Path) -> None:
    """polars itself drops a mark at the beginning of what it is given, which may be the first row only."""
    path = tmp_path / "qrels.csv"
    path.write_bytes("query,item,grade\r\ufeffq1,a,1\rq2,a,1\r".encode())
    assert [row[0] for row in Qrels.of(path).table.rows()] == ["q1", "q2"]
    path = tmp_path / "qrels.txt"
    path.write_bytes(" \ufeff \ufeff\ufeff q1 0 a\ufeff 1\n \ufeff\tq2 0 \ufeffa 1\n".encode())
    assert Qrels.of(path).table.rows() == [("q1", "a\ufeff", 1.0), ("q2", "\ufeffa", 1.0)]


def test_marks_go_before_rows_with_quotes_and_stay_inside_of_quotes(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_bytes('query,item,grade\n"q1",a,1\n\ufeff"q1",b,1\n \ufeffq2,"a\n\ufeffb",1\n'.encode())
    assert Qrels.of(path).table.rows() == [("q1", "a", 1.0), ("q1", "b", 1.0), ("q2", "a\n\ufeffb", 1.0)]


def test_a_block_that_begins_with_a_mark_loses_it(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"one\n" + "\ufefftwo\n".encode())
    assert list(Source(str(path)).blocks(size=4)) == [b"one\n", b"two\n"]
