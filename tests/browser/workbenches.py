"""Projects that are served to a browser: from a thread, or by a process of its own that can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.workbench.project import Project
from tests.needs import needed_module

needed_module("uvicorn", "web")
from rankscope.workbench.pages import Reach, Workbench, workbench_application  # noqa: E402
from rankscope.workbench.service.server import address_of, listen  # noqa: E402

PATIENCE = 30.0


def picture_project(folder: Path, pictures: int = 30, **settings: Any) -> Project:
    """A folder of small pictures, two runs by example, a guideline and a pool."""
    image = needed_module("PIL.Image", "images")
    chance = np.random.default_rng(3)
    names = []
    for number in range(pictures):
        path = folder / "pictures" / f"class{number % 3}" / f"{number:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = chance.integers(0, 255, (12, 16, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
        image.fromarray(pixels).save(path)
        names.append(f"class{number % 3}/{number:02d}.png")
    runs = []
    for run in ("one", "two"):
        runs.append(folder / f"{run}.run")
        lines = []
        for query in names[:2]:
            order = chance.permutation([name for name in names if name != query])
            lines += [f"{query} Q0 {name} {rank} {-rank} {run}" for rank, name in enumerate(order, 1)]
        runs[-1].write_text("\n".join(lines) + "\n")
    project = Project.new(folder / "judging", images=folder / "pictures", runs=runs, **settings)
    project.add_guideline("Relevant is what looks alike.\n\n0 other\n1 alike")
    project.make_pool("depth(20)")
    return project


def text_project(folder: Path, texts: dict[str, str], topics: dict[str, str], **settings: Any) -> Project:
    """Texts by their ids, and one run that finds all of them for every topic."""
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": name, "title": f"title {name}", "text": text}) for name, text in texts.items()]
    (folder / "docs.jsonl").write_text("\n".join(lines))
    asked = [json.dumps({"_id": name, "text": text}) for name, text in topics.items()]
    (folder / "topics.jsonl").write_text("\n".join(asked))
    rows = [{"query": topic, "item": name, "score": -rank} for topic in topics for rank, name in enumerate(texts)]
    pl.DataFrame(rows).write_parquet(folder / "all.run.parquet")
    project = Project.new(
        folder / "judging",
        texts=folder / "docs.jsonl",
        topics=folder / "topics.jsonl",
        runs=[folder / "all.run.parquet"],
        **settings,
    )
    project.make_pool(f"depth({len(texts)})")
    return project


@dataclass
class Bench:
    """A project that is served, and where."""

    project: Project
    bench: Workbench
    address: str

    def link(self, name: str = "ann", role: str = "judge") -> str:
        """The link of an invitation."""
        return f"{self.address}{self.project.invite(name, role).path}"


@contextmanager
def served_from_thread(project: Project, **reach: Any) -> Iterator[Bench]:
    """Served as long as the block runs; the project is closed afterwards."""
    import threading

    from rankscope.workbench.service.server import Server

    with project, listen() as listening:
        bench = Workbench(project, Reach(port=listening.getsockname()[1], **reach))
        server = Server(workbench_application(project, bench=bench))
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
        thread.start()
        try:
            yield Bench(project, bench, address_of(listening))
        finally:
            server.should_exit = True
            thread.join()


class ServerProcess:
    """`rankscope serve FOLDER`, which can be killed and started again at the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options, self.port = folder, options, 0
        self.start()

    def start(self) -> None:
        """Start it, and wait for its link."""
        command = [sys.executable, "-m", "rankscope", "serve", self.folder, "--port", self.port, *self.options]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self.process.stdout is not None
        self.lines: list[str] = []
        for line in self.process.stdout:
            self.lines.append(line.decode())
            if found := re.match(r"open (http://127\.0\.0\.1:(\d+))(/enter/\S+)", self.lines[-1]):
                self.address, self.port, self.link = found[1], int(found[2]), found[1] + found[3]
                return
        raise AssertionError("".join(self.lines))

    def kill(self) -> None:
        """As if the power had gone."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._close()

    def end(self) -> None:
        """Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE)
        self._close()

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
