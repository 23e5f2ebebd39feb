"""Reductions survive a round trip through their file, byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope.errors import InputError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduce import reduce
from rankscope.ranks.storage import LISTS, load_ranks, save_ranks
from tests.data import GOLDEN

CASES = sorted(path for path in GOLDEN.iterdir() if path.is_dir())


def same(one: Ragged | None, other: Ragged | None) -> bool:
    if one is None or other is None:
        return one is other
    columns = set(one.columns) == set(other.columns) and all((one[name] == other[name]).all() for name in one.columns)
    return columns and bool((one.offsets == other.offsets).all())


@pytest.mark.parametrize("case", CASES[::4], ids=lambda path: path.name)
@pytest.mark.parametrize("keep_scores", [True, False])
def test_a_reduction_comes_back_whole_and_with_equal_bytes(case: Path, keep_scores: bool, tmp_path: Path) -> None:
    ranks = reduce(Qrels.of(case / "qrels"), Run.of(case / "run"), keep_scores=keep_scores)
    first, second = tmp_path / "a.ranks.parquet", tmp_path / "b.ranks.parquet"
    save_ranks(ranks, first)
    again = load_ranks(first)
    save_ranks(again, second)
    assert first.read_bytes() == second.read_bytes()
    assert again.queries == ranks.queries
    assert (again.system, again.tag, again.top_grade) == (ranks.system, ranks.tag, ranks.top_grade)
    assert dict(again.provenance) == dict(ranks.provenance)
    assert all(same(getattr(again, name), getattr(ranks, name)) for name in LISTS)
    for name in ("depth", "answered", "collection"):
        assert np.array_equal(getattr(again, name), getattr(ranks, name))


def test_the_best_distractors_are_kept_in_order() -> None:
    run = {"q": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}}
    ranks = reduce(Qrels.of({"q": {"a": 0, "c": 1}}), Run.of(run), keep_scores=True)
    assert ranks.distractors is not None
    assert ranks.distractors.lists("score") == [[5.0, 4.0, 2.0]]
    assert ranks.judged.lists("score") == [[5.0, 3.0]]


@pytest.mark.parametrize("damage", ["cut", "other", "nothing", "later"])
def test_what_is_no_reduction_gets_a_clear_error(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ranks.parquet"
    frame = pl.DataFrame({"query": ["1"]})
    if damage == "cut":
        save_ranks(reduce(Qrels.of({"q": {"a": 1}}), Run.of({"q": {"a": 1.0}})), path)
        path.write_bytes(path.read_bytes()[:-30])
    elif damage == "other":
        frame.write_parquet(path)
    elif damage == "later":
        frame.write_parquet(path, metadata={"rankscope": '{"schema": 99}'})
    with pytest.raises(InputError, match=r"x\.ranks\.parquet: 1 problem"):
        load_ranks(path)
