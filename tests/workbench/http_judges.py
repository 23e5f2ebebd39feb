"""Many judges at once over HTTP, each with a connection of its own: ask, mark, wait for the answer, mark the next.

Run it as a program (`python -m tests.workbench.http_judges`) for a load from another process; it reads what to do as
JSON and prints what it did.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

TASKS = 12  # asked for at once


@dataclass
class Load:
    """What was acknowledged: key, task and grade of each mark, by token, and how long each answer took."""

    marks: list[tuple[str, str, str, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Judge:
    """One of them."""

    def __init__(self, host: str, port: int, token: str, thought: float) -> None:
        self.host, self.port, self.token, self.thought = host, port, token, thought
        self.head = f"Host: {host}:{port}\r\nAuthorization: Bearer {token}\r\nAccept: application/json\r\n"

    async def come(self, load: Load) -> None:
        """Connect, and get the first items."""
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.tasks = await self.next_tasks(load)

    async def next_tasks(self, load: Load) -> list[Any]:
        """Some items to judge; none where nothing is left."""
        status, view = await self.ask(f"GET /judge?tab=t&count={TASKS} HTTP/1.1\r\n{self.head}\r\n")
        load.wrong += [f"GET {status}"] * (status != 200)
        tasks: list[Any] = json.loads(view)["tasks"] if status == 200 else []
        return tasks

    async def work(self, load: Load, until: float) -> None:
        """Judge until the time is up, or nothing is left."""
        try:
            while self.tasks:
                for each in self.tasks:
                    if time.monotonic() >= until:
                        return
                    await self.mark(load, each["task"])
                self.tasks = await self.next_tasks(load)
        finally:
            self.writer.close()
            await self.writer.wait_closed()

    async def mark(self, load: Load, task: str) -> None:
        """Say something, and wait until it is saved."""
        key, grade = secrets.token_hex(12), len(load.seconds) % 3
        body = json.dumps({"key": key, "kind": "grade", "task": task, "grade": grade, "ms": 1000})
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        begin = time.perf_counter()
        status, answer = await self.ask(f"POST /judge/marks HTTP/1.1\r\n{self.head}{kind}\r\n{body}")
        load.seconds.append(time.perf_counter() - begin)
        if status == 204:
            load.marks.append((self.token, key, task, grade))
        else:
            load.wrong.append(f"POST {status} {answer.decode()[:200]}")
        if self.thought:
            await asyncio.sleep(self.thought)

    async def ask(self, text: str) -> tuple[int, bytes]:
        """One request and its answer."""
        self.writer.write(text.encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        lengths = [int(line[15:]) for line in lines if line.lower().startswith(b"content-length:")]
        return int(lines[0].split()[1]), await self.reader.readexactly(lengths[0] if lengths else 0)


async def judge_for(address: str, tokens: Sequence[str], seconds: float, thought: float = 0.0) -> Load:
    """All of them at the same time; the time begins when everybody has something to judge."""
    host, _, port = address.removeprefix("http://").partition(":")
    judges, load = [Judge(host, int(port), each, thought) for each in tokens], Load()
    await asyncio.gather(*(each.come(load) for each in judges))
    until = time.monotonic() + seconds
    await asyncio.gather(*(each.work(load, until) for each in judges))
    return load


def problems_of(project: Any, bench: Any, load: Load) -> list[str]:
    """What is lost, doubled or surplus in a project's journal, as against what was acknowledged."""
    from rankscope.workbench.pages.items import pair_of

    found = []
    kept: dict[tuple[int, str], list[Any]] = {}
    for event in project.state.events:
        kept.setdefault((event.assessor, event.key), []).append(event)
        if event.is_surplus:
            found.append(f"surplus: {event}")
    for token, key, task, grade in load.marks:
        person = project.assessor_of_token(token)
        events = kept.pop((person.id, key), [])
        said = [(event.query, event.item, event.grade) for event in events]
        if said != [(*pair_of(bench, task), grade)]:
            found.append(f"lost or doubled: {key} {said}")
    found += [f"nobody was told: {key}" for key in kept][: max(0, len(kept) - len(load.wrong))]
    for pair in project.state.answers:
        if len(project.state.counted(pair)) > project.assignment.places(pair):
            found.append(f"too many marks: {pair}")
    return found


def main() -> None:
    """What is asked for comes as JSON; what was done leaves as JSON."""
    asked = json.load(sys.stdin)
    json.dump(asdict(asyncio.run(judge_for(**asked))), sys.stdout)


if __name__ == "__main__":
    main()
