"""Digests: whether what is read is what was written, and one sentence where it is not; and stable random numbers."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rankscope.core.errors import InputError

DIGEST_KEY: Final = "digest"  # under which a record holds its own
CHUNK: Final = 1 << 20
UNSEALED: Final = "0" * 64
DAMAGED: Final = "is damaged: it does not hold what was written"


def damaged(source: str | Path, advice: str = "", where: str = "") -> InputError:
    """The error for a file, or a place in it, whose digest does not fit.

    >>> print(damaged("a.ranks.parquet", "Make it again."))
    a.ranks.parquet: 1 problem
      is damaged: it does not hold what was written
    Make it again.
    """
    return InputError.of(str(source), [f"{where} {DAMAGED}" if where else DAMAGED], advice)


@dataclass(frozen=True)
class FileDigest:
    """How many bytes a file has, and their CRC-32: cheap enough to be computed before every first use."""

    size: int
    checksum: int

    @classmethod
    def of(cls, path: Path) -> FileDigest:
        """From the file itself; one that cannot be read is an `InputError`."""
        checksum = size = 0
        try:
            with path.open("rb") as file:
                while piece := file.read(CHUNK):
                    checksum, size = zlib.crc32(piece, checksum), size + len(piece)
        except OSError as error:
            raise InputError.of(str(path), [f"cannot be read: {error.strerror}"]) from None
        return cls(size, checksum)


def digest_of(record: Mapping[str, Any]) -> str:
    """SHA-256 of a record as JSON.

    >>> digest_of({"method": "svm", "seed": 0})[:8]
    'e467ebfd'
    """
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def signed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its own digest in it."""
    return {**record, DIGEST_KEY: digest_of(record)}


def is_as_signed(record: Mapping[str, Any]) -> bool:
    """Whether a record holds what was signed; one of a time before digests is not looked at.

    >>> is_as_signed(signed({"rows": 3})), is_as_signed(signed({"rows": 3}) | {"rows": 4}), is_as_signed({"rows": 3})
    (True, False, True)
    """
    return DIGEST_KEY not in record or record[DIGEST_KEY] == digest_of(
        {name: record[name] for name in record if name != DIGEST_KEY}
    )


def seal(data: bytearray) -> None:
    """Write the digest of a file's bytes into the place that `UNSEALED` keeps for it among them.

    >>> data = bytearray(b"a file " + UNSEALED.encode() + b" and its end")
    >>> seal(data)
    >>> is_sealed(bytes(data), bytes(data[7:71]).decode()), is_sealed(bytes(data[:-1]), bytes(data[7:71]).decode())
    (True, False)
    """
    place = data.rfind(UNSEALED.encode())
    data[place : place + len(UNSEALED)] = hashlib.sha256(data).hexdigest().encode()


def is_sealed(data: bytes, digest: str) -> bool:
    """Whether bytes are those that were sealed with this digest, looked at before anything is made of them."""
    place, sealed = data.rfind(digest.encode()), memoryview(data)
    if place < 0 or len(digest) != len(UNSEALED):
        return False
    result = hashlib.sha256(sealed[:place])
    result.update(UNSEALED.encode())
    result.update(sealed[place + len(digest) :])
    return result.hexdigest() == digest


# Numbers between 0 and 1 that look random and are the same on every machine: BLAKE2b of what they are about.


def stable_random(*about: object) -> float:
    """A number from 0 up to 1 for these things, in this order.

    >>> stable_random(0, "ann", "q1", "a") == stable_random(0, "ann", "q1", "a") != stable_random(0, "bob", "q1", "a")
    True
    """
    text = "\0".join(map(str, about)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64
