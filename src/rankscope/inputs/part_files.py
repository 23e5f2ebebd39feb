"""Several files that are one input: a folder of parts, or a quoted pattern; one system, many parts.

Files are taken in byte order of their names below the folder. Names that begin with a dot or an underscore are notes
of the programs that wrote the folder (`_SUCCESS`, `.part-0.crc`) and are passed over.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankscope.errors import InputError
from rankscope.inputs.expansion import MAX_RATIO
from rankscope.inputs.remote import is_remote, remote_files, shown_address
from rankscope.inputs.sources import Source, without_suffix
from rankscope.names import name_of, one_line, visible

PATTERN_SIGNS = ("*", "?", "[")


@dataclass
class PartFiles:
    """The files in their order; it answers what a `Source` answers about a single one.

    >>> PartFiles("runs/bm25-*.parquet", (Source("runs/bm25-0.parquet"),), ("bm25-0.parquet",)).name
    'bm25-*.parquet'
    """

    path: str
    parts: tuple[Source, ...]
    names: tuple[str, ...]
    alone: bool = False  # a single file, whose lines need no name in front
    _reading: int = field(default=0, init=False, repr=False)

    @property
    def name(self) -> str:
        """What messages and provenance call all of them."""
        return _name_of_files(self.address)

    def stem(self, suffixes: Sequence[str] = ()) -> str:
        """A system's name: that of the folder, or what stands before the first sign of a pattern.

        >>> PartFiles("runs/bm25-*.parquet", (), ()).stem(), PartFiles("runs/dense/*.gz", (), ()).stem()
        ('bm25', 'dense')
        """
        if not is_pattern(self.path):
            return without_suffix(self.name if is_remote(self.path) else name_of(os.path.abspath(self.path)), suffixes)
        name = name_of(self.address)
        fixed = name[: min((name.find(sign) for sign in PATTERN_SIGNS if sign in name), default=0)]
        return fixed.rstrip("-_.=") or name_of(_fixed_folder(self.path)) or "run"

    @property
    def address(self) -> str:
        """Where they are, in words that tell them apart from others."""
        return shown_address(self.path) if is_remote(self.path) else self.path

    @property
    def digest(self) -> str:
        """SHA-256 of the lines `name size sha256` of all files."""
        return digest_of_files(
            [(name, each.size, each.digest) for name, each in zip(self.names, self.parts, strict=True)]
        )

    @classmethod
    def of_one(cls, source: Source) -> PartFiles:
        """A single file as the only one."""
        return cls(source.address, (source,), (source.name,), alone=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands before the lines of each file in messages: nothing where there is only one."""
        return () if self.alone else self.names

    @property
    def size(self) -> int:
        """All stored bytes."""
        return sum(each.size for each in self.parts)

    @property
    def share(self) -> float:
        """How much of the files has been read, from 0 to 1."""
        if not self.parts:
            return 1.0
        return (self._reading + self.parts[self._reading].share) / len(self.parts)

    def begin(self, number: int) -> Source:
        """The file that is being read from now on."""
        self._reading = number
        return self.parts[number]


def digest_of_files(files: Sequence[tuple[str, int, str]]) -> str:
    """The digest of several files, from the name, size and digest of each, in byte order of names.

    >>> digest_of_files([("b", 1, "0f"), ("a", 2, "ff")]) == hashlib.sha256(b"a 2 ff\\nb 1 0f\\n").hexdigest()
    True
    """
    lines = sorted((os.fsencode(name), size, digest) for name, size, digest in files)
    text = b"".join(name + f" {size} {digest}\n".encode() for name, size, digest in lines)
    return hashlib.sha256(text).hexdigest()


def is_pattern(path: str | Path) -> bool:
    """Whether a path is the pattern of several files, and not the name of one.

    >>> is_pattern("runs/bm25-*.parquet"), is_pattern("bm25.run")
    (True, False)
    """
    text = str(path)
    return any(sign in text for sign in PATTERN_SIGNS) and not os.path.lexists(text)


def part_files(path: str | Path, max_ratio: float = MAX_RATIO) -> PartFiles | None:
    """The files of a folder or pattern; None where the path is a single file. Where there is none, an `InputError`."""
    text = str(path)
    if is_remote(text):
        return _remote_part_files(text, max_ratio)
    if is_pattern(text):
        found, folder = sorted(glob.glob(text, recursive=True)), _fixed_folder(text)
    elif text != "-" and os.path.isdir(text):
        found, folder = _files_below(text), text
    else:
        return None
    named = sorted((os.fsencode(os.path.relpath(each, folder)), each) for each in found if os.path.isfile(each))
    kept = [(os.fsdecode(name), each) for name, each in named if not _is_note(os.fsdecode(name))]
    if not kept:
        what = "no file fits this pattern" if is_pattern(text) else "is a folder without files (nor a qrels/test.tsv)"
        raise InputError.of(_name_of_files(text), [what], f"Looked for {visible(text)}")
    sources = tuple(Source(each, max_ratio=max_ratio) for _, each in kept)
    return PartFiles(text, sources, tuple(one_line(name) for name, _ in kept))


def _name_of_files(path: str) -> str:
    """The last part of a path, with the folder before it where it begins like a pattern.

    >>> _name_of_files("runs/bm25"), _name_of_files("runs/bm25/*.run")
    ('bm25', 'bm25/*.run')
    """
    name = name_of(path.rstrip("/")) or "."
    folder = name_of(os.path.dirname(path.rstrip("/")))
    return f"{folder}/{name}" if name.startswith(PATTERN_SIGNS) and folder else name


def _remote_part_files(url: str, max_ratio: float) -> PartFiles | None:
    """The same elsewhere."""
    found = remote_files(url, max_ratio)
    if found is None:
        return None
    kept = sorted((pair for pair in found if not _is_note(pair[0])), key=lambda pair: os.fsencode(pair[0]))
    if not kept:
        raise InputError.of(shown_address(url), ["no file fits this address"])
    return PartFiles(url, tuple(source for _, source in kept), tuple(one_line(name) for name, _ in kept))


def _files_below(folder: str) -> list[str]:
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]


def _is_note(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split(os.sep))


def _fixed_folder(pattern: str) -> str:
    """The folders before the first sign of a pattern."""
    shown = shown_address(pattern) if is_remote(pattern) else pattern
    before = shown[: min(shown.find(sign) for sign in PATTERN_SIGNS if sign in shown)]
    return os.path.dirname(before) or "."
