"""Connections that keep a server waiting: half a head, half a body, half a handshake, an answer that nobody reads."""

from __future__ import annotations

import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from rankscope.workbench.service.application import ConnectionLimits
from tests.clusters import wait_until
from tests.needs import needed_module, needed_program
from tests.workbench.projects import small_project

needed_module("uvicorn", "web")
from rankscope.workbench.service.application import Proxies  # noqa: E402
from rankscope.workbench.service.server import Server, listen, most_connections  # noqa: E402

PATIENCE = 30.0
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half"
WHOLE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
QUICK = ConnectionLimits(head_seconds=0.3, idle_seconds=1, unread_seconds=0.3, look_seconds=0.05, said_seconds=0.1)
SLOW = replace(QUICK, head_seconds=PATIENCE, idle_seconds=30, unread_seconds=PATIENCE)


def connected(port: int, sent: bytes = b"") -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), PATIENCE)
    with suppress(OSError):
        found.sendall(sent)
    return found


def answer_of(taken: socket.socket) -> bytes:
    """A whole answer of the application below; nothing where the connection was ended."""
    answer = b""
    with suppress(ConnectionError):
        while not answer.endswith(b"end\r\n0\r\n\r\n") and (piece := taken.recv(65536)):
            answer += piece
    return answer


def asked(port: int) -> bytes:
    """The first line of an answer to somebody who asks as people do."""
    with connected(port, WHOLE) as taken:
        return taken.recv(65536).partition(b"\r\n")[0]


def ended(taken: socket.socket) -> bool:
    """Whether the server ends a connection, some day."""
    return answer_of(taken) == b""


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Reads what is sent; answers with as many bytes as the path says."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(int(scope["path"][1:] or 0) >> 16):
        await send({"type": "http.response.body", "body": bytes(1 << 16), "more_body": True})
    await send({"type": "http.response.body", "body": b"end"})


@contextmanager
def served(limits: ConnectionLimits, **how: Any) -> Iterator[int]:
    """A server in a thread, at a port."""
    with listen() as listening:
        server = Server(application, limits=limits, **how)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def few_files(folder: Path, *serve: str | Path) -> Iterator[tuple[int, Callable[[], str]]]:
    """`rankscope serve` that may open 256 files; its port, and how to end it and get what it said."""
    if os.name == "nt":
        pytest.skip("Windows counts no files")
    limited = [
        sys.executable,
        "-c",
        "import os, resource, sys; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)); "
        "os.execv(sys.executable, [sys.executable, '-m', 'rankscope', 'serve', '--port', '0', *sys.argv[1:]])",
    ]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen([*limited, *map(str, serve)], stdout=said, stderr=subprocess.STDOUT)
    until = time.monotonic() + PATIENCE

    def ended_and_said() -> str:
        process.terminate()
        process.wait(PATIENCE)
        return (folder / "said").read_text()

    try:
        while not (found := re.search(r"at http://127\.0\.0\.1:(\d+)", (folder / "said").read_text())):
            assert process.poll() is None
            assert time.monotonic() < until, (folder / "said").read_text()
            time.sleep(0.05)
        yield int(found[1]), ended_and_said
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.mark.parametrize("kind", ["project", pytest.param("index", marks=pytest.mark.thorough)])
def test_three_hundred_half_sent_heads_stop_neither_server(tmp_path: Path, kind: str) -> None:
    if kind == "project":
        with small_project(tmp_path) as project:
            what: list[str | Path] = [project.folder]
    else:
        Index.build([{"id": "1", "body": "a fox"}], tmp_path / "docs.index")
        what = ["--index", tmp_path / "docs.index"]
    with few_files(tmp_path, *what) as (port, end), ExitStack() as opened:
        before = asked(port)
        assert before.split()[1] in (b"401", b"200", b"404")
        for _ in range(300):
            opened.enter_context(connected(port, HALF))
        assert [asked(port) for _ in range(5)] == [before] * 5
        wait_until(lambda: "! connections" in (tmp_path / "said").read_text(), "a line about them")
        said = end()
    assert "Traceback" not in said
    (line,) = [each for each in said.splitlines() if each.startswith("! connections")]
    why = r"\d+ (?:made room for others|sent no whole request in time)"
    assert re.fullmatch(rf"! connections that were ended: {why}(?:, {why})?; \d+ are open", line)


def test_a_head_has_so_much_time_and_a_connection_that_waits_for_it_too(capfd: Any) -> None:
    with served(QUICK) as port:
        with connected(port, HALF) as half, connected(port) as silent, connected(port, WHOLE) as second:
            assert answer_of(second).startswith(b"HTTP/1.1 200")
            second.sendall(HALF)
            assert [ended(half), ended(silent), ended(second)] == [True] * 3
        with connected(port, HALF[:3]) as dripping, suppress(ConnectionError):
            for letter in HALF * 100:
                dripping.sendall(bytes([letter]))
                time.sleep(0.02)
            raise AssertionError("a head may take for ever")
        assert asked(port) == b"HTTP/1.1 200 OK"
        said = ""

        def is_said() -> bool:
            nonlocal said
            said += capfd.readouterr().err
            return "sent no whole request in time" in said

        wait_until(is_said, "a line about them")
    assert "Traceback" not in said


def test_a_half_sent_handshake_has_so_much_time(tmp_path: Path) -> None:
    openssl = needed_program("openssl", advice="apt-get install openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    trusting = ssl.create_default_context(cafile=certificate)
    trusting.check_hostname = False
    with served(QUICK, certificate=str(certificate), key=str(key)) as port:
        with connected(port, b"\x16\x03\x01\x02\x00\x01") as half, connected(port) as silent:
            assert [ended(half), ended(silent)] == [True, True]
        with connected(port) as plain, trusting.wrap_socket(plain) as whole:
            whole.sendall(WHOLE)
            assert whole.recv(100).startswith(b"HTTP/1.1 200")
            whole.sendall(HALF)
            assert answer_of(whole) is not None
    with served(replace(SLOW, most=8), certificate=str(certificate), key=str(key)) as port, ExitStack() as opened:
        for _ in range(20):
            opened.enter_context(connected(port, b"\x16\x03\x01\x02\x00\x01"))
        with connected(port) as plain, trusting.wrap_socket(plain) as whole:
            whole.sendall(WHOLE)
            assert whole.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.thorough
def test_an_answer_that_nobody_reads_is_given_up_and_one_that_is_read_is_not() -> None:
    many = 64 << 20
    with served(QUICK) as port:
        with connected(port, f"GET /{many} HTTP/1.1\r\nHost: h\r\n\r\n".encode()) as taken:
            time.sleep(1.5)
            read = 0
            with suppress(ConnectionError):
                while piece := taken.recv(1 << 20):
                    read += len(piece)
            assert read < many
        with connected(port, f"GET /{8 << 20} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode()) as taken:
            read = 0
            while piece := taken.recv(1 << 18):
                read += len(piece)
                time.sleep(0.02)
            assert read > 8 << 20


@pytest.mark.parametrize("sent", [b"", HALF, b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"])
def test_where_there_is_no_room_who_keeps_it_waiting_longest_makes_it(sent: bytes) -> None:
    with served(replace(SLOW, most=8)) as port, ExitStack() as opened:
        first = opened.enter_context(connected(port, WHOLE))
        assert answer_of(first).startswith(b"HTTP/1.1 200")
        waiting = [opened.enter_context(connected(port, sent)) for _ in range(20)]
        assert asked(port) == b"HTTP/1.1 200 OK"
        assert ended(waiting[0])
        first.sendall(WHOLE)  # it has asked before, so it is among the last to go
        assert answer_of(first).startswith(b"HTTP/1.1 200")


def test_one_address_has_half_of_them_unless_it_is_a_proxy() -> None:
    """127.0.0.1 fills what one address may have; 127.0.0.2 finds its room, and loses none of it."""
    for proxies, left in ((Proxies.of(["10.0.0.1"]), 3), (Proxies(), 6)):
        with served(replace(SLOW, most=8), proxies=proxies) as port, ExitStack() as opened:
            try:
                other = socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.2", 0))
            except OSError:
                pytest.skip("this machine has one loopback address")
            opened.enter_context(other)
            other.sendall(WHOLE)
            assert answer_of(other).startswith(b"HTTP/1.1 200")
            waiting = [opened.enter_context(connected(port, HALF)) for _ in range(7)]
            assert asked(port) == b"HTTP/1.1 200 OK"
            for each in waiting:
                each.settimeout(0.2)
            still = 0
            for each in waiting:
                try:
                    ended(each)
                except TimeoutError:
                    still += 1
            assert still == left
            other.sendall(WHOLE)
            assert answer_of(other).startswith(b"HTTP/1.1 200")


def test_files_are_left_for_the_work() -> None:
    if os.name == "nt":
        pytest.skip("Windows counts no files")
    code = "from rankscope.workbench.service.server import most_connections; print(most_connections(1000))"
    found = {
        limit: int(
            subprocess.run(
                ["sh", "-c", f'ulimit -n {limit} && exec "$0" -c "{code}"', sys.executable],
                capture_output=True,
                check=True,
            ).stdout
        )
        for limit in (40, 256, 700)
    }
    assert found[40] == 8
    assert 150 < found[256] < 192
    assert found[700] - found[256] == 444
    assert most_connections(5) == 5


@pytest.mark.parametrize("given", ["", "proxy.example.org", "10.0.0.0/33", "10.0.0.1:80"])
def test_a_proxy_is_named_by_address(given: str) -> None:
    with pytest.raises(SettingError, match="--trusted-proxy"):
        Proxies.of([given])


@pytest.mark.skipif(not hasattr(socket, "TCP_NODELAY"), reason="this system has no such option")
def test_connections_do_not_wait_for_more_to_send() -> None:
    """Waiting for a full packet adds 40 ms to every answer of a connection that stays open."""
    with listen() as listening, socket.create_connection(listening.getsockname()):
        taken, _ = listening.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
