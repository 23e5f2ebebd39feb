"""A feedback study gives the same numbers wherever its parts run, and after a worker was killed in the middle."""

from __future__ import annotations

import os
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rankscope.commands.feedback import plan_of, problem_of
from rankscope.core.errors import InputError
from rankscope.core.runners import connect_dask
from rankscope.feedback.study import study as travelling
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.study import StudyPlan, light_to_travel, study
from tests.clusters import running_cluster
from tests.feedback.problems import same_numbers
from tests.feedback.study.test_study import small
from tests.needs import needed_module
from tests.sparks import local_spark

METHODS = ("rocchio", "query_point", "nearest-neighbour", "logistic-regression")


@cache
def digits() -> StudyPlan:
    """Four methods and the controls, 600 sessions each, in 24 parts."""
    return plan_of(
        problem_of("digits"),
        METHODS,
        "one_query",
        "noisy(0.1)",
        starts=60,
        measures=None,
        seed=0,
        rounds=2,
        scope=20,
    )


@cache
def at_home() -> Results:
    return study(digits(), on="home")


@pytest.mark.thorough
def test_a_worker_killed_in_the_middle_changes_no_number(tmp_path: Path) -> None:
    needed_module("sklearn", "feedback")
    needed_module("distributed", "distributed")
    seen: list[float] = []
    with running_cluster(tmp_path, workers=2) as cluster:
        with connect_dask(cluster.on) as client:
            client.wait_for_workers(2)

        def kill_one(share: float) -> None:
            seen.append(share)
            if len(seen) == 5:
                cluster.workers[0].kill()

        result = study(digits(), on=cluster.on, result=tmp_path / "d.parquet", progress=kill_one)
        assert cluster.workers[0].wait() == -9
        assert cluster.workers[1].poll() is None
    assert len(seen) == len(digits().parts()) == 24
    assert same_numbers(result, at_home())
    assert not list(tmp_path.glob(".d.parquet*"))


@pytest.mark.spark
def test_spark_changes_no_number() -> None:
    needed_module("sklearn", "feedback")
    with local_spark():
        assert same_numbers(study(digits(), on="spark"), at_home())


@pytest.mark.thorough
def test_large_features_travel_as_a_path_with_a_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, seen = small(), list[list[str]]()
    monkeypatch.setattr(travelling, "LARGE_FEATURES", 0)
    result = study(
        plan,
        on="processes:2",
        result=tmp_path / "s.parquet",
        progress=lambda _: seen.append([path.name for path in tmp_path.glob(".s.parquet.work/*.npy")]),
    )
    assert [name.startswith("features-") for name in seen[0]] == [True]
    assert os.listdir(tmp_path) == ["s.parquet"]
    monkeypatch.undo()
    assert same_numbers(result, study(plan, on="home"))


def test_what_travels_is_light_and_arrives_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = small().setting
    whole = len(pickle.dumps(setting))
    monkeypatch.setattr(travelling, "LARGE_FEATURES", setting.items.matrix.nbytes)
    with light_to_travel(setting, tmp_path) as same:
        assert same is setting  # 100 MB and less goes with the rest
    monkeypatch.setattr(travelling, "LARGE_FEATURES", setting.items.matrix.nbytes - 1)
    for folder in (tmp_path, None):
        with light_to_travel(setting, folder) as light:
            assert not list(tmp_path.iterdir())  # written only when it travels
            packed = pickle.dumps(light)
            assert len(packed) < whole - setting.items.matrix.nbytes + 1000
            arrived = pickle.loads(packed)
            assert np.array_equal(arrived.items.matrix, setting.items.matrix)
            assert pickle.loads(pickle.dumps(arrived)).items.gamma == setting.items.gamma
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_features_that_a_worker_cannot_read_or_that_changed(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travelling, "LARGE_FEATURES", 0)
    with light_to_travel(small().setting, tmp_path) as light:
        packed = pickle.dumps(light)
        (file,) = tmp_path.iterdir()
        content = file.read_bytes()
        file.write_bytes(content[:-8] if damage == "cut" else content[:-1] + b"\x99")
        if damage == "missing":
            file.unlink()
        with pytest.raises(InputError, match=r"a worker .*\nFeatures above 100 MB go to workers as a file"):
            pickle.loads(packed)
