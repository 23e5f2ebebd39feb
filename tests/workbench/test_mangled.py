"""Mangled requests get a clear answer, leave nothing behind, and never bring the service down. 10,000 in make bench."""

from __future__ import annotations

import gc
import json
import socket
import tracemalloc
from collections import Counter
from typing import Any

import pytest

from benchmarks.fuzzing.web_requests import raw_bytes, web_request
from rankscope.engines.text import Index
from tests.needs import needed_module
from tests.workbench.asgi_client import client_of
from tests.workbench.projects import small_index

needed_module("uvicorn", "web")
from rankscope.workbench.service import search_application  # noqa: E402

COUNT, RAW = 1000, 200
CLEAR = {400, 403, 404, 405, 408, 413, 414, 415, 421, 503}


def test_a_mangled_request_gets_an_answer_or_a_clear_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    seen: Counter[int] = Counter()
    more = Index.build([{"id": "m1", "body": "fox tail"}])
    with client_of(search_application({"docs": small_index(), "more": more})) as client:
        for seed in range(COUNT):
            answer = asked(client, seed)
            assert answer.status_code in CLEAR | {200}, (seed, answer.text)
            if answer.content and answer.headers["content-type"].startswith("application/json"):
                json.loads(answer.content)
            seen[answer.status_code] += 1
        assert client.get("/solr/docs/select?q=fox").json()["response"]["numFound"] == small_index().search("fox").total
    assert capsys.readouterr().err == ""  # a fault of ours would be printed
    assert seen[200] > COUNT / 10
    assert seen[400] > COUNT / 10


def asked(client: Any, seed: int) -> Any:
    request = web_request(seed)
    return client.request(request.method, request.target, headers=request.headers, content=request.body)


def test_a_mangled_request_is_always_the_same() -> None:
    assert [web_request(seed) for seed in range(50)] == [web_request(seed) for seed in range(50)]
    assert [raw_bytes(seed) for seed in range(50)] == [raw_bytes(seed) for seed in range(50)]


@pytest.mark.thorough
def test_mangled_requests_leave_no_memory_behind() -> None:
    """Once all that is kept for the next time is kept, nothing is added."""
    held = []
    with client_of(search_application({"docs": small_index()})) as client:
        tracemalloc.start()
        try:
            for _ in range(3):
                for seed in range(100):
                    asked(client, seed)
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    assert held[2] - held[1] < 50_000  # bytes, for 100 requests


def test_mangled_bytes_leave_the_service_up(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    host, port = address.removeprefix("http://").split(":")
    for seed in range(RAW):
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            try:
                connection.sendall(raw_bytes(seed))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except ConnectionError:
                pass  # the service had enough of it
    assert capfd.readouterr().err == ""  # nor is it a fault of ours where somebody goes away
    answer = needed_module("httpx", "gather").get(f"{address}/solr/docs/select?q=fox")
    assert answer.json()["response"]["numFound"] == small_index().search("fox").total
