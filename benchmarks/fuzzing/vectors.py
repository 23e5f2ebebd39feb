"""Features and labels: .npz, .npy, and labels as lines, CSV, .npy and Parquet."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import wounded
from rankscope.inputs.feature_files import read_features
from rankscope.inputs.features import Features

KINDS = ("<f8", "<f4", "<i4", "|u1", "|b1", "<f2", ">f8", "<c16", "<U3", "|S3", "<M8[s]", "<i8", "<u8")
SHAPES: tuple[tuple[int, ...], ...] = ((8, 3), (8, 3), (8, 3), (8,), (8, 3, 1), (0, 3), (8, 0), (3, 8), ())
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def matrix_of(chance: random.Random) -> np.ndarray[Any, Any]:
    """Numbers, mostly; sometimes of another type, shape or order, not finite, or huge."""
    kind = chance.choice(KINDS) if chance.random() < 0.2 else "<f8"
    shape = chance.choice(SHAPES) if chance.random() < 0.2 else (8, 3)
    values = np.array([chance.randrange(100) for _ in range(int(np.prod(shape)))]).reshape(shape).astype(kind)
    if values.dtype.kind == "f" and values.size and chance.random() < 0.1:
        values.reshape(-1)[chance.randrange(values.size)] = chance.choice((np.nan, np.inf, 6e4))
    return np.asfortranarray(values) if chance.random() < 0.2 else values


def labels_of(chance: random.Random) -> np.ndarray[Any, Any]:
    """Two classes, mostly; as text or numbers, sometimes too few or of an odd type."""
    count = 8 if chance.random() < 0.9 else chance.randrange(12)
    if chance.random() < 0.5:
        return np.array([chance.choice(("cat", "dog", "")) for _ in range(count)])
    numbers = np.array([chance.randrange(-1, 2) for _ in range(count)])
    return numbers.astype(chance.choice(KINDS)) if chance.random() < 0.2 else numbers


def npz_trial(chance: random.Random, folder: Path) -> Trial:
    """An archive of arrays."""
    arrays = {
        chance.choice(("features", "features", "features", "embedding", "y")): matrix_of(chance),
        "labels": labels_of(chance),
    }
    if chance.random() < 0.4:
        arrays["ids"] = np.array([f"i{row if chance.random() < 0.97 else 0}" for row in range(8)])
    if chance.random() < 0.2:
        arrays["split"] = np.array([chance.choice(("query", "gallery", "both", "x")) for _ in range(8)])
    if chance.random() < 0.2:
        arrays["metric"] = np.array(chance.choice(("l2", "cosine", "no such")))
    if chance.random() < 0.05:
        arrays[chance.choice([*arrays])] = np.array(chance.choice((7, "cat", 0.5)))  # without a dimension
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", chance.choice(PACKINGS)) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    path = folder / "features.npz"
    hurt = chance.random() < 0.5
    path.write_bytes(wounded(file.getvalue(), chance) if hurt else file.getvalue())
    command = ("rank", str(path), "--metric", "l2", "-o", str(folder / "x.ranks.parquet"), "--quiet")
    return Trial(partial(read_features, path), partial(_same_as_numpy, path), command, agrees=False)


def _same_as_numpy(path: Path, found: Features) -> None:
    with np.load(path, allow_pickle=False) as stored:
        name = next(each for each in ("features", "embedding") if each in stored.files)
        assert np.array_equal(np.asarray(found.matrix), np.asarray(stored[name]))


def npy_trial(chance: random.Random, folder: Path) -> Trial:
    """An array and a file of labels."""
    path, labels = folder / "features.npy", folder / f"labels.{chance.choice(('txt', 'npy'))}"
    np.save(path, matrix_of(chance))
    given = labels_of(chance)
    if labels.suffix == ".npy":
        np.save(labels, given)
    else:
        labels.write_text("\n".join(map(str, given.tolist())) + "\n")
    _hurt((path, labels), chance)
    return _trial(path, labels, folder)


def label_trial(chance: random.Random, folder: Path) -> Trial:
    """Good features, and labels in every form there is."""
    path = folder / "features.npy"
    np.save(path, np.arange(24.0).reshape(8, 3))
    labels = _written_labels(chance, folder)
    if chance.random() < 0.6:
        labels.write_bytes(wounded(labels.read_bytes(), chance))
    return _trial(path, labels, folder)


def _written_labels(chance: random.Random, folder: Path) -> Path:
    form = chance.choice(("txt", "npy", "csv", "tsv", "parquet"))
    labels = folder / f"labels.{form}"
    given = labels_of(chance)
    if form == "npy":
        np.save(labels, given)
    elif form == "txt":
        labels.write_text("\n".join(map(str, given.tolist())), encoding="utf-8")
    else:
        names = [chance.choice(("id", "name", "x")), chance.choice(("label", "class", "y"))]
        frame = pl.DataFrame({names[0]: [str(row) for row in range(given.size)], names[1]: given.astype(str)})
        separator = "\t" if form == "tsv" else ","
        write: Callable[..., Any] = frame.write_parquet if form == "parquet" else frame.write_csv
        write(labels, **({} if form == "parquet" else {"separator": separator}))
    return labels


def _hurt(paths: tuple[Path, ...], chance: random.Random) -> None:
    if chance.random() < 0.5:
        path = chance.choice(paths)
        path.write_bytes(wounded(path.read_bytes(), chance))


def _trial(path: Path, labels: Path, folder: Path) -> Trial:
    def confirm(found: Features) -> None:
        assert np.array_equal(np.asarray(found.matrix), np.load(path, allow_pickle=False))
        if labels.suffix == ".txt":
            lines = [line.strip() for line in labels.read_text(encoding="utf-8-sig").splitlines()]
            assert [label or "" for label in found.labels] == ["" if line in ("", "-1") else line for line in lines][
                : len(found)
            ]

    command = ("rank", str(path), "--labels", str(labels), "--metric", "l2", "-o", str(folder / "x.ranks.parquet"))
    return Trial(partial(read_features, path, labels=labels), confirm, command, agrees=False)
