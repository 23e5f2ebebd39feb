"""Local features and their matching: by hand, against slow loops, and copies found among photos."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.engines.images.image import Image, decode, opencv, read_image
from rankscope.engines.images.local_features import (
    LocalFeatures,
    SiftMatching,
    dense_features,
    feature_matches,
    local_features,
    plain_inliers,
    root_sift,
)
from rankscope.inputs.collections.collection import load
from rankscope.measures import P
from tests.data import data_folder

PHOTOS = 16


@cache
def photos() -> list[Image]:
    collection = load("corel1k", data_folder("corel1k"))
    assert collection.paths is not None
    return [read_image(path) for path in collection.paths[:: 1000 // PHOTOS][:PHOTOS]]


def changed(image: Image, seed: int) -> Image:
    """Turned by up to 40 degrees, scaled .6 to 1.2, shifted, blurred, relit, and saved as JPEG of quality 50."""
    cv2, rng = opencv(), np.random.default_rng(seed)
    middle = (image.width / 2, image.height / 2)
    moved = cv2.getRotationMatrix2D(middle, rng.uniform(-40, 40), rng.uniform(0.6, 1.2))
    moved[:, 2] += rng.uniform(-10, 10, 2)
    picture = cv2.warpAffine(image.rgb, moved, (image.width, image.height))
    picture = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float64) * rng.uniform(0.8, 1.2) + rng.uniform(-15, 15)
    _, data = cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8)[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 50])
    return decode(data.tobytes())


def made_of(vectors: list[list[float]], points: list[list[float]] | None = None) -> LocalFeatures:
    values = np.array(vectors, dtype=np.float32).reshape(len(vectors), -1)
    places = np.zeros((len(vectors), 2)) if points is None else np.array(points)
    return LocalFeatures(places.astype(np.float32), values)


def slow_matches(query: LocalFeatures, item: LocalFeatures, ratio: float) -> set[tuple[int, int]]:
    best: dict[int, tuple[float, int]] = {}
    for mine, vector in enumerate(query.vectors.astype(np.float64)):
        distance = np.sqrt(((item.vectors.astype(np.float64) - vector) ** 2).sum(axis=1))
        first, second = np.argsort(distance, kind="stable")[:2].tolist()
        if distance[first] < ratio * distance[second]:
            best[first] = min(best.get(first, (np.inf, -1)), (float(distance[first]), mine))
    return {(mine, theirs) for theirs, (_, mine) in best.items()}


@pytest.mark.thorough
def test_copies_come_first_and_inliers_separate_them_from_other_photos() -> None:
    matching = SiftMatching()
    items = [matching.of(image) for image in photos()]
    queries = [matching.of(changed(image, seed)) for seed, image in enumerate(photos()[::2])]
    for by in ("inliers", "matches"):
        scores = SiftMatching(by=by).scores(queries, items)
        right = scores[np.arange(len(queries)), np.arange(0, len(items), 2)]
        assert (scores.argmax(axis=1) == np.arange(0, len(items), 2)).all()
        if by == "inliers":
            assert right.min() >= 15
            assert np.sort(scores, axis=1)[:, :-1].max() <= 10


def test_as_a_ranker_it_finds_each_copy_first() -> None:
    matching = SiftMatching(by="matches", features=200)
    pairs = [picture for seed, image in enumerate(photos()[:6]) for picture in (image, changed(image, seed))]
    labels = [f"photo {row // 2}" for row in range(12)]
    ranks = matching.ranks([matching.of(picture) for picture in pairs], labels, keep_scores=True)
    assert P(scope=1).of(ranks).tolist() == [1.0] * 12
    assert ranks.distractors is not None
    assert ranks.provenance["settings"]["ranker"] == "sift-matching"


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_a_slow_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    query, item = (made_of(rng.standard_normal((count, 3)).tolist()) for count in (40, 15))
    mine, theirs = feature_matches(query, item, 0.8)
    assert set(zip(mine.tolist(), theirs.tolist(), strict=True)) == slow_matches(query, item, 0.8)


def test_each_feature_of_the_item_is_matched_once_by_the_nearest() -> None:
    query = made_of([[0.2, 0], [0.1, 0], [2.6, 0]])  # the last lies between the two of the item
    item = made_of([[0, 0], [5, 0]])
    mine, theirs = feature_matches(query, item, 0.8)
    assert (mine.tolist(), theirs.tolist()) == ([1], [0])


def test_without_a_second_nearest_nothing_matches() -> None:
    nothing = local_features(Image.of(np.zeros((30, 30))))
    one, two = made_of([[0.0] * 128]), made_of([[0.0] * 128, [1.0] * 128])
    for query, item in ((nothing, two), (two, nothing), (two, one)):
        assert feature_matches(query, item, 0.8)[0].size == 0
        assert SiftMatching().score(query, item) == 0


def test_inliers_agree_on_one_turn_scale_and_shift() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 200, (30, 2))
    turned = points @ np.array([[0.8, -0.6], [0.6, 0.8]]) * 1.5 + [40, -7]
    turned[20:] = rng.uniform(0, 300, (10, 2))
    query, item = made_of(points.tolist(), points.tolist()), made_of(points.tolist(), turned.tolist())
    everyone = np.arange(30)
    assert 20 <= plain_inliers(query, item, everyone, everyone) <= 23
    assert plain_inliers(query, item, everyone[:3], everyone[:3]) == 0


def test_a_photo_has_up_to_five_hundred_features_of_length_one() -> None:
    found = local_features(photos()[0])
    assert 50 <= len(found) <= 510
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)


def test_dense_features_stand_on_a_grid() -> None:
    found = dense_features(photos()[0])
    height, width = photos()[0].height, photos()[0].width
    assert len(found) == len(range(8, height, 8)) * len(range(8, width, 8))
    assert found.points[:2].tolist() == [[8.0, 8.0], [16.0, 8.0]]
    for shape in ((1, 1), (2, 2), (5, 300)):
        assert np.isfinite(dense_features(Image.of(np.zeros(shape))).vectors).all()


def test_a_vector_of_zeros_stays_so() -> None:
    assert root_sift(np.zeros((2, 128))).tolist() == np.zeros((2, 128)).tolist()


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(SettingError, match="by must be one of inliers, matches"):
        SiftMatching(by="hits")
    with pytest.raises(SettingError, match="ratio must be a number above 0 and at most 1"):
        SiftMatching(ratio=1.5)
