"""Colour descriptors: values by hand, and the same by other ways."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from scipy import stats

from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from tests.engines.images.examples import noise, plain


@pytest.mark.parametrize("bins", [2, 8])
def test_rgb_counts_are_those_of_numpy(bins: int) -> None:
    picture = noise(31, 23)
    expected, _ = np.histogramdd(picture.rgb.reshape(-1, 3), bins=bins, range=[(0, 256)] * 3)
    assert (DESCRIPTORS.parse(f"rgb-histogram({bins})").of(picture) == expected.ravel()).all()


def test_hsv_counts_are_those_of_numpy() -> None:
    picture = noise(31, 23)
    colours = picture.hsv.reshape(-1, 3).astype(np.float64)
    expected, _ = np.histogramdd(colours, bins=(16, 4, 4), range=[(0, 1)] * 3)
    assert np.abs(DESCRIPTORS.parse("hsv-histogram").of(picture) - expected.ravel()).sum() <= 2  # a value on a border


def test_red_and_grey_share_a_hue_unless_greys_stand_apart() -> None:
    both = Image.of([[[255, 0, 0], [128, 128, 128]]])
    assert DESCRIPTORS.parse("hsv-histogram(16,1,1)").of(both)[0] == 2
    apart = DESCRIPTORS.parse("hsv-histogram(18,3,3,4)").of(both)
    assert apart[8] == 1  # first hue, strongest, lightest
    assert apart[162:].tolist() == [0, 0, 1, 0]


def test_hues_on_both_sides_of_red_are_red_where_bins_are_centred() -> None:
    reds = Image.of([[[255, 0, 20], [255, 20, 0]]])
    assert DESCRIPTORS.parse("hsv-histogram(18,3,3,4)").of(reds)[8] == 2


def test_opponent_bins_reach_their_ends() -> None:
    ends = Image.of([[[255, 0, 0], [0, 255, 0], [255, 255, 0], [0, 0, 255]]])
    places = np.flatnonzero(DESCRIPTORS.parse("opponent-histogram").of(ends))
    first, second = places // 64, places // 8 % 8
    assert (first.min(), first.max(), second.min(), second.max()) == (0, 7, 0, 7)


def test_moments_are_those_of_scipy() -> None:
    picture = noise(30, 20)
    for channel in range(3):
        values = picture.lab[..., channel].astype(np.float64).ravel()
        found = DESCRIPTORS.parse("colour-moments").of(picture)[channel::3]
        assert found[0] == pytest.approx(values.mean())
        assert found[1] == pytest.approx(values.std())
        assert found[2] ** 3 == pytest.approx(stats.moment(values, 3))


def test_moments_of_cells_stand_row_by_row() -> None:
    picture = noise(30, 21)
    cells = DESCRIPTORS.parse("colour-moments(space=rgb,grid=3)").of(picture).reshape(9, 9)
    np.testing.assert_allclose(cells[5, :3], picture.rgb[10:20, 14:21].reshape(-1, 3).mean(axis=0))


def test_moments_are_scaled_over_the_collection_for_whole_pictures_only() -> None:
    assert DESCRIPTORS.parse("colour-moments").z
    assert not DESCRIPTORS.parse("colour-moments(grid=3)").z


def test_colour_layout_is_the_cosine_transform_of_opencv() -> None:
    picture = noise(64, 64)
    small = picture.shrunk(8, 8).astype(np.float64)
    luma = cv2.dct(small @ np.array([0.299, 0.587, 0.114]))
    zigzag = [luma[place] for place in ((0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (0, 2), (0, 3), (1, 2))]
    found = DESCRIPTORS.parse("colour-layout(luma=8)").of(picture)
    np.testing.assert_allclose(found[:8], np.array(zigzag) * np.sqrt([2, 2, 2, 1, 1, 1, 1, 1]), rtol=1e-9)
    cr = 128 + small @ np.array([0.5, -0.418688, -0.081312])
    assert found[11] == pytest.approx(2 * 8 * cr.mean())


def test_the_distance_of_colour_layouts_adds_three_weighted_distances() -> None:
    assert DESCRIPTORS.parse("colour-layout").distance == "l2[0:6] + l2[6:9] + l2[9:12]"
    dark, light = (DESCRIPTORS.parse("colour-layout").of(plain(8, 8, (value,) * 3)) for value in (0, 10))
    assert np.linalg.norm((dark - light)[:6]) == pytest.approx(np.sqrt(2) * 80)
    assert np.abs((dark - light)[6:]).max() < 1e-3


def test_scalable_colour_is_a_matrix_of_sums_and_differences() -> None:
    """The same transform as Kronecker products of whole Haar matrices, in another order of the values."""
    picture = noise(40, 40)
    shares = DESCRIPTORS.parse("hsv-histogram").of(picture).reshape(16, 4, 4).transpose(2, 1, 0) / picture.pixels
    levels = np.minimum(15, np.floor(15 * np.sqrt(shares / 0.25) + 0.5))
    found = DESCRIPTORS.parse("scalable-colour").of(picture)
    assert found[0] == levels.sum()
    assert found[1] == levels[:2].sum() - levels[2:].sum()
    by_value = levels.sum(axis=(1, 2))
    assert found[2:4].tolist() == [by_value[0] - by_value[1], by_value[2] - by_value[3]]
    fine = (levels[:, :, 0::2] - levels[:, :, 1::2]).ravel()
    assert found[128:].tolist() == fine.tolist()
    assert DESCRIPTORS.parse("scalable-colour(32)").of(picture).tolist() == found[:32].tolist()


@pytest.mark.parametrize("shape", [(13, 17), (5, 30), (4, 4)])
def test_the_correlogram_counts_as_one_would_by_hand(shape: tuple[int, int]) -> None:
    picture = Image.of(np.random.default_rng(0).integers(0, 2, (*shape, 3)).astype(np.uint8) * 255)
    index = (picture.rgb >> 6).astype(int) @ np.array([16, 4, 1])
    height, width = shape
    found = DESCRIPTORS.parse("auto-correlogram(rgb)").of(picture).reshape(4, 64)
    for row, reach in enumerate((1, 3, 5, 7)):
        for colour in np.unique(index):
            same = 0
            for y, x in np.argwhere(index == colour).tolist():
                for v in range(max(0, y - reach), min(height, y + reach + 1)):
                    for u in range(max(0, x - reach), min(width, x + reach + 1)):
                        same += max(abs(v - y), abs(u - x)) == reach and index[v, u] == colour
            assert found[row, colour] == pytest.approx(same / (8 * reach * (index == colour).sum()))


def test_a_picture_of_one_colour_is_its_own_neighbour_except_at_the_border() -> None:
    found = DESCRIPTORS.parse("auto-correlogram").of(plain(100, 100, (0, 0, 0))).reshape(4, 64)[:, 0]
    inside = [1 - (4 * 98 * 3 + 4 * 5) / (8 * 100**2)]
    assert found[0] == pytest.approx(inside[0])
    assert (np.diff(found) < 0).all()
