"""Wounds of a file as bytes, regardless of its format: what disks, networks and editors do to it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import struct
from collections.abc import Callable

import zstandard

ODD = (
    b"\0",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"  ",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\n\xef\xbb\xbf",
    b"nan",
    b"inf",
    b"-1e999",
    b"#",
    b"'",
    b'"',
    b",",
    b";",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"-1",
    b"99999999999999999999",
    b"0x1p3",
    b"1_0",
    b"\xc2\xa0",
    b"\x1f\x8b",
    b"PAR1",
    b"ARROW1",
    b"BZh9",
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"null",
    b"true",
    b"\x0b\x0c\x1c\x85",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
)
NUMBERS = (0, 1, -1, 127, 255, 1 << 15, 1 << 31, (1 << 31) - 1, 1 << 40, 1 << 55, (1 << 63) - 1)
PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    gzip.compress,
    bz2.compress,
    lzma.compress,
    zstandard.ZstdCompressor().compress,
)


def wounded(data: bytes, chance: random.Random) -> bytes:
    """A few wounds: bits flipped, bytes changed, cut out, doubled, odd ones put in, numbers put over, the end cut."""
    result = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        place = chance.randrange(len(result) + 1)
        WOUNDS[chance.randrange(len(WOUNDS))](result, place, chance)
    return bytes(result)


def _flip(data: bytearray, place: int, chance: random.Random) -> None:
    if place < len(data):
        data[place] ^= 1 << chance.randrange(8)


def _change(data: bytearray, place: int, chance: random.Random) -> None:
    if place < len(data):
        data[place] = chance.randrange(256)


def _cut_out(data: bytearray, place: int, chance: random.Random) -> None:
    del data[place : place + chance.randrange(1, 40)]


def _double(data: bytearray, place: int, chance: random.Random) -> None:
    data[place:place] = data[place : place + chance.randrange(1, 60)]


def _odd(data: bytearray, place: int, chance: random.Random) -> None:
    data[place:place] = chance.choice(ODD)


def _number(data: bytearray, place: int, chance: random.Random) -> None:
    form = chance.choice("hiq")
    written = struct.pack("<q", chance.choice(NUMBERS))[: struct.calcsize(f"<{form}")]
    data[place : place + len(written)] = written


def _cut_off(data: bytearray, place: int, chance: random.Random) -> None:
    del data[place:]


def _noise(data: bytearray, place: int, chance: random.Random) -> None:
    data[place:place] = chance.randbytes(chance.randrange(1, 20))


WOUNDS = (_flip, _flip, _change, _cut_out, _double, _odd, _odd, _number, _cut_off, _noise)


def packed(data: bytes, chance: random.Random) -> tuple[bytes, bool]:
    """Perhaps packed, perhaps in several members, perhaps damaged; and whether the plain bytes are still in it."""
    if chance.random() > 0.1:
        return data, True
    pack = chance.choice(PACKERS)
    cut = chance.randrange(len(data) + 1)
    stored = pack(data) if chance.random() < 0.7 else pack(data[:cut]) + pack(data[cut:])
    if chance.random() < 0.4:
        return wounded(stored, chance), False
    return stored, True
