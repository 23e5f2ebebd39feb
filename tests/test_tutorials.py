"""Every command of the tutorials is run, and gives what the page shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.needs import needed_module

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page: Path) -> list[tuple[str, str]]:
    """The commands of a page, and what is shown below each."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


def in_place(command: str) -> str:
    """A command with this Python's rankscope."""
    python = f"{sys.executable} -m rankscope"
    return re.sub(r"^python ", f"{sys.executable} ", re.sub(r"^rankscope ", f"{python} ", command))


SITE = "127.0.0.1:18000"  # as pages write where the site is served that lies next to them


@contextmanager
def site_served(folder: Path) -> Iterator[str]:
    """The host at which the pages of a folder are served; free ports have as many digits as that of `SITE`."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def printed(command: str, folder: Path) -> str:
    """What a command of a page prints, in a folder."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"({in_place(command)}) 2>&1"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        check=False,
        capture_output=True,
        text=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip()


@pytest.mark.thorough
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_its_commands_give(page: Path, tmp_path: Path) -> None:
    if any("rankscope gather" in command for command, _ in steps(page)):
        needed_module("httpx", "gather")
        needed_module("protego", "gather")
        needed_module("selectolax", "documents")
    here = tmp_path / "here"
    shutil.copytree(page.parent, here)
    with site_served(here / "site") as host:
        for path in here.glob("*.txt"):
            path.write_text(path.read_text(encoding="utf-8").replace(SITE, host), encoding="utf-8")
        for command, shown in steps(page):
            assert printed(command.replace(SITE, host), here).replace(host, SITE) == shown.strip(), command


def test_there_are_tutorials() -> None:
    """Two are told by commands; the first hour is walked through in a browser (tests/browser/test_first_hour.py)."""
    assert {page.stem: len(steps(page)) > 10 for page in TUTORIALS} == {
        "first-hour": False,
        "gather-to-report": True,
        "search-and-compare": True,
    }


def test_a_tutorial_goes_from_a_site_to_a_report() -> None:
    commands = [command.split()[:2] for command, _ in steps(DOCS / "tutorials" / "gather-to-report.md")]
    ours = [name for tool, name in commands if tool == "rankscope"]
    assert (ours[0], ours[-1]) == ("gather", "report")
    assert {"index", "search", "evaluate", "compare"} <= set(ours)


HOW_TO = DOCS / "how-to" / "search-texts.md"


DOCUMENT = {"id": "184", "title": "wing", "abstract": "a", "author": "b", "text": "boundary layer of a wing in a flow"}


@pytest.mark.thorough
def test_the_commands_of_the_how_to_run(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text(json.dumps(DOCUMENT))
    (tmp_path / "queries.tsv").write_text("1\twing flow\n")
    (tmp_path / "qrels.txt").write_text("1 0 184 1\n")
    for command, _ in steps(HOW_TO):
        if command.startswith("rankscope index"):
            shutil.rmtree(tmp_path / "docs.index", ignore_errors=True)
        done = subprocess.run(["bash", "-c", in_place(command)], cwd=tmp_path, check=False, capture_output=True)
        assert done.returncode == 0, (command, done.stderr)
    (code,) = blocks(HOW_TO, "python")
    shutil.rmtree(tmp_path / "docs.index")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"184 ")


ENGINE = DOCS / "how-to" / "evaluate-your-engine.md"
ENGINES = re.compile(r"localhost:(?:8983|9200)")


def blocks(page: Path, language: str) -> list[str]:
    """The pieces of a page in a language."""
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.thorough
def test_the_commands_for_an_engine_run_against_our_own(tmp_path: Path) -> None:
    needed_module("httpx", "gather")
    needed_module("starlette", "web")
    needed_module("uvicorn", "web")
    import rankscope
    from rankscope.workbench.service import running, search_application

    index = rankscope.index([{"id": "184", "title": "wing", "contents": "flow"}, {"id": "2", "contents": "wing"}])
    (tmp_path / "topics.tsv").write_text("1\twing flow\n2\twing?\n")
    (tmp_path / "judgements.txt").write_text("1 0 184 1\n1 0 2 0\n2 0 2 1\n")
    (tmp_path / "titles.json").write_text(blocks(ENGINE, "json")[0])
    with running(search_application({"papers": index})) as address:
        host = address.removeprefix("http://")
        for command, _ in steps(ENGINE):
            placed = in_place(ENGINES.sub(host, command))
            done = subprocess.run(["bash", "-c", placed], cwd=tmp_path, check=False, capture_output=True)
            assert done.returncode == 0, (command, done.stderr)
        (code,) = blocks(ENGINE, "python")
        done = subprocess.run([sys.executable, "-c", ENGINES.sub(host, code)], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    latency, gain = done.stdout.split()
    assert float(latency) > 0
    assert float(gain) == 1.0
    assert [each.name for each in tmp_path.glob("*.latency.json")]


def test_every_template_of_the_page_for_engines_is_json_with_places() -> None:
    from rankscope.engines.live.requests import RequestTemplate

    assert [RequestTemplate.read(json.loads(each)).places for each in blocks(ENGINE, "json")] == [
        ("query.escaped",),
        ("query", "topic.lang"),
    ]
