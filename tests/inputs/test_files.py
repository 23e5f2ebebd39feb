from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TextIO

import pytest

from rankscope.core.errors import SettingError
from rankscope.core.files import atomic


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _write_and_stop(file: TextIO) -> None:
    file.write("new")
    raise KeyboardInterrupt


def test_a_file_appears_when_its_block_ends(tmp_path: Path) -> None:
    with atomic(tmp_path / "a.txt") as file:
        file.write("é\n")
        assert "a.txt" not in names(tmp_path)
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    with atomic(str(tmp_path / "b.bin"), "wb") as stored:
        stored.write(b"\r\n")
    assert (tmp_path / "b.bin").read_bytes() == b"\r\n"


def test_an_exception_leaves_nothing_behind_and_the_old_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic(tmp_path / "a.txt") as file:
        _write_and_stop(file)
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    mask = os.umask(0o022)
    try:
        with atomic(path) as file:
            file.write("x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    with atomic(path) as file:
        file.write("y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with atomic(tmp_path / "link") as file:
        file.write("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "x"


def test_a_device_is_written_directly() -> None:
    with atomic(os.devnull) as file:
        file.write("x")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("path", ["no/such/folder/a.txt", "."])
def test_a_path_that_cannot_be_written_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot write"), atomic(tmp_path / path):
        pass
    assert names(tmp_path) == []


def test_standard_output_is_no_file() -> None:
    with pytest.raises(SettingError, match="standard output"):
        atomic("-")


def test_a_full_disk_is_a_clear_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(SettingError, match="No space left"), atomic("/dev/full") as file:
        file.write("x" * 100_000)
