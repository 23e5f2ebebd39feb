"""Ranks by shards: the bytes of `nearest_ranks`, however the collection is cut, for every metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.parts import Home
from rankscope.engines.nearest import ALL, blocks, nearest_ranks
from rankscope.engines.nearest.metrics import metric_named
from rankscope.engines.nearest.products import ProductSpace
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.space import Space
from rankscope.engines.shards import ranking
from rankscope.engines.shards.parts import RowFile, ShardPlan, StoredRows
from rankscope.engines.shards.ranking import ShardRanking, shards_between
from rankscope.inputs.features import Features
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.engines.nearest.plain import everything, fit_for, labelled_rows, many_items

METRICS = [each.name for each in ALL]
MIXTURES = ["0.5*l1[0:4] + 2*l2[4:]", "0.3*chi2[0:3] + 0.7*cosine[3:] + ip[0:2]"]


def named(metric: str) -> Any:
    """A metric by its own name, or a mixture."""
    return metric_named(metric)


def by_shards(
    items: Features,
    metric: str,
    edges: Sequence[int],
    *,
    policy: str = "removed",
    junk: Iterable[tuple[str, str]] = (),
    keep: bool = True,
    memory: int = 1 << 20,
    block: int = 50,
    device: str = "cpu",
) -> RelevantRanks:
    """Each range of items an array of its own."""
    files = [RowFile.of(items.matrix[first:stop]) for first, stop in pairwise(edges)]
    relevance = Relevance.of(items, policy, junk)
    plan = ShardPlan(
        collection=StoredRows(tuple(files), items.width, items.kind),
        metric=named(metric),
        keep_scores=keep,
        memory=memory,
        device=device,
        shards=shards_between(edges, relevance),
    )
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MOST_BLOCK", block)
        patch.setattr(ranking, "LEAST_BLOCK", block)
        return ShardRanking(relevance, plan, Home(), Path(folder)).ranks("nearest")


def edges_of(kind: str, items: int) -> list[int]:
    """Where shards of a collection begin and end."""
    rng = np.random.default_rng(len(kind))
    return {
        "one": [0, items],
        "three, uneven": [0, 5, items // 2, items],
        "empty and of one item": [0, 0, 1, 1, 2, items - 1, items - 1, items, items],
        "sixty-four": [0, *np.sort(rng.integers(0, items + 1, 63)).tolist(), items],
    }[kind]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("metric", [*METRICS, *MIXTURES])
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
@pytest.mark.parametrize("keep", [False, True])
def test_no_bit_of_the_result_depends_on_the_shards(metric: str, kind: str, keep: bool) -> None:
    features, labels = many_items(kind)
    items = Features.of(np.abs(features) if metric in MIXTURES else fit_for(metric, features), labels)
    whole = everything(nearest_ranks(items, metric=metric, keep_scores=keep))
    for cut, block in (("one", 100), ("three, uneven", 100), ("empty and of one item", 300), ("sixty-four", 300)):
        assert everything(by_shards(items, metric, edges_of(cut, len(items)), keep=keep, block=block)) == whole, cut


@pytest.mark.sampled(2)
@pytest.mark.parametrize("metric", [*METRICS, MIXTURES[0]])
@given(data=st.data())
@settings(max_examples=8)
def test_shards_of_any_size_give_the_same(metric: str, data: st.DataObject) -> None:
    values = st.integers(0, 2).map(float) if data.draw(st.booleans()) else st.floats(0, 4, width=32)
    rows, labels = data.draw(labelled_rows(values))
    table = np.array(rows) if metric != "hamming_bits" else np.array(rows).astype(np.uint8)
    if metric == MIXTURES[0]:
        table = np.tile(table, (1, 5))[:, :6] if table.shape[1] > 1 else np.repeat(table, 6, axis=1)
    items = Features.of(table, labels)
    cuts = data.draw(st.lists(st.integers(0, len(items)), max_size=5).map(sorted))
    policy = data.draw(st.sampled_from(["removed", "kept", "kept_ignored"]))
    whole = everything(nearest_ranks(items, metric=metric, keep_scores=True, query_item=policy))
    assert everything(by_shards(items, metric, [0, *cuts, len(items)], policy=policy, block=3)) == whole


@pytest.mark.thorough
def test_a_class_across_all_shards_and_ties_across_them() -> None:
    table = np.tile(np.array([[0.5, 1.0], [1.0, 0.5]]), (40, 1))  # every score many times
    items = Features.of(table, [0, -1, 0, 1, -1] * 16)
    for metric in ("cosine", "l2", "l1", "hamming"):
        whole = everything(nearest_ranks(items, metric=metric, keep_scores=True))
        for count in (2, 7, 64):
            edges = [number * len(items) // count for number in range(count + 1)]
            assert everything(by_shards(items, metric, edges, block=300)) == whole


@pytest.mark.sampled(2)
@pytest.mark.parametrize("policy", ["removed", "kept", "kept_ignored"])
@pytest.mark.parametrize("metric", ["cosine", "l1"])
def test_junk_roles_and_several_labels_are_those_of_the_whole(policy: str, metric: str) -> None:
    table, numbers = many_items("fractions")
    labels = [[int(each), "both"] if row % 7 == 0 else [int(each)] for row, each in enumerate(numbers)]
    split = ["query" if row % 5 == 0 else "gallery" if row % 5 == 1 else "both" for row in range(len(table))]
    items = Features.of(table, labels, split=split, junk_labels=["3"])
    junk = [("0", str(item)) for item in range(1, 290, 3)] + [("5", "5"), ("5", "289"), ("285", "0")]
    whole = nearest_ranks(items, metric=metric, query_item=policy, junk=junk, keep_scores=True)
    for cut in ("three, uneven", "empty and of one item"):
        edges = edges_of(cut, len(items))
        assert everything(by_shards(items, metric, edges, policy=policy, junk=junk)) == everything(whole)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("metric", ["cosine", "ip", "l2", "l1"])
@pytest.mark.parametrize("dear", [(-1.0, -1.0), (-1.0, 1e9), (1e9, 1e9)])
def test_how_precise_shards_are_screened_changes_no_bit(
    metric: str, dear: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("fractions", "near twins"):
        features, labels = many_items(kind, items=700)
        items = Features.of(features, labels)
        whole = everything(nearest_ranks(items, metric=metric, keep_scores=True))
        for each in (Space, *ALL):
            monkeypatch.setattr(each, "dear", dear)
        assert everything(by_shards(items, metric, [0, 300, 700], block=600)) == whole


def test_shards_in_small_chunks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    features, labels = many_items("near twins")
    items = Features.of(features, labels)
    for metric in ("cosine", "l1", "chi2"):
        items = Features.of(np.abs(features), labels)
        whole = everything(nearest_ranks(items, metric=metric, keep_scores=True))
        with monkeypatch.context() as patch:
            patch.setattr(blocks.Screening, "most_items", 11)
            patch.setattr(ProductSpace, "copies", 0)
            assert everything(by_shards(items, metric, [0, 100, 290], memory=1 << 16)) == whole


def test_whole_numbers_in_one_shard_and_fractions_in_another_are_one_collection() -> None:
    table = np.random.default_rng(1).integers(0, 3, (60, 4)).astype(np.float64)
    table[30:] += 0.25
    items = Features.of(table, [row % 4 for row in range(60)])
    for metric in METRICS:
        if metric != "hamming_bits":
            whole = everything(nearest_ranks(items, metric=metric, keep_scores=True))
            assert everything(by_shards(items, metric, [0, 30, 60])) == whole, metric


def test_values_at_the_ends_of_the_range_are_ranked_alike() -> None:
    rng = np.random.default_rng(2)
    for size in (1e-150, 1e-30, 1e30, 1e90):
        table = rng.random((50, 5)) * np.where(np.arange(50) < 25, size, 1.0)[:, None]
        items = Features.of(table, [row % 3 for row in range(50)])
        for metric in ("cosine", "ip", "l2", "l1", "tanimoto"):
            whole = everything(nearest_ranks(items, metric=metric, keep_scores=True))
            assert everything(by_shards(items, metric, [0, 10, 25, 50])) == whole, (metric, size)
