"""Files in a folder and below it: those that hold documents, with what each is called inside the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rankscope.inputs.sources import COMPRESSED_SUFFIXES

CORPUS = "corpus.jsonl"


def beir_corpus(folder: Path) -> Path | None:
    """The file of documents in a BEIR folder; None where it is no such folder."""
    candidates = (folder / f"{CORPUS}{packed}" for packed in ("", *COMPRESSED_SUFFIXES))
    return next((each for each in candidates if each.is_file()), None)


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and path of all files in a folder and below, in byte order; hidden ones, and links that lead out, are not.

    Names are relative to the folder, with `/` between their parts.
    """
    inside = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted((each for each in folders if not each.startswith(".")), key=os.fsencode)
        for each in sorted(names, key=os.fsencode):
            path = Path(place) / each
            if each.startswith(".") or not path.is_file():
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                continue
            yield path.relative_to(folder).as_posix(), path
