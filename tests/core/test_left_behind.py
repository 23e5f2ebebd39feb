"""What a process that was killed left behind is removed by the next one; what is alive stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import RankscopeError
from rankscope.core.files import atomic, hold_while_written, sibling
from rankscope.core.parts import work_folder, working_in
from tests.commands.line.inside import ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and locks")


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def write(folder: Path) -> list[str]:
    with atomic(folder / "x.csv") as file:
        file.write("x")
    return sorted(path.name for path in folder.iterdir())


def test_unfinished_files_of_the_dead_go(tmp_path: Path, dead: int) -> None:
    (tmp_path / f".x.csv.{dead}.0123abcd.part").write_text("half")
    (tmp_path / f".other.html.{dead}.0123abcd.part").write_text("half")
    assert write(tmp_path) == ["x.csv"]


def test_those_of_the_living_stay(tmp_path: Path, dead: int) -> None:
    own = tmp_path / f".x.csv.{os.getpid()}.0123abcd.part"
    own.write_text("half")
    held = tmp_path / f".x.csv.{dead}.0123abcd.part"  # of another machine, say
    with held.open("wb") as file:
        hold_while_written(file)
        assert write(tmp_path) == sorted([own.name, held.name, "x.csv"])


def test_what_is_called_otherwise_stays(tmp_path: Path, dead: int) -> None:
    names = ["a.part", f".x.{dead}.part", f"x.{dead}.0123abcd.part", f".x.{dead}.0123abcd.parts"]
    for name in names:
        (tmp_path / name).write_text("mine")
    assert write(tmp_path) == sorted([*names, "x.csv"])


def test_a_killed_command_leaves_nothing_for_long(tmp_path: Path) -> None:
    """Killed in the middle of a write: the hidden file stays until the next write."""
    code = (
        "import os, signal\nfrom rankscope.core.files import atomic\n"
        "with atomic('x.csv') as file:\n    file.write('half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    assert write(tmp_path) == ["x.csv"]


def test_long_names_have_neighbours_too(tmp_path: Path) -> None:
    for name in ("x" * 255, "検" * 85):
        with atomic(tmp_path / name) as file:
            file.write("x")
        assert len(os.fsencode(sibling(tmp_path / name, f".{2**22}.01234567.part").name)) <= 255
    assert len(list(tmp_path.iterdir())) == 2


def test_work_that_was_refused_leaves_no_folder(tmp_path: Path) -> None:
    folder = work_folder(tmp_path / "x.ranks.parquet", "0" * 16)
    with pytest.raises(RankscopeError), working_in(folder):
        raise RankscopeError("refused")
    assert not list(tmp_path.iterdir())


def test_finished_parts_stay_for_the_next_time(tmp_path: Path) -> None:
    folder = work_folder(tmp_path / "x.ranks.parquet", "0" * 16)
    with pytest.raises(ZeroDivisionError), working_in(folder):
        print(1 / (folder / "000000.npz").write_text(""))
    assert (folder / "000000.npz").exists()
    with working_in(folder):
        assert (folder / "000000.npz").exists()
    assert not list(tmp_path.iterdir())


def test_empty_folders_of_the_killed_go(tmp_path: Path, dead: int) -> None:
    stale = work_folder(tmp_path / "x.ranks.parquet", "1" * 16)
    stale.mkdir()
    (stale / f".000000.npz.{dead}.0123abcd.part").write_text("half")
    with working_in(work_folder(tmp_path / "x.ranks.parquet", "0" * 16)):
        assert not stale.exists()


def test_a_refused_rank_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features that do not fit the metric are found out in the middle of the work."""
    monkeypatch.chdir(tmp_path)
    np.savez("f.npz", features=-np.random.default_rng(1).random((9, 3)), labels=np.repeat(["x", "y", "z"], 3))
    assert ended(monkeypatch, "rank", "f.npz", "--metric", "jeffrey", "-o", "f.ranks.parquet") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["f.npz"]
