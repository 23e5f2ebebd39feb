"""The first items by nearness are those of a ranking of all of them by the scores that count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial import distance

from rankscope.engines.nearest import ALL
from rankscope.engines.nearest.metrics import space_of
from rankscope.workbench.browsing.collection import Neighbourhood

NAMES = [each.name for each in ALL if each.name != "hamming_bits"]


def rows_of(seed: int, count: int, width: int, *, whole: bool) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (count, width)) if whole else rng.random((count, width))
    rows[:, 0] += 1  # no row is all 0
    return rows.astype(np.float32)


@pytest.mark.parametrize("metric", NAMES)
@given(seed=st.integers(0, 1000), count=st.integers(2, 40), whole=st.booleans(), wanted=st.integers(1, 45))
@settings(max_examples=20)
def test_the_first_are_those_of_the_whole_ranking(metric: str, seed: int, count: int, whole: bool, wanted: int) -> None:
    rows = rows_of(seed, count, 5, whole=whole)
    references = space_of(metric, rows).reference(np.zeros(count, np.int64), np.arange(count))
    expected = [place for place in np.argsort(-references, kind="stable").tolist() if place != 0][:wanted]
    assert Neighbourhood(metric, rows).like_item(0, wanted).places.tolist() == expected


@pytest.mark.parametrize("metric", NAMES)
@given(seed=st.integers(0, 1000), wanted=st.integers(1, 45))
@settings(max_examples=10)
def test_a_vector_from_outside_is_ranked_as_if_it_were_an_item(metric: str, seed: int, wanted: int) -> None:
    rows = rows_of(seed, 30, 5, whole=False)
    inside = Neighbourhood(metric, rows).like_item(29, wanted)
    outside = Neighbourhood(metric, rows[:29]).like_vector(rows[29], wanted)
    assert outside.places.tolist() == inside.places.tolist()
    assert outside.scores.tolist() == inside.scores.tolist()


def test_scores_are_those_that_people_know() -> None:
    rows = rows_of(1, 50, 4, whole=False)
    found = Neighbourhood("l2", rows).like_item(7, 5)
    apart = distance.cdist(rows[7:8].astype(float), rows.astype(float))[0]
    assert found.scores == pytest.approx(-apart[found.places], rel=1e-12)
    assert sorted(apart)[1:6] == pytest.approx((-found.scores).tolist(), rel=1e-12)
