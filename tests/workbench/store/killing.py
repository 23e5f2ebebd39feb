"""Kills a process under load again and again, and counts what became of the marks that it had acknowledged."""

from __future__ import annotations

import os
import queue
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rankscope.workbench.project import Project
from tests.postgres import Cluster

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds for one answer
ITEMS, QUERIES = "abcdefghijkxyz", ("q1", "q2")


@dataclass
class Load:
    """Clients that mark in a closed loop; each sends a mark again, with its key, until it is acknowledged."""

    clients: int = 8
    acknowledged: dict[str, int] = field(default_factory=dict)  # the event of each key
    failures: list[str] = field(default_factory=list)
    sent: Counter[int] = field(default_factory=Counter)
    _waiting: dict[int, str] = field(default_factory=dict)

    def next_line(self, client: int) -> str:
        """The mark that was not acknowledged yet, else a new one."""
        if client not in self._waiting:
            self.sent[client] += 1
            number = self.sent[client]
            item = ITEMS[number % len(ITEMS)]
            self._waiting[client] = f"{client + 2} {client}-{number} {QUERIES[number % 2]} {item} {number % 3}"
        return self._waiting[client]

    def heard(self, line: str) -> int:
        """Note an answer; the client that may go on."""
        key, _, said = line.partition(" ")
        client = int(key.partition("-")[0])
        if said.startswith("!"):
            self.failures.append(line)
            return client
        if self.acknowledged.setdefault(key, int(said)) != int(said):
            self.failures.append(f"{line}: acknowledged as {self.acknowledged[key]} before")
        if self._waiting.get(client, "").split()[1:2] == [key]:
            del self._waiting[client]
        return client


class Victim:
    """The process that is killed; its answers come through a thread."""

    def __init__(self, folder: Path, database: str | None, environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "tests.workbench.store.kill_driver", str(folder)]
        self.process = subprocess.Popen(
            command + ([database] if database else []),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        )
        self.answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(line.decode().rstrip("\n"))
        self.answers.put(None)

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            os.write(self.process.stdin.fileno(), f"{line}\n".encode())

    def answer(self) -> str | None:
        """The next line; None: it has ended."""
        return self.answers.get(timeout=PATIENCE)

    def kill(self) -> list[str]:
        """End it at once; what it had said before."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)
        said = []
        while (line := self.answer()) is not None:
            said.append(line)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        return said


def run_until_killed(load: Load, victim: Victim, answers: int, cluster: Cluster | None = None) -> None:
    """Let clients mark until so many answers came, then kill; `cluster`: kill that in the middle, and go on."""
    assert victim.answer() == "ready"
    for client in range(load.clients):
        victim.send(load.next_line(client))
    for number in range(answers):
        line = victim.answer()
        assert line is not None, "the process ended by itself"
        victim.send(load.next_line(load.heard(line)))
        if cluster is not None and number == answers // 2:
            cluster.kill()
            cluster.start()
    for line in victim.kill():
        load.heard(line)


def kill_again_and_again(
    folder: Path, kills: int, seed: int = 0, cluster: Cluster | None = None, kill_cluster: int = 0
) -> Load:
    """Kill so many times at random moments, the first `kill_cluster` times the database too."""
    load, lots = Load(), random.Random(seed)
    database = cluster.address if cluster else None
    environment = cluster.environment if cluster else {}
    for number in range(kills):
        victim = Victim(folder, database, environment)
        run_until_killed(load, victim, lots.randrange(1, 200), cluster if number < kill_cluster else None)
    return load


def problems_of(load: Load, folder: Path, database: str | None = None) -> list[str]:
    """What is lost, doubled, changed or damaged; empty where all is well."""
    with Project.open(folder, database=database) as project:
        events = project.state.events
        found = {each.key: each.id for each in events}
        count = Counter((each.assessor, each.key) for each in events)
        damaged = project.integrity()
    problems = [f"lost: {key}" for key in load.acknowledged if key not in found]
    problems += [f"moved: {key}" for key, number in load.acknowledged.items() if found.get(key, number) != number]
    problems += [f"doubled: {key}" for key, times in count.items() if times > 1]
    problems += [f"never sent: {key}" for key in found if not _was_sent(load, key)]
    return problems + load.failures + ([] if damaged == "ok" else [damaged])


def _was_sent(load: Load, key: str) -> bool:
    client, _, number = key.partition("-")
    return 0 < int(number) <= load.sent[int(client)]
