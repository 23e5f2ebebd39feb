"""The script that a user runs, which processes started anew would run once more."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def script_runs_once() -> Iterator[None]:
    """Processes started inside the block do not run a script that has no `if __name__ == "__main__":`.

    What such a script defines itself they cannot know; what they fail on is done here.
    """
    main = sys.modules["__main__"]
    if not _would_run_again(main):
        yield
        return
    file = main.__file__
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = file


def _would_run_again(main: object) -> bool:
    file = getattr(main, "__file__", None)
    if not file or getattr(main, "__spec__", None) is not None:
        return False
    try:
        return "__name__" not in Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
