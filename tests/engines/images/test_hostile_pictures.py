"""Pictures that are not what they seem: deep pixels, pixels without a range, pipes, folders that are closed, bombs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from rankscope.core.errors import InputError
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import MAX_PIXELS, decode, read_image
from rankscope.engines.images.picture_folders import pictures_in
from rankscope.engines.images.picture_set import PictureSet, open_pictures
from rankscope.inputs.collections.collection import COLLECTIONS

DEEP = np.arange(65536, dtype=np.uint16).reshape(256, 256)


def saved(array: Any, format: str) -> bytes:
    file = io.BytesIO()
    Pillow.fromarray(array).save(file, format)
    return file.getvalue()


def portable(kind: bytes, most: int, values: Any) -> bytes:
    height, width = values.shape[:2]
    return b"%s\n%d %d\n%d\n" % (kind, width, height, most) + values.astype(">u2").tobytes()


@pytest.mark.parametrize(
    "data",
    [
        saved(DEEP, "PNG"),
        saved(DEEP, "TIFF"),
        portable(b"P5", 65535, DEEP),
        portable(b"P6", 65535, np.repeat(DEEP[..., None], 3, axis=2)),
        portable(b"P5", 1023, DEEP // 64),
    ],
    ids=["png", "tiff", "pgm", "ppm", "pgm of 10 bits"],
)
def test_sixteen_bits_become_eight(data: bytes) -> None:
    """A ramp from black to white has mean 127.5, whatever file it lies in."""
    grey = decode(data).grey.astype(float)
    assert abs(grey.mean() - 127.5) < 1
    assert abs(grey - DEEP / 257).max() <= 1.01


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (DEEP.astype(np.int32) * 30000, "whole numbers of 32 bits"),
        (DEEP.astype(np.float32) / 65535, "floating-point numbers"),
    ],
)
def test_pixels_without_a_range_are_refused_by_name(array: Any, what: str) -> None:
    with pytest.raises(InputError, match=f"x.tif: 1 problem\n.*has pixels of {what}.*convert it to 8 or 16 bits"):
        decode(saved(array, "TIFF"), "x.tif")


def test_a_pipe_called_as_a_picture_is_named_and_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.png")
    for name in ("a", "b"):
        Pillow.new("RGB", (4, 4)).save(tmp_path / f"{name}.png")
    command = [sys.executable, "-m", "rankscope", "describe", str(tmp_path), "-d", "rgb-histogram", "-o"]
    done = subprocess.run([*command, str(tmp_path / "f.npz")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "x.png is no file: a folder, pipe or device" in done.stderr


def png_of(width: int, height: int) -> bytes:
    """A picture of zeros that is tiny as a file; made without making its pixels."""

    def part(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    packer, rows = zlib.compressobj(1), []
    for _ in range(height):
        rows.append(packer.compress(bytes(1 + 3 * width)))
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    body = b"".join([*rows, packer.flush()])
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")


@pytest.mark.thorough
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    path.write_bytes(png_of(9000, 8000))
    assert path.stat().st_size < 1_500_000
    with pytest.raises(InputError, match=r"has 72.0 megapixels, more than 64: allow it with max_pixels"):
        read_image(path)
    found = describe([path, np.zeros((4, 4), np.uint8)], [DESCRIPTORS.parse("rgb-histogram")])
    assert found.kept.tolist() == [1]
    assert "72.0 megapixels" in found.problems[0].what
    assert MAX_PIXELS == 64_000_000
    assert read_image(path, max_pixels=72_000_000).pixels == 72_000_000


def test_many_threads_leave_warnings_as_they_were(recwarn: pytest.WarningsRecorder) -> None:
    before = list(warnings.filters)
    data = png_of(10000, 9000)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: _refusal(data), range(40)))
    assert set(said) == {"picture: 1 problem\n  has 90.0 megapixels, more than 64: allow it with max_pixels"}
    assert warnings.filters == before
    assert not list(recwarn)


def _refusal(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        decode(data)
    return str(caught.value)


def folder_of(root: Path, sizes: dict[str, int]) -> Path:
    for name, size in sizes.items():
        (root / name).mkdir(parents=True)
        for number in range(2):
            Pillow.new("RGB", (size, size + number)).save(root / name / f"{number}.png")
    return root


def test_a_benchmark_leaves_large_pictures_out_and_can_be_told_otherwise(tmp_path: Path) -> None:
    result = COLLECTIONS.find("folder").load(folder_of(tmp_path / "photos", {"cats": 8, "dogs": 20}))
    left_out = open_pictures(PictureSet.of(result, max_pixels=100)).problems
    assert [name for name, _ in left_out] == ["dogs/0.png", "dogs/1.png"]
    whole = open_pictures(PictureSet.of(result, max_pixels=1000), room=0)
    assert whole.problems == ()
    described = describe(whole.sources, [DESCRIPTORS.parse("rgb-histogram")])
    assert described.kept.size == 4


def test_a_class_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = folder_of(tmp_path / "photos", {"cats": 8, "dogs": 8, "owls": 8})
    _close(root / "dogs", monkeypatch)
    found, warnings = pictures_in(root)
    assert sorted({picture.label for picture in found}) == ["cats", "owls"]
    assert warnings == [f"folder {root / 'dogs'} is left out: Permission denied"]
    with pytest.raises(InputError, match="has folders that cannot be read: dogs"):
        COLLECTIONS.find("folder").load(root)


def _close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if its permissions were taken away, which stops no superuser."""
    scan, access = os.scandir, os.access

    def scandir(path: Any = ".") -> Any:
        if os.fspath(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and access(path, mode))
