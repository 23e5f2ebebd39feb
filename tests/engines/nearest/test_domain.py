"""Each class among distractors of its own: the nearest ones against plain sorting, random ones against their mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from rankscope.analysis.curves.thinning import expected_hits
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.domains import NearestDistractors, RandomDistractors
from rankscope.engines.nearest.relevance import POLICIES
from rankscope.inputs.features import Features
from rankscope.ranks.kept_scores import lots_of_numbers
from rankscope.ranks.relevant_ranks import chosen_distractors
from tests.engines.nearest import plain
from tests.engines.nearest.plain import as_dict, everything, l1, many_items

ROWS = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=4, max_size=10)


SCORES: dict[str, Callable[[Any, Any], float]] = {
    "cosine": plain.cosine,
    "ip": plain.products,
    "l2": lambda one, other: -math.sqrt(-plain.l2(one, other)),
    "l1": plain.l1,
    "chi2": plain.chi2,
    "hamming": plain.hamming,
    "0.5*l1[0:2] + 2*cosine[2:]": lambda one, other: (
        0.5 * plain.l1(one[:2], other[:2]) + 2 * plain.cosine(one[2:], other[2:])
    ),
}


def nearest_by_sorting(rows: Any, labels: Any, metric: str, number: int) -> dict[str, list[int]]:
    """Every query in the list of its class mates and of the others of least mean distance to the class."""
    score = [[SCORES[metric](one, other) for other in rows] for one in rows]
    found = {}
    for label in {*labels}:
        members = [item for item in range(len(rows)) if labels[item] == label]
        others = [item for item in range(len(rows)) if labels[item] != label]
        others.sort(key=lambda item: (-plain.total([score[each][item] for each in members]), item))
        for query in members if len(members) > 1 else ():
            listed = [item for item in (*members, *others[:number]) if item != query]
            listed.sort(key=lambda item: (-score[query][item], item))
            found[str(query)] = [rank for rank, item in enumerate(listed, 1) if item in members]
    return found


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("whole", [True, False])
def test_the_nearest_distractors_are_those_of_plain_sorting(metric: str, whole: bool) -> None:
    chance = np.random.default_rng(3)
    rows = chance.integers(0, 6, (60, 5)) if whole else chance.random((60, 5))
    labels = chance.integers(0, 7, 60).tolist()
    ranks = nearest_ranks(rows, labels, metric, distractors="nearest(9)")
    assert as_dict(ranks) == nearest_by_sorting(rows.tolist(), labels, metric, 9)
    assert (ranks.collection - ranks.relevant == 9).all()


@given(rows=ROWS, policy=st.sampled_from(POLICIES), number=st.integers(1, 4), data=st.data())
@settings(max_examples=60)
def test_every_policy_is_that_of_plain_sorting(
    rows: list[list[int]], policy: str, number: int, data: st.DataObject
) -> None:
    count = len(rows)
    sets = data.draw(st.lists(st.frozensets(st.sampled_from("abc"), max_size=2), min_size=count, max_size=count))
    split = data.draw(st.lists(st.sampled_from(["query", "gallery", "both"]), min_size=count, max_size=count))
    junk = data.draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=4))
    pairs = [(str(a), str(b)) for a, b in sorted(junk)]
    try:
        features = Features.of(rows, sets, split=split)
        ranks = nearest_ranks(
            features, metric="l1", query_item=policy, junk=pairs, distractors=NearestDistractors(number)
        )
    except (InputError, SettingError):
        reject()  # nothing to rank
    gallery = [item for item in range(count) if split[item] != "query"]
    expected, sizes = {}, []
    for query in sorted(range(count), key=str):
        members = [item for item in gallery if sets[query] & sets[item]]
        others = sorted(
            (item for item in gallery if item not in members),
            key=lambda item: (-sum(l1(rows[each], rows[item]) for each in members), item),
        )
        gone = {item for item in gallery if (query, item) in junk or (policy != "kept" and item == query)}
        listed = [item for item in (*members, *others[:number]) if item not in gone]
        listed.sort(key=lambda item: (-l1(rows[query], rows[item]), item))
        found = [rank for rank, item in enumerate(listed, start=1) if item in members]
        if split[query] != "gallery" and found:
            expected[str(query)] = found
            sizes.append(len(listed))
    assert as_dict(ranks) == expected
    assert ranks.collection.tolist() == ranks.depth.tolist() == sizes


def test_all_distractors_give_the_ranks_of_the_whole_collection() -> None:
    table, labels = many_items("fractions", items=60)
    classes, sizes = np.unique(labels[labels >= 0], return_counts=True)
    largest, fewest = str(classes[sizes.argmax()]), 60 - int(sizes.max())
    whole = nearest_ranks(table, labels, keep_scores=True)
    within = nearest_ranks(table, labels, keep_scores=True, distractors=f"nearest({fewest})")
    rows = np.array([row for row, label in enumerate(whole.classes or ()) if label == largest])
    one, other = (everything(replace(each.take(rows), provenance={})) for each in (whole, within))
    assert one == other


@pytest.mark.parametrize("choice", ["nearest(40)", "random(40)"])
def test_blocks_threads_and_memory_change_nothing(choice: str) -> None:
    table, labels = many_items("fractions", items=300)
    one = nearest_ranks(table, labels, distractors=choice, keep_scores=True, threads=1)
    other = nearest_ranks(table, labels, distractors=choice, keep_scores=True, threads=3, memory=1 << 16)
    assert everything(one) == everything(other)
    assert one.provenance["settings"]["distractors"] == choice


def test_the_best_distractors_have_the_lots_of_the_whole_collection() -> None:
    table, labels = many_items("fractions", items=60)
    ranks = nearest_ranks(table, labels, distractors="nearest(5)", keep_scores=True)
    assert ranks.distractors is not None
    lots = {*lots_of_numbers(np.arange(60)).tolist()}
    assert {*ranks.distractors["lot"].tolist()} <= lots
    of_class: dict[str, set[tuple[int, ...]]] = {}
    for label, own in zip(ranks.classes or (), ranks.distractors.lists("lot"), strict=True):
        of_class.setdefault(label, set()).add(tuple(sorted(own)))
    assert all(len(sets) == 1 for sets in of_class.values())  # one set for all queries of a class


@pytest.mark.thorough
def test_random_distractors_have_in_the_mean_the_hits_of_the_hypergeometric_distribution() -> None:
    chance = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 5).tolist() + [-1] * 90
    rows = chance.normal(size=(150, 3)) + np.repeat(chance.normal(size=(30, 3)), 5, axis=0)
    whole = nearest_ranks(rows, labels, "l2")
    drawn = np.stack(
        [
            nearest_ranks(rows, labels, "l2", distractors=RandomDistractors(20, seed)).hits(whole.relevant)
            for seed in range(150)
        ]
    )
    expected = expected_hits(whole, 20, whole.relevant).low
    by_class = (drawn - expected).reshape(150, 12, 5).mean(axis=2)  # mates share their distractors
    error = by_class.std(ddof=1) / np.sqrt(by_class.size)
    assert abs(by_class.mean()) < 4 * error
    assert error < 0.02


def test_more_random_distractors_hold_those_of_fewer() -> None:
    table, labels = many_items("fractions", items=60)
    several = [
        nearest_ranks(table, labels, distractors=f"random({number})", keep_scores=True) for number in (5, 12, 30)
    ]
    for fewer, more in pairwise(several):
        assert fewer.distractors is not None
        assert more.distractors is not None
        pairs = zip(fewer.distractors.lists("lot"), more.distractors.lists("lot"), strict=True)
        assert all({*few} <= {*many} for few, many in pairs)


def test_other_seeds_draw_others() -> None:
    table, labels = many_items("fractions", items=60)
    one, other = (nearest_ranks(table, labels, distractors=f"random(5,seed={seed})") for seed in (0, 1))
    assert as_dict(one) != as_dict(other)
    assert chosen_distractors(other.provenance) == "random(5,seed=1)"
    assert chosen_distractors(nearest_ranks(table, labels).provenance) == ""


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("nearest(3)", "nearest(3) wants more distractors than 1 of 2 classes have: around 'b' there are 2"),
        ("nearest(0)", "number must be a whole number of at least 1"),
        ("nearest", "lacks number: it is written nearest(number)"),
        ("furthest(3)", "no choice of distractors 'furthest'"),
    ],
)
def test_what_cannot_be_chosen_is_an_error(choice: str, words: str) -> None:
    with pytest.raises(SettingError) as error:
        nearest_ranks([[0.0], [1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b", "b"], "l1", distractors=choice)
    assert words in str(error.value)


def test_a_graphics_card_does_not_choose_distractors() -> None:
    with pytest.raises(SettingError, match="chosen by the CPU"):
        nearest_ranks([[0.0], [1.0], [2.0]], ["a", "a", ""], "l1", distractors="nearest(1)", device="cuda")
