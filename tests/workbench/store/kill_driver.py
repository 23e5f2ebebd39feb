"""A process that only saves marks: one a line from standard input, acknowledged on standard output.

    python -m tests.workbench.store.kill_driver FOLDER [DATABASE]

Reads `ASSESSOR KEY QUERY ITEM GRADE`; answers `KEY NUMBER` when the mark is on the disk, `KEY !` and the reason when it
is not. The first line it writes is `ready`.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future
from functools import partial

from rankscope.workbench.project import Project
from rankscope.workbench.store.events import MarkEvent
from rankscope.workbench.store.journal import Saved


def answer(key: str, done: Future[Saved]) -> None:
    error = done.exception()
    said = str(done.result().event.id) if error is None else f"! {str(error).splitlines()[0]}"
    os.write(1, f"{key} {said}\n".encode())


def main(folder: str, database: str | None = None) -> None:
    with Project.open(folder, database=database) as project:
        os.write(1, b"ready\n")
        for line in sys.stdin:
            assessor, key, query, item, grade = line.split()
            mark = MarkEvent(assessor=int(assessor), key=key, kind="grade", query=query, item=item, grade=int(grade))
            project.send(mark).add_done_callback(partial(answer, key))


if __name__ == "__main__":
    main(*sys.argv[1:])
