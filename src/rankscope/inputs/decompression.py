"""Plain bytes from packed ones, in portions of a known size, so that a small file cannot fill the memory unseen.

The packing is recognised by the first bytes, and from enough of them that no text begins so by chance.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from rankscope.inputs.expansion import ExpandedBytes
from rankscope.lazily import LazyModule

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
