"""Adds documents to an index and ends itself without a word at a given moment.

    python -m tests.engines.text.killed_writer INDEX MOMENT

Moments are what Python says of files: opened, renamed, removed, folders made. Small blocks, so that tiers are merged.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

WATCHED = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


def documents(name: str, count: int) -> list[dict[str, str]]:
    return [{"id": f"{name}{number}", "body": f"fox {name} {'dog ' * (number % 5)}"} for number in range(count)]


def end_at(moment: int, folder: str) -> None:
    """Kill this process when something is done in the folder for the so many-th time."""
    left = moment

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in WATCHED and arguments and folder in os.fspath(str(arguments[0])):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def main(folder: str, moment: int) -> None:
    from rankscope.engines.text import Index, index_files, segments

    segments.MOST_DOCUMENTS = 3  # type: ignore[misc]
    index_files.MOST_OF_A_TIER = 2  # type: ignore[misc]
    index = Index.open(Path(folder))
    end_at(moment, folder)
    index.add(documents("b", 15), delete=["a0"]).merge()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
