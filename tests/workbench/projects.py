"""Small projects to try things on: fourteen texts, three runs, two queries; and a small index to serve."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.engines.text import Index
from rankscope.workbench.project import Project

LISTS = ("abcde", "axfbg", "hijka")  # the runs of the worked example
RELEVANT = "abcf"
ITEMS = "abcdefghijkxyz"
QUERIES = ("q1", "q2")
ANN, BOB, CAT = 2, 3, 4  # who is invited first, second and third
WORDS = ["fox", "dog", "cat", "den", "snow", "night", "river", "stone", "leaf", "wind"]


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


def judged_project(
    folder: Path, method: str = "depth(3)", budget: int | None = None, names: str = "ann bob", **settings: Any
) -> Project:
    """A small project with a guideline, a pool and judges; everything is judged once."""
    project = small_project(folder, **{"double": 0.0, "repeat": 0.0, **settings})
    project.add_guideline("Relevant is what a user would want to see.")
    project.make_pool(method, budget=budget)
    for name in names.split():
        project.invite(name)
    return project


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


@cache
def small_index() -> Index:
    """Sixty documents of few words, with every tenth without a title."""
    return Index.build(
        [
            {
                "id": f"d{number:02d}",
                "title": None if number % 10 == 9 else f"{WORDS[number % 7]} {number % 4}",
                "body": " ".join(WORDS[(number * step) % 10] for step in range(1, 4 + number % 9)) + ". A <b> & night.",
            }
            for number in range(60)
        ]
    )
