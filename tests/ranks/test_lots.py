"""One item, one lot, in every query and every way to make ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.kept_scores import LOTS, lots_of_names, lots_of_numbers
from rankscope.ranks.reduction import reduce
from rankscope.ranks.storage import load_ranks, save_ranks


def test_lots_are_spread_evenly() -> None:
    for lots in (lots_of_numbers(np.arange(200_000)), lots_of_names(TextIds.of([f"d{n}" for n in range(200_000)]))):
        assert 0 <= lots.min() <= lots.max() < LOTS
        share = np.bincount(lots // (LOTS // 16), minlength=16) / lots.size
        assert np.abs(share - 1 / 16).max() < 0.003


def test_a_run_keeps_the_lots_of_its_best_distractors(tmp_path: Path) -> None:
    run = Run.of({"q1": {"a": 3.0, "x": 2.0, "y": 1.0}, "q2": {"y": 3.0, "b": 2.0, "x": 1.0}})
    ranks = reduce(Qrels.of({"q1": {"a": 1}, "q2": {"b": 1, "z": 1}}), run, keep_scores=True)
    save_ranks(ranks, tmp_path / "run.ranks.parquet")
    lot = dict(zip("xy", lots_of_names(TextIds.of(["x", "y"])).tolist(), strict=True))
    for each in (ranks, load_ranks(tmp_path / "run.ranks.parquet")):
        assert each.distractors is not None
        assert each.distractors.lists("lot") == [[lot["x"], lot["y"]], [lot["y"], lot["x"]]]


def test_vectors_keep_the_lots_of_their_best_distractors() -> None:
    ranks = nearest_ranks([[0], [1], [3], [4], [9]], ["a", "b", "a", "", "b"], "l1", keep_scores=True)
    assert ranks.distractors is not None
    wanted = [[1, 3, 4], [0, 2, 3], [3, 1, 4], [3, 2, 0]]
    assert ranks.queries == ("0", "1", "2", "4")
    assert ranks.distractors.lists("lot") == [lots_of_numbers(np.array(each)).tolist() for each in wanted]


def test_of_equal_scores_the_first_items_are_kept_whatever_the_block() -> None:
    vectors = np.random.default_rng(0).integers(0, 3, (700, 2))
    labels = [f"c{number % 7}" if number < 60 else "" for number in range(700)]
    results = [nearest_ranks(vectors, labels, "l1", keep_scores=True, block=block) for block in (1, 60)]
    lots = [each.distractors["lot"] for each in results if each.distractors is not None]
    np.testing.assert_array_equal(lots[0], lots[1])
