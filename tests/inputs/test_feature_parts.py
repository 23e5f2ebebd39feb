"""Features in several files: one collection, and all that is wrong with any of them in one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import InputError
from rankscope.inputs.feature_files import FeatureParts, Unpacking, read_feature_parts
from rankscope.inputs.features import Features

TABLE = np.arange(12, dtype=np.float32).reshape(6, 2)
LABELS = ["a", "b", "a", "b", "", "a"]
IDS = [f"i{row}" for row in range(6)]


def write_part(folder: Path, name: str, first: int, stop: int, **more: Any) -> None:
    texts = {"labels": np.array(LABELS[first:stop], str), "ids": np.array(IDS[first:stop], str)}
    arrays: dict[str, Any] = {"features": TABLE[first:stop], **texts, **more}
    np.savez(folder / name, **{key: value for key, value in arrays.items() if value is not None})


def told(folder: Path, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_feature_parts([folder], **more)
    return str(caught.value)


def test_files_in_byte_order_of_their_names_are_one_collection(tmp_path: Path) -> None:
    for name, first, stop in (("B.npz", 0, 2), ("a.npz", 2, 5), ("empty.npz", 5, 5), ("é.npz", 5, 6)):
        write_part(tmp_path, name, first, stop, split=np.array(["both"] * (stop - first), str))
    found = read_feature_parts([tmp_path])
    alone = Features.of(TABLE, LABELS, IDS, split=["both"] * 6)
    assert (found.ids, found.several, found.digest) == (alone.ids, alone.several, alone.digest)
    assert found.joined().matrix.tolist() == TABLE.tolist()
    assert found.taken == "B.npz: labels from array 'labels', ids from array 'ids', and so of 2 more"
    listed = read_feature_parts([tmp_path / name for name in ("é.npz", "a.npz", "B.npz")])
    assert listed.digest == alone.digest


def test_npy_files_stay_where_they_are_and_labels_lie_beside(tmp_path: Path) -> None:
    for number in range(3):
        np.save(tmp_path / f"{number}.npy", TABLE[2 * number : 2 * number + 2])
    (tmp_path / "labels.txt").write_text("\n".join(LABELS) + "\n")
    found = read_feature_parts([tmp_path], labels=tmp_path / "labels.txt")
    assert found.digest == Features.of(TABLE, LABELS).digest
    assert [part.path for part in found.parts] == [(tmp_path / f"{number}.npy").resolve() for number in range(3)]


def test_unpacked_features_go_into_files_where_memory_ends(tmp_path: Path) -> None:
    folder, work = tmp_path / "parts", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    write_part(folder, "a.npz", 0, 4)
    write_part(folder, "b.npz", 4, 6)
    found: FeatureParts = read_feature_parts([folder], keep=Unpacking(work, TABLE[:4].nbytes))
    assert [part.path for part in found.parts] == [None, work.resolve() / "features-0.npy"]
    assert found.joined().matrix.tolist() == TABLE.tolist()


def test_all_bad_parts_are_named_at_once(tmp_path: Path) -> None:
    write_part(tmp_path, "a.npz", 0, 2)
    write_part(tmp_path, "b.npz", 2, 4, features=np.zeros((2, 3), np.float32))
    write_part(tmp_path, "c.npz", 2, 4, features=TABLE[2:4].astype(np.float64))
    write_part(tmp_path, "d.npz", 2, 4, ids=None)
    write_part(tmp_path, "e.npz", 2, 4, labels=np.array(["a"]))
    (tmp_path / "f.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:-50])
    write_part(tmp_path, "g.npz", 2, 4, features=np.array([[0, np.nan], [1, 1]], np.float32))
    (tmp_path / "h.txt").write_text("0 1\n")
    message = told(tmp_path)
    for line in (
        "b.npz: 3 features, a.npz has 2",
        "c.npz: features of type float64, those of a.npz are float32",
        "d.npz: has no ids, a.npz has",
        "e.npz: 2 rows of features, but 1 labels",
        "f.npz: is no archive of plain arrays",
        "g.npz, item 0: features must be finite, got nan",
        "h.txt: features are read from",
    ):
        assert line in message, message


def test_problems_of_items_name_their_files(tmp_path: Path) -> None:
    write_part(tmp_path, "a.npz", 0, 3)
    write_part(tmp_path, "b.npz", 3, 6, ids=np.array(["i3", "i1", "i5"]), split=None)
    assert "b.npz, item 1: id 'i1' is that of a.npz, item 1 already" in told(tmp_path)


def test_a_pattern_without_files_and_parts_without_labels_are_told(tmp_path: Path) -> None:
    assert "no file fits this pattern" in told(tmp_path / "*.npy")
    np.save(tmp_path / "a.npy", TABLE[:3])
    np.save(tmp_path / "b.npy", TABLE[3:])
    message = told(tmp_path)
    assert "a.npy, b.npy: 1 problem\n  no labels" in message
    (tmp_path / "labels.txt").write_text("a\na\n")
    assert "6 rows of features, but 2 labels" in told(tmp_path, labels=tmp_path / "labels.txt")
