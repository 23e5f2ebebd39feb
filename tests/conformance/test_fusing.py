"""ranx's methods that look at places, after its normalization `borda`: why they differ, by running it."""

from __future__ import annotations

import pytest

from tests.conformance.fusing import BY_PLACES, BY_SCORES, ask_ranx, is_equal, whole_runs
from tests.measures.fusion.lists import random_runs
from tests.needs import needed_module

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::Warning")]  # numba warns of casts inside ranx
needed_module("ranx", "peers")


@pytest.mark.parametrize("method", BY_SCORES)
def test_methods_that_look_at_scores_are_equal_after_borda(method: str) -> None:
    for runs in (whole_runs(), random_runs(seed=4)):
        assert is_equal(ask_ranx(runs, method, is_sorted=False), runs, method)


@pytest.mark.parametrize("method", BY_PLACES)
def test_methods_that_look_at_places_are_equal_once_the_lists_are_sorted(method: str) -> None:
    runs = whole_runs()
    assert is_equal(ask_ranx(runs, method, is_sorted=True), runs, method)


def test_ranx_gives_all_systems_the_places_of_one_set() -> None:
    """Reciprocal ranks of three systems: 3/61, 3/62, ... in some order, whatever the systems found."""
    runs = whole_runs()
    for items in ask_ranx(runs, "rrf", is_sorted=False).values():
        assert sorted(items.values(), reverse=True) == pytest.approx([3 / (61 + place) for place in range(len(items))])
