"""The base of everything over HTTP: names, limits, turns, errors in one form, and the command that serves."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from tests.commands.line.inside import ended
from tests.needs import needed_module
from tests.workbench.asgi_client import HOME, client_of
from tests.workbench.projects import small_index

needed_module("uvicorn", "web")
from starlette.responses import JSONResponse, PlainTextResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402

from rankscope.workbench import service  # noqa: E402
from rankscope.workbench.service import ServiceLimits, ServicePart, create_application, search_application  # noqa: E402
from rankscope.workbench.service.application import Refusal, hosts_of  # noqa: E402
from rankscope.workbench.service.indexes import Turns  # noqa: E402

SELECT = "/solr/docs/select"


def small_application(**limits: Any) -> Any:
    return search_application({"docs": small_index()}, limits=ServiceLimits(**limits))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "a b", "", "127.0.0.1:x", "10.1.1.7"])
def test_a_name_that_is_not_ours_is_misdirected(host: str) -> None:
    with client_of(small_application()) as client:
        answer = client.get(SELECT, params={"q": "fox"}, headers={"host": host})
        assert answer.status_code == 421
        assert "does not answer to that name" in answer.json()["error"]["msg"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8384", "localhost", "LocalHost:1", "[::1]:8384"])
def test_our_own_names_are_answered(host: str) -> None:
    with client_of(small_application()) as client:
        assert client.get(SELECT, params={"q": "fox"}, headers={"host": host}).status_code == 200


def test_another_host_answers_to_its_name_and_to_addresses_but_not_to_names_of_others() -> None:
    hosts = hosts_of("0.0.0.0", ["search.example"])
    allowed = {name: hosts.allow(name) for name in ("search.example", "192.0.2.1:80", "evil.example", "[2001:db8::1]")}
    assert allowed == {"search.example": True, "192.0.2.1:80": True, "evil.example": False, "[2001:db8::1]": True}


def test_every_answer_is_safe_to_open_in_a_browser() -> None:
    with client_of(small_application()) as client:
        for answer in (client.get(SELECT, params={"q": "fox"}), client.get("/nothing"), client.get(SELECT)):
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in answer.headers


def test_what_is_too_large_is_refused_in_the_form_of_solr() -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    with client_of(small_application(address_bytes=500, body_bytes=300)) as client:
        told = [
            client.get(SELECT, params={"q": "a" * 501}),
            client.post(SELECT, content=b"q=" + b"a" * 300, headers=form),
            client.post(SELECT, content=iter([b"q=", b"a" * 200, b"b" * 200]), headers=form),
        ]
    assert [each.status_code for each in told] == [414, 413, 413]
    assert [each.json()["error"]["code"] for each in told] == [414, 413, 413]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("a" * 8193, "8,193 bytes, and at most 8,192"),
        (" ".join(f"w{number}" for number in range(1025)), "a group of 1025 clauses; at most 1024"),
        (" ".join(f"(w{number} v{number})" for number in range(600)), "1,200 clauses, and at most 1,024"),
        ("(" * 51 + "fox" + ")" * 51, "at most 50 deep"),
    ],
)
def test_a_query_that_is_too_much_is_refused_with_its_limit(query: str, words: str) -> None:
    with client_of(small_application()) as client:
        answer = client.post(SELECT, data={"q": query})
        assert answer.status_code == 400
        assert words in answer.json()["error"]["msg"]


def test_a_search_that_takes_too_long_is_told_so() -> None:
    with client_of(small_application(seconds=0.0)) as client:
        answer = client.get(SELECT, params={"q": "fox AND dog"})
        assert answer.status_code == 400
        assert "took longer than 0 seconds" in answer.json()["error"]["msg"]


def test_no_more_run_at_once_than_may_and_who_waits_too_long_comes_again() -> None:
    limits = ServiceLimits(running=2, waiting=3, wait_seconds=0.2, retry_seconds=7)
    hold, running, most = threading.Event(), 0, 0
    lock = threading.Lock()

    def work() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        hold.wait(60)
        with lock:
            running -= 1
        return "done"

    async def ask_eight() -> list[Any]:
        turns = Turns(limits)
        asked = [asyncio.create_task(turns.run(work)) for _ in range(8)]
        refused: set[asyncio.Task[str]] = set()
        left = set(asked)
        while len(refused) < 6:  # the two that run hold on
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            refused |= done
        hold.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert turns.waiting == 0
        turns.close()
        return [len(refused), *found]

    count, *found = asyncio.run(ask_eight())
    busy = [each for each in found if isinstance(each, Refusal)]
    assert (count, len(busy), found.count("done"), most) == (6, 6, 2, 2)
    assert {(each.status, each.headers["retry-after"]) for each in busy} == {(503, "7")}


def test_parts_answer_errors_in_their_own_form_and_open_what_they_need() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        seen.append("open")
        yield
        seen.append("closed")

    async def broken(_request: Any) -> Any:
        raise ZeroDivisionError("a secret")

    pages = ServicePart(
        routes=[Route("/pages/broken", broken), Route("/pages/read", echo, methods=["POST"])],
        tell=lambda refusal: PlainTextResponse(f"page: {refusal.message}", refusal.status),
        owns=lambda path: path.startswith("/pages/"),
        body_bytes=1000,
        lifespan=lifespan,
    )
    rest = ServicePart(routes=[], tell=lambda refusal: JSONResponse({"rest": refusal.status}, refusal.status))
    with client_of(create_application([pages, rest], hosts_of("127.0.0.1"), ServiceLimits(body_bytes=10))) as client:
        assert client.get("/pages/none").text == "page: there is nothing at /pages/none"
        assert client.get("/none").json() == {"rest": 404}
        assert client.post("/pages/read", content=b"a" * 1000).text == "1000"
        assert client.post("/pages/read", content=b"a" * 1001).status_code == 413
        answer = client.get("/pages/broken")
        assert (answer.status_code, "secret" in answer.text) == (500, False)
        assert "fault of rankscope" in answer.text
    assert seen == ["open", "closed"]


async def echo(request: Any) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    application = small_application(body_seconds=0.05)
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": SELECT, "raw_path": b"", "query_string": b"", "headers": headers}
    asyncio.run(application({**scope, "app": application}, never, send))
    assert sent[0]["status"] == 408


def test_the_service_ends_cleanly_when_it_is_asked_to(tmp_path: Path) -> None:
    Index.build([{"id": "a", "body": "a fox"}], tmp_path / "docs.index")
    for number in (signal.SIGINT, signal.SIGTERM):
        command = [sys.executable, "-m", "rankscope", "serve", "--index", "docs.index", "--port", "0"]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            found = re.fullmatch(r"serving at (http://127\.0\.0\.1:\d+); Ctrl-C ends it\n", process.stderr.readline())
            assert found is not None
            answer = needed_module("httpx", "gather").get(f"{found[1]}{SELECT}", params={"q": "fox"})
            assert answer.json()["response"]["numFound"] == 1
            process.send_signal(number)
            told = process.stderr.read()
            assert process.wait(20) == 0
        assert told.endswith("ended\n")
        assert "Traceback" not in told


def test_the_thread_of_a_service_ends_with_its_block() -> None:
    before = threading.active_count()
    with service.running(small_application()) as address:
        assert needed_module("httpx", "gather").get(f"{address}{SELECT}?q=fox").status_code == 200
    until = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say what to serve: rankscope serve FOLDER"),
        (["--index", "nothing"], "is no index"),
        (["--index", "a.index", "--index", "b/a.index"], "two indexes are called 'a': give one of them another name"),
        (["--index", "a.index", "--similarity", "bm52"], "bm52"),
        (["--index", "a.index", "--port", "70000"], "70000"),
        (["--index", "a.index", "--host", "192.0.2.1", "--port", "0"], "cannot listen at 192.0.2.1"),
    ],
)
def test_what_cannot_be_served_is_told(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for folder in ("a.index", "b/a.index"):
        (tmp_path / folder).parent.mkdir(exist_ok=True)
        Index.build([{"id": "a", "body": "a fox"}], tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    assert ended(monkeypatch, "serve", *arguments) == 2
    assert words in capsys.readouterr().err


def test_a_port_that_is_taken_is_told() -> None:
    with service.listen() as taken, pytest.raises(SettingError, match="--port 0 chooses one that is free"):
        service.listen(port=taken.getsockname()[1])


def test_who_else_can_reach_it_is_told() -> None:
    from rankscope.workbench.service.indexes import ServedIndexes
    from rankscope.workbench.service.server import start_lines

    served = ServedIndexes({"docs": small_index()})
    assert start_lines(served, HOME, "0.0.0.0")[-1].startswith(
        "! 0.0.0.0 is not this machine alone: whoever reaches it"
    )
    assert not [line for line in start_lines(served, HOME, "127.0.0.1") if line.startswith("!")]


def test_nothing_of_the_web_is_loaded_before_it_serves() -> None:
    code = "import sys, rankscope.commands.line.serve, rankscope.workbench.service; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"starlette", "uvicorn", "numpy", "polars", "asyncio"} & set(loaded)


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path) -> None:
    Index.build([{"id": "a", "body": "a fox"}], tmp_path / "docs.index")
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['rankscope', 'serve', '--index', 'docs.index']\n"
    code += "from rankscope.commands.line.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "rankscope: uvicorn is not installed. Install it with: pip install 'rankscope[web]'\n"
    assert os.listdir(tmp_path) == ["docs.index"]
