"""A writer that is killed leaves the old index or the new one, and the next writer cleans up behind it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankscope.engines.text import Index
from tests.engines.text.golden_index import Ranking, ranking_of
from tests.engines.text.killed_writer import documents

ROOT = Path(__file__).parents[3]
EVENTS = 660  # a little more than there are


def written(folder: Path, moment: int) -> int:
    """The exit code of a writer that is killed at a moment."""
    command = [sys.executable, "-m", "tests.engines.text.killed_writer", str(folder), str(moment)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode


def contents(index: Index) -> tuple[list[str], Ranking]:
    index = index.merge() if len(index.reader.segments) > 1 or index.reader.deleted is not None else index
    return index.reader.ids.to_list(), ranking_of(index.search("fox dog b", limit=None))


@pytest.mark.parametrize("moments", [3, pytest.param(30, marks=pytest.mark.thorough)])
def test_a_killed_writer_leaves_the_old_index_or_the_new_one(moments: int, tmp_path: Path) -> None:
    old, kept = documents("a", 4), documents("a", 4)[1:]
    Index.build(old, tmp_path / "whole")
    states = [contents(Index.build(some)) for some in (old, kept + documents("b", 15))]
    seen, killed = set(), 0
    for moment in [*np.linspace(2, EVENTS, moments)[:-1].astype(int).tolist(), 10 * EVENTS]:  # the last one lives
        folder = tmp_path / f"index{moment}"
        shutil.copytree(tmp_path / "whole", folder)
        killed += written(folder, moment) == -signal.SIGKILL
        found = contents(Index.open(folder))
        assert found in states, moment
        seen.add(states.index(found))
        again = Index.open(folder).add([{"id": "last", "body": "owl"}])
        assert again.search("owl").ids.to_list() == ["last"]
        counted = {each.name for each in again.reader.segments}
        assert {path.name for path in folder.glob("segment-*")} >= counted
    assert seen == {0, 1}
    assert killed >= moments * 3 // 4
