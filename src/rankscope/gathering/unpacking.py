"""Bodies as they were before they were packed for the way, in pieces that are small even where little becomes much."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from rankscope.gathering.left_out import NoDocument

PIECE = 1 << 16
GZIP = 16 + zlib.MAX_WBITS


def unpacked(chunks: Iterable[bytes], packing: str) -> Iterator[bytes]:
    """The pieces of a body; `packing` is what the header Content-Encoding says.

    >>> import gzip
    >>> b"".join(unpacked([gzip.compress(b"a fox")], "gzip"))
    b'a fox'
    """
    name = packing.strip().lower()
    if name in ("", "identity"):
        return iter(chunks)
    if name in ("gzip", "x-gzip"):
        return _from_gzip(chunks)
    raise NoDocument(f"comes packed as '{name[:40]}', which was not asked for")


def _from_gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(GZIP)
    try:
        for chunk in chunks:
            data = chunk
            while data:
                if member.eof:
                    member = zlib.decompressobj(GZIP)
                yield from _pieces(member, data)
                data = member.unused_data
    except zlib.error:
        raise NoDocument("says that it is packed with gzip and is not") from None
    if not member.eof:
        raise NoDocument("is cut off in the middle of its gzip")


def _pieces(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    piece = member.decompress(data, PIECE)
    while piece:
        yield piece
        piece = member.decompress(member.unconsumed_tail, PIECE)
