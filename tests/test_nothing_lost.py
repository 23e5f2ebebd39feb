"""Files that are not what they seem, by the command alone: what once gave a wrong number, a traceback or a hang."""

from __future__ import annotations

import bz2
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope.core import digests
from rankscope.ranks.storage import KEY

ROOM = 2 << 30  # bytes a command may take


def command(folder: Path, *arguments: object, seconds: int = 100, room: int = ROOM) -> subprocess.CompletedProcess[str]:
    """`rankscope ARGUMENTS` in a folder, with a limit of memory where the system has one."""

    def limited() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (room, room))

    return subprocess.run(
        [sys.executable, "-m", "rankscope", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        preexec_fn=None if sys.platform == "win32" else limited,
    )


def need_clear_error(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Judgements and a run of one query: AP 5/6."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq1 0 c 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 b 3 1 t\n")
    return tmp_path


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "edit",
    [
        pl.lit([1, 1]).alias("judged_rank"),
        pl.lit([0, 1]).alias("judged_rank"),
        pl.lit([-3, 1]).alias("judged_rank"),
        pl.lit([1, 9]).alias("judged_rank"),
        pl.lit([1, 1]).alias("levels_count"),
        pl.lit([1, -2]).alias("levels_count"),
        pl.lit(-1, dtype=pl.Int64).alias("depth"),
    ],
    ids=str,
)
def test_edited_ranks_are_not_believed(edit: pl.Expr, files: Path) -> None:
    saved = files / "a.ranks.parquet"
    assert command(files, "evaluate", "qrels.txt", "a.run", "-o", saved).returncode == 0
    meta = pl.read_parquet_metadata(saved)
    frame = pl.read_parquet(saved).with_columns(edit)
    frame.write_parquet(saved, metadata={KEY: meta[KEY]})
    need_clear_error(command(files, "evaluate", saved), "a.ranks.parquet", "is damaged")
    notes = {name: value for name, value in json.loads(meta[KEY]).items() if name != digests.DIGEST_KEY}
    frame.write_parquet(saved, metadata={KEY: json.dumps(notes)})  # as files were before they had a digest
    need_clear_error(command(files, "evaluate", saved), "a.ranks.parquet", "q1")


def grey(path: Path, mode: str, value: float) -> None:
    from PIL import Image

    Image.new(mode, (16, 16), value).save(path)


@pytest.mark.parametrize(("suffix", "mode", "value"), [("tif", "I", 70_000), ("tif", "F", 0.5)])
def test_pixels_of_unknown_range_are_refused(suffix: str, mode: str, value: float, tmp_path: Path) -> None:
    grey(tmp_path / f"a.{suffix}", mode, value)
    done = command(tmp_path, "describe", ".", "-d", "rgb-histogram", "-o", "x.npz")
    assert f"a.{suffix}" in done.stdout + done.stderr
    assert not (tmp_path / "x.npz").exists()


def test_sixteen_bits_keep_their_brightness(tmp_path: Path) -> None:
    """Half of the range is half of the range, regardless of the depth; it came out white."""
    pixels = np.full((16, 16), 0x7F00, dtype=">u2")
    (tmp_path / "a.pgm").write_bytes(b"P5 16 16 65535\n" + pixels.tobytes())
    assert command(tmp_path, "describe", ".", "-d", "thumbnail", "-o", "x.npz").returncode == 0
    with np.load(tmp_path / "x.npz") as stored:
        means = [stored[name].mean() for name in stored.files if stored[name].dtype.kind in "fu"]
    assert any(abs(mean - 127) < 1.5 or abs(mean - 0.498) < 0.006 for mean in means), means


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read every folder")
def test_a_class_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for label in ("x", "y"):
        (tmp_path / "pictures" / label).mkdir(parents=True)
        grey(tmp_path / "pictures" / label / "1.png", "L", 9)
    (tmp_path / "pictures" / "y").chmod(0)
    done = command(tmp_path, "describe", "pictures", "-d", "rgb-histogram", "-o", "x.npz")
    (tmp_path / "pictures" / "y").chmod(0o755)
    assert "pictures/y" in done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_a_pipe_among_the_pictures_does_not_wait_for_ever(tmp_path: Path) -> None:
    grey(tmp_path / "a.png", "L", 9)
    os.mkfifo(tmp_path / "b.png")
    done = command(tmp_path, "describe", ".", "-d", "rgb-histogram", "-o", "x.npz", seconds=50)
    assert "b.png" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "rankscope.evaluate({'q1': {'x': 1, 'z': 1}}, {'q1': {'x': 2., 'z': 1.}}, ['AP'], junk={'q1': 'xy'})",
        "rankscope.engines.nearest.nearest_ranks(np.ma.masked_array(np.eye(4), np.eye(4) > 0), list('aabb'), 'l2')",
    ],
)
def test_python_values_that_would_be_misread_are_refused(call: str, tmp_path: Path) -> None:
    first = "import numpy as np, rankscope, rankscope.engines.nearest"
    code = f"{first}\ntry: {call}\nexcept rankscope.core.errors.RankscopeError: print('refused')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_a_large_collection_takes_no_memory(tmp_path: Path) -> None:
    done = command(tmp_path, *["estimate", "--collection-size", "1000000000", "--judged", "1000", "--found", "10"])
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_a_small_file_that_becomes_gigabytes_is_refused(files: Path) -> None:
    lines = "".join(f"q{number} Q0 a 1 1 t\n" for number in range(100_000)).encode()
    (files / "bomb.run").write_bytes(bz2.compress(lines) + bz2.compress(bytes(64 << 20)) * 128)
    need_clear_error(command(files, "evaluate", "qrels.txt", "bomb.run"), "bomb.run", "--max-ratio")


def test_a_huge_picture_is_left_out_by_its_header(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("1", (13_000, 13_000)).save(tmp_path / "huge.png")
    grey(tmp_path / "a.png", "L", 9)
    done = command(tmp_path, "describe", ".", "-d", "rgb-histogram", "-o", "x.npz")
    assert "huge.png" in done.stdout + done.stderr
    assert "--max-pixels" in done.stdout + done.stderr


@pytest.mark.thorough
def test_only_needed_arrays_are_read(tmp_path: Path) -> None:
    """A gigabyte of zeros next to the features."""
    matrix, labels = np.random.default_rng(1).random((8, 2)), np.repeat(["x", "y"], 4)
    np.savez_compressed(tmp_path / "f.npz", features=matrix, labels=labels, other=np.zeros(1 << 27))
    assert command(tmp_path, "rank", "f.npz", "--metric", "l2", "-o", "x.ranks.parquet", room=1 << 30).returncode == 0


ARROW = """
import struct, sys, rankscope
data = open("a.arrow", "rb").read()
for place in range(0, len(data) - 8, 8):
    open("b.arrow", "wb").write(data[:place] + struct.pack("<q", 1 << 55) + data[place + 8 :])
    try:
        rankscope.evaluate({"1": {"D000 with some more text": 1}}, "b.arrow", "AP")
    except rankscope.core.errors.InputError:
        pass
"""


def test_a_damaged_arrow_file_does_not_end_the_program(tmp_path: Path) -> None:
    """Each eight bytes in turn are a number that no memory has."""
    queries = ["1", "1", "a query of more than twelve bytes"] * 3
    items = [f"D{number:03d} with some more text" for number in range(9)]
    frame = pl.DataFrame({"query": queries, "item": items, "score": [1.5, 2.0, 3.0] * 3})
    frame.write_ipc(tmp_path / "a.arrow", compression="uncompressed")
    done = subprocess.run([sys.executable, "-c", ARROW], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["BZh9 0 a 1\n", "\ufeffq1 0 a 1\n\ufeffq2 0 a 1\n"])
def test_text_is_read_as_text(text: str, files: Path) -> None:
    """A query called BZh9 is no bzip2; the marks of joined files belong to no query."""
    (files / "q.txt").write_text(text)
    (files / "r.run").write_text(text.replace(" 0 a 1", " Q0 a 1 1 t"))
    done = command(files, "evaluate", "q.txt", "r.run", "-m", "AP", "-q", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "\ufeff" not in done.stdout
    assert done.stdout.count("1.0") >= text.count("\n")


@pytest.mark.thorough
def test_a_wide_table_is_read_in_its_length(files: Path) -> None:
    names = ["query", "item", "score", *(f"c{number}" for number in range(100_000))]
    (files / "wide.csv").write_text(",".join(names) + "\n" + ",".join(["q1", "a", "1"] + ["0"] * 100_000) + "\n")
    assert command(files, "evaluate", "qrels.txt", "wide.csv", "-m", "AP", seconds=50).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are text there")
@pytest.mark.parametrize("words", [("-m", b"a\xff"), ("--map", b"a\xff")], ids=str)
def test_arguments_that_are_no_text_are_refused(words: tuple[str, bytes], files: Path) -> None:
    given: list[str | bytes] = [sys.executable, "-m", "rankscope", "evaluate", "qrels.txt", "a.run", *words]
    done = subprocess.run(given, cwd=files, capture_output=True, text=True, check=False)
    need_clear_error(done, r"\xff", "text in UTF-8")
