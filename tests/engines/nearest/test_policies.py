"""The query in its own collection, junk, several labels, queries apart from the collection: against plain sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.relevance import POLICIES
from rankscope.inputs.features import Features
from tests.engines.nearest.plain import as_dict, everything, l1, many_items

ROWS = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=3, max_size=10)


@given(rows=ROWS, policy=st.sampled_from(POLICIES), data=st.data())
@settings(max_examples=60)
def test_every_policy_is_that_of_plain_sorting(rows: list[list[int]], policy: str, data: st.DataObject) -> None:
    count = len(rows)
    sets = data.draw(st.lists(st.frozensets(st.sampled_from("abc"), max_size=2), min_size=count, max_size=count))
    split = data.draw(st.lists(st.sampled_from(["query", "gallery", "both"]), min_size=count, max_size=count))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    junk = data.draw(st.sets(pairs, max_size=4))
    try:
        features = Features.of(rows, sets, split=split)
        pairs_of_names = [(str(a), str(b)) for a, b in sorted(junk)]
        ranks = nearest_ranks(features, metric="l1", query_item=policy, junk=pairs_of_names, block=2)
    except InputError:
        reject()  # nothing to rank
    expected, sizes, out = {}, [], []
    for query in sorted(range(count), key=str):
        gallery = [item for item in range(count) if split[item] != "query"]
        gone = {item for item in gallery if (query, item) in junk or (policy != "kept" and item == query)}
        listed = sorted((i for i in gallery if i not in gone), key=lambda item: (-l1(rows[query], rows[item]), item))
        found = [rank for rank, item in enumerate(listed, start=1) if sets[query] & sets[item]]
        if split[query] != "gallery" and found:
            expected[str(query)] = found
            sizes.append(len(listed))
            out.append(len(gone))
    assert as_dict(ranks) == expected
    assert ranks.collection.tolist() == ranks.depth.tolist() == sizes
    assert ranks.left_out is not None
    assert ranks.left_out.tolist() == out
    assert ranks.relevant.tolist() == [len(found) for found in expected.values()]
    assert ranks.provenance["settings"]["query_item"] == policy


def test_a_query_that_is_kept_counts_as_relevant() -> None:
    ranks = nearest_ranks([[0.0], [1.0], [5.0]], [4, 4, -1], "l2", query_item="kept")
    assert as_dict(ranks) == {"0": [1, 2], "1": [1, 2]}
    assert ranks.collection.tolist() == [3, 3]


def test_a_query_that_is_kept_but_ignored_gives_the_numbers_of_removed() -> None:
    features, labels = many_items("fractions")
    one, other = (
        everything(nearest_ranks(features, labels, query_item=policy)) for policy in ("removed", "kept_ignored")
    )
    assert one[:-1] == other[:-1]
    assert one[-1] != other[-1]


def test_the_collection_can_be_set_anew_on_a_saved_result() -> None:
    ranks = nearest_ranks([[0.0], [1.0], [5.0]], [4, 4, -1], "l2")
    assert ranks.with_collection(100).collection.tolist() == [99, 99]


def test_an_item_with_several_labels_is_relevant_where_one_is_shared() -> None:
    labels = ["cat, dog", "dog", "cat", "bird", "bird,cat"]
    features = Features.of([[0], [1], [2], [3], [4]], labels, separator=",")
    ranks = nearest_ranks(features, metric="l1")
    assert as_dict(ranks) == {"0": [1, 2, 4], "1": [1], "2": [3, 4], "3": [2], "4": [1, 2, 4]}
    assert ranks.classes == ("cat|dog", "dog", "cat", "bird", "bird|cat")


def test_only_the_items_named_are_queries() -> None:
    features = Features.of([[0], [1], [2]], ["a", "a", "a"], ids=["x", "y", "z"], queries=["y"])
    ranks = nearest_ranks(features, metric="l1")
    assert as_dict(ranks) == {"y": [1, 2]}
    assert ranks.collection.tolist() == [2]


def test_items_with_a_junk_label_are_neither_found_nor_queries() -> None:
    features = Features.of([[0], [1], [2], [3]], ["a", "junk", "a", "junk"], junk_labels=["junk"])
    ranks = nearest_ranks(features, metric="l1")
    assert as_dict(ranks) == {"0": [1], "2": [1]}
    assert ranks.collection.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"split": ["query", "train"]}, "split must be query, gallery or both, got 'train'"),
        ({"split": ["query"]}, "2 rows of features, but 1 entries of the split"),
        ({"queries": ["nobody"]}, "query 'nobody' is no item"),
    ],
)
def test_roles_that_cannot_be_are_told(more: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as error:
        Features.of([[0], [1]], ["a", "a"], **more)
    assert told in str(error.value)


def test_junk_that_is_no_item_is_told() -> None:
    with pytest.raises(InputError, match="'9' is no item"):
        nearest_ranks([[0], [1]], [1, 1], junk=[("0", "9")])


def test_an_unknown_policy_is_told() -> None:
    with pytest.raises(SettingError, match="removed, kept, kept_ignored"):
        nearest_ranks([[0], [1]], [1, 1], query_item="gone")


def test_large_classes_and_small_ones_have_the_same_references() -> None:
    features, _ = many_items("near twins")
    labels = np.where(np.arange(len(features)) < 150, 0, np.arange(len(features)) % 40 + 1)
    whole = everything(nearest_ranks(features, labels, keep_scores=True))
    assert everything(nearest_ranks(features, labels, keep_scores=True, block=3)) == whole
