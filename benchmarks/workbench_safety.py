"""A served project under attack: mangled requests, other sites, paths, pictures and tokens, and the memory they cost.

Everything goes over sockets to `rankscope serve`. Memory is that of the server and of the processes that decode
pictures, as Linux tells it; the largest ever, not only that of the moment.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx

from benchmarks.lengths import length
from rankscope.workbench.project import Project
from tests.browser.workbenches import ServerProcess
from tests.workbench.pages.mangled import MangledRequest, mangled_requests
from tests.workbench.pages.pictured import pixels_of, png_of, write_pictures
from tests.workbench.pages.test_hostile import bomb

REQUESTS = length(10_000, 300)
PATIENCE = 20.0
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
PATHS = (
    "/static/../project.toml",
    "/static/%2e%2e/%2e%2e/project.toml",
    "/static/..%2f..%2f..%2fetc/passwd",
    "/../../../../etc/passwd",
    "//etc/passwd",
    "/picture/..%2fred%2f0.png",
    "/picture/1%00.png",
    "/static/C:%5cwindows%5cwin.ini",
)


@dataclass(frozen=True)
class Attack:
    """What was tried, what came back, and the most memory so far."""

    name: str
    answers: Counter[int]
    wanted: frozenset[int]
    server: float  # MB, the largest so far
    workers: float  # MB, the largest so far of one that decodes pictures; 0 where none has started

    def row(self) -> str:
        """A row of the table; an answer that should not be is marked."""
        told = ", ".join(
            f"{count:,} x {status}{'' if status in self.wanted else ' (WRONG)'}"
            for status, count in sorted(self.answers.items())
        )
        workers = f"{self.workers:.0f} MB" if self.workers else ""
        return f"| {self.name} | {told} | {self.server:.0f} MB | {workers} |"


def safety(folder: Path, requests: int = REQUESTS) -> str:
    """The table, and how memory went under mangled requests."""
    begun = _Attacked(folder)
    try:
        tokens, before = begun.wrong_tokens(), begun.memory()[0]
        steps = [begun.mangled(requests // 10, seed) for seed in range(10)]
        mangled = sum((step[0] for step in steps), Counter[int]())
        whole = begun.attack(f"{requests:,} mangled requests", mangled, range(200, 500))
        attacks = [tokens, whole, *begun.other_attacks()]
    finally:
        begun.end()
    rows = ["| attack | answers | server, at most | decoder, at most |", "|---|---|---|---|"]
    went = " ".join(f"{step[1]:.0f}" for step in steps)
    wrong = sum(count for each in attacks for status, count in each.answers.items() if status not in each.wanted)
    described = _described(folder)
    words = (
        f"Answers that should not be: {wrong}. Memory of the server before {before:.0f} MB, after each tenth of the "
        f"mangled requests: {went} MB. `rankscope describe` leaves the picture of 13,000 x 13,000 out: {described}."
    )
    return "\n".join([*rows, *(each.row() for each in attacks), "", words])


class _Attacked:
    """A server with pictures, somebody who judges, and the owner."""

    def __init__(self, folder: Path) -> None:
        sources = write_pictures(folder)
        (folder / "pictures" / "red" / "6.png").write_bytes(bomb())
        (folder / "pictures" / "red" / "7.png").write_bytes(SVG)
        run = folder / "a.run"
        run.write_text("".join(f"red/0.png Q0 red/{rank}.png {rank} {-rank} a\n" for rank in range(1, 8)))
        with Project.new(folder / "project", **sources, runs=[run]) as project:
            project.make_pool("depth(5)")
            judge = project.invite("ann").path
            self.harmful = [project.numbers.number(project.places[f"red/{name}.png"]) for name in (6, 7)]
        self.server = ServerProcess(folder / "project", "--rate", "1000000")
        self.owner, self.judge = self._client(self.server.link), self._client(self.server.address + judge)

    def _client(self, link: str) -> httpx.Client:
        client = httpx.Client(base_url=self.server.address, headers={"origin": self.server.address}, timeout=PATIENCE)
        assert client.get(link).status_code in (200, 303)
        return client

    def end(self) -> None:
        self.owner.close()
        self.judge.close()
        self.server.end()

    def memory(self) -> tuple[float, float, float]:
        """Of the server now and at most, and at most of a process that decodes pictures."""
        pid = self.server.process.pid
        now, most = _memory(pid)
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        return now, most, max((_memory(int(child))[1] for child in children), default=0.0)

    def attack(self, name: str, answers: Counter[int], wanted: Iterable[int]) -> Attack:
        _, server, workers = self.memory()
        return Attack(name=name, answers=answers, wanted=frozenset(wanted), server=server, workers=workers)

    def mangled(self, count: int, seed: int) -> tuple[Counter[int], float]:
        """So many, half of them by somebody who is signed in; then the memory of the server."""
        client = self.judge if seed % 2 else self.owner
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        asked = mangled_requests(count, seed, cookie)
        return Counter(_answered(self.server.port, _bytes_of(each)) for each in asked), self.memory()[0]

    def other_attacks(self) -> list[Attack]:
        guideline, address = {"text": "evil"}, self.server.address
        foreign = [{"origin": "https://evil.example"}, {"origin": "null"}, {"origin": f"{address}1"}]
        foreign += [{"origin": address, "sec-fetch-site": "cross-site"}, {"origin": ""}]
        names = ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "0x7f000001", "")
        found = [
            self.attack("a form of another site", self._posts("/guidelines", guideline, foreign), {403}),
            self.attack("another name of the host", Counter(self._with_host(each) for each in names), {400, 421}),
            self.attack("paths that lead elsewhere", Counter(self._path(each) for each in PATHS), {400, 404}),
        ]
        for name, data in _pictures().items():
            status = self.owner.post("/like/picture", files={"file": ("a.png", data, "image/png")}).status_code
            found.append(self.attack(f"dropped in: {name}", Counter([status]), {415}))
        stored = Counter(self.owner.get(f"/picture/{number}").status_code for number in self.harmful)
        found.append(self.attack("the same picture, and an SVG, in the collection", stored, {404}))
        return found

    def wrong_tokens(self) -> Attack:
        """Links that nobody was given: five are looked at, then the address waits."""
        with httpx.Client(base_url=self.server.address) as stranger:
            tokens = Counter(stranger.get(f"/enter/{number:022d}").status_code for number in range(20))
        return self.attack("20 wrong tokens", tokens, {401, 429})

    def _posts(self, path: str, fields: dict[str, str], headers: Sequence[dict[str, str]]) -> Counter[int]:
        return Counter(self.owner.post(path, data=fields, headers=each).status_code for each in headers)

    def _with_host(self, name: str) -> int:
        return _answered(self.server.port, f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())

    def _path(self, path: str) -> int:
        """The status; 999 where the answer holds what nobody may see."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.owner.cookies.items())
        head = f"Host: 127.0.0.1:{self.server.port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        answer = _exchange(self.server.port, f"GET {path} HTTP/1.1\r\n{head}".encode())
        return 999 if b"root:" in answer or b"grades =" in answer else _status(answer)


def _pictures() -> dict[str, bytes]:
    """Files that are no pictures, or more than one, or too large."""
    from PIL import Image

    png, gif = png_of(pixels_of("red", 1)), BytesIO()
    Image.new("P", (8, 8)).save(gif, "GIF")
    archive = b"PK\x05\x06" + b"\0" * 18
    return {
        f"PNG of 13,000 x 13,000 in {len(bomb()) / 1000:.0f} kB": bomb(),
        "SVG with a script": SVG,
        "GIF with a page behind it": gif.getvalue() + b"<html><script>alert(1)</script></html>",
        "PNG with an archive behind it": png + archive,
        "PNG with a PDF's head in it": png[:40] + b"%PDF-1.7" + png[40:],
        "a text": b"GIF89a of my cat",
        "nothing": b"",
    }


def _bytes_of(asked: MangledRequest) -> bytes:
    lines = [f"{asked.method} ".encode() + asked.path + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in asked.headers]
    lines += [b"Connection: close", f"Content-Length: {len(asked.body)}".encode()]
    return b"\r\n".join([*lines, b"", b""]) + asked.body


def _answered(port: int, data: bytes) -> int:
    return _status(_exchange(port, data))


def _status(answer: bytes) -> int:
    found = STATUS.match(answer)
    return int(found[1]) if found else 0


def _exchange(port: int, data: bytes) -> bytes:
    """What comes back until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        line.sendall(data)
        parts = []
        while part := line.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)


def _memory(process: int) -> tuple[float, float]:
    """MB that a process has now, and had at most."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0, 0.0
    found: dict[str, Any] = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+)", text))
    return int(found["VmRSS"]) / 1024, int(found["VmHWM"]) / 1024


WATCHED = (
    "import resource, subprocess, sys, time; begin = time.perf_counter();"
    "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode;"
    "print(done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, time.perf_counter() - begin)"
)  # in a small process: what a child takes at most is counted from the size of its parent on


def _described(folder: Path) -> str:
    """How the command ends, and what it took."""
    command = [sys.executable, "-m", "rankscope", "describe", str(folder / "pictures"), "-d", "cedd"]
    watched = [sys.executable, "-c", WATCHED, *command, "-o", str(folder / "x.npz")]
    status, most, took = subprocess.run(watched, capture_output=True, text=True, check=True).stdout.split()
    return f"exit status {status}, {int(most) / 1024:.0f} MB at most, {float(took):.1f} s"
