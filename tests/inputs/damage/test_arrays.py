"""Arrays in files: only those that are needed, and whatever a flipped bit does is a clear error."""

from __future__ import annotations

import io
import random
import resource
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import InputError
from rankscope.inputs.array_files import Archive, read_npy
from rankscope.inputs.feature_files import read_features

ARRAYS: dict[str, Any] = {
    "features": np.arange(24.0).reshape(8, 3),
    "labels": np.array(["cat", "dog"] * 4),
    "ids": np.array([f"item {number}" for number in range(8)]),
    "metric": np.array("l2"),
}


def packed(save: Callable[..., None], **arrays: Any) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_come_back(save: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    fortran = np.asfortranarray(ARRAYS["features"])
    path.write_bytes(packed(save, **ARRAYS, fortran=fortran, empty=np.empty((0, 3)), number=np.array(5)))
    stored = Archive.of(path)
    for name, array in {**ARRAYS, "fortran": fortran, "empty": np.empty((0, 3)), "number": np.array(5)}.items():
        assert np.array_equal(stored.array(name), array), name
    assert isinstance(stored.array("features"), np.memmap) == (save is np.savez)
    assert read_features(path).metric == "l2"


@pytest.mark.thorough
def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    """An array of 4 GB of zeros next to the features costs nothing."""
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in ARRAYS.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array))
        with archive.open("large.npy", "w", force_zip64=True) as member:
            head = {"descr": "|u1", "fortran_order": False, "shape": (1 << 32,)}
            np.lib.format.write_array_header_1_0(member, head)
            for _ in range(1 << 8):
                member.write(bytes(1 << 24))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(read_features(path)) == 8
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
    with pytest.raises(InputError, match="unpacks to more than"):
        Archive.of(path).array("large")


@pytest.mark.thorough
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed, "lzma", "bzip2"])
def test_flipped_bits_give_the_same_arrays_or_a_clear_error(save: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    data = _with_packing(save) if isinstance(save, str) else packed(save, **ARRAYS)
    chance = random.Random(7)
    for _ in range(1500):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped)
        try:
            found = read_features(path)
        except InputError as error:
            if not str(error).startswith("a.npz"):
                raise
        else:
            assert np.array_equal(found.matrix, ARRAYS["features"])


def _with_packing(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", {"lzma": zipfile.ZIP_LZMA, "bzip2": zipfile.ZIP_BZIP2}[name]) as archive:
        for key, array in ARRAYS.items():
            with archive.open(f"{key}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array))
    return file.getvalue()


@pytest.mark.thorough
def test_flipped_bits_of_a_plain_array_give_an_array_or_a_clear_error(tmp_path: Path) -> None:
    path, labels = tmp_path / "a.npy", tmp_path / "labels.npy"
    np.save(labels, ARRAYS["labels"])
    np.save(path, ARRAYS["features"])
    chance = random.Random(3)
    for target in (path, labels):
        data = target.read_bytes()
        for _ in range(1500):
            flipped = bytearray(data)
            flipped[chance.randrange(min(len(data), 160))] ^= 1 << chance.randrange(8)
            target.write_bytes(flipped)
            try:
                found = read_features(path, labels=labels)
            except InputError as error:
                if not str(error).startswith(("a.npy", "labels.npy", "features")):
                    raise
            else:
                assert found.labels is not None
                assert found.matrix.ndim == 2
                assert len(found.matrix) == len(found.labels)
        target.write_bytes(data)


@pytest.mark.parametrize(
    ("shape", "what"), [((3, 2), "takes 48 bytes, 32 are there"), ((-1, 4), "shape"), ((1 << 40, 1 << 40), "takes")]
)
def test_a_shape_is_held_against_the_size(shape: tuple[int, int], what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(bytes(32))
    with pytest.raises(InputError, match=what):
        read_npy(path)


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, features=np.array([{}, []], dtype=object), labels=["a", "a"])
    with pytest.raises(InputError, match="Python objects"):
        read_features(path)


def test_what_stands_before_an_archive_is_not_passed_over(tmp_path: Path) -> None:
    """Readers of zip files look for their end and find it; numpy does not take such a file either."""
    path = tmp_path / "a.npz"
    np.savez(path, features=np.eye(2))
    path.write_bytes(b"something" + path.read_bytes())
    with pytest.raises(InputError, match="does not begin as an archive does"):
        Archive.of(path)
