"""The workbench: speeds, marks a second, time to open a journal, what kill -9 leaves, and what attacks get.

Everything runs on the disk of this machine, in `.bench`, and waits for it as users do; bare commits tell how quick that
disk is.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchmarks import workbench_http, workbench_safety, workbench_speeds
from benchmarks.lengths import length
from rankscope.workbench.project import Project
from rankscope.workbench.store.databases import SQLite
from rankscope.workbench.store.events import Event, State, without_collecting
from rankscope.workbench.store.journal import Journal
from tests.postgres import Cluster, private_cluster
from tests.workbench.projects import write_sources
from tests.workbench.store.killing import Load, kill_again_and_again, problems_of

JUDGES = 50
SECONDS = length(60.0, 3.0)
THOUGHT = 0.5  # seconds between two marks of a judge who thinks
EVENTS = 100_000
KILLS = length(50, 3)
SERVER_KILLS = length(5, 1)


@dataclass(frozen=True)
class Loaded:
    """What a minute of judging gave."""

    rate: float
    median: float  # ms
    p99: float  # ms
    worst: float  # ms
    wrong: int  # lost, doubled or surplus


def report(folder: Path) -> str:
    """The section of the page."""
    place = folder / "workbench"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with postgresql() as cluster:
        speeds = workbench_speeds.speeds(_made(place / "speeds"))
        parts = [_over_http(place, cluster), _marks(place, cluster), _opening(place), _killing(place, cluster)]
    missing = [] if cluster else ["PostgreSQL was not there: its rows are missing."]
    return "\n\n".join([speeds, *parts, workbench_safety.safety(_made(place / "safety")), *missing])


@contextmanager
def postgresql() -> Iterator[Cluster | None]:
    """A server of our own, with its password in the environment; None where there is none to start."""
    import pytest

    try:
        with private_cluster() as cluster:
            os.environ.update(cluster.environment)
            yield cluster
    except pytest.skip.Exception:
        with nullcontext():
            yield None


def _marks(folder: Path, cluster: Cluster | None) -> str:
    """Fifty judges in a closed loop, and fifty who think; each gets an item, marks it and waits for the answer."""
    rows = [
        f"| the same below HTTP, {SECONDS:.0f} s | marks/s | median | p99 | worst | lost, doubled or surplus |",
        "|---|---|---|---|---|---|",
    ]
    for name, address in databases(cluster):
        for way, thought in (("closed loop", 0.0), (f"{THOUGHT} s of thought", THOUGHT)):
            own = folder / f"{name}-{thought}"
            own.mkdir()
            found = judge_for(large_project(own, address), SECONDS, thought)
            waits = f"{found.median:.1f} ms | {found.p99:.1f} ms | {found.worst:.0f} ms"
            rows.append(f"| {name}, {way} | {found.rate:,.0f} | {waits} | {found.wrong} |")
    rows.append(f"| bare commits of one row, one after the other, SQLite | {bare_commits(folder):,.0f} | | | | |")
    return "\n".join(rows)


def _over_http(folder: Path, cluster: Cluster | None) -> str:
    """Fifty judges against a server process."""
    rows = [
        f"| 50 judges at once over HTTP, {SECONDS:.0f} s | marks/s | median | p99 | worst | processor time a mark "
        "| lost, doubled or surplus |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, address in databases(cluster):
        for way, thought in (("closed loop", 0.0), (f"{THOUGHT} s of thought", THOUGHT)):
            own = folder / f"http-{name}-{thought}"
            own.mkdir()
            found = workbench_http.judge_over_http(large_project(own, address), SECONDS, thought)
            rows.append(workbench_http.row(f"{name}, {way}", found))
    return "\n".join(rows)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def databases(cluster: Cluster | None) -> list[tuple[str, str | None]]:
    return [("SQLite", None)] + ([("PostgreSQL", cluster.address)] if cluster else [])


def large_project(folder: Path, address: str | None, items: int = length(2000, 200), queries: int = 100) -> Project:
    """A pool of 200,000 pairs: more than can be judged in a minute; a short run has a tenth."""
    (folder / "docs.jsonl").write_text("\n".join(json.dumps({"id": f"d{n}", "text": "t"}) for n in range(items)))
    ranked = (f"q{query} Q0 d{item} {item + 1} {-item} t" for query in range(queries) for item in range(items))
    (folder / "a.run").write_text("\n".join(ranked) + "\n")
    project = Project.new(
        folder / "project", texts=folder / "docs.jsonl", runs=[folder / "a.run"], database=address, repeat=0.0
    )
    project.make_pool(f"depth({items})")
    return project


def judge_for(project: Project, seconds: float, thought: float) -> Loaded:
    """Let judges work so long; then compare what they were told with what is there when the project is opened again."""
    people = [project.invite(f"judge {number}").assessor.id for number in range(JUDGES)]
    acknowledged: list[list[int]] = [[] for _ in people]
    times: list[list[float]] = [[] for _ in people]
    ends = time.perf_counter() + seconds

    def judge(place: int) -> None:
        who = people[place]
        while time.perf_counter() < ends:
            (loan,) = project.next_items(who)
            begin = time.perf_counter()
            acknowledged[place].append(project.grade(who, loan.query, loan.item, 1, ms=900).event.id)
            times[place].append(time.perf_counter() - begin)
            time.sleep(thought)

    begin = time.perf_counter()
    threads = [threading.Thread(target=judge, args=(place,)) for place in range(JUDGES)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    took = time.perf_counter() - begin
    project.close()
    told = list(itertools.chain.from_iterable(acknowledged))
    waits = sorted(1000 * each for each in itertools.chain.from_iterable(times))
    return Loaded(
        rate=len(told) / took,
        median=statistics.median(waits),
        p99=waits[int(0.99 * len(waits))],
        worst=waits[-1],
        wrong=wrong_marks(project, told),
    )


def wrong_marks(project: Project, told: list[int]) -> int:
    """Marks that are not there, are there twice, or are more than an item needs."""
    with Project.open(project.folder, readonly=True) as again:
        events = {event.id: event for event in again.state.events}
        lost = sum(number not in events for number in told)
        doubled = len(told) - len(set(told)) + len(events) - len({(e.assessor, e.key) for e in events.values()})
        beyond = sum(event.is_surplus for event in events.values())
        over = sum(len(again.state.counted(pair)) > again.assignment.places(pair) for pair in again.state.answers)
    return lost + doubled + beyond + over


def bare_commits(folder: Path, number: int = 300) -> float:
    """Commits a second of one row each, in a file with the same settings: what the disk allows without a group."""
    base = sqlite3.connect(folder / "bare.db", isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute("CREATE TABLE one (value)")
    begin = time.perf_counter()
    for value in range(number):
        base.execute("INSERT INTO one VALUES (?)", (value,))
    took = time.perf_counter() - begin
    base.close()
    return number / took


def _opening(folder: Path) -> str:
    """The state of a journal of 100,000 events."""
    database = SQLite(folder / "events.db")
    database.connect()
    journal = Journal(database)
    journal.create({}, [], [])
    journal.append([_event(number) for number in range(1, EVENTS + 1)])
    took = min(_timed_opening(journal) for _ in range(5))
    database.close()
    return f"The state of {EVENTS:,} events is rebuilt in {took:.2f} s of processor time (best of five)."


def _event(number: int) -> Event:
    return Event(
        id=number,
        at_us=number,
        assessor=number % 50,
        key=f"key {number}",
        kind="grade",
        query=f"q{number % 100}",
        item=f"item {number // 100}",
        grade=number % 3,
        ms=900,
        of=None,
        detail=None,
        pool=1,
        guideline=1,
    )


def _timed_opening(journal: Journal) -> float:
    begin = time.process_time()
    with without_collecting():
        state = State.of(journal.events())
    took = time.process_time() - begin
    assert state.last == EVENTS
    return took


def _killing(folder: Path, cluster: Cluster | None) -> str:
    """Kill our process, and for PostgreSQL the server too, at random moments under load."""
    rows = ["| kill -9 under load | kills | of the server | acknowledged | problems |", "|---|---|---|---|---|"]
    for name, address in databases(cluster):
        own = folder / f"killed-{name}"
        own.mkdir()
        with Project.new(own / "project", **write_sources(own), database=address) as project:
            for number in range(Load().clients):
                project.invite(f"client {number}")
        server = cluster if address else None
        times = SERVER_KILLS if server else 0
        load = kill_again_and_again(own / "project", KILLS, seed=17, cluster=server, kill_cluster=times)
        problems = problems_of(load, own / "project", address)
        rows.append(f"| {name} | {KILLS} | {times} | {len(load.acknowledged):,} | {len(problems)} |")
    return "\n".join(rows)
