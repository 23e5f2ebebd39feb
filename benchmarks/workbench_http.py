"""The judging workbench over HTTP: fifty judges against a server process, pictures, and a key until it is saved."""

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

import numpy as np

from rankscope.engines.images.thumbnails import SMALL, thumbnail
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.project import Project
from tests.browser.chromium import Visitor, chromium
from tests.browser.workbenches import ServerProcess, picture_project
from tests.workbench.http_judges import Load, problems_of

JUDGES = 50
SECONDS = 60.0
RATE = "1000000"
KEYS = 100
STARTS = 5


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


def first_page(folder: Path) -> str:
    """From the command to the first page in a client's hands."""
    import httpx

    with picture_project(folder, 300) as project:
        place = project.folder
    times = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        server = ServerProcess(place)
        with httpx.Client(follow_redirects=True) as client:
            assert client.get(server.link).status_code == 200
            times.append(time.perf_counter() - begin)
        server.end()
    return f"From `rankscope serve` to the first page: {statistics.median(times):.2f} s (median of {STARTS})."


def small_pictures(count: int = 200) -> str:
    """Thumbnails of photographs a second and core, by processor time."""
    from PIL import Image

    chance = np.random.default_rng(0)
    grain = Image.fromarray(chance.integers(0, 255, (32, 48, 3), dtype=np.uint8))
    sizes = {"384 x 256": (384, 256), "4000 x 3000": (4000, 3000)}
    said = []
    for name, size in sizes.items():
        file = BytesIO()
        grain.resize(size, Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
        many = count if size[0] < 1000 else count // 10
        begin = time.process_time()
        for _ in range(many):
            thumbnail(file.getvalue(), SMALL)
        said.append(f"{many / (time.process_time() - begin):,.0f} of {name}")
    return f"Thumbnails of {SMALL} pixels from JPEG, a second of processor time: {', '.join(said)}."


def key_to_saved(folder: Path) -> str:
    """From a key in Chromium to the tile that says "saved"."""
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
        waits = sorted(page.evaluate("window.waits"))
        visitor.close()
    server.end()
    return (
        f"A key until it is saved, in Chromium, {KEYS} times: median {statistics.median(waits):.0f} ms, "
        f"95 % within {waits[int(0.95 * len(waits))]:.0f} ms, worst {waits[-1]:.0f} ms."
    )


WATCH = """() => {
  window.waits = [];
  let begin = 0;
  addEventListener("keydown", () => { begin = performance.now(); }, { capture: true });
  new MutationObserver(() => {
    const last = document.querySelector("#trail li:last-child");
    if (begin && last && last.dataset.state === "saved") { window.waits.push(performance.now() - begin); begin = 0; }
  }).observe(document.getElementById("trail"), { childList: true, subtree: true, attributes: true });
}"""
