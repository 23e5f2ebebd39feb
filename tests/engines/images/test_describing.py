"""Many pictures at once: counts or shares, scaling, threads, broken files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.images.describing import describe, save_features
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from rankscope.engines.images.picture_folders import label_table, pictures_in
from rankscope.inputs.feature_files import read_features
from tests.engines.images.examples import noise


def test_counts_stay_whole_where_all_pictures_have_as_many_pixels() -> None:
    one, other = noise(20, 30), noise(30, 20, seed=1)
    found = describe([one, other], [DESCRIPTORS.parse("rgb-histogram")]).described[0]
    assert found.features.dtype == np.int32
    assert not found.shares
    assert found.features.sum(axis=1).tolist() == [600, 600]


def test_counts_become_shares_where_sizes_differ() -> None:
    found = describe([noise(20, 30), noise(10, 10)], [DESCRIPTORS.parse("rgb-histogram")]).described[0]
    assert found.shares
    np.testing.assert_allclose(found.features.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(found.like(noise(10, 10)), found.features[1])


def test_columns_are_scaled_over_the_collection_and_a_later_query_alike() -> None:
    pictures = [noise(24, 24, seed) for seed in range(6)]
    found = describe(pictures, [DESCRIPTORS.parse("colour-moments")]).described[0]
    np.testing.assert_allclose(found.features.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(found.features.std(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(found.like(pictures[2]), found.features[2])


def test_a_column_that_does_not_vary_is_only_centred() -> None:
    found = describe([noise(8, 8), noise(8, 8)], [DESCRIPTORS.parse("colour-moments")]).described[0]
    assert not found.features.any()


def test_tamura_scales_its_first_two_columns_only() -> None:
    found = describe([noise(24, 24, seed) for seed in range(4)], [DESCRIPTORS.parse("tamura")]).described[0]
    assert found.mean is not None
    assert found.sd is not None
    assert (found.mean[:2] != 0).all()
    assert not found.mean[2:].any()
    assert (found.sd[2:] == 1).all()


def test_the_number_of_threads_changes_nothing() -> None:
    pictures = [noise(30, 40, seed) for seed in range(40)]
    one, four = (
        describe(pictures, DESCRIPTORS.parse_list("cedd,gabor"), threads=threads).described for threads in (1, 4)
    )
    for left, right in zip(one, four, strict=True):
        assert left.features.tobytes() == right.features.tobytes()


def test_broken_files_are_left_out_and_named(tmp_path: Path) -> None:
    Pillow.fromarray(noise(9, 9).rgb).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"not a picture")
    found = describe([tmp_path / "b.png", tmp_path / "a.png"], [DESCRIPTORS.parse("cedd")])
    assert found.kept.tolist() == [1]
    assert found.problems[0].place.endswith("b.png")
    assert len(found.described[0].features) == 1
    with pytest.raises(InputError, match=r"b\.png"):
        describe([tmp_path / "b.png"], [DESCRIPTORS.parse("cedd")])


def test_large_pictures_are_shrunk_where_a_size_is_given() -> None:
    found = describe([noise(40, 80)], [DESCRIPTORS.parse("rgb-histogram(1)")], size=20).described[0]
    assert found.features.tolist() == [[10 * 20]]
    thin = describe([noise(1, 80)], [DESCRIPTORS.parse("rgb-histogram(1)")], size=20).described[0]
    assert thin.features.tolist() == [[20]]


def test_progress_counts_every_picture() -> None:
    told: list[tuple[int, int]] = []
    describe([noise(8, 8)] * 3, [DESCRIPTORS.parse("cedd")], progress=lambda *now: told.append(now))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("options", [{"size": 0}, {"threads": 0}])
def test_impossible_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(SettingError, match="at least 1"):
        describe([noise(8, 8)], [DESCRIPTORS.parse("cedd")], **options)  # type: ignore[arg-type]


def test_arrays_of_bytes_are_pictures_too() -> None:
    grey = np.zeros((3, 3), dtype=np.uint8)
    assert (
        describe([grey], [DESCRIPTORS.parse("cedd")]).described[0].features[0]
        == DESCRIPTORS.parse("cedd").of(Image.of(grey))
    ).all()


def test_what_is_saved_is_read_as_features(tmp_path: Path) -> None:
    pictures = [noise(24, 24, seed) for seed in range(4)]
    found = describe(pictures, [DESCRIPTORS.parse("colour-moments")]).described[0]
    for name in ("one.npz", "two.npz"):
        save_features(found, tmp_path / name, ["a", "b", "c", "d"], ["x", "x", "y", ""])
    read = read_features(tmp_path / "one.npz")
    np.testing.assert_allclose(read.matrix, found.features, atol=1e-5)
    assert read.labels == ("x", "x", "y", "")
    assert read.ids == ("a", "b", "c", "d")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with np.load(tmp_path / "one.npz") as stored:
        assert stored["descriptor"] == "colour-moments"
        assert stored["metric"] == "l1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("cat/2.png", "cat/10.PNG", "cat/deep/1.png", "dog/1.png", "alone.png", ".hidden.png", "notes.txt"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Pillow.new("RGB", (4, 4)).save(path, "PNG")
    return tmp_path / "photos"


def test_pictures_come_in_byte_order_with_their_folder_as_class(folder: Path) -> None:
    found, warnings = pictures_in(folder)
    assert [(each.id, each.label) for each in found] == [
        ("alone.png", ""),
        ("cat/10.PNG", "cat"),
        ("cat/2.png", "cat"),
        ("cat/deep/1.png", "cat"),
        ("dog/1.png", "dog"),
    ]
    assert warnings == []


def test_a_table_names_files_by_path_or_name_or_stem(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("File,Label\nalone,x\ncat/2.png,y\n10.PNG,x\nnowhere.png,z\n")
    found, warnings = pictures_in(folder, table)
    assert [each.label for each in found] == ["x", "x", "y", "", ""]
    assert warnings == [
        "2 pictures are not in labels.csv: they have no class",
        "1 row of labels.csv without a picture in the folder",
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("file,label\nelse.png,x\n", "none of its files"),
        ("picture_of,label\na,x\n", "file"),
        ("file,label\na,x\na,y\n", "a is of class y here and of x before"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(folder: Path, tmp_path: Path, text: str, word: str) -> None:
    table = tmp_path / "labels.csv"
    table.write_text(text)
    with pytest.raises(InputError, match=word):
        pictures_in(folder, table)


def test_a_file_may_stand_twice_with_the_same_class(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("name,class\na.png,x\n./a.png,x\n")
    assert label_table(table) == {"a.png": "x"}


def test_a_folder_without_pictures_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no pictures"):
        pictures_in(tmp_path)
    with pytest.raises(SettingError, match="no folder"):
        pictures_in(tmp_path / "none")
