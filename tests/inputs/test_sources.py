from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.inputs import sources
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from tests.inputs.examples import Make, run_error, run_rows

RUN = "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n"
ROWS = [("1", "a", 2.5), ("1", "b", 1.5)]
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda plain: zstandard.ZstdCompressor().compress(plain),
}


@pytest.fixture(params=COMPRESSORS)
def compress(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    return COMPRESSORS[request.param]


def test_compression_is_told_from_the_bytes_not_the_name(compress: Callable[[bytes], bytes], make: Make) -> None:
    assert run_rows(make("a.run", compress(RUN.encode()))) == ROWS


def test_members_one_behind_the_other_are_one_text(compress: Callable[[bytes], bytes], make: Make) -> None:
    first, second = RUN.splitlines(keepends=True)
    assert run_rows(make("a", compress(first.encode()) + compress(second.encode()))) == ROWS
    assert run_rows(make("b", compress(RUN[:20].encode()) + compress(b"") + compress(RUN[20:].encode()))) == ROWS


def test_zeros_behind_the_last_member_are_padding(make: Make) -> None:
    assert run_rows(make("a.gz", gzip.compress(RUN.encode()) + bytes(512))) == ROWS


def test_compressed_data_that_is_cut_off_is_refused(compress: Callable[[bytes], bytes], make: Make) -> None:
    stored = compress(RUN.encode() * 100)
    for kept in (len(stored) // 2, len(stored) - 1):
        assert "the compressed data is" in run_error(make("a.gz", stored[:kept]))


def test_a_second_member_that_is_cut_off_is_refused(make: Make) -> None:
    stored = gzip.compress(RUN.encode())
    assert "cut off before its end" in run_error(make("a.gz", stored + stored[:-4]))


def test_rubbish_behind_compressed_data_is_refused(compress: Callable[[bytes], bytes], make: Make) -> None:
    assert "the compressed data is damaged" in run_error(make("a.gz", compress(RUN.encode()) + b"rubbish"))


def test_a_wrong_checksum_is_refused(make: Make) -> None:
    stored = bytearray(gzip.compress(RUN.encode()))
    stored[-5] ^= 1
    assert "damaged" in run_error(make("a.gz", bytes(stored)))


def test_standard_input_can_be_read_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(RUN.encode()))))
    source = Source.of("-")
    assert source.whole().decode() == RUN
    assert source.head(4) == b"1 Q0"
    assert source.whole().decode() == RUN
    assert source.name == "standard input"


def test_a_run_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(RUN.encode())))
    assert run_rows("-") == ROWS


def test_a_pipe_is_read_whole_though_it_can_be_read_only_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(RUN,))
    writer.start()
    assert run_rows(path) == ROWS
    writer.join()


def test_the_digest_is_that_of_the_stored_bytes(make: Make) -> None:
    stored = gzip.compress(RUN.encode())
    path = make("a.gz", stored)
    expected = hashlib.sha256(stored).hexdigest()
    assert Source(str(path)).digest == expected
    source = Source(str(path))
    source.head(3)
    assert list(source.blocks(10))
    assert source.digest == expected


def test_a_file_that_is_not_there_is_refused_with_its_path(tmp_path: Path) -> None:
    error = run_error(tmp_path / "nowhere.run")
    assert "nowhere.run: 1 problem\n  cannot be read: No such file" in error
    assert str(tmp_path) in error


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Source("a\0b").whole()


def test_a_byte_order_mark_is_taken_off(make: Make) -> None:
    path = make("a", "\ufeff" + RUN)
    assert run_rows(path) == ROWS
    assert Source(str(path)).whole().decode() == RUN


@given(st.text(st.sampled_from("a\n"), max_size=30), st.integers(1, 8))
def test_blocks_end_with_a_line_and_lose_nothing(text: str, size: int) -> None:
    source = Source("-")
    source._spooled = io.BytesIO(text.encode())
    blocks = list(source.blocks(size))
    assert b"".join(blocks).decode() == text
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_the_block_size_is_one_setting(monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    monkeypatch.setattr(sources, "BLOCK", 4)
    assert len(list(Source(str(make("a", RUN))).blocks())) == 2


def test_a_part_stands_behind_a_hash_unless_the_hash_is_the_files_own(make: Make) -> None:
    plain, hashed = make("a.json", "{}"), make("b#1.run", RUN)
    assert Source.of(f"{plain}#eng/test") == Source(str(plain), "eng/test")
    assert Source.of(f"{plain}#eng/test").name == "a.json#eng/test"
    assert Source.of(hashed) == Source(str(hashed))
    assert Source.of(f"{plain}x#y").part == ""
    assert run_rows(hashed) == ROWS


def test_a_file_without_parts_refuses_one(make: Make) -> None:
    assert "format trec has no parts" in run_error(f"{make('a.run', RUN)}#test")


@pytest.mark.parametrize(
    ("path", "stem"),
    [("x/bm25.run.gz", "bm25"), ("input.bm25", "input.bm25"), (".run", ".run"), ("-", "stdin"), ("A.RUN", "A")],
)
def test_a_stem_is_without_suffixes_that_are_known(path: str, stem: str) -> None:
    assert Source(path).stem([".run"]) == stem


def test_utf_16_is_recognised_and_named(make: Make) -> None:
    path = make("a.run", RUN.encode("utf-16"))
    assert "give encoding='utf-16'" in run_error(path)
    assert run_rows(path, Reading(encoding="utf-16")) == ROWS


def test_what_is_no_text_and_no_known_format_is_refused(make: Make) -> None:
    assert "is in no format known here" in run_error(make("a.run", b"\0\1\2\3" * 50))


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    assert "is a folder without files" in run_error(tmp_path)
