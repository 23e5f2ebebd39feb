"""A private PostgreSQL for tests: no port, a socket in a folder of its own, a password, and gone afterwards.

`initdb` refuses root, so where tests run as root the server runs as Debian's `postgres`, or as `nobody`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.needs import needed_module, needed_postgresql, skip_for_want_of

PATIENCE = 60.0  # seconds


@dataclass
class Cluster:
    """A server with one superuser, in a folder."""

    folder: Path
    programs: Path
    password: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def address(self) -> str:
        """How to reach it, without the password."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to reach it."""
        return {"PGPASSWORD": self.password}

    def create(self) -> None:
        """Make the files; every login asks for the password."""
        secret = self.folder / "password"
        secret.write_text(self.password)
        if os.getuid() == 0:
            for path in (self.folder, secret):
                os.chown(path, *_unprivileged())
        self._run("initdb", "-U", "postgres", "-A", "scram-sha-256", "--pwfile", secret, "-D", self.data)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n")

    @property
    def data(self) -> Path:
        """The server's own folder."""
        return self.folder / "data"

    def start(self) -> None:
        """Start it and wait until it answers; after a kill, what the killed one left may take a moment to go."""
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                self._run("pg_ctl", "-w", "-D", self.data, "-l", self.folder / "log", "start")
                return
            except subprocess.CalledProcessError:
                if time.monotonic() > ends:
                    raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)

    def kill(self) -> None:
        """End the server and every process of it at once: one that is left could still commit."""
        number = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        for each in (number, *_children(number)):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def stop(self) -> None:
        """Stop it at once; nothing of it is needed any more."""
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [str(self.programs / program), *map(str, arguments)],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            **_as_unprivileged(),
        )


@contextmanager
def private_cluster() -> Iterator[Cluster]:
    """A server that runs, or a test that skips aloud."""
    if sys.platform == "win32":
        skip_for_want_of("postgresql", "on Windows no private server is started")
    needed_module("psycopg", "team")
    programs = needed_postgresql()
    folder = Path(tempfile.mkdtemp(prefix="rankscope-pg-", dir="/tmp"))
    cluster = Cluster(folder, programs)
    try:
        cluster.create()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _children(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
    pairs = (line.split() for line in listed.splitlines())
    return [int(own) for own, parent in pairs if int(parent) == process]


def _unprivileged() -> tuple[int, int]:
    """The numbers of a user and a group that may do little."""
    import pwd

    names = {each.pw_name for each in pwd.getpwall()}
    found = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return found.pw_uid, found.pw_gid


def _as_unprivileged() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    user, group = _unprivileged()
    return {"user": user, "group": group, "extra_groups": []}
