"""Texture descriptors: values by hand, and the same by other ways."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from scipy import stats
from skimage.feature import hog, local_binary_pattern

from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from rankscope.engines.images.texture_descriptors import GaborBank
from tests.engines.images.examples import noise, plain


def waves(height: int, width: int, right: float, down: float) -> Image:
    """A plane wave, in cycles a pixel."""
    y, x = np.mgrid[:height, :width]
    return Image.of(np.rint(127.5 + 127 * np.cos(2 * np.pi * (right * x + down * y))).astype(np.uint8))


def test_the_edge_histogram_is_what_its_rules_say_block_by_block() -> None:
    picture = noise(50, 70)
    side = max(2, 2 * int(np.sqrt(50 * 70 / 200) / 2))
    half = side // 2
    rows, columns = 50 // side, 70 // side
    edges, blocks = np.zeros((4, 4, 5)), np.zeros((4, 4))
    for i in range(rows):
        for j in range(columns):
            block = picture.luminance[i * side : (i + 1) * side, j * side : (j + 1) * side]
            a = [block[y : y + half, x : x + half].mean() for y in (0, half) for x in (0, half)]
            found = np.abs(
                [
                    a[0] - a[1] + a[2] - a[3],
                    a[0] + a[1] - a[2] - a[3],
                    np.sqrt(2) * (a[0] - a[3]),
                    np.sqrt(2) * (a[1] - a[2]),
                    2 * (a[0] - a[1] - a[2] + a[3]),
                ]
            )
            blocks[4 * i // rows, 4 * j // columns] += 1
            if found.max() >= 11:
                edges[4 * i // rows, 4 * j // columns, found.argmax()] += 1
    found = DESCRIPTORS.parse("edge-histogram(local,blocks=200)").of(picture)
    np.testing.assert_allclose(found, (edges / blocks[..., None]).ravel())


def test_the_extended_edge_histogram_appends_means_with_their_weights() -> None:
    picture = noise(128, 192)
    local = DESCRIPTORS.parse("edge-histogram(local)").of(picture).reshape(4, 4, 5)
    whole = DESCRIPTORS.parse("edge-histogram").of(picture)
    np.testing.assert_allclose(whole[80:85], 5 * local.mean(axis=(0, 1)))
    np.testing.assert_allclose(whole[85:90], local[0].mean(axis=0))
    np.testing.assert_allclose(whole[105:110], local[:, 0].mean(axis=0))
    np.testing.assert_allclose(whole[-5:], local[1:3, 1:3].mean(axis=(0, 1)))


def test_a_flat_picture_has_no_edges() -> None:
    assert not DESCRIPTORS.parse("edge-histogram").of(plain(64, 64, (90, 80, 70))).any()


def test_coarse_texture_is_coarser_than_fine() -> None:
    random = np.random.default_rng(0)
    fine = random.integers(0, 256, (64, 64)).astype(np.uint8)
    coarse = random.integers(0, 256, (8, 8)).astype(np.uint8).repeat(8, 0).repeat(8, 1)
    of = DESCRIPTORS.parse("tamura").of
    assert of(Image.of(coarse))[0] > 2 * of(Image.of(fine))[0]


def test_contrast_is_that_of_scipy() -> None:
    picture = noise(40, 30)
    values = picture.luminance.ravel()
    expected = values.std() / stats.kurtosis(values, fisher=False) ** 0.25
    assert DESCRIPTORS.parse("tamura").of(picture)[1] == pytest.approx(expected)


def test_stripes_have_one_direction_and_a_turn_moves_it_by_half() -> None:
    shares = DESCRIPTORS.parse("tamura").of(waves(64, 64, 1 / 16, 0))[2:] / 8
    assert shares.sum() == pytest.approx(1)
    assert shares[8] == pytest.approx(1)
    assert DESCRIPTORS.parse("tamura").of(waves(64, 64, 0, 1 / 16))[[2, 17]].sum() == pytest.approx(8)


def test_the_joint_histogram_of_a_flat_picture_is_one_bin() -> None:
    found = DESCRIPTORS.parse("tamura(histogram)").of(plain(30, 20, (77, 77, 77)))
    assert np.count_nonzero(found) == 1
    assert found.sum() == 600


@pytest.mark.parametrize(("scale", "turn"), [(0, 0), (1, 3), (2, 2), (3, 5)])
def test_a_wave_is_answered_most_by_the_filter_of_its_length_and_direction(scale: int, turn: int) -> None:
    frequency, angle = 0.4 / 8 ** (scale / 3), np.pi * turn / 6
    picture = waves(96, 128, frequency * np.cos(angle), frequency * np.sin(angle))
    means = DESCRIPTORS.parse("gabor").of(picture)[::2].reshape(4, 6)
    assert means.argmax() == 6 * scale + turn


def test_half_of_a_cosine_is_answered_for_it_runs_both_ways() -> None:
    mean, spread = DESCRIPTORS.parse("gabor").of(waves(60, 100, 0.4, 0))[
        :2
    ]  # 40 whole waves at the middle of the first filter
    assert mean == pytest.approx(127 / 2, rel=0.01)
    assert spread < 3


def test_neighbouring_scales_touch_at_half_their_height() -> None:
    first, second = (each[:, 0] for each in list(GaborBank(4, 2, 0.05, 0.4).filters(20000, 1))[1:4:2])
    touching = int(np.argmax(np.minimum(first, second)))
    assert first[touching] == pytest.approx(0.5, abs=0.002)
    assert second[touching] == pytest.approx(0.5, abs=0.002)


def test_large_pictures_get_the_same_filters_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = noise(40, 40)
    remembered = DESCRIPTORS.parse("gabor").of(picture)
    monkeypatch.setattr("rankscope.engines.images.texture_descriptors.KEPT_PIXELS", 0)
    np.testing.assert_array_equal(DESCRIPTORS.parse("gabor").of(picture), remembered)


def test_portrait_and_landscape_are_answered_alike() -> None:
    lying = waves(60, 120, 0.2, 0)
    standing = waves(120, 60, 0.2, 0)
    np.testing.assert_allclose(DESCRIPTORS.parse("gabor").of(lying), DESCRIPTORS.parse("gabor").of(standing), atol=1e-6)


def test_patterns_are_counted_cell_by_cell() -> None:
    picture = noise(40, 32)
    patterns: Any = local_binary_pattern
    codes = patterns(picture.grey, 8, 1, "nri_uniform").astype(int)
    found = DESCRIPTORS.parse("lbp(grid=4)").of(picture).reshape(4, 4, 59)
    assert (found.sum(axis=(0, 1)) == DESCRIPTORS.parse("lbp").of(picture)).all()
    assert (found[1, 2] == np.bincount(codes[10:20, 16:24].ravel(), minlength=59)).all()


def test_turned_patterns_do_not_mind_a_turn() -> None:
    picture = noise(40, 40)
    turned = Image.of(np.rot90(picture.rgb).copy())
    same, other = (
        np.abs(DESCRIPTORS.parse(name).of(picture) - DESCRIPTORS.parse(name).of(turned)).sum()
        for name in ("lbp(turned)", "lbp")
    )
    assert same < 0.05 * 3 * 1600  # neighbours between pixels are interpolated, and rounding moves some
    assert other > same


def test_hog_is_that_of_scikit_image() -> None:
    picture = noise(32, 32)
    expected = hog(picture.luminance, 9, (8, 8), (2, 2), block_norm="L2-Hys")
    np.testing.assert_allclose(DESCRIPTORS.parse("hog(side=32,cell=8)").of(picture), expected, atol=1e-5)


def test_gist_is_stronger_where_the_waves_are() -> None:
    half = noise(128, 128).rgb.copy()
    half[:, 64:] = 100
    found = DESCRIPTORS.parse("gist").of(Image.of(half)).reshape(32, 4, 4)
    assert (found[:8, :, 0].mean(axis=0) > 5 * found[:8, :, 3].mean(axis=0)).all()


def test_gist_does_not_mind_the_contrast_much() -> None:
    picture = noise(64, 64)
    pale = Image.of((picture.rgb // 2 + 100).astype(np.uint8))
    found, other = (DESCRIPTORS.parse("gist").of(each) for each in (picture, pale))
    assert np.abs(found - other).sum() < 0.4 * found.sum()


def test_a_thumbnail_is_a_mean_of_pixels() -> None:
    picture = noise(64, 96)
    expected = cv2.cvtColor(picture.shrunk(32, 32), cv2.COLOR_RGB2GRAY)
    np.testing.assert_allclose(DESCRIPTORS.parse("thumbnail").of(picture), expected.ravel(), atol=0.01)
    assert DESCRIPTORS.parse("thumbnail(rgb)").of(picture)[:3] == pytest.approx(picture.rgb[:2, :3].mean(axis=(0, 1)))
