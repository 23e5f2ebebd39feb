"""Locally optimised RANSAC: transforms that are known, least squares by numpy, and OpenCV's plain RANSAC next to it."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.engines.images.local_features import fitted_similarity, improved_inliers, local_inliers


def matches(right: int, wrong: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points under a turn of 30 degrees, scale 1.5 and a shift, with noise; the rest anywhere."""
    chance = np.random.default_rng(seed)
    here = chance.uniform(0, 300, right + wrong) + 1j * chance.uniform(0, 300, right + wrong)
    there = 1.5 * np.exp(1j * np.pi / 6) * here + (40 - 20j)
    there += noise * (chance.normal(size=here.size) + 1j * chance.normal(size=here.size))
    there[right:] = chance.uniform(0, 600, wrong) + 1j * chance.uniform(0, 600, wrong)
    return tuple(np.column_stack([each.real, each.imag]) for each in (here, there))  # type: ignore[return-value]


def test_known_inliers_are_found() -> None:
    here, there = matches(30, 60, 0.5, 0)
    found = local_inliers(here, there, 5.0, 1000)
    assert found[:30].all()
    assert found[30:].sum() <= 3


def test_the_fit_is_that_of_least_squares() -> None:
    here, there = matches(20, 0, 3.0, 1)
    x, y = here.T
    ones, zeros = np.ones(20), np.zeros(20)
    rows = np.vstack([np.column_stack([x, -y, ones, zeros]), np.column_stack([y, x, zeros, ones])])
    (a, b, c, d), *_ = np.linalg.lstsq(rows, np.concatenate([there[:, 0], there[:, 1]]), rcond=None)
    turn, shift = fitted_similarity(here @ [1, 1j], there @ [1, 1j])
    assert (turn.real, turn.imag, shift.real, shift.imag) == pytest.approx((a, b, c, d))


def test_a_poor_model_is_improved() -> None:
    here, there = (each @ [1, 1j] for each in matches(40, 20, 1.0, 2))
    turn = (there[1] - there[0]) / (here[1] - here[0])  # of two noisy points
    shift = there[0] - turn * here[0]
    before = (np.abs(turn * here + shift - there) < 3.0).sum()
    assert improved_inliers(here, there, turn, shift, 3.0).sum() >= before


def test_it_finds_no_fewer_than_plain_ransac() -> None:
    import cv2

    more = []
    for seed in range(20):
        here, there = matches(15, 45, 2.0, seed)
        plain = cv2.estimateAffinePartial2D(
            here.astype(np.float32), there.astype(np.float32), method=cv2.RANSAC, ransacReprojThreshold=5.0
        )[1].sum()
        more.append(int(local_inliers(here, there, 5.0, 1000).sum()) - int(plain))
    assert min(more) >= -1
    assert np.mean(more) >= 0


def test_few_or_equal_points_break_nothing() -> None:
    assert local_inliers(np.zeros((1, 2)), np.zeros((1, 2)), 5.0, 10).sum() == 0
    assert local_inliers(np.zeros((5, 2)), np.ones((5, 2)), 5.0, 10).all()
