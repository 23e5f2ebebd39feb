"""The search service under load, next to SQLite FTS5 behind the same server, and under mangled requests.

`python -m benchmarks.serve fts5` is that server; `... clients ADDRESS ENGINE SECONDS CLIENTS` are the clients, in a
process of their own.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import polars as pl

from benchmarks import text_data
from benchmarks.fuzzing.web_requests import raw_bytes
from benchmarks.measuring import PYTHON

FOLDER = Path(".bench")
COUNT, ROWS = 64_000, 10
CLIENTS, SECONDS = 50, 60.0
MANGLED, EACH = 10_000, 2_000  # requests, and how many between two looks at memory
Expected = dict[str, list[tuple[str, Any]] | None]  # what each query finds; None where nobody knows
TICKS = os.sysconf("SC_CLK_TCK")
INDEX, BASE = FOLDER / "serve.index", FOLDER / "serve.db"


def report(seconds: float = SECONDS) -> str:
    """A table of both, and what became of the mangled requests."""
    _make()
    measured = {name: _loaded(name, seconds) for name in ("rankscope", "fts5")}
    what = f"{COUNT:,} texts, {CLIENTS} clients, {seconds:g} s"
    head = f"| {what} | requests/s | median, ms | p99, ms | processor, ms each | asked again | wrong |"
    rows = [_row(name, found) for name, found in measured.items()]
    times = measured["fts5"]["processor"] / measured["rankscope"]["processor"]
    faster = measured["rankscope"]["rate"] / measured["fts5"]["rate"]
    words = (
        f"Both behind the same server, each query the first {ROWS} ids and scores. rankscope answers {faster:.1f} "
        f"times as many requests, with 1/{times:.1f} of the processor time for each. Every query was answered in the "
        f"end; wrong is what differs from the answer in one process."
    )
    return "\n".join([head, "|---|" + "---:|" * 6, *rows, "", words, "", _mangled(), ""])


def _row(name: str, found: dict[str, float]) -> str:
    wrong = f"{found['wrong']:.0f}" if name == "rankscope" else "not compared"
    cells = [f"{found[each]:,.1f}" for each in ("rate", "median", "p99")]
    return f"| {name} | {' | '.join(cells)} | {found['processor']:.2f} | {found['retried']:.0f} | {wrong} |"


def _make() -> None:
    from rankscope.engines.text import Index

    files = text_data.stored(FOLDER, COUNT)
    if not INDEX.exists():
        Index.build((pl.read_parquet(file) for file in files), INDEX)
    if not BASE.exists():
        making = BASE.with_suffix(".making")
        making.unlink(missing_ok=True)
        with sqlite3.connect(making) as base:
            base.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, body)")
            for file in files:
                base.executemany("INSERT INTO docs (id, body) VALUES (?, ?)", pl.read_parquet(file).iter_rows())
        making.rename(BASE)


def _loaded(name: str, seconds: float) -> dict[str, float]:
    with _server(name) as (address, process):
        subprocess.run([*_clients(address, name), "2", "4"], check=True, capture_output=True)  # what is loaded on use
        before = _processor(process)
        done = subprocess.run([*_clients(address, name), str(seconds), str(CLIENTS)], check=True, capture_output=True)
        found: dict[str, float] = json.loads(done.stdout)
        return {**found, "processor": (_processor(process) - before) * 1e3 / found["answered"]}


def _clients(address: str, name: str) -> list[str]:
    return [PYTHON, "-m", "benchmarks.serve", "clients", address, name]


@contextmanager
def _server(name: str) -> Iterator[tuple[str, int]]:
    ours = [PYTHON, "-m", "rankscope", "serve", "--index", f"docs={INDEX}", "--port", "0"]
    command = ours if name == "rankscope" else [PYTHON, "-m", "benchmarks.serve", "fts5"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lines = process.stderr
        assert lines is not None
        found = re.search(r"http://\S+:\d+", lines.readline())
        assert found is not None
        threading.Thread(target=lambda: [*lines], daemon=True).start()  # so that it never waits for a reader
        try:
            yield found[0], process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    assert process.returncode == 0


def _processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


# --- clients ---


def clients(address: str, name: str, seconds: float, count: int) -> dict[str, float]:
    """Clients that ask one query after another; each waits as long as it is told to, and asks again."""
    queries = text_data.queries()
    expected = _expected(queries) if name == "rankscope" else dict.fromkeys(queries)
    return asyncio.run(ask_at_once(address, seconds, count, expected))


def _expected(queries: list[str]) -> Expected:
    from rankscope.engines.text import Index

    index = Index.open(INDEX)
    hits = {query: index.search(query, limit=ROWS) for query in queries}
    return {query: list(zip(found.ids, found.scores, strict=True)) for query, found in hits.items()}


async def ask_at_once(address: str, seconds: float, count: int, expected: Expected) -> dict[str, float]:
    """Clients in this process; who is told to come again does."""
    tally: dict[str, Any] = {"times": [], "wrong": 0, "retried": 0}
    begin = time.perf_counter()
    until = begin + seconds
    await asyncio.gather(*(_client(address, until, seed, expected, tally) for seed in range(count)))
    whole, times = time.perf_counter() - begin, np.array(tally["times"]) * 1e3
    return {
        "answered": len(times),
        "rate": len(times) / whole,
        "median": float(np.percentile(times, 50)),
        "p99": float(np.percentile(times, 99)),
        "wrong": tally["wrong"],
        "retried": tally["retried"],
    }


async def _client(address: str, until: float, seed: int, expected: Expected, tally: Any) -> None:
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    queries, dice = list(expected), np.random.default_rng(seed)
    while time.perf_counter() < until:
        query = queries[dice.integers(len(queries))]
        begin = time.perf_counter()
        found = await _answer(reader, writer, host, query, tally)
        tally["times"].append(time.perf_counter() - begin)
        listed = [(each["id"], np.float32(each["score"])) for each in found["response"]["docs"]]
        tally["wrong"] += expected[query] not in (None, listed)
    writer.close()


async def _answer(reader: Any, writer: Any, host: str, query: str, tally: Any) -> Any:
    """An answer, perhaps after having been asked to come again."""
    target = f"/solr/docs/select?q={quote_plus(query)}&fl=id,score&rows={ROWS}"
    while True:
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if line)
        body = await reader.readexactly(int(headers["content-length"]))
        if head.split()[1] == "200":
            return json.loads(body)
        if head.split()[1] != "503":
            raise RuntimeError(head + body.decode())
        tally["retried"] += 1
        await asyncio.sleep(float(headers["retry-after"]))


# --- SQLite FTS5 behind the same server ---


def serve_fts5() -> None:
    """The same base, turns and limits; another engine."""
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from rankscope.workbench.service import ServiceLimits, ServicePart, create_application, listen, run_application
    from rankscope.workbench.service.application import hosts_of, json_answer, json_bytes
    from rankscope.workbench.service.indexes import Turns
    from rankscope.workbench.service.server import address_of
    from rankscope.workbench.service.solr import error_answer

    turns, local = Turns(ServiceLimits()), threading.local()

    def search(query: str) -> bytes:
        if not hasattr(local, "base"):
            local.base = sqlite3.connect(BASE)
        asked = " OR ".join(f'"{word}"' for word in query.split())
        text = "SELECT id, -rank FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?"
        rows = local.base.execute(text, (asked, ROWS)).fetchall()
        return json_bytes({"response": {"docs": [{"id": name, "score": score} for name, score in rows]}})

    async def select(request: Request) -> Response:
        query = request.query_params["q"]
        return json_answer(await turns.run(lambda: search(query)))

    part = ServicePart(routes=[Route("/solr/docs/select", select)], tell=error_answer)
    with listen() as listening:
        print(f"serving at {address_of(listening)}", file=sys.stderr, flush=True)
        run_application(create_application([part], hosts_of("127.0.0.1")), listening)


# --- mangled requests ---


def _mangled() -> str:
    """Memory of the service meanwhile, and whether it still answers as before."""
    with _server("rankscope") as (address, process):
        host, port = address.removeprefix("http://").split(":")
        taken = []
        for seed in range(MANGLED):
            _send(host, int(port), raw_bytes(seed))
            if (seed + 1) % EACH == 0:
                taken.append(f"{_memory(process):.0f}")
        wrong = clients(address, "rankscope", 2.0, 4)["wrong"]
    return (
        f"{MANGLED:,} mangled requests over sockets: the service is up and gives {wrong:.0f} wrong answers after them. "
        f"Its memory after each {EACH:,} of them, in MB: {', '.join(taken)}."
    )


def _send(host: str, port: int, data: bytes) -> None:
    with socket.create_connection((host, port), timeout=30) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except ConnectionError:
            pass  # it had enough of it


if __name__ == "__main__":
    if sys.argv[1] == "fts5":
        serve_fts5()
    else:
        print(json.dumps(clients(sys.argv[2], sys.argv[3], float(sys.argv[4]), int(sys.argv[5]))))
