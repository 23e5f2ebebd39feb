"""A Dask cluster as people start it: the same results, errors as themselves, and what cannot be used is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rankscope.core import runners
from rankscope.core.errors import RankscopeError, RunnerError, SettingError
from rankscope.core.parts import Home, finish_parts
from rankscope.core.runners import Dask, connect_dask, runner_of
from rankscope.version import __version__
from tests.clusters import Cluster, running_cluster
from tests.core.test_errors_travel import check_equal
from tests.core.works import (
    ERRORS,
    Numbered,
    cores_of_a_part,
    doubled,
    element,
    ending,
    failing,
    failing_at_first,
    failing_otherwise,
    named,
    slow,
    slow_and_noted,
)
from tests.needs import needed_module, needed_program

needed_module("distributed", "distributed")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        with connect_dask(running.on) as client:
            client.wait_for_workers(2)
        yield running


def test_every_part_is_done_and_equal_parts_too(cluster: Cluster) -> None:
    assert sorted(Dask(cluster.on).map(doubled, 10, [1, 2, 3, 2])) == [(1, 10), (2, 20), (2, 20), (3, 30)]
    assert list(Dask(cluster.on).map(doubled, 10, [])) == []


def test_parts_with_digests_give_what_they_give_at_home(cluster: Cluster) -> None:
    parts = [Numbered(number) for number in range(20)]
    at_home = finish_parts(named, "x", parts, Home())
    assert finish_parts(named, "x", parts, runner_of(cluster.on)) == at_home
    assert finish_parts(named, "y", parts, runner_of(cluster.on)) != at_home  # what is shared belongs to the work


@pytest.mark.parametrize("name", ERRORS)
def test_a_part_fails_with_its_own_error(cluster: Cluster, name: str) -> None:
    with pytest.raises(RankscopeError) as raised:
        list(Dask(cluster.on).map(failing, None, [name]))
    check_equal(raised.value, ERRORS[name])


def test_other_errors_are_themselves_once_they_happened_four_times(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="part 7"):
        list(Dask(cluster.on).map(failing_otherwise, None, [7]))
    assert sorted(Dask(cluster.on).map(failing_at_first, str(tmp_path), [1, 2])) == [(1, 1), (2, 2)]
    assert len(list(tmp_path.iterdir())) == 6


def test_what_is_shared_may_be_large(cluster: Cluster) -> None:
    shared = np.arange(4_000_000)  # 32 MB, of which Dask would warn
    assert sorted(Dask(cluster.on).map(element, shared, [5, 3_999_999])) == [(5, 5), (3_999_999, 3_999_999)]


def test_a_part_has_one_core(cluster: Cluster) -> None:
    assert list(Dask(cluster.on).map(cores_of_a_part, None, [1])) == [(1, (1, 1))]


def test_what_was_begun_and_is_not_wanted_any_more_is_left(cluster: Cluster, tmp_path: Path) -> None:
    results = Dask(cluster.on).map(slow_and_noted, tmp_path, list(range(200)))
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert sorted(Dask(cluster.on).map(doubled, 1, [5])) == [(5, 5)]
    assert 0 < len(list(tmp_path.iterdir())) < 200


@pytest.mark.thorough
def test_a_part_that_ends_every_worker_is_named_with_advice(tmp_path: Path) -> None:
    ended = pytest.raises(RunnerError, match=r"a part ended 4 workers of dask://.*memory enough")
    with running_cluster(tmp_path, workers=4) as cluster, ended:
        list(Dask(cluster.on).map(ending, None, [1]))


@pytest.mark.thorough
def test_a_scheduler_that_is_lost_ends_the_work(tmp_path: Path) -> None:
    with running_cluster(tmp_path, workers=1) as cluster:
        results = Dask(cluster.on).map(slow, 0.1, list(range(1000)))
        next(results)
        assert cluster.scheduler is not None
        address = cluster.on
        cluster.scheduler.kill()
        with pytest.raises(RunnerError, match=f"{address} was lost"):
            list(results)


OTHER = "import rankscope, rankscope.version; rankscope.__version__ = rankscope.version.__version__ = '0.0.9'"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (OTHER, f"the worker at tcp://.* has rankscope 0.0.9, but it is {__version__} here"),
        ("import sys; sys.modules['rankscope'] = None", f"has no rankscope: install rankscope {__version__} there"),
    ],
)
def test_a_worker_of_another_version_is_refused(tmp_path: Path, patch: str, told: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(patch)
    with running_cluster(tmp_path, workers=0) as cluster:
        cluster.start_worker(FIRST_PATH=str(tmp_path))
        with pytest.raises(RunnerError, match=told):
            list(Dask(cluster.on).map(doubled, 10, [1]))


@pytest.mark.thorough
def test_a_worker_of_another_version_that_comes_later_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(OTHER)
    with running_cluster(tmp_path, workers=1) as cluster:
        results = Dask(cluster.on).map(slow, 0.3, list(range(100)))
        next(results)
        cluster.start_worker(FIRST_PATH=str(tmp_path))
        with pytest.raises(RunnerError, match=f"a worker has rankscope 0.0.9, but it is {__version__} here"):
            list(results)


def test_other_packages_of_another_version_are_pointed_out(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import polars as pl

    monkeypatch.setattr(pl, "__version__", "0.0.5")
    with connect_dask(cluster.on):
        pass
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3  # scheduler and two workers
    assert all(line.startswith("! the ") and "(here 0.0.5): the last digits" in line for line in told)


def test_a_scheduler_that_is_not_there_or_has_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "DASK_PATIENCE", 1)
    with pytest.raises(RunnerError, match=r"dask://127.0.0.1:9 cannot be reached: .*dask scheduler"):
        list(Dask("dask://127.0.0.1:9").map(doubled, 1, [1]))
    none = pytest.raises(RunnerError, match=r"has no workers. Start one: dask worker tcp://127.0.0.1:\d+")
    with running_cluster(tmp_path, workers=0) as cluster, none:
        list(Dask(cluster.on).map(doubled, 1, [1]))


@pytest.mark.parametrize(
    "address",
    ["dask", "dask:", "dask://host", "dask://user:secret@host:1", "tls://host:1/secret", "dask://host:1?token=secret"],
)
def test_what_is_no_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(SettingError, match="dask://HOST:PORT or tls://HOST:PORT") as raised:
        runner_of(address)
    assert "secret" not in str(raised.value)


def certificates(folder: Path) -> tuple[str, ...]:
    """A certificate for all, which signs itself, and how Dask is told of it."""
    program = needed_program("openssl", advice="apt-get install openssl")
    words = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
    subprocess.run([program, *words.split()], cwd=folder, check=True, capture_output=True)
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    return ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)


def settings_of(folder: Path) -> dict[str, str]:
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    tls = "distributed.comm.tls"
    return {f"{tls}.ca-file": cert, f"{tls}.client.cert": cert, f"{tls}.client.key": key}


@pytest.mark.thorough
def test_tls_with_the_certificates_of_dasks_settings(tmp_path: Path) -> None:
    settings = needed_module("dask.config", "distributed")
    with running_cluster(tmp_path, workers=1, options=certificates(tmp_path)) as cluster:
        assert cluster.on.startswith("tls://")
        with pytest.raises(RunnerError, match=r"cannot be reached: .*distributed.comm.tls"):
            list(Dask(cluster.on).map(doubled, 10, [2]))
        with settings.set(settings_of(tmp_path)):
            assert list(Dask(cluster.on).map(doubled, 10, [2])) == [(2, 20)]


@pytest.mark.thorough
def test_nothing_of_dask_is_loaded_before_it_is_asked_for() -> None:
    code = "import sys, rankscope.core.runners; assert not {'dask', 'distributed', 'pyspark'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
