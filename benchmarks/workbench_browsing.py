"""Browsing and feedback: 20,000 items of 256 features, in this process, processor time of whole answers.

Matrix products run on one core, as in `rankscope serve`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.lengths import length
from rankscope.core.threads import one_core_each
from rankscope.feedback.methods import ALL
from rankscope.workbench.pages import Reach, Workbench, workbench_application
from rankscope.workbench.project import Project
from tests.workbench.asgi_client import AsgiClient, client_of
from tests.workbench.pages.pictured import pixels_of, png_of

ITEMS, FEATURES = length(20_000, 2_000), 256
CLASSES = 40
EXAMPLES = 10  # of each kind
REPEATS = 5
JSON = {"accept": "application/json"}


@dataclass(frozen=True)
class Browsed:
    """Milliseconds of processor time; of rounds by method, of graphs by kind."""

    first_like: float
    like: float
    first_graph: float
    graphs: dict[str, float]
    rounds: dict[str, float]

    @property
    def slowest(self) -> tuple[str, float]:
        """The method that takes longest for a round."""
        return max(self.rounds.items(), key=lambda each: each[1])


def browse(project: Project) -> Browsed:
    """More like this, a round of every method, and graphs."""
    bench = Workbench(project, Reach(rate=1e6))
    with one_core_each(), client_of(workbench_application(project, bench=bench)) as client:
        client.client.headers.update({"authorization": f"Bearer {project.invite('bench', 'admin').token}"})
        first = _processor(lambda: client.get("/like/7"), 1)
        like = _processor(lambda: client.get("/like/7"), REPEATS)
        session = _session(client)
        first_graph = _processor(_drawing(client, session, "rounds"), 1)
        kinds = ("precision-scope", "precision-recall", "grip")
        return Browsed(
            first_like=first,
            like=like,
            first_graph=first_graph,
            graphs={kind: _processor(_drawing(client, session, kind), REPEATS) for kind in kinds},
            rounds=_rounds(client),
        )


def large_collection(folder: Path) -> Project:
    """Pictures in 40 classes, one folder each, with features that separate them a little; each is the same file."""
    chance = np.random.default_rng(0)
    middle = chance.normal(size=(CLASSES, FEATURES))
    label = np.arange(ITEMS) % CLASSES
    matrix = (middle[label] + 2 * chance.normal(size=(ITEMS, FEATURES))).astype(np.float32)
    names = [f"c{each:02d}/{number:05d}.png" for number, each in enumerate(label.tolist())]
    picture = png_of(pixels_of("red", 0, 8))
    for each in range(CLASSES):
        (folder / "pictures" / f"c{each:02d}").mkdir(parents=True)
    for name in names:
        (folder / "pictures" / name).write_bytes(picture)
    np.savez(folder / "features.npz", features=matrix, ids=np.array(names))
    return Project.new(folder / "project", images=folder / "pictures", features=[folder / "features.npz"])


def _session(client: AsgiClient) -> int:
    """A session with examples of both kinds."""
    number: int = _asked(client, "/session", item=7)["session"]
    shown = client.get(f"/session/{number}", headers=JSON).json()["shown"]
    for place, each in enumerate(shown[: 2 * EXAMPLES - 1]):
        opinion = "relevant" if place < EXAMPLES - 1 else "not"
        _asked(client, f"/session/{number}/marks", item=each["number"], opinion=opinion)
    return number


def _asked(client: AsgiClient, address: str, **fields: Any) -> Any:
    answer = client.post(address, json=fields, headers=JSON)
    assert answer.status_code in (200, 204), answer.text
    return answer.json() if answer.content else None


def _rounds(client: AsgiClient) -> dict[str, float]:
    """The second round of each method in a session of its own: what is prepared once is prepared."""
    found = {}
    for method in ALL:
        session = _session(client)
        told = client.post(f"/session/{session}/round", json={"method": method}, headers=JSON)
        if told.status_code != 400:  # it needs what this collection has not: words, counts
            found[method] = _processor(_learning(client, session, method), 1)
    return found


def _learning(client: AsgiClient, session: int, method: str) -> Callable[[], Any]:
    return lambda: _asked(client, f"/session/{session}/round", method=method)


def _drawing(client: AsgiClient, session: int, kind: str) -> Callable[[], Any]:
    def draw() -> None:
        answer = client.get(f"/session/{session}/graph/{kind}?truth=class")
        assert answer.status_code == 200, answer.text

    return draw


def _processor(ask: Callable[[], Any], repeats: int) -> float:
    """Milliseconds of processor time, the median."""
    spent = []
    for _ in range(repeats):
        begin = time.process_time()
        ask()
        spent.append(1000 * (time.process_time() - begin))
    return median(spent)
