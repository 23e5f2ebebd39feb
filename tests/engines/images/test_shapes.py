"""Shapes: outlines and masks by hand, what must not change under turning and mirroring, and known figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.engines.images.descriptors import Descriptor
from rankscope.engines.images.image import Image, read_image
from rankscope.engines.images.shape_descriptors import (
    AngularRadial,
    FourierCentroid,
    FourierComplex,
    HeightSpectrum,
    Silhouette,
    Zernike,
    equidistant_points,
    heights,
    mirror_images,
    object_box,
    on_unit_disc,
    outline,
    outline_points,
    silhouette,
    twice_the_area,
    zernike_radial,
)
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.pairwise import put_query_back
from rankscope.inputs.collections.collection import load
from rankscope.measures import AP, ER, NMRR, Bullseye, P
from tests.data import data_folder

KINDS: tuple[Descriptor, ...] = (
    FourierCentroid(),
    FourierComplex(),
    Zernike(),
    AngularRadial(),
    Silhouette(),
    Silhouette(fit="square"),
    HeightSpectrum(),
)
TURNING: tuple[Descriptor, ...] = (FourierCentroid(), FourierComplex(), Zernike(), AngularRadial(), HeightSpectrum())


@dataclass(frozen=True)
class Known:
    """Figures that a faithful implementation reaches on CE-Shape-1 part B: bull's-eye, AP, P@10, ER, NMRR."""

    kind: Descriptor
    bullseye: float
    figures: tuple[float, float, float, float]


KNOWN = (
    Known(FourierCentroid(), 68.01, (0.5783, 0.6681, 0.091, 0.3732)),
    Known(FourierComplex(), 72.97, (0.6529, 0.7498, 0.059, 0.3100)),
    Known(Zernike(), 69.58, (0.6103, 0.7197, 0.076, 0.3454)),
    Known(Zernike(scale="z"), 70.26, (0.6204, 0.7256, 0.075, 0.3383)),
    Known(AngularRadial(), 69.24, (0.6082, 0.7104, 0.071, 0.3505)),
    Known(Silhouette(), 65.87, (0.5961, 0.7011, 0.116, 0.3680)),
    Known(HeightSpectrum(), 77.06, (0.6997, 0.7871, 0.049, 0.2674)),
)


def blob(seed: int = 0, size: int = 300) -> NDArray[np.uint8]:
    """An irregular star-shaped object without symmetry."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] - size / 2 + 0.5
    angle = np.arctan2(y, x)
    waves = [rng.uniform(0.02, 0.06) * np.cos(wave * angle + rng.uniform(0, 6)) for wave in (1, 2, 3, 4, 5)]
    return ((np.hypot(x, y) < size * (0.28 + np.sum(waves, axis=0))) * 255).astype(np.uint8)


def rectangle(height: int, width: int, frame: int = 40) -> BoolArray:
    mask = np.zeros((frame, frame), dtype=np.bool_)
    mask[5 : 5 + height, 5 : 5 + width] = True
    return mask


@cache
def shapes() -> tuple[list[NDArray[np.uint8]], tuple[str, ...]]:
    """Grey pictures and classes; decoded pictures keep too much else to hold them all."""
    collection = load("mpeg7", data_folder("mpeg7-shapes"))
    return [read_image(path).rgb[..., 0].copy() for path in collection.paths or ()], collection.labels


@cache
def vectors(kind: Descriptor) -> FloatArray:
    pictures, _ = shapes()
    return np.stack([kind.of(Image.of(picture)) for picture in pictures])


@pytest.mark.thorough
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: str(known.kind))
def test_a_descriptor_reaches_its_known_figures_on_the_shape_set(known: Known) -> None:
    _, labels = shapes()
    rows = vectors(known.kind) if not known.kind.z else vectors(Zernike()) / vectors(Zernike()).std(axis=0)
    ranks = nearest_ranks(rows, labels, "l1")
    assert 100 * Bullseye().of(put_query_back(ranks)).mean() == pytest.approx(known.bullseye, abs=0.5)
    limits = (0.003, 0.003, 0.008, 0.003)
    for measure, value, limit in zip((AP(), P(scope=10), ER(), NMRR()), known.figures, limits, strict=True):
        assert measure.of(ranks).mean() == pytest.approx(value, abs=limit), measure


@pytest.mark.thorough
def test_silhouettes_in_a_square_reach_the_known_bulls_eye() -> None:
    ranks = nearest_ranks(vectors(Silhouette(fit="square")), shapes()[1], "l1")
    assert 100 * Bullseye().of(put_query_back(ranks)).mean() == pytest.approx(64.2, abs=0.05)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_picture_gives_a_finite_vector_of_the_right_length(kind: Descriptor) -> None:
    white = np.full((50, 40), 255)
    two = np.zeros((9, 9))
    two[4, 4:6] = 255
    pictures = [
        np.zeros((1, 1)),
        np.full((1, 1), 255),
        np.full((2, 2), 255),
        white,
        0 * white,
        two,
        np.full((20, 3000), 255),
        np.eye(30) * 255,
    ]
    for picture in pictures:
        result = kind.of(Image.of(picture))
        assert result.shape == (kind.size,)
        assert np.isfinite(result).all()


@pytest.mark.parametrize("kind", [FourierCentroid(), FourierComplex(), HeightSpectrum()], ids=str)
def test_an_object_of_one_or_two_pixels_gives_zeros(kind: Descriptor) -> None:
    for count in (0, 1, 2):
        picture = np.zeros((9, 9))
        picture[4, 3 : 3 + count] = 255
        assert not kind.of(Image.of(picture)).any()


@pytest.mark.parametrize("kind", TURNING, ids=str)
def test_turning_mirroring_and_shifting_change_far_less_than_another_shape(kind: Descriptor) -> None:
    one, other = blob(0), rectangle(40, 250, frame=300) * 255
    moved = np.pad(one, ((20, 5), (1, 40)))
    own = kind.of(Image.of(one))
    away = np.abs(own - kind.of(Image.of(other))).sum()
    for changed in (np.rot90(one), np.rot90(one, 2), one[:, ::-1], one.T, moved):
        assert np.abs(own - kind.of(Image.of(np.ascontiguousarray(changed)))).sum() < 0.1 * away


@pytest.mark.parametrize("kind", TURNING, ids=str)
def test_size_changes_little(kind: Descriptor) -> None:
    own, large = kind.of(Image.of(blob(0))), kind.of(Image.of(np.kron(blob(0), np.ones((3, 3)))))
    other = kind.of(Image.of(rectangle(40, 250, frame=300) * 255))
    assert np.abs(own - large).sum() < 0.1 * np.abs(own - other).sum()


@pytest.mark.thorough
def test_a_turned_or_mirrored_shape_lies_near_itself_by_its_height_spectrum() -> None:
    pictures, _ = shapes()
    some, kind = pictures[::70], HeightSpectrum()
    every = vectors(kind)
    own = every[::70]
    turned = np.stack([kind.of(Image.of(np.rot90(each))) for each in some])
    flipped = np.stack([kind.of(Image.of(each[:, ::-1])) for each in some])
    others = np.abs(own[:, None] - every).sum(axis=2)
    assert np.median(np.abs(own - turned).sum(axis=1)) < 0.2
    assert np.median(np.abs(own - flipped).sum(axis=1)) < 0.2
    assert np.median(others) > 20 * 0.2


def test_the_largest_part_is_the_object_and_diagonal_pixels_hold_together() -> None:
    picture = np.zeros((5, 7))
    picture[0, 0] = picture[1, 1] = picture[2, 2] = 128
    picture[4, 5:7] = 255
    picture[0, 6] = 127
    mask = silhouette(picture)
    assert mask.shape == (7, 9)
    assert np.argwhere(mask).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert object_box(mask).shape == (3, 3)


def test_an_outline_runs_the_same_way_round_and_ignores_holes() -> None:
    mask = rectangle(10, 20)
    solid = outline(mask)
    mask[8:12, 10:14] = False
    np.testing.assert_array_equal(outline(mask), solid)
    assert len(solid) == 2 * (9 + 19)
    assert abs(twice_the_area(solid)) == 2 * 9 * 19
    signs = {np.sign(twice_the_area(outline(silhouette(blob(seed))))) for seed in range(4)}
    assert signs == {np.sign(twice_the_area(solid))}


def test_points_are_equally_spaced_along_the_outline() -> None:
    points = equidistant_points(np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [0.0, 1.0]]), 16)
    steps = np.abs(np.diff(np.concatenate([points, points[:1]]), axis=0)).sum(axis=1)
    np.testing.assert_allclose(steps, 0.5)


def test_heights_over_the_tangent_are_those_of_a_slow_loop() -> None:
    points = outline_points(silhouette(blob(2)), 40)
    found = heights(points[None], 8)[0]
    borders = np.round(np.linspace(0, 39, 9)).astype(int)
    for here in range(40):
        before, after = points[here - 1], points[(here + 1) % 40]
        along = (after - before) / np.linalg.norm(after - before)
        ahead = [points[(here + step) % 40] - points[here] for step in range(1, 40)]
        over = np.array([along[0] * each[1] - along[1] * each[0] for each in ahead])
        slow = [over[low:high].mean() for low, high in pairwise(borders)]
        np.testing.assert_allclose(found[here], slow, atol=1e-12)


def test_the_mirror_image_runs_the_same_way_round_as_before() -> None:
    points = outline_points(silhouette(blob(2)), 40)
    assert twice_the_area(mirror_images(points[None])[0]) == pytest.approx(twice_the_area(points))


def test_zernike_polynomials_are_orthogonal_over_the_disc() -> None:
    nodes, weights = np.polynomial.legendre.leggauss(40)
    radius, weights = (nodes + 1) / 2, weights / 2
    for turns in range(4):
        orders = range(turns, 11, 2)
        table = np.array([zernike_radial(order, turns, radius) for order in orders])
        expected = np.diag([1 / (2 * order + 2) for order in orders])
        np.testing.assert_allclose((table * weights * radius) @ table.T, expected, atol=1e-12)
    assert [zernike_radial(order, turns, np.ones(1))[0] for order, turns in ((2, 0), (5, 1), (9, 3))] == [1.0] * 3


def test_an_object_touches_the_unit_circle_and_lies_around_its_centroid() -> None:
    disc_picture = (np.hypot(*np.mgrid[-30:31, -30:31]) <= 25) * 255
    drawn = on_unit_disc(silhouette(disc_picture))
    assert drawn.sum() / drawn.size == pytest.approx((disc_picture > 0).sum() / 51**2, abs=0.01)
    assert drawn[32, 0] + drawn[32, 63] > 0
    place = np.arange(64) - 31.5
    assert abs(drawn.sum(axis=0) @ place) / drawn.sum() < 0.3


def test_a_disc_has_no_harmonics_but_its_own() -> None:
    disc_picture = Image.of((np.hypot(*np.mgrid[-60:61, -60:61]) <= 50) * 255)
    assert FourierCentroid().of(disc_picture).max() < 0.01
    assert np.sort(FourierComplex().of(disc_picture))[::-1][:2].round(2).tolist() == [1.0, 0.0]
    assert Zernike().of(disc_picture)[[0, 2]].max() < 0.2
