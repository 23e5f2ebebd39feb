"""A Dask scheduler and its workers on this machine, as processes of their own that tests may kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0  # seconds until a process of a busy machine must have started


@dataclass
class Cluster:
    """Commands as people type them, with what they print in files of a folder."""

    folder: Path
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    options: tuple[str, ...] = ()  # certificates

    @property
    def url(self) -> str:
        """The address of the scheduler, as Dask writes it."""
        return str(json.loads((self.folder / "scheduler.json").read_text())["address"])

    @property
    def on(self) -> str:
        """The address of the scheduler, as rankscope is told."""
        return self.url.replace("tcp:", "dask:")

    def start_scheduler(self) -> None:
        """Wait until it can be reached."""
        where = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        if self.options:
            where[:2] = ["--host", "tls://127.0.0.1"]
        file = self.folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", *where, "--scheduler-file", str(file))
        wait_until(lambda: file.exists() and file.read_text().strip().endswith("}"))

    def start_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Begin to start one; whoever sends work waits for it."""
        how = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        worker = self._start("dask_worker", self.url, *how, **environment)
        self.workers.append(worker)
        return worker

    def stop(self) -> None:
        """End them all."""
        for each in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            each.kill()
            each.wait()

    def _start(self, program: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        paths = [environment.pop("FIRST_PATH", ""), str(ROOT / "src"), str(ROOT)]
        own = {**os.environ, **environment}
        own["PYTHONPATH"] = os.pathsep.join(filter(None, [*paths, os.environ.get("PYTHONPATH", "")]))
        command = [sys.executable, "-m", f"distributed.cli.{program}", *words, *self.options]
        with (self.folder / f"{program}-{len(self.workers)}.log").open("wb") as log:
            return subprocess.Popen(command, env=own, stdout=log, stderr=log, cwd=self.folder)


@contextmanager
def running_cluster(folder: Path, workers: int = 2, options: tuple[str, ...] = ()) -> Iterator[Cluster]:
    """A scheduler and so many workers, which end with the block."""
    cluster = Cluster(folder, options=options)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()


def wait_until(holds: Callable[[], Any], what: str = "what is bound to happen", seconds: float = PATIENCE) -> None:
    """Look again and again until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)
