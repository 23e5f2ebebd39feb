"""A served project over HTTP: fifty judges against a server process, starts, pictures, a key until it is saved."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import httpx
import numpy as np

from benchmarks.lengths import length
from rankscope.engines.images.image import SMALL, thumbnail
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.project import Project
from tests.browser.chromium import Visitor, chromium
from tests.browser.workbenches import ServerProcess, picture_project
from tests.workbench.http_judges import Load, problems_of

JUDGES = 50
SECONDS = length(60.0, 3.0)
RATE = "1000000"
KEYS = length(100, 20)
STARTS = length(5, 2)
PAGE = 60  # pictures
PATIENCE = 60.0


@dataclass(frozen=True)
class Judged:
    """What judges gave in a time."""

    rate: float
    median: float  # ms
    p99: float
    worst: float
    processor: float  # ms of the server for a mark, with what it takes to ask for the next items
    wrong: int  # lost, doubled, surplus or refused


def judge_over_http(project: Project, seconds: float = SECONDS, thought: float = 0.0) -> Judged:
    """Let judges of another process work against a server process; the project is closed, and looked at afterwards.

    `wrong` counts acknowledged marks that are not there exactly once, marks that nobody was told of, and surplus ones.
    """
    tokens = [project.invite(f"judge {number}").token for number in range(JUDGES)]
    project.close()
    server = ServerProcess(project.folder, "--rate", RATE)
    try:
        before = processor_seconds_of(server.process.pid)
        asked = {"address": server.address, "tokens": tokens, "seconds": seconds, "thought": thought}
        done = subprocess.run(
            [sys.executable, "-m", "tests.workbench.http_judges"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
        used = processor_seconds_of(server.process.pid) - before
    finally:
        server.end()
    load = Load(**json.loads(done.stdout))
    with Project.open(project.folder, readonly=True) as again:
        wrong = len(problems_of(again, Workbench(again), load)) + len(load.wrong)
    waits = sorted(1000 * each for each in load.seconds)
    return Judged(
        rate=len(load.marks) / seconds,
        median=statistics.median(waits),
        p99=waits[int(0.99 * len(waits))],
        worst=waits[-1],
        processor=1000 * used / len(load.marks),
        wrong=wrong,
    )


def processor_seconds_of(process: int) -> float:
    """Processor time of a running process, as Linux tells it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(name: str, found: Judged) -> str:
    """A row of the table of marks."""
    waits = f"{found.median:.1f} ms | {found.p99:.1f} ms | {found.worst:.0f} ms"
    return f"| {name} | {found.rate:,.0f} | {waits} | {found.processor:.2f} ms | {found.wrong} |"


def start_times(folder: Path) -> tuple[float, float]:
    """Seconds from the command to the first page in a client's hands, and to the first ranking by an example."""
    pages, rankings = [], []
    for _ in range(STARTS):
        begin = time.perf_counter()
        server = ServerProcess(folder)
        with httpx.Client(base_url=server.address, follow_redirects=True, timeout=PATIENCE) as client:
            assert client.get(server.link).status_code == 200
            pages.append(time.perf_counter() - begin)
            assert client.get("/like/7").status_code == 200
            rankings.append(time.perf_counter() - begin)
        server.end()
    return statistics.median(pages), statistics.median(rankings)


def picture_page(folder: Path) -> tuple[float, float]:
    """Seconds of the 60 photographs of a page, asked for by six at a time as browsers do; then of the same again."""
    from concurrent.futures import ThreadPoolExecutor

    (folder / "photographs").mkdir()
    for number in range(PAGE):
        (folder / "photographs" / f"{number:02d}.jpg").write_bytes(photograph((384, 256), number))
    with Project.new(folder / "project", images=folder / "photographs") as project:
        place = project.folder
    server = ServerProcess(place)
    with httpx.Client(base_url=server.address, follow_redirects=True, timeout=PATIENCE) as client:
        assert client.get(server.link).status_code == 200

        def fetch(number: int) -> int:
            return client.get(f"/picture/{number}").status_code

        times = []
        with ThreadPoolExecutor(6) as six:
            list(six.map(fetch, range(6)))  # the processes that decode are there
            for _ in range(2):
                begin = time.perf_counter()
                assert set(six.map(fetch, range(6, PAGE))) == {200}
                times.append((time.perf_counter() - begin) * PAGE / (PAGE - 6))
    server.end()
    return times[0], times[1]


def photograph(size: tuple[int, int], seed: int = 0) -> bytes:
    """A JPEG that is no trouble to look at."""
    from PIL import Image

    grain = Image.fromarray(np.random.default_rng(seed).integers(0, 255, (32, 48, 3), dtype=np.uint8))
    file = BytesIO()
    grain.resize(size, Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


def thumbnails_a_second(size: tuple[int, int], count: int) -> float:
    """Small pictures made of photographs, a second of processor time."""
    data = photograph(size)
    begin = time.process_time()
    for _ in range(count):
        thumbnail(data, SMALL)
    return count / (time.process_time() - begin)


def key_to_saved(folder: Path) -> list[float]:
    """Milliseconds from a key in Chromium to the tile that says "saved", rising."""
    with picture_project(folder, 300, repeat=0.0) as project:
        project.make_pool("depth(200)")
        link, place = project.invite("ann").path, project.folder
    server = ServerProcess(place, "--rate", RATE)
    with chromium() as browser:
        visitor = Visitor(browser)
        visitor.open(f"{server.address}{link}").close()
        page = visitor.open(f"{server.address}/judge")
        page.wait_for_selector("html[data-ready=yes]")
        page.evaluate(WATCH)
        for number in range(KEYS):
            page.keyboard.press(str(number % 3))
            page.wait_for_function("count => window.waits.length > count", arg=number)
        waits: list[float] = sorted(page.evaluate("window.waits"))
        visitor.close()
    server.end()
    return waits


WATCH = """() => {
  window.waits = [];
  let begin = 0;
  addEventListener("keydown", () => { begin = performance.now(); }, { capture: true });
  new MutationObserver(() => {
    const last = document.querySelector("#trail li:last-child");
    if (begin && last && last.dataset.state === "saved") { window.waits.push(performance.now() - begin); begin = 0; }
  }).observe(document.getElementById("trail"), { childList: true, subtree: true, attributes: true });
}"""
