"""The sample collection that ships inside the package."""

from __future__ import annotations

import importlib
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections import sample as spaces
from rankscope.inputs.collections.sample import LabelledImages, icons
from rankscope.measures import AP, Rprec
from tests.data import GOLDEN, data_folder

PERMITTED = {"MIT", "Apache-2.0", "ISC", "CC0-1.0"}
DATA = files("rankscope.inputs.collections") / "data"


@pytest.fixture(scope="module")
def sample() -> LabelledImages:
    return icons()


def credits() -> dict[str, list[str]]:
    """Name, licence, author and number of icons of each set, from the table in LICENSES.md."""
    lines = (DATA / "LICENSES.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows[1:]}


def test_there_are_icons_of_one_size_with_a_label_and_a_name_each(sample: LabelledImages) -> None:
    assert sample.images.shape == (len(sample), 32, 32)
    assert sample.images.dtype == np.uint8
    assert len(sample) >= 4000
    assert sample.labels.shape == (len(sample),)
    assert len(set(sample.items)) == len(sample)


def test_classes_differ_much_in_size_and_none_is_alone(sample: LabelledImages) -> None:
    assert sample.class_sizes.min() == 2
    assert sample.class_sizes.max() > 100
    assert sample.class_sizes.sum() + sample.distractors == len(sample)
    assert sample.distractors > 1000
    assert list(sample.classes) == sorted(set(sample.classes))


def test_every_icon_comes_from_a_set_under_a_permitted_licence(sample: LabelledImages) -> None:
    used = Counter(item.split(":")[0] for item in sample.items)
    listed = credits()
    assert {licence for _, licence, _, _ in listed.values()} == PERMITTED
    assert {name: int(row[3]) for name, row in listed.items()} == used


def test_every_author_is_credited_with_the_notice_the_licence_asks_for() -> None:
    text = (DATA / "LICENSES.md").read_text(encoding="utf-8")
    for _, licence, author, _ in credits().values():
        notice = {"MIT": "Copyright (c) ", "ISC": "Copyright (c) ", "Apache-2.0": "Copyright ", "CC0-1.0": ""}[licence]
        assert f"- {notice}{author} (" in text
    for needed in (
        "Permission is hereby granted",
        "with or without fee",
        "trademarks of their owners",
        "@iconify/json",
    ):
        assert needed in text


def test_the_files_stay_within_the_budget_of_the_wheel() -> None:
    assert sum(len(file.read_bytes()) for file in DATA.iterdir()) < 1_500_000


def test_the_order_of_the_items_tells_nothing_about_their_class(sample: LabelledImages) -> None:
    same = (sample.labels[1:] == sample.labels[:-1]) & (sample.labels[1:] >= 0)
    sizes = sample.class_sizes
    expected = float((sizes * (sizes - 1)).sum()) / len(sample)
    assert abs(same.sum() - expected) < 5 * expected**0.5


def test_pixels_compare_as_correlation(sample: LabelledImages) -> None:
    features = spaces.pixels(sample.images[:20]).astype(np.float64)
    cosine = features @ features.T / np.sqrt(np.outer((features**2).sum(axis=1), (features**2).sum(axis=1)))
    np.testing.assert_allclose(cosine, np.corrcoef(sample.images[:20].reshape(20, -1)), atol=1e-12)


def test_edges_do_not_care_which_side_is_dark(sample: LabelledImages) -> None:
    assert (spaces.edges(sample.images[:50]) == spaces.edges(255 - sample.images[:50])).all()


def test_edges_tell_four_directions_apart() -> None:
    down, across = np.mgrid[:8, :8]
    pictures = np.stack([across > 3, down > 3, across + down > 7, across > down]).astype(np.uint8) * 255
    amounts = spaces.edges(pictures).reshape(4, -1, 4).sum(axis=1)
    assert amounts.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_a_feature_space_is_found_by_name_or_the_names_are_told(sample: LabelledImages) -> None:
    assert sample.features("edges").shape == (len(sample), 256)
    with pytest.raises(SettingError, match="There are: pixels, edges"):
        sample.features("pixel")


@pytest.mark.thorough
def test_edges_find_more_than_pixels(sample: LabelledImages) -> None:
    pixels, edges = (nearest_ranks(sample.features(each), sample.class_of_item) for each in ("pixels", "edges"))
    assert len(pixels) == len(edges) == len(sample) - sample.distractors
    assert AP().of(pixels).mean() == pytest.approx(0.4604, abs=5e-5)
    assert AP().of(edges).mean() == pytest.approx(0.5954, abs=5e-5)
    assert Rprec().of(pixels).mean() == pytest.approx(0.4616, abs=5e-5)
    assert Rprec().of(edges).mean() == pytest.approx(0.5819, abs=5e-5)


def test_the_sample_is_what_the_script_in_the_repository_makes(
    sample: LabelledImages, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data_folder("icons20k")
    monkeypatch.syspath_prepend(GOLDEN.parents[1] / "tools")
    script = importlib.import_module("make_icons_sample")
    sets = script.read_sets(folder)
    chosen = script.chosen(script.read_icons(folder), sets)
    with np.load(folder / "icons.npz") as packed:
        result = script.arrays(chosen, packed["images"])
    assert (result["images"] == sample.images).all()
    assert (result["labels"] == sample.labels).all()
    assert tuple(icon.name for icon in chosen) == sample.items
    assert tuple(icon.cluster for icon in chosen) == sample.class_of_item
    assert script.licences(chosen, sets) == (DATA / "LICENSES.md").read_text(encoding="utf-8")


def test_edges_are_those_of_a_plain_loop_over_pixels(sample: LabelledImages) -> None:
    pictures = sample.images[::700]
    found = spaces.edges(pictures).reshape(len(pictures), 8, 8, 4)
    for picture, edges in zip(pictures.astype(int), found, strict=True):
        amounts = np.zeros((8, 8, 4))
        for row, column in np.ndindex(32, 32):
            down = picture[row + 1, column] - picture[row - 1, column] if 0 < row < 31 else 0
            across = picture[row, column + 1] - picture[row, column - 1] if 0 < column < 31 else 0
            steep, flat = max(abs(across), abs(down)), min(abs(across), abs(down))
            slanted = 2 if (across > 0) == (down > 0) else 3
            level = 1 if 12 * abs(across) <= 5 * abs(down) else slanted
            direction = 0 if 12 * abs(down) <= 5 * abs(across) else level
            amounts[row // 4, column // 4, direction] += 2 * steep + flat
        np.testing.assert_array_equal(edges, np.rint(16 * np.sqrt(amounts)))
