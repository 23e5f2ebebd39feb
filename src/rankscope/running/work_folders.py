"""Finished parts of long work in a folder next to the result, so that interrupted work can continue."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rankscope.files import made_folder, sibling
from rankscope.left_behind import remove_left_behind

WORK = ".work"


def work_folder(result: str | Path, digest: str = "") -> Path:
    """Where the parts of a result lie; `digest` where parts of other inputs or settings must lie elsewhere.

    >>> work_folder("out/clip.ranks.parquet", "0f").name
    '.clip.ranks.parquet.0f.work'
    """
    return sibling(Path(result), f".{digest}{WORK}" if digest else WORK)


@contextmanager
def parts_folder(work: str | Path | None, result: str | Path | None) -> Iterator[Path]:
    """Where finished parts lie: in a folder that was named, next to the result, or for this time only."""
    if work is not None or result is not None:
        place = Path(work) if work is not None else work_folder(str(result))
        with working_in(Path(os.path.abspath(place))) as folder:
            yield folder
        return
    with tempfile.TemporaryDirectory(prefix="rankscope-", ignore_cleanup_errors=True) as for_now:
        yield Path(for_now)


@contextmanager
def working_in(folder: Path) -> Iterator[Path]:
    """The folder, made; it goes when the block ends well, or when nothing was finished in it.

    So do those of the neighbourhood that earlier work left empty.
    """
    made_folder(folder)
    for other in folder.parent.glob(f".*{WORK}"):
        _remove_empty(other)
    try:
        yield made_folder(folder)
    except BaseException:
        _remove_empty(folder)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    """Remove a folder in which nothing is finished; a process that still works there makes it anew."""
    remove_left_behind(folder)
    with suppress(OSError):
        os.rmdir(folder)
