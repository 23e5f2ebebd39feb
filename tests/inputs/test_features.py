"""Features from files of every kind, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankscope.core.errors import InputError
from rankscope.inputs import features
from rankscope.inputs.feature_files import read_features
from rankscope.inputs.features import Features

TABLE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=np.float32)
LABELS, IDS = ["a", "a", "b"], ["x", "y", "z"]


def is_the_table(features: Features, ids: tuple[str, ...] = ("x", "y", "z")) -> bool:
    return bool((features.matrix == TABLE).all()) and features.labels == ("a", "a", "b") and features.ids == ids


def test_an_npz_holds_everything(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", features=TABLE, labels=LABELS, ids=IDS, split=["query", "both", "gallery"])
    features = read_features(tmp_path / "f.npz")
    assert is_the_table(features)
    assert features.queries is not None
    assert features.gallery is not None
    assert features.queries.tolist() == [True, True, False]
    assert features.gallery.tolist() == [False, True, True]


def test_the_metric_of_a_described_collection_is_kept_and_its_scale_left_alone(tmp_path: Path) -> None:
    mean, spread = np.array([3.0, 4.0]), np.array([2.0, 1.0])
    np.savez(tmp_path / "f.npz", features=TABLE, labels=LABELS, ids=IDS, mean=mean, sd=spread, metric="chi2")
    features = read_features(tmp_path / "f.npz")
    assert is_the_table(features)
    assert features.metric == "chi2"


def test_an_npy_is_mapped_not_read(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", TABLE)
    (tmp_path / "labels.txt").write_text("a\na\nb\n\n")
    features = read_features(tmp_path / "f.npy", labels=tmp_path / "labels.txt")
    assert is_the_table(features, ("0", "1", "2"))
    assert isinstance(features.matrix, np.memmap) or isinstance(features.matrix.base, np.memmap)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("shape", ["list", "array", "columns"])
def test_tables_hold_vectors_or_columns(tmp_path: Path, suffix: str, shape: str) -> None:
    frame = pl.DataFrame({"id": IDS, "label": LABELS})
    if shape == "columns":
        frame = frame.with_columns(f0=pl.Series(TABLE[:, 0]), f1=pl.Series(TABLE[:, 1]))
    else:
        kind: Any = pl.List(pl.Float32) if shape == "list" else pl.Array(pl.Float32, 2)
        frame = frame.with_columns(embedding=pl.Series(TABLE.tolist(), dtype=kind))
    path = tmp_path / f"f{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ipc(path)
    features = read_features(path)
    assert is_the_table(features)
    assert features.matrix.dtype == np.float32


def test_a_column_of_lists_gives_several_labels(tmp_path: Path) -> None:
    frame = pl.DataFrame({"vector": [[1.0], [2.0], [3.0]], "tags": [["cat", "dog"], ["dog"], []], "key": [7, 8, 9]})
    frame.write_parquet(tmp_path / "f.parquet")
    features = read_features(tmp_path / "f.parquet", label_column="tags", id_column="key")
    assert features.several == (("cat", "dog"), ("dog",), ())
    assert features.ids == ("7", "8", "9")


def test_labels_of_a_table_are_matched_by_id(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", features=TABLE, ids=IDS)
    (tmp_path / "labels.csv").write_text("id,class\nz,b\nx,a\ny,a\n")
    assert is_the_table(read_features(tmp_path / "f.npz", labels=tmp_path / "labels.csv"))
    np.save(tmp_path / "f.npy", TABLE)
    (tmp_path / "in_order.csv").write_text("id,class\nx,a\ny,a\nz,b\n")
    assert is_the_table(read_features(tmp_path / "f.npy", labels=tmp_path / "in_order.csv"))
    np.save(tmp_path / "labels.npy", np.array([1, 1, -1]))
    assert read_features(tmp_path / "f.npy", labels=tmp_path / "labels.npy").labels == ("1", "1", "")


def test_labels_that_fit_no_item_are_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", features=TABLE, ids=IDS)
    (tmp_path / "labels.csv").write_text("id,class\nx,a\nx,b\nq,a\n")
    with pytest.raises(InputError) as error:
        read_features(tmp_path / "f.npz", labels=tmp_path / "labels.csv")
    assert "id 'x' is there twice" in str(error.value)
    assert "id 'q' is no item of the features" in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("f.txt", b"1 2", "features are read from .npy"),
        ("f.npy", b"no array", "is no array of numbers"),
        ("f.npz", b"no archive", "is no archive of plain arrays"),
        ("f.parquet", b"PAR1", "cannot be read"),
        ("missing.npz", None, "No such file"),
    ],
)
def test_files_that_hold_no_features_are_told(tmp_path: Path, name: str, content: bytes | None, told: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_features(tmp_path / name)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"label": ["a", "a"]}, "neither a column of vectors nor columns of numbers"),
        ({"label": ["a", "a"], "v": [[1.0], [1.0, 2.0]]}, "item 0: 1 features, others have 2"),
        ({"label": ["a", "a"], "v": [[1.0, None], [1.0, 2.0]]}, "has empty values"),
        ({"label": ["a", "a"], "v": [1.0, None]}, "column 'v' has empty cells"),
        ({"label": ["a", "a"], "v": [[1.0], [1.0]], "w": [[1.0], [1.0]]}, "several columns of vectors"),
        ({"query": ["a", "b"], "judged_rank": [[1], [2]]}, "saved reduction (*.ranks.parquet), it has no features"),
        ({"v": [[1.0], [2.0]]}, "has no labels"),
        ({"label": ["a", "b"], "v": [[1.0], [2.0]]}, "no class has two members"),
    ],
)
def test_tables_that_cannot_be_features_are_told(tmp_path: Path, columns: dict[str, Any], told: str) -> None:
    pl.DataFrame(columns, strict=False).write_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError) as error:
        read_features(tmp_path / "f.parquet")
    assert told in str(error.value)
    assert str(error.value).startswith("f.parquet")


@pytest.mark.parametrize("single", [np.array(3), np.array("a"), np.array(2.5)], ids=str)
@pytest.mark.parametrize("name", ["labels", "ids", "split"])
def test_one_value_is_no_list(name: str, single: Any, tmp_path: Path) -> None:
    arrays = {"features": TABLE, "labels": np.array(LABELS), "ids": np.array(IDS), name: single}
    np.savez(tmp_path / "f.npz", **arrays)
    with pytest.raises(InputError, match=rf"f\.npz: 1 problem\n  a list is needed, got the single value '{single}'"):
        read_features(tmp_path / "f.npz")


@pytest.mark.parametrize("labels", [["\ud800", "a", "a"], [["\ud800"], ["a"], ["a"]]])
def test_labels_and_ids_are_text(labels: list[Any]) -> None:
    with pytest.raises(InputError, match=r"item 0: label .* holds half of a surrogate pair"):
        Features.of(TABLE, labels)
    with pytest.raises(InputError, match="item 1: id must be text or a whole number"):
        Features.of(TABLE, LABELS, ["x", "\ud800", "z"])


def test_values_are_checked_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "CELLS", 4)
    whole = Features.of(TABLE, LABELS)
    monkeypatch.undo()
    assert Features.of(TABLE, LABELS).digest == whole.digest
    table = TABLE.copy()
    table[2, 1] = np.inf
    monkeypatch.setattr(features, "CELLS", 4)
    with pytest.raises(InputError, match="item 2: features must be finite, got inf"):
        Features.of(table, LABELS)


def test_the_digest_tells_roles_and_labels_apart() -> None:
    digests = {
        Features.of(TABLE, LABELS, IDS).digest,
        Features.of(TABLE, ["b", "a", "a"], IDS).digest,
        Features.of(TABLE, LABELS).digest,
        Features.of(TABLE, LABELS, IDS, queries=["x"]).digest,
        Features.of(TABLE.astype(np.float64), LABELS, IDS).digest,
    }
    assert len(digests) == 5
