"""Messages between two processes: eight bytes that say how long each is, then its bytes."""

from __future__ import annotations

from typing import IO

HEAD = 8


def send(stream: IO[bytes], message: bytes) -> None:
    """One message, on its way when this returns."""
    stream.write(len(message).to_bytes(HEAD, "big"))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes], longest: int) -> bytes | None:
    """The next message; None where the other side has gone, or sends more than it may.

    >>> import io
    >>> stream = io.BytesIO()
    >>> send(stream, b"a fox")
    >>> _ = stream.seek(0)
    >>> receive(stream, 100), receive(stream, 100)
    (b'a fox', None)
    """
    length = int.from_bytes(head, "big") if len(head := stream.read(HEAD)) == HEAD else longest + 1
    if length > longest:
        return None
    message = stream.read(length)
    return message if len(message) == length else None
