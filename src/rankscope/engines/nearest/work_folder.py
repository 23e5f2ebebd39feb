"""Finished blocks in a folder beside the result, so that work that was stopped goes on where it was.

A block's file appears under its name only when it is whole, and names its queries; what does not fit is made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.nearest.block import BlockRanks
from rankscope.errors import InputError
from rankscope.files import atomic, made_folder
from rankscope.inputs.arrays_in_files import Archive
from rankscope.ranks.ragged import Ragged
from rankscope.work_folders import work_folder, working_in

LISTS = ("judged", "ties", "distractors")


class WorkFolder:
    """Blocks of one piece of work, in a folder named by a digest of all its inputs and settings."""

    def __init__(self, result: str | Path, about: dict[str, Any]) -> None:
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
        self.path = work_folder(result, digest)
        self.reused = 0

    @contextmanager
    def open(self) -> Iterator[WorkFolder]:
        """Make the folder; it goes when the block ends well, and stays for the next time when blocks are finished."""
        with working_in(self.path):
            yield self

    def kept(self, number: int, queries: IntArray, ranked: Callable[[IntArray], BlockRanks]) -> BlockRanks:
        """A block from its file, or ranked now and written."""
        file = self.path / f"{number:06}.npz"
        found = _read(file, queries)
        if found is not None:
            self.reused += 1
            return found
        made = ranked(queries)
        with atomic(made_folder(self.path) / file.name, "wb") as stream:
            np.savez(stream, allow_pickle=False, **_arrays(made))
        return made


def _arrays(block: BlockRanks) -> dict[str, Any]:
    made: dict[str, NDArray[Any]] = {"queries": block.queries, "left_out": block.left_out}
    for name in LISTS:
        lists: Ragged | None = getattr(block, name)
        if lists is not None:
            made[f"{name}.offsets"] = lists.offsets
            made.update({f"{name}.{column}": values for column, values in lists.columns.items()})
    return made


def _read(file: Path, queries: IntArray) -> BlockRanks | None:
    """The block in a file, None if there is none, it is damaged, or it is about other queries."""
    try:
        stored = Archive.of(file)
        arrays = {name: np.array(stored.array(name)) for name in stored.names}
        if not np.array_equal(arrays["queries"], queries):
            return None
        lists = {name: _lists(arrays, name) for name in LISTS}
        judged, ties = lists["judged"], lists["ties"]
        if judged is None or ties is None:
            return None
        return BlockRanks(arrays["queries"], judged, ties, arrays["left_out"], lists["distractors"])
    except (InputError, ValueError, KeyError):
        return None


def _lists(arrays: dict[str, NDArray[Any]], name: str) -> Ragged | None:
    if f"{name}.offsets" not in arrays:
        return None
    columns = {key.partition(".")[2]: values for key, values in arrays.items() if key.startswith(f"{name}.")}
    return Ragged(columns.pop("offsets"), columns)
