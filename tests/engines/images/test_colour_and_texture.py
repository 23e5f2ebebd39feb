"""CEDD, FCTH and JCD: hand checks, and the rules written out block by block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.engines.images import texture_descriptors
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from rankscope.engines.images.texture_descriptors import cedd_shares, fcth_shares
from tests.engines.images.examples import noise, plain

BYTE = st.integers(0, 255)


@given(colour=st.tuples(BYTE, BYTE, BYTE))
def test_the_shares_of_24_colours_add_up_to_one(colour: tuple[int, int, int]) -> None:
    shares = texture_descriptors.fuzzy_colour_shares(np.array([[colour]]))[0, 0]
    assert shares.shape == (24,)
    assert shares.sum() == pytest.approx(1.0)
    assert shares.min() >= -1e-9


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ((0, 0, 0), "black"),
        ((128, 128, 128), "grey"),
        ((255, 255, 255), "white"),
        ((255, 0, 0), "pure red"),
        ((255, 0, 30), "pure red"),
        ((255, 128, 0), "pure orange"),
        ((255, 255, 0), "pure yellow"),
        ((0, 255, 0), "pure green"),
        ((0, 255, 255), "pure cyan"),
        ((0, 0, 255), "pure blue"),
        ((255, 0, 255), "pure magenta"),
        ((60, 0, 0), "dark red"),
        ((255, 190, 190), "light red"),
    ],
)
def test_a_clear_colour_has_its_name(colour: tuple[int, int, int], name: str) -> None:
    shares = texture_descriptors.fuzzy_colour_shares(np.array([[colour]]))[0, 0]
    assert texture_descriptors.FUZZY_COLOURS[int(shares.argmax())] == name


@pytest.mark.parametrize("name", ["cedd", "fcth", "jcd"])
@pytest.mark.parametrize("form", ["compact", "full"])
def test_uniform_grey_lies_in_bin_one_alone(name: str, form: str) -> None:
    vector = DESCRIPTORS.parse(f"{name}({form})").of(plain(50, 70, (128, 128, 128)))
    assert np.flatnonzero(np.round(vector, 6)).tolist() == [1]


def test_an_upright_step_in_every_block_is_texture_three_alone() -> None:
    stripes = np.zeros((80, 80), dtype=np.uint8)
    stripes[:, 1::2] = 255
    rows = cedd_shares(Image.of(stripes)).sum(axis=1)
    np.testing.assert_allclose(rows, [0, 0, 0, 1, 0, 0])
    lying = cedd_shares(Image.of(stripes.T)).sum(axis=1)
    np.testing.assert_allclose(lying, [0, 0, 1, 0, 0, 0])


def test_cedd_is_what_its_rules_say_block_by_block() -> None:
    picture = noise(80, 80)
    colours = picture.shrunk(80, 80).astype(np.float64)
    luma = colours @ np.array([0.299, 0.587, 0.114])
    root = np.sqrt(2)
    counted, additions = np.zeros((6, 24)), 0
    for row in range(0, 80, 2):
        for column in range(0, 80, 2):
            a0, a1, a2, a3 = luma[row : row + 2, column : column + 2].ravel()
            found = np.abs(
                [2 * (a0 - a1 - a2 + a3), a0 + a1 - a2 - a3, a0 - a1 + a2 - a3, root * (a0 - a3), root * (a1 - a2)]
            )
            clear = np.array([0.68, 0.98, 0.98, 0.98, 0.98])
            textures = [0] if found.max() < 14 else (1 + np.flatnonzero(found / found.max() > clear)).tolist()
            mean = colours[row : row + 2, column : column + 2].mean(axis=(0, 1))
            for texture in textures:
                counted[texture] += texture_descriptors.fuzzy_colour_shares(mean[None, None])[0, 0]
                additions += 1
    np.testing.assert_allclose(cedd_shares(picture), counted / additions, atol=1e-9)


def test_fcth_is_what_its_rules_say_block_by_block() -> None:
    picture = noise(160, 160)
    luma = picture.shrunk(160, 160).astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    small = picture.shrunk(80, 80).astype(np.float64)
    counted = np.zeros((8, 24))
    for row in range(40):
        for column in range(40):
            block = luma[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
            a, b, c, d = block[::2, ::2], block[::2, 1::2], block[1::2, ::2], block[1::2, 1::2]
            energy = [np.sqrt(np.mean((band / 2) ** 2)) for band in (a + b - c - d, a - b + c - d, a - b - c + d)]
            h, v, e = np.clip((np.array(energy) - 5) / 35, 0, 1)
            low = np.array([(1 - h) * (1 - v), h * (1 - v), (1 - h) * v, h * v])
            mean = small[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].mean(axis=(0, 1))
            textures = np.concatenate([low * (1 - e), low * e])
            counted += textures[:, None] * texture_descriptors.fuzzy_colour_shares(mean[None, None])[0, 0] / 1600
    np.testing.assert_allclose(fcth_shares(picture), counted, atol=1e-6)
    assert fcth_shares(picture).sum() == pytest.approx(1.0)


def test_jcd_joins_the_levels_of_the_other_two() -> None:
    picture = noise(90, 120)
    c = DESCRIPTORS.parse("cedd").of(picture).reshape(6, 24)
    f = DESCRIPTORS.parse("fcth").of(picture).reshape(8, 24)
    j = DESCRIPTORS.parse("jcd").of(picture).reshape(7, 24)
    np.testing.assert_array_equal(j[0], (f[0] + f[4] + c[0]) / 2)
    np.testing.assert_array_equal(j[3], (f[2] + f[6] + c[3]) / 2)
    np.testing.assert_array_equal(j[[2, 4, 6]], c[[4, 5, 1]])
    np.testing.assert_array_equal(j[5], f[3] + f[7])


def test_compact_forms_have_three_bits_a_bin() -> None:
    for name in ("cedd", "fcth"):
        vector = DESCRIPTORS.parse(name).of(noise(90, 120))
        assert vector.dtype == np.int64
        assert vector.min() >= 0
        assert vector.max() <= 7
