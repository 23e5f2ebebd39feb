"""Small projects to try things on: twelve texts, three runs, two queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankscope.workbench.project import Project

LISTS = ("abcde", "axfbg", "hijka")  # the runs of the worked example
RELEVANT = "abcf"
ITEMS = "abcdefghijkxyz"
QUERIES = ("q1", "q2")


def write_sources(folder: Path) -> dict[str, Any]:
    """Documents, runs and topics in a folder, as `Project.new` takes them."""
    documents = [json.dumps({"id": each, "text": f"text of {each}"}) for each in ITEMS]
    (folder / "docs.jsonl").write_text("\n".join(documents))
    runs = []
    for number, items in enumerate(LISTS):
        rows = [f"{query} Q0 {item} {rank} {-rank} t" for query in QUERIES for rank, item in enumerate(items, 1)]
        (folder / f"r{number}.run").write_text("\n".join(rows) + "\n")
        runs.append(folder / f"r{number}.run")
    (folder / "topics.tsv").write_text("q1\tfoxes\nq2\tdogs\n")
    return {"texts": folder / "docs.jsonl", "runs": runs, "topics": folder / "topics.tsv"}


def small_project(folder: Path, **settings: Any) -> Project:
    """A project in `folder/project`, open."""
    return Project.new(folder / "project", **write_sources(folder), **settings)


def judge_all(project: Project, *assessors: int, most: int = 1000) -> list[tuple[int, str, str]]:
    """Everybody in turn judges what comes, as the example says, until nobody gets anything."""
    done: list[tuple[int, str, str]] = []
    for _ in range(most):
        before = len(done)
        for assessor in assessors:
            for loan in project.next_items(assessor):
                project.grade(assessor, loan.query, loan.item, int(loan.item in RELEVANT))
                done.append((assessor, loan.query, loan.item))
        if len(done) == before:
            break
    return done
