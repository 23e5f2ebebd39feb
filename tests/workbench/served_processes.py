"""Server processes that judges ask over HTTP, and a line to a database that can be cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankscope.workbench.project import Project, new_key
from tests.browser.workbenches import ServerProcess
from tests.needs import needed_module
from tests.postgres import Cluster
from tests.workbench.projects import write_sources

httpx = needed_module("httpx", "gather")
PATIENCE = 60.0


@dataclass
class Judge:
    """Somebody with a token, at one server or another."""

    token: str
    marked: dict[str, str] = field(default_factory=dict)  # the key of each task that was acknowledged

    def ask(self, server: ServerProcess, method: str, path: str, **how: Any) -> Any:
        headers = {"authorization": f"Bearer {self.token}", "accept": "application/json"}
        return httpx.request(method, f"{server.address}{path}", headers=headers, timeout=PATIENCE, **how)

    def look(self, server: ServerProcess, count: int = 24) -> Any:
        """Ask what to judge next."""
        return self.ask(server, "GET", f"/judge?tab=t&count={count}")

    def tasks(self, server: ServerProcess, count: int = 24) -> list[str]:
        answer = self.look(server, count)
        assert answer.status_code == 200, answer.text
        return [each["task"] for each in answer.json()["tasks"]]

    def mark(self, server: ServerProcess, task: str, key: str = "") -> int:
        """The status of the answer."""
        key = key or new_key()
        answer = self.ask(
            server, "POST", "/judge/marks", json={"key": key, "kind": "grade", "task": task, "grade": 1, "ms": 9}
        )
        if answer.status_code == 204:
            self.marked[task] = key
        status: int = answer.status_code
        return status


def judged_project(folder: Path, database: str | None = None) -> tuple[Path, Judge, Judge]:
    """A project with a pool and two judges, closed."""
    with Project.new(folder / "project", **write_sources(folder), database=database, repeat=0.0, double=0.0) as project:
        project.make_pool("depth(5)")
        ann, bob = (Judge(project.invite(name).token) for name in ("ann", "bob"))
        return project.folder, ann, bob


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[ServerProcess]:
    """`rankscope serve` as long as the block runs."""
    server = ServerProcess(folder, *options)
    try:
        yield server
    finally:
        server.end()


def lost_marks(folder: Path, *judges: Judge) -> list[str]:
    """The keys that were acknowledged and are not there exactly once."""
    with Project.open(folder, readonly=True) as project:
        keys = [event.key for event in project.state.events]
    return [key for judge in judges for key in judge.marked.values() if keys.count(key) != 1]


class Line:
    """A TCP line to a database that lets everything through, until it is told to lose an answer."""

    def __init__(self, cluster: Cluster) -> None:
        self.target = str(cluster.folder / ".s.PGSQL.5432")
        self.loses_answer_to: bytes | None = None
        self.lost = 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"postgresql://postgres@127.0.0.1:{self.listening.getsockname()[1]}/postgres"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.target)
                cut = threading.Event()
                for work in (self._upwards, self._downwards):
                    threading.Thread(target=work, args=(client, server, cut), daemon=True).start()

    def _upwards(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                if self.loses_answer_to is not None and self.loses_answer_to in data:
                    self.loses_answer_to = None
                    cut.set()
                server.sendall(data)
        _end(client, server)

    def _downwards(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                if cut.is_set():
                    self.lost += 1
                    break
                client.sendall(data)
        _end(client, server)


def _end(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
