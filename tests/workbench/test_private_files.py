"""Another user of this machine: reads nothing of a project, and what was read before signs nobody in."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rankscope.core.files import atomic
from rankscope.workbench.project import Project
from tests.needs import needed_module, skip_for_want_of
from tests.postgres import Cluster
from tests.workbench.projects import small_project, write_sources

SOMEBODY_ELSE = 65534
OTHERS = 0o077

needs_permissions = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user of this machine may open; tests whose own folder is closed would show nothing."""
    mask = os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="rankscope-shared-") as name:
        Path(name).chmod(0o755)
        try:
            yield Path(name)
        finally:
            os.umask(mask)


@pytest.fixture
def open_project(shared: Path) -> Path:
    """A project as an earlier version left it: open to all, and its sessions signed with what the journal holds."""
    with small_project(shared) as project:
        project.invite("ann")
        folder = project.folder
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
    (folder / "sessions.key").unlink(missing_ok=True)
    return folder


def read_by_another_user(path: Path) -> bytes | None:
    """What somebody else gets of a file; None where that is nothing."""
    if os.name == "nt" or os.geteuid() != 0:
        skip_for_want_of("root", "only root can ask as another user")
    done = subprocess.run(["cat", path], user=SOMEBODY_ELSE, group=SOMEBODY_ELSE, extra_groups=[], capture_output=True)
    return done.stdout if done.returncode == 0 else None


def files_of(folder: Path) -> list[Path]:
    return [folder, *sorted(folder.iterdir())]


def open_to_others(folder: Path) -> list[str]:
    return [path.name for path in files_of(folder) if path.stat().st_mode & OTHERS]


def secret_of(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / "judgements.db")) as base:
        return bytes.fromhex(base.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0])


def forged(key: bytes) -> str:
    """A cookie of the owner, made with what was read."""
    said = f"1.{int(time.time())}.{'0' * 32}"
    return f"{said}.{hashlib.blake2b(f'{said}.None'.encode(), digest_size=32, key=key).hexdigest()}"


def test_another_user_reads_no_file_of_a_project_and_forges_no_session(shared: Path) -> None:
    from tests.browser.workbenches import ServerProcess

    httpx = needed_module("httpx", "gather")
    (shared / "readme").write_text("for all")
    assert read_by_another_user(shared / "readme") == b"for all"
    with small_project(shared) as project:
        folder = project.folder
    server = ServerProcess(folder)
    try:
        assert {"judgements.db", "judgements.db-wal", "judgements.db-shm"} <= {path.name for path in folder.iterdir()}
        assert {path.name: read_by_another_user(path) for path in files_of(folder)[1:]} == {
            path.name: None for path in files_of(folder)[1:]
        }
        secret = secret_of(folder)
        keys = [secret, hashlib.blake2b(secret, digest_size=32, person=b"session").digest()]
        for key in keys:
            cookie = {"cookie": f"rankscope-{server.port}={forged(key)}", "accept": "application/json"}
            assert httpx.get(f"{server.address}/people", headers=cookie).status_code == 401
        key = bytes.fromhex((folder / "sessions.key").read_text())  # what only the owner can read would do
        cookie = {"cookie": f"rankscope-{server.port}={forged(key)}", "accept": "application/json"}
        assert httpx.get(f"{server.address}/people", headers=cookie).status_code == 200
    finally:
        server.end()


def test_the_first_start_of_an_open_project_closes_it_and_ends_all_sessions(open_project: Path) -> None:
    from tests.browser.workbenches import ServerProcess

    httpx = needed_module("httpx", "gather")
    secret = secret_of(open_project)
    assert secret.hex().encode() in (read_by_another_user(open_project / "judgements.db") or b"")
    server = ServerProcess(open_project)
    try:
        told = "".join(server.lines)
        assert f"! other users of this machine could open {open_project}: now only its owner can\n" in told
        assert "! everybody signs in anew, with their link: sessions have a new key\n" in told
        cookie = forged(hashlib.blake2b(secret, digest_size=32, person=b"session").digest())
        asked = {"cookie": f"rankscope-{server.port}={cookie}", "accept": "application/json"}
        assert httpx.get(f"{server.address}/people", headers=asked).status_code == 401
        assert read_by_another_user(open_project / "judgements.db") is None
        assert open_to_others(open_project) == []
    finally:
        server.end()
    server = ServerProcess(open_project)
    server.end()
    assert "!" not in "".join(server.lines)


@needs_permissions
def test_files_of_a_project_are_its_owners_alone_from_the_beginning(shared: Path) -> None:
    with small_project(shared) as project:
        project.invite("ann")
        assert open_to_others(project.folder) == []
        assert project.notes == ()
        project.backup(shared / "copy.db")
        assert (shared / "copy.db").stat().st_mode & 0o777 == 0o600


@needs_permissions
def test_a_key_that_others_could_read_signs_no_more(open_project: Path) -> None:
    with Project.open(open_project) as project:
        key = project.session_key
    with Project.open(open_project) as project:
        assert (project.session_key, project.notes) == (key, ())
    (open_project / "sessions.key").chmod(0o640)
    with Project.open(open_project) as project:
        assert project.session_key != key
        assert project.notes == ("everybody signs in anew, with their link: sessions have a new key",)
    (open_project / "sessions.key").write_text("no key\n")
    with Project.open(open_project) as project:
        assert len(project.session_key) == 32
        assert len(project.notes) == 1
    assert (open_project / "sessions.key").stat().st_mode & 0o777 == 0o600


@needs_permissions
def test_a_project_is_opened_to_be_read_as_it_is(open_project: Path) -> None:
    with Project.open(open_project, readonly=True) as project:
        assert project.notes == ()
    assert not (open_project / "sessions.key").exists()


@needs_permissions
def test_numbers_of_items_and_links_of_invitations_outlive_the_key(open_project: Path) -> None:
    with Project.open(open_project) as project:
        numbers = [project.numbers.number(each.place) for each in project.items]
        token = project.invite("bob").token
    (open_project / "sessions.key").unlink()
    with Project.open(open_project) as project:
        assert [project.numbers.number(each.place) for each in project.items] == numbers
        found = project.assessor_of_token(token)
        assert found is not None
        assert found.name == "bob"


@needs_permissions
def test_a_folder_that_all_share_stays_so(shared: Path) -> None:
    given = write_sources(shared)
    shared.chmod(0o1777)
    with Project.new(shared, **given):
        pass
    assert shared.stat().st_mode & 0o7777 == 0o1777
    assert (shared / "judgements.db").stat().st_mode & OTHERS == 0


@needs_permissions
def test_the_key_of_a_project_in_postgresql_lies_in_its_folder(shared: Path, cluster: Cluster) -> None:
    with small_project(shared, database=cluster.address) as project:
        assert open_to_others(project.folder) == []
        key, folder = project.session_key, project.folder
        assert key.hex() not in str(project._read(lambda journal: journal.meta()))
    with Project.open(folder, database=cluster.address) as project:
        assert project.session_key == key


@needs_permissions
def test_a_file_that_is_written_again_is_never_open_to_more_than_before(shared: Path) -> None:
    path = shared / "scores.csv"
    path.write_text("1")
    for mode in (0o600, 0o640, 0o644):
        path.chmod(mode)
        with atomic(path) as file:
            (meanwhile,) = shared.glob(".scores.csv.*.part")
            file.write("2")
            assert meanwhile.stat().st_mode & 0o077 & ~mode == 0
        assert path.stat().st_mode & 0o777 == mode
    with atomic(path, private=True) as file:
        file.write("3")
    assert path.stat().st_mode & 0o777 == 0o600
