"""Browsing and feedback over HTTP: 20,000 items of 256 features, in this process, processor time of whole answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from rankscope.feedback.methods import ALL
from rankscope.workbench.pages import Reach, Workbench, workbench_application
from rankscope.workbench.project import Project
from tests.workbench.asgi_client import AsgiClient, client_of

ITEMS, FEATURES = 20_000, 256
EXAMPLES = 10  # of each kind
REPEATS = 5
LIMIT = 100.0  # ms of a round


def browsing(folder: Path) -> str:
    """More like this, a round of every method, and graphs."""
    with large_collection(folder) as project:
        bench = Workbench(project, Reach(rate=1e6))
        with client_of(workbench_application(project, bench=bench)) as client:
            headers = {"authorization": f"Bearer {project.invite('bench', 'admin').token}"}
            client.client.headers.update(headers)
            first = _processor(lambda: client.get("/like/7"), 1)
            like = _processor(lambda: client.get("/like/7"), REPEATS)
            session = _session(client)
            rows = [
                f"| {ITEMS:,} items of {FEATURES} features, whole answers | processor time |",
                "|---|---|",
                f"| more like this, the first one | {first:.0f} ms |",
                f"| more like this, 20 of {ITEMS:,}, a page | {like:.1f} ms |",
                *_graphs(client, session),
            ]
            return "\n".join([*rows, *_rounds(client)])


def large_collection(folder: Path) -> Project:
    """Texts in 40 classes that features tell apart a little."""
    chance = np.random.default_rng(0)
    middle = chance.normal(size=(40, FEATURES))
    label = np.arange(ITEMS) % 40
    matrix = (middle[label] + 2 * chance.normal(size=(ITEMS, FEATURES))).astype(np.float32)
    ids = np.array([f"d{number}" for number in range(ITEMS)])
    (folder / "docs.jsonl").write_text("\n".join(json.dumps({"id": each, "text": "t"}) for each in ids))
    np.savez(folder / "features.npz", features=matrix, ids=ids)
    return Project.new(folder / "project", texts=folder / "docs.jsonl", features=[folder / "features.npz"])


def _session(client: AsgiClient) -> int:
    """A session with examples of both kinds."""
    number: int = _asked(client, "/session", item=7)["session"]
    shown = client.get(f"/session/{number}", headers={"accept": "application/json"}).json()["shown"]
    for place, each in enumerate(shown[: 2 * EXAMPLES - 1]):
        opinion = "relevant" if place < EXAMPLES - 1 else "not"
        _asked(client, f"/session/{number}/marks", item=each["number"], opinion=opinion)
    return number


def _asked(client: AsgiClient, address: str, **fields: Any) -> Any:
    answer = client.post(address, json=fields, headers={"accept": "application/json"})
    assert answer.status_code in (200, 204), answer.text
    return answer.json() if answer.content else None


def _rounds(client: AsgiClient) -> list[str]:
    """The second round of each method in a session of its own: what is prepared once is prepared."""
    rows, slow = [], []
    for method in ALL:
        session = _session(client)
        told = client.post(f"/session/{session}/round", json={"method": method}, headers={"accept": "application/json"})
        if told.status_code == 400:
            continue
        spent = _processor(lambda: _asked(client, f"/session/{session}/round", method=method), 1)  # noqa: B023
        slow += [method] if spent > LIMIT else []
        rows.append(f"| a round of {method}, {EXAMPLES} + {EXAMPLES} examples, a page | {spent:.0f} ms |")
    return [*rows, f"| methods over {LIMIT:.0f} ms | {', '.join(slow) or 'none'} |"]


def _graphs(client: AsgiClient, session: int) -> list[str]:
    def draw(kind: str) -> Callable[[], Any]:
        return lambda: client.get(f"/session/{session}/graph/{kind}?truth=marks")

    first = _processor(draw("precision-scope"), 1)
    return [
        f"| the first graph | {first:.0f} ms |",
        f"| precision-scope graph, made and drawn | {_processor(draw('precision-scope'), REPEATS):.0f} ms |",
    ]


def _processor(ask: Callable[[], Any], repeats: int) -> float:
    """Milliseconds of processor time, the median."""
    spent = []
    for _ in range(repeats):
        begin = time.process_time()
        ask()
        spent.append(1000 * (time.process_time() - begin))
    return median(spent)
