"""Tiles that serve both their sides: the same bytes as blocks ranked one by one, however they are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankscope.engines.nearest import ALL, metrics, nearest_ranks, ranking
from rankscope.engines.nearest.blocks import BlockRanks, BlocksFolder
from rankscope.engines.nearest.metrics import L1, space_of
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.space import Space
from rankscope.inputs.features import Features
from tests.engines.nearest.plain import as_dict, brute_force, everything, fit_for, labelled_rows, many_items

SYMMETRIC = [each.name for each in ALL if each.symmetric]
Table = NDArray[Any]


@contextmanager
def tiles(side: int | None = None) -> Iterator[None]:
    """However small the blocks are, tiles serve both sides; or none does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "LEAST_BLOCK", 1)
        for name in ("LEAST_WIDTH", "LEAST_SCREENED_WIDTH"):
            patch.setattr(ranking, name, 1 if side else 10**9)
        patch.setattr(ranking, "MOST_EQUALS", np.inf)
        patch.setattr(ranking, "STRIP", max(1, (side or 2) // 2))
        yield


def one_by_one(*given: Any, **more: Any) -> list[Any]:
    with tiles(side=None):
        return everything(nearest_ranks(*given, **more))


def test_the_metrics_of_differences_are_symmetric() -> None:
    assert SYMMETRIC == ["l1", "chi2", "intersection", "jeffrey", "js", "d1", "hamming", "hamming_bits"]


@pytest.mark.parametrize("metric", SYMMETRIC)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_a_tile_turned_round_is_the_tile_of_the_items_turned_round(metric: str, kind: str) -> None:
    """To the bit; sums that a processor adds in an order of its own lie both within their limits."""
    space = space_of(metric, fit_for(metric, many_items(kind, items=70)[0]))
    one, other = np.arange(0, 70, 2)[::-1], np.arange(11)
    tile, turned = space.tile(one, other), space.tile(other, one).T
    if metric != "l1" or kind == "whole":
        assert tile.tobytes() == np.ascontiguousarray(turned).tobytes()
    else:
        low, high = space.limits(one, space.reference_table(one, other))
        assert (low <= np.minimum(tile, turned)).all()
        assert (np.maximum(tile, turned) <= high).all()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("metric", [*SYMMETRIC, "0.5*l1[0:4] + 0.5*cosine[4:]"])
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
@pytest.mark.parametrize("keep", [False, True])
def test_tiles_give_the_bytes_of_blocks_ranked_one_by_one(metric: str, kind: str, keep: bool) -> None:
    features, labels = many_items(kind)
    features = fit_for(metric, features)
    expected = one_by_one(features, labels, metric, keep_scores=keep)
    for side, threads in ((60, 3), (101, 1), (290, 2)):
        with tiles(side):
            found = nearest_ranks(features, labels, metric, keep_scores=keep, block=side, threads=threads)
        assert everything(found) == expected


@given(case=labelled_rows(st.sampled_from([0.0, 255.0])), side=st.integers(1, 5))
@settings(max_examples=40)
def test_the_extremes_of_bytes_rank_as_in_plain_python(case: tuple[list[list[float]], list[int]], side: int) -> None:
    rows, labels = case
    with tiles(side):
        found = as_dict(nearest_ranks(np.array(rows, dtype=np.uint8), labels, "l1", block=side))
    assert found == brute_force("l1", rows, labels)


HARD = st.sampled_from([0.0, 1e-45, 1e-38, 1.0, 1.0 + 2**-23, -1.0, 3e-8, 1e8, 1e29, 3e38, 0.1, -0.1])


@given(case=labelled_rows(HARD.map(np.float32).map(float)), side=st.integers(1, 5), keep=st.booleans())
@settings(max_examples=60)
def test_huge_and_tiny_singles_rank_as_in_plain_python(
    case: tuple[list[list[float]], list[int]], side: int, keep: bool
) -> None:
    rows, labels = case
    with tiles(side):
        found = nearest_ranks(np.array(rows, dtype=np.float32), labels, "l1", block=side, keep_scores=keep)
    assert as_dict(found) == brute_force("l1", rows, labels)


@pytest.mark.parametrize("width", [1, 15, 16, 17, 127, 128, 129, 300])
@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64])
def test_odd_widths(width: int, kind: type[Any]) -> None:
    rng = np.random.default_rng(width)
    features = (rng.random((90, width)) * 255).astype(kind)
    features[40:60] = features[20:40]  # copies: ties
    labels = rng.integers(0, 5, 90)
    reference = space_of("l1", features).reference_table(np.arange(90), np.arange(90))
    with tiles(40):
        ranks = nearest_ranks(features, labels, "l1", block=40)
    for query, found in as_dict(ranks).items():
        scores = reference[int(query)].copy()
        scores[int(query)] = -np.inf
        order = np.argsort(-scores, kind="stable")[:-1]
        assert found == (np.flatnonzero(labels[order] == labels[int(query)]) + 1).tolist()


def test_queries_may_be_some_of_the_items() -> None:
    features, labels = many_items("near twins")
    names = [str(row) for row in range(0, len(labels), 3)]
    chosen = Features.of(features, labels, queries=names)
    expected = one_by_one(chosen, metric="l1", keep_scores=True)
    for side in (29, 97):
        with tiles(side):
            assert everything(nearest_ranks(chosen, metric="l1", keep_scores=True, block=side)) == expected


def test_junk_counts_in_one_direction_only() -> None:
    features, labels = many_items("whole")
    junk = [(str(row), str((7 * row) % 290)) for row in range(0, 290, 2)]
    for policy in ("removed", "kept", "kept_ignored"):
        expected = one_by_one(features, labels, "l1", junk=junk, query_item=policy)
        with tiles(60):
            found = nearest_ranks(features, labels, "l1", junk=junk, query_item=policy, block=60)
            assert everything(found) == expected


def test_a_tile_in_doubt_is_computed_precisely(monkeypatch: pytest.MonkeyPatch) -> None:
    features, labels = many_items("near twins")
    expected = one_by_one(features, labels, "l1", keep_scores=True)
    monkeypatch.setattr(L1, "dear", (-1.0,))
    with tiles(64):
        assert everything(nearest_ranks(features, labels, "l1", keep_scores=True, block=64)) == expected


def test_one_query() -> None:
    with tiles(1):
        ranks = nearest_ranks(Features.of([[0.5], [1.5], [3.5]], [1, 1, 2], queries=["0"]), metric="l1", block=1)
    assert as_dict(ranks) == {"0": [1]}


@pytest.mark.parametrize("metric", ["l1", "chi2"])
def test_blocks_from_before_a_break_are_not_ranked_again(metric: str, tmp_path: Path) -> None:
    features, labels = many_items("fractions")
    features = fit_for(metric, features)
    expected = one_by_one(features, labels, metric, keep_scores=True)
    for stop_at in range(4):
        folder = BlocksFolder(tmp_path / f"{stop_at}.ranks.parquet", {"metric": metric})
        kept = _interrupted(folder.block, stop_at)
        with tiles(70), pytest.raises(KeyboardInterrupt), folder.open():
            nearest_ranks(features, labels, metric, block=70, keep_scores=True, kept=kept)
        again = BlocksFolder(tmp_path / f"{stop_at}.ranks.parquet", {"metric": metric})
        with tiles(70), again.open():
            found = nearest_ranks(features, labels, metric, block=70, keep_scores=True, kept=again.block)
        assert everything(found) == expected
        assert again.reused == stop_at


def _interrupted(block: Callable[..., BlockRanks], stop_at: int) -> Any:
    def kept(number: int, queries: Table, ranked: Any) -> BlockRanks:
        if number == stop_at:
            raise KeyboardInterrupt
        return block(number, queries, ranked)

    return kept


def test_each_pair_of_blocks_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    features, _ = many_items("fractions", items=240)
    pairs = 0
    plain = L1.tile

    def counted(space: Space, queries: Table, items: Table) -> Table:
        nonlocal pairs
        pairs += queries.size * items.size
        assert isinstance(space, L1)
        return plain(space, queries, items)

    monkeypatch.setattr(L1, "tile", counted)
    with tiles(40):
        monkeypatch.setattr(ranking, "STRIP", 1)
        monkeypatch.setattr(ranking, "share_of_equals", lambda space, queries: 0.0)
        nearest_ranks(features, np.arange(240) % 6, "l1", block=40)
    assert pairs == 240 * 241 // 2


@pytest.mark.parametrize(
    ("metric", "kind", "two_sides"),
    [("l1", "wide", True), ("l1", "bits", False), ("hamming", "wide", False), ("cosine", "wide", False)],
)
def test_only_scores_that_are_rarely_equal_are_counted_for_both_sides(metric: str, kind: str, two_sides: bool) -> None:
    rng = np.random.default_rng(0)
    features = rng.integers(0, 256 if kind == "wide" else 2, (600, 40), dtype=np.uint8)
    relevance = Relevance.of(Features.of(features, rng.integers(0, 60, 600)))
    assert ranking.pays(space_of(metric, features), relevance, False, memory=1 << 29) == two_sides
    assert not ranking.pays(space_of(metric, features), relevance, False, memory=1 << 16)


def test_tiles_that_do_not_fit_are_not_made() -> None:
    assert ranking.tile_side(100, 9_000_000, None) == 0
    assert ranking.tile_side(20_000, 1000, None) == 0
    assert ranking.tile_side(20_000, 9_000_000, 5000) == 0
    assert ranking.tile_side(1000, 9_000_000, None) == 1000


@pytest.mark.parametrize("rows", [1, 3, 33])
def test_fractions_are_off_by_no_more_than_their_share(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "TILE_ITEMS", 64)
    rng = np.random.default_rng(rows)
    matrix = (rng.standard_normal((rows, 517)) * 2.0 ** rng.integers(-20, 20, 517)).astype(np.float32)
    distances = metrics.CityBlock.of(matrix)
    everyone = np.arange(rows)
    exact = np.abs(matrix[:, None].astype(np.float64) - matrix).sum(axis=2)
    off = np.abs(distances.between(everyone, everyone) - exact)
    assert (off <= exact * distances.share_off + distances.least_off).all()
