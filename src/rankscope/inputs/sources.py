"""Where bytes come from: a file or standard input, packed or not, read once in blocks that end at a line.

The digest is of the bytes as stored, so that it can be checked with `sha256sum`. Packing is recognised by the first
bytes. Plain bytes come in portions and are counted, so that a small file cannot fill the memory unseen.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from rankscope.core.caching import LazyModule
from rankscope.core.errors import InputError
from rankscope.core.names import name_of, visible
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    import bz2
    import lzma
else:
    bz2, lzma = LazyModule("bz2"), LazyModule("lzma")

PORTION = 4 << 20  # plain bytes at once
DICTIONARY = 512 << 20  # memory that xz may ask for; its own strongest level needs 65 MB


class Unpacker(Protocol):
    """What bz2 and lzma have in common, and the others are given."""

    @property
    def eof(self) -> bool:
        """Whether a member has come to its end."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether there is nothing more to unpack in what was given."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What stands behind the end."""
        ...

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """The next bytes of plain data, no more than so many; the rest waits."""
        ...


class _Gzip:
    """zlib's, which leaves what it has not read to the caller."""

    def __init__(self) -> None:
        self.made = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self.made.eof

    @property
    def needs_input(self) -> bool:
        return not self.made.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self.made.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self.made.decompress(self.made.unconsumed_tail + data, max_length)


class _Zstd:
    """Zstandard's, which knows no limit: it is fed so little at once that a portion is about what it can give."""

    STEP = 512  # bytes: blocks of four bytes can become 128 kB each

    def __init__(self) -> None:
        import zstandard

        self.made = zstandard.ZstdDecompressor().decompressobj()
        self.waiting = b""

    @property
    def eof(self) -> bool:
        return bool(self.made.eof)

    @property
    def needs_input(self) -> bool:
        return not self.waiting

    @property
    def unused_data(self) -> bytes:
        return bytes(self.made.unused_data) + self.waiting

    def decompress(self, data: bytes, max_length: int) -> bytes:
        fed = memoryview(self.waiting + data)
        plain, place, size = [], 0, 0
        while place < len(fed) and size < max_length and not self.made.eof:
            plain.append(self.made.decompress(fed[place : place + self.STEP]))
            place, size = place + self.STEP, size + len(plain[-1])
        self.waiting = bytes(fed[place:])
        return b"".join(plain)


# Signatures that text cannot begin with: three of them are no UTF-8, and bzip2's is that of its first block too.
SIGNATURES: tuple[tuple[re.Pattern[bytes], Callable[[], Any]], ...] = (
    (re.compile(rb"\x1f\x8b"), _Gzip),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), lambda: bz2.BZ2Decompressor()),
    (re.compile(rb"\xfd7zXZ\x00"), lambda: lzma.LZMADecompressor(memlimit=DICTIONARY)),
    (re.compile(rb"\x28\xb5\x2f\xfd"), _Zstd),
)


def unpack_bytes(stored: Iterable[bytes], expansion: ExpandedBytes) -> Iterator[bytes]:
    """The plain bytes of a file, whether it is packed or not; a damaged one raises `ValueError` with the reason."""
    chunks = _counted(stored, expansion)
    first = next(chunks, b"")
    everything = chain([first], chunks)
    for signature, make in SIGNATURES:
        if signature.match(first):
            return _members(everything, make, expansion)
    return everything


def _counted(stored: Iterable[bytes], expansion: ExpandedBytes) -> Iterator[bytes]:
    for chunk in stored:
        expansion.stored += len(chunk)
        yield chunk


def _members(stored: Iterable[bytes], make: Callable[[], Unpacker], expansion: ExpandedBytes) -> Iterator[bytes]:
    """One or several packed members, one behind the other, perhaps padded with zeros."""
    unpacker = make()
    try:
        for piece in stored:
            while piece or not (unpacker.needs_input or unpacker.eof):
                if unpacker.eof:
                    if not piece.strip(b"\0"):
                        break
                    unpacker = make()
                plain = unpacker.decompress(piece, PORTION)
                piece = unpacker.unused_data if unpacker.eof else b""
                expansion.add(len(plain))
                if plain:
                    yield plain
    except (OSError, EOFError, zlib.error, lzma.LZMAError, MemoryError, _zstd_error()) as error:
        raise ValueError(f"the compressed data is damaged: {error}") from None
    if not unpacker.eof:
        raise ValueError("the compressed data is cut off before its end")


def _zstd_error() -> type[Exception]:
    import zstandard

    return zstandard.ZstdError


# How much data a file becomes when it is unpacked: a file of a few kilobytes can be made to fill every memory.

MAX_RATIO = 200.0
ALWAYS_ALLOWED = 1 << 30  # plain bytes that any file may become


class TooLargeError(ValueError):
    """More comes out of a file than `max_ratio` allows."""


@dataclass
class ExpandedBytes:
    """Plain bytes so far, of a file that is `stored` bytes long; too many raise `TooLargeError`.

    >>> ExpandedBytes(stored=2000).add(2 << 30)
    Traceback (most recent call last):
    rankscope.inputs.sources.TooLargeError: it unpacks to more than 1.0 GB, over 200 times its own 2,000 bytes
    """

    stored: int
    max_ratio: float = MAX_RATIO
    plain: int = 0

    @property
    def most(self) -> float:
        """Plain bytes that are allowed."""
        return max(ALWAYS_ALLOWED, self.max_ratio * self.stored)

    def add(self, size: int) -> None:
        self.plain += size
        if self.plain > self.most:
            times = f"over {self.max_ratio:g} times its own {self.stored:,} bytes"
            raise TooLargeError(f"it unpacks to more than {self.most / (1 << 30):.1f} GB, {times}")


def expansion_advice() -> str:
    """What to do about a file that becomes too large."""
    return f"If that is as it should be, allow it with {setting_usage('max_ratio', 'N')}."


BLOCK = 3 << 19
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MARKS = re.compile(rb"(^|[\n\r])(?:[ \t\v\f]*" + BYTE_ORDER_MARK + rb")+")
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


@dataclass
class Source:
    """A file by its path, or `-` for standard input; compression is recognised by the first bytes, not from the name.

    `part` says which of the rankings or judgements in it is meant, where a file or folder holds several. `max_ratio` is
    how many times its own size a packed file may become, beyond 1 GB.
    >>> Source("runs/bm25.run.gz").name
    'bm25.run.gz'
    """

    path: str
    part: str = ""
    max_ratio: float = MAX_RATIO
    _digest: str = field(default="", init=False, repr=False)
    _read: int = field(default=0, init=False, repr=False)
    _spooled: BinaryIO | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, path: str | Path, max_ratio: float = MAX_RATIO) -> Source:
        """A path as people give it: behind a `#` may stand the part, unless the `#` belongs to the file's own name."""
        if "://" in str(path):
            from rankscope.inputs.remote import RemoteSource, is_remote

            if is_remote(path):
                return RemoteSource(str(path), max_ratio)
        whole, mark, part = str(path).rpartition("#")
        if mark and part and not os.path.exists(path) and (whole == "-" or os.path.exists(whole)):
            return cls(whole, part, max_ratio)
        return cls(str(path), max_ratio=max_ratio)

    @property
    def name(self) -> str:
        """What messages and provenance call it; never the folder it lies in."""
        name = "standard input" if self.path == "-" else name_of(self.path)
        return f"{name}#{self.part}" if self.part else name

    @property
    def address(self) -> str:
        """Where it is, in words that tell it apart from others; nothing is read for that."""
        return self.path

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of where it was found."""
        return ()

    @property
    def is_folder(self) -> bool:
        """Whether the path is a folder rather than a file."""
        return self.path != "-" and os.path.isdir(self.path)

    def stem(self, suffixes: Iterable[str] = ()) -> str:
        """The name without the suffix of its compression and one of these, for use as a system's name.

        >>> Source("runs/input.bm25.gz").stem([".run"])
        'input.bm25'
        """
        name = "stdin" if self.path == "-" else without_suffix(name_of(self.path), COMPRESSED_SUFFIXES)
        name = without_suffix(name, suffixes)
        return f"{name}#{self.part}" if self.part else name

    @property
    def digest(self) -> str:
        """SHA-256 of the stored bytes; reads them if nobody has yet."""
        if not self._digest:
            for _ in self._stored():
                pass
        return self._digest

    @property
    def stamp(self) -> tuple[int, str]:
        """What changes when somebody writes to the file; a missing one is an `InputError`."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise self._cannot_be_read(error) from None
        return status.st_size, str(status.st_mtime_ns)

    @property
    def size(self) -> int:
        """How many bytes are stored; 0 for standard input."""
        return Path(self.path).stat().st_size if self.path != "-" else 0

    @property
    def share(self) -> float:
        """How much of the stored bytes has been read, from 0 to 1; 1 for standard input."""
        whole = self.size
        return min(1.0, self._read / whole) if whole else 1.0

    def reached(self, share: float) -> None:
        """Somebody else reads the file, and has come so far."""
        self._read = int(share * self.size)

    def release(self) -> None:
        """Nobody reads it for now: what was made for reading can go."""

    def begins_with(self, magic: bytes) -> bool:
        """Whether it is a file that can be read again and again, not packed, and begins so."""
        if self.path == "-" or not os.path.isfile(self.path):
            return False
        with open(self.path, "rb") as file:
            return file.read(len(magic)) == magic

    def head(self, size: int = 65536) -> bytes:
        """The first plain bytes, for telling the format."""
        plain = b""
        for chunk in self._plain(self._stored(size, digest=False)):
            plain += chunk
            if len(plain) >= size:
                break
        return plain[:size]

    def whole(self) -> bytes:
        """All plain bytes at once, without a byte order mark."""
        return b"".join(self._plain(self._stored())).removeprefix(BYTE_ORDER_MARK)

    def chunks(self) -> Iterator[bytes]:
        """All plain bytes in portions as they come."""
        return self._plain(self._stored())

    def blocks(self, size: int = 0, inner_marks: bool = False) -> Iterator[bytes]:
        """Plain bytes in blocks that end with a whole line; only the last one may lack its line end.

        A byte order mark goes where the file begins, and where a line does unless `inner_marks` are to stay.
        """
        for number, block in enumerate(self._whole_lines(size or BLOCK)):
            if inner_marks:
                yield block.removeprefix(BYTE_ORDER_MARK) if number == 0 else block
            else:
                yield without_marks(block)

    def _whole_lines(self, size: int) -> Iterator[bytes]:
        rest: list[bytes] = []
        for chunk in _gathered(self._plain(self._stored(size)), size):
            end = chunk.rfind(b"\n") + 1
            if end == 0:
                rest.append(chunk)
                continue
            yield b"".join([*rest, memoryview(chunk)[:end]])
            rest = [chunk[end:]]
        if any(rest):
            yield b"".join(rest)

    def _stored(self, size: int = BLOCK, digest: bool = True) -> Iterator[bytes]:
        sha = hashlib.sha256()
        self._read = 0
        with self._open() as file:
            while chunk := self._chunk(file, size):
                self._read += len(chunk)
                if digest and not self._digest:
                    sha.update(chunk)
                yield chunk
        if digest and not self._digest:
            self._digest = sha.hexdigest()

    def _open(self) -> BinaryIO:
        if self._spooled is not None:
            return _Rewound(self._spooled)  # type: ignore[return-value]
        try:
            if self.path == "-":
                return self._kept(sys.stdin.buffer)
            file = open(self.path, "rb", buffering=0)  # noqa: SIM115  (the caller closes it)
            if file.seekable():
                return file
            with file:
                return self._kept(file)
        except OSError as error:
            raise self._cannot_be_read(error) from None
        except ValueError as error:  # a NUL in the path
            raise InputError.of(self.name, [f"cannot be read: {error}"]) from None

    def _kept(self, stream: BinaryIO) -> BinaryIO:
        """Standard input and pipes can be read only once, so their bytes are kept in a temporary file."""
        import shutil
        import tempfile

        spooled = tempfile.SpooledTemporaryFile(max_size=BLOCK)  # noqa: SIM115  (it lives as long as the source)
        shutil.copyfileobj(stream, spooled, BLOCK)
        weakref.finalize(self, spooled.close)
        self._spooled = spooled  # type: ignore[assignment]
        return _Rewound(spooled)  # type: ignore[return-value,arg-type]

    def _chunk(self, file: BinaryIO, size: int) -> bytes:
        try:
            return file.read(size)
        except OSError as error:
            raise self._cannot_be_read(error) from None

    def _cannot_be_read(self, error: OSError) -> InputError:
        return InputError.of(self.name, [f"cannot be read: {error.strerror}"], f"Looked for {visible(str(self.path))}")

    def _plain(self, stored: Iterable[bytes]) -> Iterator[bytes]:
        """The bytes unpacked; what is damaged, or becomes far more than it is, raises."""
        try:
            yield from unpack_bytes(stored, ExpandedBytes(0, self.max_ratio))
        except TooLargeError as error:
            raise InputError.of(self.name, [str(error)], expansion_advice()) from None
        except ValueError as error:
            raise InputError.of(self.name, [str(error)]) from None


def without_marks(text: bytes) -> bytes:
    """Text without byte-order marks where lines begin, blanks aside: joining files leaves them in the middle.

    >>> without_marks("\ufeffq1 ...\\n\ufeffq2 ...".encode())
    b'q1 ...\\nq2 ...'
    """
    return text if text.isascii() or BYTE_ORDER_MARK not in text else MARKS.sub(rb"\1", text)


def without_suffix(name: str, suffixes: Iterable[str]) -> str:
    """A file's name without one of these suffixes, in whatever case; a name is never left empty.

    >>> without_suffix("bm25.RUN", [".run"]), without_suffix(".run", [".run"])
    ('bm25', '.run')
    """
    fitting = (suffix for suffix in suffixes if name.lower().endswith(suffix) and len(name) > len(suffix))
    return name[: len(name) - len(max(fitting, key=len, default=""))]


def packed_or_not(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, packed or not; None where there is neither."""
    places = (folder / f"{name}{packed}" for packed in ("", *COMPRESSED_SUFFIXES))
    return next((each for each in places if each.is_file()), None)


def _gathered(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Small chunks joined until they reach `size`."""
    waiting: list[bytes] = []
    for chunk in chunks:
        waiting.append(chunk)
        if sum(map(len, waiting)) >= size:
            yield b"".join(waiting)
            waiting = []
    if waiting:
        yield b"".join(waiting)


class _Rewound:
    """Standard input once more from its beginning; leaving the `with` block does not lose it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        file.seek(0)

    def __enter__(self) -> _Rewound:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self, size: int) -> bytes:
        return self.file.read(size)
