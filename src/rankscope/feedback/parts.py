"""Finished parts of a study in a folder beside the result, so that work that was stopped goes on where it was.

A part is one method in some sessions. Its file is named by a digest of everything its numbers hang on, and appears only
when it is whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.errors import InputError
from rankscope.files import atomic, made_folder
from rankscope.inputs.formats.frames import read_frame
from rankscope.work_folders import work_folder, working_in


class PartsFolder:
    """The folder of one result; it goes when the study has ended well."""

    def __init__(self, result: str | Path) -> None:
        self.path = work_folder(result)

    @contextmanager
    def open(self) -> Iterator[PartsFolder]:
        """Make the folder; it stays for the next time when the block does not end well."""
        with working_in(self.path):
            yield self

    def read(self, digest: str) -> pl.DataFrame | None:
        """A finished part, or None where there is none that is whole."""
        file = self.path / f"{digest}.parquet"
        try:
            return read_frame(file) if file.exists() else None
        except InputError:
            return None

    def write(self, digest: str, frame: pl.DataFrame) -> None:
        """Keep a finished part."""
        with atomic(made_folder(self.path) / f"{digest}.parquet", "wb") as file:
            frame.write_parquet(file)


def digest_of(about: dict[str, Any]) -> str:
    """A name for a part: equal names are equal work.

    >>> digest_of({"method": "svm", "seed": 0})[:8]
    'e467ebfd'
    """
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
