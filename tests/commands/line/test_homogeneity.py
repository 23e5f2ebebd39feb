"""`rankscope homogeneity` as people call it: the numbers are those of Python, and the words follow from them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope
from rankscope.analysis.statistics.generality_estimate import homogeneity_verdict
from rankscope.commands.line.main import cli
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks
from tests.analysis.statistics.intervals.test_homogeneity import mixed


def random_rankings() -> RelevantRanks:
    chance = np.random.default_rng(1)
    sizes = [2] * 60 + [8] * 60 + [32] * 60
    ranks = [np.sort(chance.permutation(256)[:size] + 1) for size in sizes]
    return RelevantRanks.from_ranks(ranks, depth=256, collection=256, system="random")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "mixed.ranks.parquet", tmp_path / "random.ranks.parquet"]
    for path, ranks in zip(paths, (mixed(), random_rankings()), strict=True):
        save_ranks(ranks, path)
    return [str(path) for path in paths]


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["homogeneity", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_verdict_follows_from_the_gaps(files: list[str]) -> None:
    told = said(*files, "--system", "mixed", "--system", "random")
    assert "mixed: precision = recall at equal generality, 95% intervals over queries" in told
    assert "At 1 of 2 generality indices classes of that size do worse than the queries that are followed" in told
    assert "At none of 2 generality indices do the two lie apart beyond both 95% intervals" in told


def test_the_numbers_are_those_of_python(files: list[str]) -> None:
    whole = json.loads(said(files[0], "--system", "mixed", "--format", "json", "--level", "0.9"))
    result = rankscope.homogeneity(files[0], level=0.9)
    (only,) = result.values()
    assert whole["level"] == 0.9
    assert whole["systems"]["mixed"]["verdict"] == homogeneity_verdict(only)
    rows = whole["systems"]["mixed"]["rows"]
    assert [row["gap"] for row in rows] == only.gap.tolist()
    assert [row["differs"] == "yes" for row in rows] == only.differs.tolist()


def test_a_bin_of_one_unit_has_no_interval(tmp_path: Path) -> None:
    alone = RelevantRanks.from_ranks([[1], [2], [1], [3], [*range(1, 9)]], depth=64, collection=64)
    save_ranks(alone, tmp_path / "alone.ranks.parquet")
    told = said(str(tmp_path / "alone.ranks.parquet"))
    row = next(line for line in told.splitlines() if line.startswith("3.000"))
    assert "none" in row.split()
    assert "no" in row.split()


def test_one_query_can_be_compared_with_nothing() -> None:
    one = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=100, collection=100)
    (result,) = rankscope.homogeneity(one).values()
    assert homogeneity_verdict(result).endswith("nothing can be compared.")


def test_the_size_of_the_collection_is_asked_for() -> None:
    with pytest.raises(rankscope.RankscopeError, match="collection_size=D"):
        rankscope.homogeneity({"q": {"a": 1}}, {"q": {"a": 1.0}})
