"""The tutorial of the first hour: walked in Chromium on real photographs, with its pictures and its numbers.

    python -m tools.docs.first_hour PHOTOGRAPHS     (a folder of pictures in one folder a class)

writes docs/tutorials/first-hour.md and the pictures next to it. The tests walk the same way on the shipped icons.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from rankscope.workbench.pages import Workbench
    from rankscope.workbench.project import Project

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorials" / "first-hour.md"
TEMPLATE = Path(__file__).with_name("first_hour_template.md")
PICTURES = PAGE.with_suffix("")
SIZE: Any = {"width": 1120, "height": 780}
EACH = 30  # photographs of a class
DEPTH = 11  # of the pool
ROUNDS = ("rocchio", "svm")
COMMANDS = f"""\
rankscope describe photographs -d cedd -o cedd.npz
rankscope describe photographs -d hog -o hog.npz
python runs.py
rankscope project new judging --images photographs --features cedd.npz --features hog.npz --runs cedd.run --runs hog.run
rankscope project pool judging --method 'depth({DEPTH})'
rankscope serve judging
"""
RUNS = f"""\
import numpy as np

for name in ("cedd", "hog"):
    file = np.load(f"{{name}}.npz")
    ids, vectors = file["ids"], file["features"].astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with open(f"{{name}}.run", "w") as run:
        for query in range(0, len(ids), {EACH}):
            scores = vectors @ vectors[query]
            order = [item for item in np.argsort(-scores, kind="stable") if item != query]
            for rank, item in enumerate(order, 1):
                run.write(f"{{ids[query]}} Q0 {{ids[item]}} {{rank}} {{scores[item]:.6f}} {{name}}\\n")
"""
OPEN_TASK = "() => document.querySelector('.tile.chosen:not([data-state=saved])')?.dataset.task"
ALL_SAVED = "() => [...document.querySelectorAll('#trail li')].every(each => each.dataset.state === 'saved')"
Shot = Callable[["Page", str], None]


@dataclass(frozen=True)
class Hour:
    """What came out."""

    items: int
    queries: int
    marks: int
    label: str
    members: int
    found: tuple[int, ...]  # relevant items shown before feedback, and after each round


def walk(page: Page, bench: Workbench, address: str, shot: Shot, label: str) -> Hour:
    """The whole hour, from the link of the start to the graphs; answers are those of the classes."""
    project = bench.project
    page.goto(f"{address}/enter/{bench.start_token}")
    shot(page, "start")
    page.goto(f"{address}/browse")
    page.wait_for_load_state("networkidle")
    shot(page, "browse")
    page.goto(f"{address}/judge")
    marks = judge_all(page, bench, shot)
    page.goto(address)
    shot(page, "judged")
    example = next(each for each in project.items if each.class_ == label)
    page.goto(f"{address}/like/{bench.number_of(example.id)}")
    page.wait_for_load_state("networkidle")
    shot(page, "like")
    page.click("text=Begin a feedback session")
    found = [_marked(page, label)]
    shot(page, "session")
    for method in ROUNDS:
        page.select_option("#method", method)
        page.click("text=Next round")
        page.wait_for_selector(f"h2 >> text=Round {len(found)}")
        found.append(found[-1] + _marked(page, label))
    page.evaluate("scrollTo(0, document.getElementById('graphs-title').offsetTop - 16)")
    page.wait_for_load_state("networkidle")
    shot(page, "graphs")
    members = sum(each.class_ == label for each in project.items) - 1
    return Hour(len(project.items), len(project.queries), marks, label, members, tuple(found))


def judge_all(page: Page, bench: Workbench, shot: Shot) -> int:
    """Judge by keyboard until nothing is left: 2 for the class of the example, else 0."""
    marks = 0
    page.wait_for_selector("html[data-ready=yes]")
    while page.locator("#empty").is_hidden():
        page.wait_for_selector(".tile.chosen, #empty:not([hidden])")
        if not (
            task := page.evaluate("() => document.querySelector('.tile.chosen:not([data-state=saved])')?.dataset.task")
        ):
            continue
        page.keyboard.press(_answer(bench, task))
        marks += 1
        if marks == 9:
            page.wait_for_load_state("networkidle")
            shot(page, "judge")
        page.wait_for_function(
            "task => document.querySelector('.tile.chosen')?.dataset.task !== task"
            " || !document.getElementById('empty').hidden",
            arg=task,
        )
    page.wait_for_function(
        "() => [...document.querySelectorAll('#trail li')].every(each => each.dataset.state === 'saved')"
    )
    return marks


def _answer(bench: Workbench, task: str) -> str:
    from rankscope.workbench.pages.items import pair_of

    query, item = pair_of(bench, task)
    project = bench.project
    wanted = project.queries[query].class_
    return "2" if project.items[project.places[item]].class_ == wanted else "0"


def _marked(page: Page, label: str) -> int:
    """Mark what is shown: the class, then the rest by the button; how many were of the class."""
    page.wait_for_selector("html[data-ready=yes]")
    tiles = page.locator("[data-tile]")
    hits = 0
    for tile in tiles.all():
        if tile.locator(".chip").all_inner_texts() == [label]:
            tile.focus()
            page.keyboard.press("y")
            hits += 1
    page.wait_for_function(
        "many => document.querySelectorAll('[data-tile][data-mark=relevant][data-state=saved]').length === many",
        arg=hits,
    )
    if hits < tiles.count():
        page.click("text=The rest here is not relevant")
        page.wait_for_function("() => !document.querySelector('[data-tile][data-mark=open]')")
        page.wait_for_selector("html[data-ready=yes]")
    return hits


def photographs_project(folder: Path, photographs: Path) -> Project:
    """The commands of the tutorial, as it writes them."""
    from rankscope.workbench.project import Project

    for one in sorted(each for each in photographs.iterdir() if each.is_dir()):
        (folder / "photographs" / one.name).mkdir(parents=True)
        for picture in sorted(one.iterdir())[:EACH]:
            shutil.copy(picture, folder / "photographs" / one.name)
    (folder / "runs.py").write_text(RUNS)
    for line in COMMANDS.splitlines()[:-1]:
        written = line.replace("rankscope ", f"{sys.executable} -m rankscope ", 1).replace(
            "python runs", f"{sys.executable} runs"
        )
        subprocess.run(written, shell=True, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return Project.open(folder / "judging")


@contextmanager
def served(project: Project) -> Iterator[tuple[Workbench, str]]:
    """The project at a free port of this machine."""
    from rankscope.workbench.pages import Reach, Workbench, workbench_application
    from rankscope.workbench.service.server import Server, address_of, listen

    with project, listen() as listening:
        bench = Workbench(project, Reach(port=listening.getsockname()[1], rate=1000))
        server = Server(workbench_application(project, bench=bench))
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
        thread.start()
        try:
            yield bench, address_of(listening)
        finally:
            server.should_exit = True
            thread.join()


def text_of(hour: Hour) -> str:
    """The page, in the numbers of the walk."""
    before, *after = hour.found
    rounds = ", ".join(f"{found} after `{method}`" for method, found in zip(ROUNDS, after, strict=True))
    facts = {
        "ITEMS": hour.items,
        "EACH": EACH,
        "CLASSES": hour.items // EACH,
        "MARKS": hour.marks,
        "QUERIES": hour.queries,
        "LABEL": hour.label,
        "MEMBERS": hour.members,
        "BEFORE": before,
        "ROUNDS": rounds,
        "COMMANDS": COMMANDS.rstrip(),
        "RUNS": RUNS.rstrip(),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in facts.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def main(photographs: Path) -> None:
    """Walk, and write the page and its pictures."""
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(exist_ok=True)

    def shot(page: Any, name: str) -> None:
        page.screenshot(path=PICTURES / f"{name}.jpg", type="jpeg", quality=68)

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with served(photographs_project(Path(folder), photographs)) as (bench, address):
            page = browser.new_page(viewport=SIZE)
            hour = walk(page, bench, address, shot, "horses")
        browser.close()
    PAGE.write_text(text_of(hour), encoding="utf-8")
    print(hour)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
