"""Answers that no search engine should give: documents each once with finite scores, or a clear error, soon."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import rankscope
from benchmarks.fuzzing.json_shapes import with_another_part
from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import wounded
from tests.engines.live.engine_server import Asked, Engine, Fault, cut_off, reset, running

DOCUMENTS = [(f"d{number}", 9.5 - number) for number in range(8)]
HITS = b'{"id": "a", "score": 1.0, "_id": "a", "_score": 1.0},' * 20_000
Run = list[tuple[str, float]]


def answer_trial(chance: random.Random, folder: Path) -> Trial:
    """One topic; what comes back is hurt, exchanged in parts, no JSON, cut off, of another status or without end."""
    kind = chance.choice(("opensearch", "solr"))
    page = chance.random() < 0.1
    hurt = (
        _page if page else chance.choice((*(_other_parts,) * 8, *(_wounded,) * 8, _status, _status, _broken, _endless))
    )
    seed = chance.random()

    def attempt() -> tuple[Run, int]:
        made: list[Engine] = []

        def fault(asked: Asked, number: int) -> Fault | None:
            return hurt(random.Random(f"{seed} {number}"), made[0].answer(asked))

        with running(lambda query: DOCUMENTS, fault) as engine:
            made.append(engine)
            try:
                found = rankscope.search(
                    engine=engine.addresses()[kind], topics={"1": "fox"}, retries=1, seconds=20, workers=1
                )
            finally:
                assert not page or len(engine.asked) == 1, f"a page for people was asked for {len(engine.asked)} times"
            return [(str(row[1]), float(row[2])) for row in found.table().iter_rows()], len(engine.asked)

    return Trial(attempt, _each_once)


def _each_once(answer: tuple[Run, int]) -> None:
    run, _ = answer
    assert len({item for item, _ in run}) == len(run)
    assert all(math.isfinite(score) for _, score in run)


def _page(chance: random.Random, answer: dict[str, Any]) -> Fault:
    return Fault(200, b"<!doctype html><title>Welcome</title>", {"Content-Type": "text/html"})


def _other_parts(chance: random.Random, answer: dict[str, Any]) -> Fault:
    value: Any = answer
    for _ in range(chance.choice((1, 1, 2, 4))):
        value = with_another_part(value, chance)
    return Fault(200, json.dumps(value).encode())


def _wounded(chance: random.Random, answer: dict[str, Any]) -> Fault:
    return Fault(200, wounded(json.dumps(answer).encode(), chance))


def _status(chance: random.Random, answer: dict[str, Any]) -> Fault:
    headers = chance.choice(({}, {"Retry-After": "0"}, {"Retry-After": "x"}, {"Location": "http://[/x"}))
    return Fault(chance.choice((201, 204, 301, 302, 400, 401, 404, 429, 500, 503)), b"{", headers)


def _broken(chance: random.Random, answer: dict[str, Any]) -> Fault:
    write: Callable[[BaseHTTPRequestHandler], None] = chance.choice((cut_off, reset))
    return Fault(write=write)


def _endless(chance: random.Random, answer: dict[str, Any]) -> Fault:
    return Fault(write=_much)


def _much(handler: BaseHTTPRequestHandler) -> None:
    """Two hundred megabytes of hits, far more than was asked for."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b'{"response": {"docs": [')
    for _ in range(200_000_000 // len(HITS)):
        handler.wfile.write(HITS)
    handler.wfile.write(b'{"id": "b", "score": 1.0}]}}')
    handler.close_connection = True
