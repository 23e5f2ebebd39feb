"""Height matching: alignment and elastic match against slow loops, and figures on part of the shape set."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.engines.images.contenders import HeightMatching, Spectra, elastic_costs
from rankscope.engines.images.image import Image, read_image
from rankscope.engines.pairwise import put_query_back
from rankscope.inputs.collections.collection import load
from rankscope.measures import AP, Bullseye
from tests.data import data_folder
from tests.engines.images.test_shapes import blob

CLASSES = 8


@cache
def some_outlines() -> tuple[FloatArray, tuple[str, ...]]:
    """The first eight classes of the shape set."""
    collection = load("mpeg7", data_folder("mpeg7-shapes"))
    rows = [row for row, label in enumerate(collection.labels) if label in collection.classes[:CLASSES]]
    assert collection.paths is not None
    matching = HeightMatching()
    outlines = np.stack([matching.of(read_image(collection.paths[row])) for row in rows])
    return outlines, tuple(collection.labels[row] for row in rows)


def test_the_best_shift_is_that_of_trying_all() -> None:
    rng = np.random.default_rng(0)
    plain, turned = rng.standard_normal((2, 7, 12, 3))
    found = Spectra.of(plain, turned).aligned(np.arange(7))
    for query in range(7):
        for item in range(7):
            tried = np.array(
                [
                    [(own[query] * np.roll(plain[item], -shift, axis=0)).sum() for shift in range(12)]
                    for own in (plain, turned)
                ]
            )
            assert (int(found.mirrored[query, item]), int(found.shift[query, item])) == divmod(int(tried.argmax()), 12)
            assert found.product[query, item] == pytest.approx(tried.max())


def slow_match(own: FloatArray, other: FloatArray, shift: int, band: int) -> float:
    """The least cost by plain recursion over all matches within the band."""
    points = len(own)
    total = np.full((points, 2 * band + 1), np.inf)
    for here in range(points):
        for place, offset in enumerate(range(-band, band + 1)):
            cost = np.abs(own[here] - other[(here + shift + offset) % points]).sum()
            before = [total[here - 1, place] if here else 0.0]
            before += [total[here - 1, place + 1]] if here and place < 2 * band else []
            before += [total[here, place - 1]] if place and here else []
            total[here, place] = cost + min(before)
    return float(total[-1].min() / points)


@pytest.mark.parametrize("band", [1, 2, 4])
def test_the_elastic_cost_is_that_of_a_slow_loop(band: int) -> None:
    rng = np.random.default_rng(1)
    own, others = rng.standard_normal((11, 3)), rng.standard_normal((9, 11, 3))
    shift = rng.integers(0, 11, 9)
    found = elastic_costs(own, np.ascontiguousarray(others.transpose(2, 1, 0)), shift, band)
    slow = [slow_match(own, other, int(step), band) for other, step in zip(others, shift, strict=True)]
    np.testing.assert_allclose(found, slow, atol=1e-12)


def test_a_wider_band_never_costs_more() -> None:
    rng = np.random.default_rng(2)
    own, others = rng.standard_normal((20, 4)), rng.standard_normal((4, 20, 15))
    shift = rng.integers(0, 20, 15)
    costs = [elastic_costs(own, others, shift, band) for band in range(1, 6)]
    assert all((wide <= narrow + 1e-12).all() for narrow, wide in pairwise(costs))


def test_turned_and_mirrored_shapes_lie_near_and_others_far() -> None:
    one, matching = blob(0), HeightMatching()
    pictures = [one, np.rot90(one), one[:, ::-1], np.rot90(one[::-1], 3), blob(1), blob(2)]
    outlines = np.stack([matching.of(Image.of(np.ascontiguousarray(each))) for each in pictures])
    row = matching.distances(outlines)(np.array([0]))[0]
    assert row[0] == 0.0
    assert row[1:4].max() < 0.5 * row[4:].min()


def test_no_bit_of_the_result_depends_on_the_block_size() -> None:
    outlines, _ = some_outlines()
    rows = HeightMatching().distances(outlines[::8])
    whole = rows(np.arange(20))
    np.testing.assert_allclose(np.concatenate([rows(np.array([query])) for query in range(20)]), whole, rtol=1e-12)


def test_shapes_without_an_outline_are_at_a_finite_distance() -> None:
    matching = HeightMatching()
    outlines = np.stack([matching.of(Image.of(np.zeros((9, 9)))), matching.of(Image.of(blob(0)))] * 2)
    for each in (matching, HeightMatching(band=0)):
        assert np.isfinite(each.distances(outlines)(np.arange(4))).all()


@pytest.mark.thorough
def test_each_step_of_the_method_finds_more_on_part_of_the_shape_set() -> None:
    outlines, labels = some_outlines()
    steps = (HeightMatching(band=0), HeightMatching(complexity=0), HeightMatching())
    ranks = [each.ranks(outlines, labels) for each in steps]
    values = [AP().of(each).mean() for each in ranks]
    assert values[0] < values[2]
    assert values[1] < values[2]
    assert ranks[2].system == "height-matching"
    assert ranks[2].provenance["settings"]["band"] == 5
    assert Bullseye().of(put_query_back(ranks[2])).mean() > 0.9


@pytest.mark.parametrize("wrong", [{"points": 4}, {"runs": 1}, {"runs": 100}, {"band": 50}, {"band": -1}])
def test_what_cannot_be_matched_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingError, match=r"height.matching"):
        HeightMatching(**wrong)
