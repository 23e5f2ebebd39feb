"""Nothing that a server sends takes more room or time than it may, and no page ends the work."""

from __future__ import annotations

import gzip
import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from rankscope.core.errors import InputError
from rankscope.engines.crawler.fetching import UNPACKED_PIECE, NoDocument, unpacked
from tests.engines.crawler.site import HOME, Make, Reply, documents, gathered_from, page, reasons, served

GZIP = {"Content-Encoding": "gzip"}


def test_large_pages_are_left_out_whether_they_say_it_or_not(tmp_path: Path) -> None:
    large = b"<p>" + b"fox " * 1_500_000

    def unannounced(out: Any) -> None:
        for _ in range(100):
            out.write(large[:100_000])

    pages: dict[str, Make] = {
        "/": page("home", "/said", "/unsaid", "/bomb", "/packed", "/nearly"),
        "/said": Reply(large),
        "/unsaid": Reply(stream=unannounced),
        "/bomb": Reply(gzip.compress(bytes(200_000_000), 9), headers=GZIP),
        "/packed": Reply(gzip.compress(b"<p>packed"), headers=GZIP),
        "/nearly": Reply(b"<p>" + b"fox " * 1_200_000),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert reasons(gathered) == dict.fromkeys(["/said", "/unsaid", "/bomb"], "is larger than 5 MB")
    assert list(documents(tmp_path)) == ["/", "/packed", "/nearly"]


def test_a_bomb_is_unpacked_in_small_pieces() -> None:
    bomb = gzip.compress(bytes(50_000_000), 9)
    assert max(map(len, unpacked([bomb], "gzip"))) == UNPACKED_PIECE
    assert sum(map(len, unpacked([bomb[:1000], bomb[1000:]], "x-gzip"))) == 50_000_000
    assert b"".join(unpacked([gzip.compress(b"a") + gzip.compress(b"b")], "gzip")) == b"ab"


@pytest.mark.parametrize(
    ("packing", "body", "reason"),
    [
        ("gzip, gzip", gzip.compress(gzip.compress(b"a")), "comes packed as 'gzip, gzip', which was not asked for"),
        ("br", b"a", "comes packed as 'br', which was not asked for"),
        ("gzip", b"plain", "says that it is packed with gzip and is not"),
        ("gzip", gzip.compress(b"cut off")[:-4], "is cut off in the middle of its gzip"),
    ],
    ids=["twice", "brotli", "not packed", "cut off"],  # gzip writes the time: bodies would be other names each time
)
def test_what_is_packed_wrongly_is_left_out(packing: str, body: bytes, reason: str) -> None:
    with pytest.raises(NoDocument) as raised:
        b"".join(unpacked([body], packing))
    assert raised.value.reason == reason


def test_all_that_is_slow_ends_with_one_deadline(tmp_path: Path) -> None:
    """A body and a head that come letter by letter, and a server that says nothing at all."""

    def drip(out: Any) -> None:
        for _ in range(100):
            out.write(b"x")
            time.sleep(0.05)

    def slow(_path: str) -> Reply:
        time.sleep(5)
        return Reply()

    pages: dict[str, Make] = {"/": page("home", "/body", "/silence"), "/body": Reply(stream=drip), "/silence": slow}
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path, seconds=1.0)
    assert set(reasons(gathered).values()) == {"did not arrive within 1 seconds"}


def test_a_head_that_comes_letter_by_letter_ends_with_the_deadline(tmp_path: Path) -> None:
    def answer(listening: socket.socket) -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            with line:
                try:
                    for letter in b"HTTP/1.1 200 OK\r\n" + b"X-Slow: 1\r\n" * 50:
                        line.send(bytes([letter]))
                        time.sleep(0.05)
                except OSError:
                    pass

    with socket.create_server((HOME, 0)) as listening:
        threading.Thread(target=answer, args=(listening,), daemon=True).start()
        with pytest.raises(InputError, match="did not arrive within 1 seconds"):
            gathered_from(f"http://{HOME}:{listening.getsockname()[1]}/", tmp_path, seconds=1.0)
        listening.shutdown(socket.SHUT_RDWR)


def test_wrong_encodings_are_read_all_the_same(tmp_path: Path) -> None:
    def reply(text: bytes, charset: str = "") -> Reply:
        return Reply(text, f"text/html; charset={charset}" if charset else "text/html")

    pages: dict[str, Make] = {
        "/": page("home", *(f"/{number}" for number in range(1, 10))),
        "/1": reply("<p>1 café".encode("latin-1"), "utf-8"),
        "/2": reply("<p>2 café".encode(), "no-such-encoding"),
        "/3": reply('<meta charset="iso-8859-2"><p>3 łódź'.encode("iso-8859-2")),
        "/4": reply("<p>4 café“".encode("cp1252"), "iso-8859-1"),
        "/5": reply("<p>5 лиса".encode("koi8-r"), '"KOI8-R"'),
        "/6": reply("<p>6 狐".encode("utf-16"), "utf-8"),
        "/7": reply(b"<p>7 \x81\xff", "rot13"),
        "/8": reply("<p>8 きつね".encode("shift_jis"), "Shift_JIS"),
        "/9": reply(b"<p>9 nul\0nul &#xD800; &#0;", "zlib"),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    texts = [row["text"] for row in documents(tmp_path).values()]
    assert texts[1:7] == ["1 café", "2 café", "3 łódź", "4 café“", "5 лиса", "6 狐"]
    assert texts[7].startswith("7 ")
    assert texts[8] == "8 きつね"
    assert texts[9].startswith("9 nul")
    assert "\0" not in texts[9]
    assert gathered.left_out == ()


def test_answers_that_are_no_http_are_left_out(tmp_path: Path) -> None:
    with served({"/": page("home", "/a", "/b")}) as site:
        site.pages["/a"] = Reply(b"short", headers={"Content-Length": "99"})
        site.pages["/b"] = Reply(headers={"Bad Header\x01": "x"})
        gathered = gathered_from(site.home, tmp_path)
    assert {each.split(":")[0] for each in reasons(gathered).values()} == {"is answered in a way that is no HTTP"}


def test_the_worker_that_a_page_ends_is_replaced() -> None:
    from rankscope.engines.crawler.crawler import ParsingWorker

    with ParsingWorker() as worker:
        assert worker.parse("text", b"first", "", 100).text == "first"
        process = worker._process._process
        assert process is not None
        process.kill()
        process.wait()
        with pytest.raises(NoDocument, match="ends the process that reads it as html"):
            worker.parse("html", b"<p>second", "", 100)
        assert worker.parse("html", b"<p>third", "", 100).text == "third"
        with pytest.raises(NoDocument, match="holds more than 10 bytes of text"):
            worker.parse("html", b"<p>much too much", "", 10)


@pytest.mark.parametrize("answer", [b"", b"[]", b"{}", b"7", b"{", b'{"title": 1, "text": "\\ud800", "links": 3}'])
def test_an_answer_that_is_none_ends_nothing(answer: bytes) -> None:
    from rankscope.engines.crawler.crawler import _checked_answer

    with pytest.raises(NoDocument, match="makes no sense"):
        _checked_answer(answer, 100)


def test_a_worker_that_takes_too_long_is_ended() -> None:
    from rankscope.engines.crawler.crawler import ParsingWorker

    nested = b"<div>" * 400_000
    with ParsingWorker(patience=0.01) as worker, pytest.raises(NoDocument, match="takes too long to be read as html"):
        worker.parse("html", nested, "", 10_000_000)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_the_worker_has_limits() -> None:
    from multiprocessing import get_context

    from rankscope.core.sandbox import MOST_MEMORY
    from rankscope.engines.crawler.parsing import PARSING_SECONDS

    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=told_limits, args=(theirs,))
    process.start()
    limits = json.loads(ours.recv_bytes())
    process.join()
    assert limits["memory"] == [MOST_MEMORY, MOST_MEMORY]
    assert limits["file"] == [0, 0]
    assert PARSING_SECONDS < limits["time"] < 2 * PARSING_SECONDS
    assert limits["exhausted"] == "takes more than 1024 MB of memory to be read as text"


def told_limits(line: Any) -> None:
    """In a process of its own: what its limits are, and what happens beyond."""
    import resource

    from rankscope.core.sandbox import MOST_MEMORY, limit_memory, limit_time
    from rankscope.engines.crawler import parsing

    limit_memory()
    limit_time(parsing.PARSING_SECONDS)
    kinds = {"memory": resource.RLIMIT_DATA, "file": resource.RLIMIT_FSIZE}
    told: dict[str, Any] = {name: resource.getrlimit(kind) for name, kind in kinds.items()}
    told["time"] = resource.getrlimit(resource.RLIMIT_CPU)[0]
    with patch.object(parsing, "parse_page", lambda *_: bytes(MOST_MEMORY)):
        told["exhausted"] = parsing.parsed_or_problem("text", b"", "").problem
    line.send_bytes(json.dumps(told).encode())
