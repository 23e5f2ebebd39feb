"""`rankscope rank` as people call it, and as it is stopped in the middle."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.core.machine import memory_size
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.blocks import BlocksFolder
from rankscope.ranks.storage import load_ranks
from tests.engines.nearest.plain import everything, many_items
from tests.stopping import killed_at


@pytest.fixture
def features(tmp_path: Path) -> str:
    table, labels = many_items("fractions", items=120)
    path = tmp_path / "features.npz"
    np.savez(path, features=table, labels=labels, ids=np.array([f"item{row}" for row in range(len(labels))]))
    return str(path)


def said(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_result_is_that_of_python_and_flows_into_the_other_commands(features: str, tmp_path: Path) -> None:
    out = str(tmp_path / "cosine.ranks.parquet")
    assert "queries" in said("rank", features, "-o", out)
    table, labels = many_items("fractions", items=120)
    names = [f"item{row}" for row in range(len(labels))]
    ranks = nearest_ranks(table, labels, ids=names, keep_scores=True)
    assert everything(load_ranks(out)) == everything(ranks)
    assert load_ranks(out).system == "cosine"
    assert "AP" in said("evaluate", out, "-m", "AP", "-m", "P@10")
    assert "pareto" in said("forecast", out, "--to", "2x", "-m", "Rprec", "--force")
    said("graph", "precision-recall", out, "-o", str(tmp_path / "graph.svg"))
    assert (tmp_path / "graph.svg").stat().st_size > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cosine.ranks.parquet", "features.npz", "graph.svg"]


def test_options_change_what_they_name(features: str, tmp_path: Path) -> None:
    out = str(tmp_path / "kept.ranks.parquet")
    (tmp_path / "queries.txt").write_text("item3\nitem8\n")
    (tmp_path / "junk.txt").write_text("item3 0 item9 0\n")
    said(
        "rank",
        features,
        "-o",
        out,
        "--metric",
        "0.5*l1[0:4] + 2*l2[4:]",
        "--query-item",
        "kept",
        "--no-keep-scores",
        "--queries",
        str(tmp_path / "queries.txt"),
        "--junk",
        str(tmp_path / "junk.txt"),
        "--system",
        "mine",
        "--threads",
        "1",
        "--memory",
        "64MB",
        "--quiet",
    )
    ranks = load_ranks(out)
    assert ranks.queries == ("item3", "item8")
    assert ranks.collection.tolist() == [119, 120]
    assert ranks.system == "mine"
    assert ranks.distractors is None
    assert ranks.provenance["settings"]["metric"] == "0.5*l1[0:4] + 2*l2[4:]"


def test_labels_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    table, labels = many_items("whole", items=60)
    np.save(tmp_path / "pixels.npy", table)
    (tmp_path / "labels.txt").write_text("\n".join(map(str, labels)) + "\n")
    out = str(tmp_path / "pixels.ranks.parquet")
    said("rank", str(tmp_path / "pixels.npy"), "--labels", str(tmp_path / "labels.txt"), "-o", out, "--metric", "l1")
    assert everything(load_ranks(out)) == everything(nearest_ranks(table, labels, "l1", keep_scores=True))


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (["-o", "x.parquet"], SettingError, "must be called NAME.ranks.parquet"),
        (["-o", "x.ranks.parquet", "--metric", "cosin"], SettingError, "did you mean 'cosine'"),
        (["-o", "x.ranks.parquet", "--memory", "much"], SettingError, "--memory must be a size"),
        (["-o", "x.ranks.parquet", "--memory", "1MB"], SettingError, "at least 32MB"),
        (["-o", "x.ranks.parquet", "--queries", "nowhere.txt"], InputError, "cannot be read"),
    ],
)
def test_bad_options_are_told(features: str, arguments: list[str], error: type[RankscopeError], told: str) -> None:
    result = CliRunner().invoke(cli, ["rank", features, *arguments])
    assert isinstance(result.exception, error)
    assert told in str(result.exception)


def test_sizes_are_read_as_people_write_them() -> None:
    assert memory_size("2GB") == memory_size("2g") == memory_size("2 GiB") == 2 << 30
    assert memory_size("0.5GB") == memory_size("512MB") == 512 << 20
    assert memory_size(str(64 << 20)) == 64 << 20


def command(features: Path, out: Path) -> list[str]:
    """In thirty blocks."""
    return ["rank", str(features), "-o", str(out), "--metric", "jeffrey", "--memory", "32MB", "--threads", "1"]


@pytest.mark.thorough
def test_work_killed_in_the_middle_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    features = tmp_path / "features.npz"
    np.savez(features, features=rng.random((3000, 6)), labels=rng.integers(0, 300, 3000))
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    out = broken / "js.ranks.parquet"
    killed_at(3, command(features, out))
    assert not out.exists()
    kept = sorted(broken.glob(".*.work/*.npz"))
    kept[0].write_bytes(kept[0].read_bytes()[:-200])  # a damaged block is made anew
    start = [sys.executable, "-m", "rankscope"]
    again = subprocess.run([*start, *command(features, out)], check=True, capture_output=True, text=True)
    assert f"{len(kept) - 1} parts from before" in again.stderr
    subprocess.run([*start, *command(features, whole / "js.ranks.parquet")], check=True, capture_output=True)
    assert out.read_bytes() == (whole / "js.ranks.parquet").read_bytes()
    assert [path.name for path in broken.iterdir()] == ["js.ranks.parquet"]


def test_blocks_of_other_work_are_not_taken(tmp_path: Path) -> None:
    target = tmp_path / "x.ranks.parquet"
    assert BlocksFolder(target, {"metric": "l1"}).path != BlocksFolder(target, {"metric": "l2"}).path
    one = BlocksFolder(target, {})
    table, labels = many_items("whole", items=60)
    with one.open():
        first = nearest_ranks(table, labels, "l1", block=20, kept=one.block)
        again = nearest_ranks(table, labels, "l1", block=20, kept=one.block)
        reused = one.reused
        nearest_ranks(table, labels, "l1", block=19, kept=one.block)
    assert everything(first) == everything(again)
    assert reused == 3
    assert one.reused == 3
    assert not one.path.exists()


def test_a_class_may_be_ranked_among_distractors_of_its_own(features: str, tmp_path: Path) -> None:
    out = str(tmp_path / "narrow.ranks.parquet")
    told = said("rank", features, "--distractors", "nearest(20)", "-o", out)
    assert "! each class was ranked among its own distractors, nearest(20), not in the whole collection" in told
    table, labels = many_items("fractions", items=120)
    names = [f"item{row}" for row in range(len(labels))]
    ranks = nearest_ranks(table, labels, ids=names, keep_scores=True, distractors="nearest(20)")
    assert everything(load_ranks(out)) == everything(ranks)
    assert "among its own distractors, nearest(20)" in said("evaluate", out, "-m", "Rprec")
    picture = tmp_path / "both.json"
    said("rank", features, "--distractors", "random(20)", "-o", str(tmp_path / "wide.ranks.parquet"))
    said("graph", "grip", str(tmp_path / "wide.ranks.parquet"), out, "-o", str(picture))
    assert "among nearest(20)" in picture.read_text()
    done = CliRunner().invoke(cli, ["forecast", out, "--to", "2x"])
    assert isinstance(done.exception, SettingError)
    assert "new items are not drawn from those" in str(done.exception)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--on", "processes:2"], "--distractors are chosen in one process that holds all features: leave --on out"),
        (["--device", "cuda"], "--distractors are chosen by the CPU: leave --device out"),
        (["--distractors", "far(3)"], "no choice of distractors 'far'"),
    ],
)
def test_where_distractors_cannot_be_chosen_it_is_said(
    more: list[str], words: str, features: str, tmp_path: Path
) -> None:
    target = str(tmp_path / "x.ranks.parquet")
    done = CliRunner().invoke(cli, ["rank", features, "--distractors", "nearest(20)", *more, "-o", target])
    assert isinstance(done.exception, RankscopeError)
    assert words in str(done.exception)
