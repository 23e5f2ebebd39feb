"""Mangled, truncated and random files: each must give a result or a RankscopeError, never another exception."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.errors import RankscopeError
from rankscope.measures.evaluate import evaluate

PAIRS = [(query, item) for query in (1, 2, 3) for item in range(9)]
RUN = b"".join(b"%d Q0 D%03d %d %.4f tag\n" % (query, item, item, 9 - item / 7) for query, item in PAIRS)
QRELS = b"".join(b"%d 0 D%03d %d\n" % (query, item, item % 3) for query in (1, 2, 4) for item in range(0, 9, 2))
OTHERS = {
    "csv": (b"query,item,score\n1,D000,2.5\n1,D001,1.5\n2,D000,1\n", b"query,item,grade\n1,D000,1\n2,D001,0\n"),
    "json": (b'{"1": {"D000": 2.5, "D001": 1}, "2": {"D000": 1}}', b'{"1": {"D000": 1}, "2": {"D000": 0, "D001": 2}}'),
    "jsonl": (
        b'{"query": "1", "item": "D000", "score": 2.5}\n{"query": 2, "item": "D000", "score": 1}\n',
        b'{"query": "1", "item": "D000", "grade": 1}\n{"query": "2", "item": "D001", "grade": 0}\n',
    ),
}
ODD = (
    b"\0", b"\n", b"\n\n", b"\r\n", b"\t", b"  ", b"\xff\xfe", b"\xef\xbb\xbf", b"nan", b"inf", b"-1e999", b"#", b"'",
    b'"', b",", b"{", b"}", b"[", b"]", b":", b"-1", b"99999999999999999999", b"0x1p3", b"1_0", b"\xc2\xa0",
    b"\x1f\x8b", b"PAR1", b"ARROW1", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"null", b"true",
    b"\x0b\x0c\x1c\x85",
)  # fmt: skip
PACKERS: tuple[Callable[[bytes], bytes], ...] = (gzip.compress, bz2.compress, lzma.compress)


def mangled(seed: bytes, chance: random.Random) -> bytes:
    """A few random wounds: bytes changed, cut out, doubled, odd ones put in, the end cut off, packed, and cut."""
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        place = chance.randrange(len(data) + 1)
        wound = chance.randrange(6)
        if wound == 0 and data:
            data[min(place, len(data) - 1)] = chance.randrange(256)
        elif wound == 1:
            del data[place : place + chance.randrange(1, 40)]
        elif wound == 2:
            data[place:place] = data[place : place + chance.randrange(1, 60)]
        elif wound == 3:
            data[place:place] = chance.choice(ODD)
        elif wound == 4:
            del data[place:]
        else:
            data[place:place] = chance.randbytes(chance.randrange(1, 20))
    made = bytes(data)
    if chance.random() < 0.1:
        made = chance.choice(PACKERS)(made)
        made = made[: chance.randrange(len(made) + 1)] if chance.random() < 0.5 else made
    return made


def attempt(qrels: Path, run: Path, options: dict[str, Any]) -> str:
    """What came of it, in a word; anything but a result or a RankscopeError is raised."""
    try:
        evaluate(qrels, run, ["AP", "nDCG@10", "P@10", "bpref", "infAP", "RBP"], **options)
        return "result"
    except RankscopeError:
        return "clear error"


def fuzz(files: int, seed: int = 0) -> Counter[str]:
    """Try so many files, judgements and runs in turn."""
    chance = random.Random(seed)
    came: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        for number in range(files):
            good_run, good_qrels = chance.choice([(RUN, QRELS)] * 3 + list(OTHERS.values()))
            if chance.random() < 0.03:
                good_run = chance.randbytes(chance.randrange(300))
            on_run = number % 3 != 2
            run.write_bytes(mangled(good_run, chance) if on_run else good_run)
            qrels.write_bytes(good_qrels if on_run else mangled(good_qrels, chance))
            options: dict[str, Any] = {"duplicates": chance.choice(("error", "best", "first", "last"))}
            options["ties"] = chance.choice(("trec_eval", "trec_eval", "given", "rank", "hash", "ascending"))
            try:
                came[attempt(qrels, run, options)] += 1
            except Exception as error:
                both = f"{run.read_bytes()!r}\n{qrels.read_bytes()!r}"
                raise AssertionError(f"file {number}, {options}:\n{both}") from error
    return came


def report(files: int) -> str:
    """The counts in words."""
    came = fuzz(files)
    counts = ", ".join(f"{count:,} gave a {word}" for word, count in sorted(came.items()))
    return f"{files:,} files: {counts}; no other exception.\n"
