"""The same bytes wherever shards are worked on, from whatever files, and after whatever stopped it."""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, SettingError
from rankscope.core.parts import Home, PartsFolder
from rankscope.core.runners import connect_dask
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.shards import ranking
from rankscope.inputs.features import Features
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.clusters import running_cluster
from tests.engines.nearest.plain import everything, many_items
from tests.needs import needed_module
from tests.sparks import local_spark
from tests.stopping import killed_at

ITEMS = 700
CUTS = (0, 120, 120, 500, 501, ITEMS)


@cache
def collection() -> Features:
    table, labels = many_items("near twins", items=ITEMS)
    return Features.of(table, labels, [f"item{row:03}" for row in range(ITEMS)])


@cache
def whole(metric: str = "cosine") -> list[Any]:
    return everything(nearest_ranks(collection(), metric=metric, keep_scores=True))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "LEAST_SHARD", 100)
    monkeypatch.setattr(ranking, "LEAST_BLOCK", 120)
    monkeypatch.setattr(ranking, "rows_of_shard", lambda memory, width: 100)
    monkeypatch.setattr("rankscope.engines.shards.ranking.rows_of_shard", lambda memory, width: 150)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "parts"
    folder.mkdir()
    items = collection()
    for number, (first, stop) in enumerate(pairwise(CUTS)):
        np.save(folder / f"part-{number}.npy", items.matrix[first:stop])
    pl.DataFrame({"id": items.ids, "label": items.labels}).write_csv(tmp_path / "labels.csv")
    return folder


def ranked(parts: Path, **more: Any) -> list[Any]:
    return everything(rankscope.rank(parts, parts.parent / "labels.csv", **{"on": Home(), **more}))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("on", ["home", Home(), "processes:1", "processes:2"])
@pytest.mark.parametrize("metric", ["cosine", "l1"])
def test_home_and_processes_give_the_same_bytes(parts: Path, on: Any, metric: str) -> None:
    assert ranked(parts, on=on, metric=metric) == whole(metric)


@pytest.mark.thorough
def test_one_array_or_file_is_cut_too(tmp_path: Path) -> None:
    items = collection()
    np.savez(tmp_path / "all.npz", features=items.matrix, labels=items.labels, ids=items.ids)
    for features in (items, tmp_path / "all.npz", [tmp_path / "all.npz"]):
        for on in (Home(), "processes:2"):
            assert everything(rankscope.rank(features, on=on)) == whole()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_files_that_cannot_be_mapped_are_unpacked(tmp_path: Path, kind: str) -> None:
    items, folder = collection(), tmp_path / "parts"
    folder.mkdir()
    for number, (first, stop) in enumerate(pairwise(CUTS)):
        table, labels, ids = items.matrix[first:stop], items.labels[first:stop], items.ids[first:stop]
        if kind == "npz":
            np.savez(folder / f"{number}.npz", features=table, labels=np.array(labels, str), ids=np.array(ids, str))
        else:
            vectors = pl.Series("features", table.tolist(), dtype=pl.List(pl.Float64))
            data = {"id": list(ids), "label": list(labels)}
            frame = pl.DataFrame(data, schema={"id": pl.String, "label": pl.String}).with_columns(vectors)
            frame.write_parquet(folder / f"{number}.parquet")
    for more in ({"on": Home()}, {"on": Home(), "memory": 32 << 20}, {"on": "processes:2"}, {}):
        assert everything(rankscope.rank(f"{folder}/*.{kind}", **more)) == whole()


@pytest.mark.thorough
def test_a_dask_worker_killed_in_the_middle_changes_no_byte(parts: Path, tmp_path: Path) -> None:
    needed_module("distributed", "distributed")
    seen: list[int] = []
    with running_cluster(tmp_path, workers=2) as cluster:
        with connect_dask(cluster.on) as client:
            client.wait_for_workers(2)

        def kill_one(done: int, count: int) -> None:
            seen.append(done)
            if len([each for each in seen if each > count * 0.1]) == 5:
                cluster.workers[0].kill()

        assert ranked(parts, on=cluster.on, work=tmp_path / "work", progress=kill_one) == whole()
        assert cluster.workers[0].wait() == -9
    assert not (tmp_path / "work").exists()


@pytest.mark.spark
def test_spark_changes_no_byte(parts: Path, tmp_path: Path) -> None:
    with local_spark():
        assert ranked(parts, on="spark", work=tmp_path / "work") == whole()


@pytest.mark.thorough
def test_stopped_work_continues_with_the_parts_that_are_finished(
    parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[str] = []

    def stopping(self: Home, work: Any, shared: Any, parts: Any) -> Any:
        for part in parts:
            worked.append(part.digest)
            if len(worked) == 20:
                raise KeyboardInterrupt
            yield part, work(shared, part)

    with monkeypatch.context() as patch:
        patch.setattr(Home, "map", stopping)
        with pytest.raises(KeyboardInterrupt):
            ranked(parts, work=tmp_path / "work")
    left = len(list((tmp_path / "work").glob("*.npz")))
    assert left == 19
    written: list[str] = []
    plain = PartsFolder.write

    def counting(self: Any, digest: str, result: Any) -> None:
        written.append(digest)
        plain(self, digest, result)

    monkeypatch.setattr(PartsFolder, "write", counting)
    assert ranked(parts, on="processes:2", work=tmp_path / "work") == whole()
    assert not set(written) & set(worked[:19])
    assert not (tmp_path / "work").exists()


@pytest.mark.thorough
def test_a_killed_command_continues_and_leaves_nothing_behind(parts: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.ranks.parquet"
    command = ["rank", f"{parts}/*.npy", "--labels", str(tmp_path / "labels.csv"), "-o", str(output), "--quiet"]
    killed_at(3, [*command, "--on", "processes:2"])
    result = CliRunner().invoke(cli, [*command, "--on", "processes:1"])
    assert result.exit_code == 0, result.output
    assert everything(load_ranks(output)) == whole()
    save_ranks(nearest_ranks(collection(), keep_scores=True, system="out"), tmp_path / "whole.ranks.parquet")
    digests = {sha256((tmp_path / name).read_bytes()).hexdigest() for name in (output.name, "whole.ranks.parquet")}
    assert len(digests) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "labels.csv",
        "out.ranks.parquet",
        "parts",
        "whole.ranks.parquet",
    ]


def test_the_command_takes_several_paths_and_says_what_it_does(parts: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.ranks.parquet"
    files = sorted(map(str, parts.iterdir()), reverse=True)  # the order of names counts
    given = ["rank", *files, "--labels", str(tmp_path / "labels.csv"), "-o", str(output)]
    for more in ([], ["--on", "processes:1"]):
        result = CliRunner().invoke(cli, [*given, *more], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert everything(load_ranks(output)) == whole()
    assert "700 items in 7 shards" in result.stderr


def test_a_file_changed_meanwhile_is_named(parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(done: int, count: int) -> None:
        for number in (0, 3):
            os.utime(parts / f"part-{number}.npy", ns=(1, 1))

    with pytest.raises(InputError) as caught:
        ranked(parts, progress=change)
    assert "part-0.npy was changed or removed while it was ranked" in str(caught.value)
    assert "part-3.npy was changed" in str(caught.value)
    assert "part-2.npy" not in str(caught.value)


def test_a_function_ranks_in_one_place(parts: Path) -> None:
    def farthest(row: Any, rows: Any) -> Any:
        return np.abs(rows - row).max(axis=1)

    alone = everything(nearest_ranks(collection(), metric=farthest, keep_scores=True))
    assert ranked(parts, metric=farthest, on="home") == alone
    assert ranked(parts, metric=farthest) == alone
    with pytest.raises(SettingError, match="rank it without on"):
        ranked(parts, metric=farthest, on="processes:2")
