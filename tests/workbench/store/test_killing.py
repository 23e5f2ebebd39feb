"""kill -9 under load: every acknowledged mark is there, once. `python -m benchmarks workbench` does it fifty times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there is no kill -9", allow_module_level=True)

from rankscope.workbench.project import Project
from tests.postgres import Cluster
from tests.workbench.projects import write_sources
from tests.workbench.store.killing import Load, kill_again_and_again, problems_of


def project_for_load(folder: Path, database: str | None = None) -> Path:
    with Project.new(folder / "project", **write_sources(folder), database=database) as project:
        for number in range(Load().clients):
            project.invite(f"client {number}")
    return folder / "project"


def test_a_killed_process_loses_no_mark(tmp_path: Path) -> None:
    folder = project_for_load(tmp_path)
    load = kill_again_and_again(folder, kills=3)
    assert problems_of(load, folder) == []
    assert len(load.acknowledged) > 20


@pytest.mark.thorough
def test_twenty_five_kills_lose_no_mark(tmp_path: Path) -> None:
    folder = project_for_load(tmp_path)
    load = kill_again_and_again(folder, kills=25, seed=1)
    assert problems_of(load, folder) == []
    assert len(load.acknowledged) > 500


@pytest.mark.thorough
def test_twenty_five_kills_lose_no_mark_on_postgresql(tmp_path: Path, cluster: Cluster) -> None:
    """Of our process, and the first twelve times of the database too."""
    folder = project_for_load(tmp_path, cluster.address)
    load = kill_again_and_again(folder, kills=25, seed=1, cluster=cluster, kill_cluster=12)
    assert problems_of(load, folder, cluster.address) == []
    assert len(load.acknowledged) > 500


def test_a_lost_mark_would_be_seen(tmp_path: Path) -> None:
    folder = project_for_load(tmp_path)
    load = Load()
    load.next_line(0)
    load.heard("0-1 1")
    assert problems_of(load, folder) == ["lost: 0-1"]
