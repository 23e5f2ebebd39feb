"""Finished blocks in files, which name their queries: one of other queries does not fit and is ranked anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.digests import digest_of
from rankscope.engines.nearest.block import BlockRanks
from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import Archive
from rankscope.ranks.ragged import Ragged
from rankscope.running.parts import PartsFolder
from rankscope.running.work_folders import work_folder

LISTS = ("judged", "ties", "distractors")


class BlockForm:
    """A block as arrays in an .npz file."""

    suffix = ".npz"

    def read(self, file: Path) -> BlockRanks | None:
        """The block in a file; None if there is none or it is damaged."""
        try:
            return _read(file)
        except (InputError, ValueError, KeyError):
            return None

    def write(self, ranks: BlockRanks, stream: BinaryIO) -> None:
        """Write a block."""
        np.savez(stream, allow_pickle=False, **_arrays(ranks))


class BlocksFolder(PartsFolder[BlockRanks]):
    """Blocks of one ranking, in a folder named by a digest of all its inputs and settings."""

    def __init__(self, result: str | Path, about: dict[str, Any]) -> None:
        super().__init__(work_folder(result, digest_of(about)[:16]), BlockForm())

    def block(self, number: int, queries: IntArray, ranked: Callable[[IntArray], BlockRanks]) -> BlockRanks:
        """A block of these queries from its file, or ranked now and written."""
        return self.kept(
            f"{number:06}", lambda: ranked(queries), lambda result: np.array_equal(result.queries, queries)
        )


def _arrays(block: BlockRanks) -> dict[str, Any]:
    result: dict[str, NDArray[Any]] = {"queries": block.queries, "left_out": block.left_out}
    for name in LISTS:
        lists: Ragged | None = getattr(block, name)
        if lists is not None:
            result[f"{name}.offsets"] = lists.offsets
            result.update({f"{name}.{column}": values for column, values in lists.columns.items()})
    return result


def _read(file: Path) -> BlockRanks | None:
    arrays = Archive.of(file).arrays()
    lists = {name: _lists(arrays, name) for name in LISTS}
    judged, ties = lists["judged"], lists["ties"]
    if judged is None or ties is None:
        return None
    return BlockRanks(
        queries=arrays["queries"],
        judged=judged,
        ties=ties,
        left_out=arrays["left_out"],
        distractors=lists["distractors"],
    )


def _lists(arrays: dict[str, NDArray[Any]], name: str) -> Ragged | None:
    if f"{name}.offsets" not in arrays:
        return None
    columns = {key.partition(".")[2]: values for key, values in arrays.items() if key.startswith(f"{name}.")}
    return Ragged(columns.pop("offsets"), columns)
