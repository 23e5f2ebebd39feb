"""Fifty judges at once over HTTP: no mark is lost, doubled or surplus, and no item gets more than its places."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from rankscope.workbench.project import Project
from rankscope.workbench.service.server import running
from tests.workbench.http_judges import judge_for, problems_of
from tests.workbench.pages.served import Reach, Workbench, workbench_application

JUDGES = 50
SECONDS = 2.0


def many_items(folder: Path, items: int, queries: int) -> Project:
    """A project of short texts, each query with a run that finds all of them."""
    names = [f"d{number}" for number in range(items)]
    (folder / "docs.jsonl").write_text("\n".join(json.dumps({"id": name, "text": name}) for name in names))
    (folder / "topics.tsv").write_text("".join(f"q{number}\tquery {number}\n" for number in range(queries)))
    lines = [f"q{query} Q0 {name} {rank} {-rank} t\n" for query in range(queries) for rank, name in enumerate(names, 1)]
    (folder / "all.run").write_text("".join(lines))
    project = Project.new(
        folder / "judging",
        texts=folder / "docs.jsonl",
        topics=folder / "topics.tsv",
        runs=[folder / "all.run"],
        double=0.1,
        repeat=0.02,
    )
    project.make_pool(f"depth({items})")
    return project


@pytest.mark.thorough
def test_fifty_judges_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    with many_items(tmp_path, 300, 8) as project:
        tokens = [project.invite(f"judge {number}").token for number in range(JUDGES)]
        bench = Workbench(project, Reach(rate=1e6))
        with running(workbench_application(project, bench=bench)) as address:
            load = asyncio.run(judge_for(address, tokens, SECONDS))
        assert load.wrong == []
        assert len(load.marks) >= JUDGES
        assert problems_of(project, bench, load) == []


def test_judges_who_finish_a_pool_fill_every_place_once(tmp_path: Path) -> None:
    with many_items(tmp_path, 20, 2) as project:
        tokens = [project.invite(f"judge {number}").token for number in range(12)]
        bench = Workbench(project, Reach(rate=1e6))
        with running(workbench_application(project, bench=bench)) as address:
            load = asyncio.run(judge_for(address, tokens, 60.0))
        assert load.wrong == []
        assert problems_of(project, bench, load) == []
        assert project.progress().open == 0
