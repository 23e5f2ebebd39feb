"""Reductions survive a round trip through their file, byte for byte."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope import evaluate
from rankscope.core import digests
from rankscope.core.errors import InputError
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.parts.work import PartFacts, PartRanks, RanksForm
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduction import reduce
from rankscope.ranks.storage import KEY, LISTS, about_ranks, load_ranks, ranks_to_frame, save_ranks
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


def saved(path: Path) -> Path:
    """The file of a small reduction."""
    chance = random.Random(5)
    judged = {f"q{row}": {f"D{item}": chance.randrange(-1, 4) for item in range(20)} for row in range(9)}
    run = {f"q{row}": {f"D{item}": float(chance.randrange(25)) for item in range(40)} for row in range(8)}
    save_ranks(reduce(Qrels.of(judged), Run.of(run), keep_scores=True), path)
    return path


def test_one_flipped_bit_is_refused_or_changes_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, chance = saved(tmp_path / "a.ranks.parquet"), random.Random(1)
    whole = path.read_bytes()
    before = load_ranks(path)
    seen = []
    for place in chance.sample(range(len(whole)), 200):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
        try:
            found = load_ranks(path)
        except InputError as error:
            seen.append((str(error).partition("\n")[0], digests.DAMAGED in str(error)))
            continue
        assert found.unchecked  # the name of the digest was hit
        assert ranks_to_frame(found).equals(ranks_to_frame(before))
        assert about_ranks(found) == about_ranks(before)
    assert {head for head, _ in seen} == {"a.ranks.parquet: 1 problem"}
    assert sum(said for _, said in seen) > 150
    assert not capfd.readouterr().err  # polars tells of its panics there


def test_a_file_without_a_digest_is_read_and_said_to_be_unchecked(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.ranks.parquet")
    notes = json.loads(pl.read_parquet_metadata(path)[KEY])
    del notes[digests.DIGEST_KEY]
    pl.read_parquet(path).write_parquet(path, metadata={KEY: json.dumps(notes)})
    scores = evaluate(path, measures=["AP"])
    assert [each.text for each in scores.cautions if "no digest" in each.text]
    save_ranks(load_ranks(path), path)
    again = evaluate(path, measures=["AP"])
    assert not [each.text for each in again.cautions if "no digest" in each.text]
    assert again["AP"] == scores["AP"]


def test_a_damaged_part_of_work_counts_as_not_there(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    part = PartRanks(load_ranks(saved(tmp_path / "a.ranks.parquet")), PartFacts(Problems("a.run")))
    with path.open("wb") as file:
        RanksForm().write(part, file)
    whole = path.read_bytes()
    assert RanksForm().read(path) is not None
    for place in random.Random(2).sample(range(len(whole) - 400), 50):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert RanksForm().read(path) is None
