"""Journals of projects with wounds: the events that were acknowledged, or a clear error."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import wounded
from rankscope.workbench.journal_files import event_lines
from rankscope.workbench.project import Project

ITEMS = "abcdefghij"


@cache
def _stored() -> tuple[Path, Path, list[str]]:
    """A closed project with forty marks, the same as `kill -9` leaves it, and the lines of its journal."""
    folder = Path(tempfile.mkdtemp(prefix="rankscope-fuzz-"))
    (folder / "docs.jsonl").write_text("\n".join(json.dumps({"id": each, "text": f"of {each}"}) for each in ITEMS))
    run = [f"q{query} Q0 {item} {rank} {-rank} t" for query in (1, 2) for rank, item in enumerate(ITEMS, 1)]
    (folder / "a.run").write_text("\n".join(run) + "\n")
    (folder / "topics.tsv").write_text("q1\tfoxes\nq2\tdogs\n")
    made: dict[str, Any] = {"texts": folder / "docs.jsonl", "runs": [folder / "a.run"], "topics": folder / "topics.tsv"}
    with Project.new(folder / "project", **made) as project:
        person = project.invite("Ada").assessor.id
        for number in range(40):
            project.grade(person, f"q{1 + number % 2}", ITEMS[number % 10], number % 2)
        lines = list(event_lines(project))
        shutil.copytree(folder / "project", folder / "killed")
    return folder / "project", folder / "killed", lines


def journal_trial(chance: random.Random, folder: Path) -> Trial:
    """The database, its log, or what stands beside it, with wounds; opened to be read, or to be written too."""
    closed, killed, before = _stored()
    was_killed = chance.random() < 0.5
    place = folder / "project"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(killed if was_killed else closed, place)
    files = [
        path for path in sorted(place.iterdir()) if path.is_file() and path.stat().st_size and path.suffix != ".toml"
    ]
    usual = place / ("judgements.db-wal" if was_killed else "judgements.db")
    path = usual if chance.random() < 0.7 else chance.choice(files)
    path.write_bytes(wounded(path.read_bytes(), chance))
    readonly = chance.random() < 0.5

    def attempt() -> list[str]:
        with Project.open(place, readonly=readonly) as project:
            return list(event_lines(project))

    def same(found: list[str]) -> None:
        assert found == before, f"{path.name}: {len(found)} events in place of {len(before)}"

    return Trial(attempt, same)
