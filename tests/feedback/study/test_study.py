from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.study.results import load_results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.study.summary import compared_methods
from rankscope.feedback.users.users import Noisy
from rankscope.measures import AP
from tests.feedback.cases import clusters
from tests.feedback.problems import same_numbers

NAMES = ("rocchio", "nearest-neighbour", "svm")


def small(*methods: str, starts: int = 3, seed: int = 0) -> StudyPlan:
    items, topics = clusters()
    setting = Experiment.of(items, topics, Noisy(0.1), protocol=Protocol(scope=8, rounds=2))
    return StudyPlan.of(setting, [METHODS.parse(name) for name in methods or NAMES], starts=starts, seed=seed)


def test_a_study_holds_what_the_loop_gives_and_loads_back(tmp_path: Path) -> None:
    plan = small()
    result = study(plan, result=tmp_path / "s.parquet", on="home")
    assert result.methods == (*NAMES, "no-feedback", "random", "all-labels", "ideal")
    own = simulate_rounds(METHODS.parse("svm"), plan.setting, plan.sessions)
    assert result.values("AP", "svm")[:, 2] == pytest.approx(AP().of(own.rounds[2].ranks))
    recall = own.rounds[1].shown.shares()["cumulative recall"]
    assert result.values("cumulative recall", "svm")[:, 1] == pytest.approx(recall)
    again = load_results(tmp_path / "s.parquet")
    assert same_numbers(result, again)
    assert again.about["user"] == "noisy(0.1,0.1)"
    assert os.listdir(tmp_path) == ["s.parquet"]


@pytest.mark.thorough
def test_processes_change_no_number() -> None:
    plan = small("rocchio", "svm")
    assert same_numbers(study(plan, on="home"), study(plan, on="processes:2"))


def test_methods_meet_the_same_sessions() -> None:
    result = study(small("rocchio", "svm"), on="home")
    first = [
        result.frame.filter(result.frame["method"] == name).select("topic", "start", "seed") for name in result.methods
    ]
    assert all(each.equals(first[0]) for each in first)
    assert np.array_equal(result.values("AP", "svm")[:, 0], result.values("AP", "rocchio")[:, 0])


def test_finished_parts_are_used_again_and_only_those_that_fit(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(share: float) -> None:
        if share > 0.4:
            raise StoppedError

    result = tmp_path / "s.parquet"
    with pytest.raises(StoppedError):
        study(small(), result=result, on="home", progress=stop)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / ".s.parquet.work").iterdir()}
    assert kept
    damaged = next(iter(kept))
    damaged.write_bytes(b"PAR1 is what a part begins with, but not how it goes on")
    seen: list[float] = []
    results = study(small(), result=result, on="home", progress=seen.append)
    assert len(seen) == 7 - (len(kept) - 1)
    assert same_numbers(results, study(small(), on="home"))
    assert not same_numbers(results, study(small(seed=1), on="home"))


SCRIPT = """
import sys
from tests.feedback.study.test_study import small
from rankscope.feedback.study.study import study
import rankscope.feedback.study.study as module
if __name__ == "__main__":
    import time
    done = []
    def stops(share):
        done.append(share)
        if len(done) == 2:
            print("two are done", flush=True)
            time.sleep(600)
    study(small(), result=sys.argv[1], on="home", progress=stops)
"""


@pytest.mark.thorough
def test_a_killed_study_goes_on_and_ends_equal(tmp_path: Path) -> None:
    result = tmp_path / "s.parquet"
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}
    command = [sys.executable, "-c", SCRIPT, str(result)]
    running = subprocess.Popen(command, env=environment, cwd=root, stdout=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"two are done\n"
    running.kill()
    running.communicate()
    assert not result.exists()
    assert len(list((tmp_path / ".s.parquet.work").glob("*.parquet"))) == 2
    seen: list[float] = []
    results = study(small(), result=result, on="home", progress=seen.append)
    assert len(seen) == 7 - 2
    assert same_numbers(results, study(small(), on="home"))


def test_a_method_that_cannot_work_here_is_reported_and_ends_nothing() -> None:
    result = study(small("rm3", "rocchio"), on="home")
    (failure,) = result.failures()
    assert (failure["method"], failure["sessions"]) == ("rm3", 12)
    assert "term counts" in str(failure["failed"])
    assert not np.isnan(result.values("AP", "rocchio")).any()
    assert result.failed_throughout() == ("rm3",)
    assert compared_methods(result) == ("rocchio",)
    shown = result.values("cumulative recall", "rm3")
    assert np.array_equal(shown, shown[:, :1].repeat(3, axis=1))  # nothing more than the first display


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    import polars as pl

    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="no feedback study"):
        load_results(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="cannot be read"):
        load_results(tmp_path / "y.parquet")
    with pytest.raises(SettingError, match="did you mean 'Rprec'"):
        study(small("rocchio"), on="home").table("Rpec")
