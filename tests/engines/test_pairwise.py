"""Ranks from rows of distances: against plain Python, and the same conventions as the nearest items have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.pairwise import pairwise_ranks, put_query_back
from rankscope.inputs.collections.collection import load
from rankscope.inputs.features import Features
from rankscope.measures import AP, NMRR, Bullseye, Rprec
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.data import data_folder


def brute_force(distances: FloatArray, labels: list[int]) -> dict[str, list[int]]:
    """Ranks of the class mates of each query, by sorting everything."""
    ranks = {}
    for query, label in enumerate(labels):
        if label == -1 or labels.count(label) < 2:
            continue
        others = [item for item in range(len(labels)) if item != query]
        ordered = sorted(others, key=lambda item: (distances[query, item], item))
        ranks[str(query)] = [place for place, item in enumerate(ordered, start=1) if labels[item] == label]
    return {query: ranks[query] for query in sorted(ranks)}


def as_dict(ranks: RelevantRanks) -> dict[str, list[int]]:
    return dict(zip(ranks.queries, ranks.judged.lists("rank"), strict=True))


def columns(lists: Ragged | None) -> dict[str, Any]:
    assert lists is not None
    return {"offsets": lists.offsets.tolist(), **{name: lists[name].tolist() for name in sorted(lists.columns)}}


@st.composite
def cases(draw: st.DrawFn) -> tuple[FloatArray, list[int]]:
    """Few different distances, so that ties are many, infinite ones among them; at least one class of two."""
    count = draw(st.integers(2, 14))
    values = st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf])
    rows = draw(st.lists(st.lists(values, min_size=count, max_size=count), min_size=count, max_size=count))
    labels = [0, 0, *draw(st.lists(st.integers(-1, 2), min_size=count - 2, max_size=count - 2))]
    return np.array(rows), draw(st.permutations(labels))


@given(case=cases(), block=st.integers(1, 5))
def test_ranks_are_those_of_plain_python_however_the_queries_are_cut(
    case: tuple[FloatArray, list[int]], block: int
) -> None:
    distances, labels = case
    expected = brute_force(distances, labels)
    assert as_dict(pairwise_ranks(distances, labels, block=block)) == expected
    assert as_dict(pairwise_ranks(-distances, labels, block=block, higher_is_better=True)) == expected


def test_all_of_the_result_is_that_of_the_nearest_items() -> None:
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 3, (400, 12)), rng.integers(-1, 9, 400)
    ids = [f"é{row}" if row % 3 else f"a{row}" for row in range(400)]
    distances = cdist(features, features, "cityblock")
    ours = pairwise_ranks(distances, labels, ids, keep_scores=True, block=37)
    theirs = nearest_ranks(features, labels, "l1", ids, keep_scores=True)
    assert ours.queries == theirs.queries
    assert ours.classes == theirs.classes
    assert columns(ours.judged) == columns(theirs.judged)
    assert columns(ours.ties) == columns(theirs.ties)
    assert columns(ours.levels) == columns(theirs.levels)
    assert columns(ours.distractors) == columns(theirs.distractors)
    assert ours.collection.tolist() == theirs.collection.tolist() == ours.depth.tolist()
    assert ours.straddling_pairs() == theirs.straddling_pairs()


def test_a_function_is_asked_for_the_rows_of_queries_only() -> None:
    asked: list[int] = []

    def rows(queries: IntArray) -> FloatArray:
        asked.extend(queries.tolist())
        return np.abs(queries[:, None] - np.arange(5.0))

    done: list[tuple[int, int]] = []
    ranks = pairwise_ranks(
        rows, ["a", "b", "a", "", "a"], block=2, progress=lambda *state: done.append(state), queries=[4, 0, 1, 3, 0]
    )
    assert asked == [0, 4]
    assert as_dict(ranks) == {"0": [2, 4], "4": [2, 4]}
    assert done == [(2, 2)]


def test_what_is_no_distance_is_refused() -> None:
    with pytest.raises(InputError, match="query 1: a distance is not a number"):
        pairwise_ranks(np.array([[0.0, 1.0], [np.nan, 0.0]]), [1, 1])
    with pytest.raises(InputError, match="one row and one column for each of 2 items"):
        pairwise_ranks(np.zeros((3, 3)), [1, 1])
    with pytest.raises(InputError, match="a ranker must give"):
        pairwise_ranks(lambda queries: np.zeros((1, 2)), [1, 1])
    with pytest.raises(InputError, match="no class has two members"):
        pairwise_ranks(np.zeros((2, 2)), [1, 2])


def test_queries_that_cannot_be_asked_are_refused() -> None:
    with pytest.raises(SettingError, match="positions from 0 to 2, got 3"):
        pairwise_ranks(np.zeros((3, 3)), [1, 1, 2], queries=[0, 3])
    with pytest.raises(SettingError, match="none of the queries"):
        pairwise_ranks(np.zeros((3, 3)), [1, 1, 2], queries=[2])
    with pytest.raises(SettingError, match="block=0: must be a whole number of at least 1"):
        pairwise_ranks(np.zeros((2, 2)), [1, 1], block=0)


def test_ranks_can_be_saved_with_the_choices_of_the_ranker(tmp_path: Any) -> None:
    ranks = pairwise_ranks(np.zeros((3, 3)), [1, 1, 2], system="mine", settings={"ranker": "mine", "band": 3})
    save_ranks(ranks, tmp_path / "mine.ranks.parquet")
    again = load_ranks(tmp_path / "mine.ranks.parquet")
    assert again.system == "mine"
    assert again.provenance["settings"]["band"] == 3
    assert again.provenance["settings"]["query_item"] == "removed"


def test_a_query_that_is_put_back_stands_first_and_counts() -> None:
    # a class of five with the query kept: ranks 1, 2, 4, 9, 15, of which the bull's-eye counts those up to 10
    removed = RelevantRanks.from_ranks([[1, 3, 8, 14]], collection=99)
    kept = put_query_back(removed)
    assert kept.judged.lists("rank") == [[1, 2, 4, 9, 15]]
    assert Bullseye().of(kept).tolist() == [0.8]
    assert kept.levels.lists("count") == [[5]]
    assert kept.collection.tolist() == [100]


@pytest.mark.thorough
def test_every_twentieth_letter_as_query_reaches_the_known_figures() -> None:
    whole = load("letter", data_folder("letter"))
    assert whole.features is not None
    features = whole.features.astype(np.float64)
    rows = lambda queries: cdist(features[queries], features, "cityblock")  # noqa: E731
    ranks = pairwise_ranks(rows, whole.labels, whole.ids, queries=range(0, 20000, 20))
    assert len(ranks) == 1000
    assert AP().of(ranks).mean() == pytest.approx(0.2211, abs=5e-5)


@pytest.mark.thorough
def test_every_fifteenth_icon_in_a_cluster_as_query_reaches_the_known_figures() -> None:
    whole = load("icons20k", data_folder("icons20k"))
    assert whole.features is not None
    asked = [name for name, label in zip(whole.ids, whole.labels, strict=True) if label][::15]
    ranks = nearest_ranks(Features.of(whole.features, whole.labels, whole.ids, queries=asked), metric="l1")
    assert len(ranks) == 988
    assert AP().of(ranks).mean() == pytest.approx(0.2886, abs=5e-5)
    assert Rprec().of(ranks).mean() == pytest.approx(0.2924, abs=5e-5)
    assert NMRR().of(ranks).mean() == pytest.approx(0.6627, abs=5e-5)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    distances, labels = np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]]), ["a", "a", "a"]
    whole = pairwise_ranks(distances, labels=labels, block=2.0)  # type: ignore[arg-type]
    assert whole.judged.lists("rank") == pairwise_ranks(distances, labels=labels, block=2).judged.lists("rank")
