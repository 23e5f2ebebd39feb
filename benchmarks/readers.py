"""The two readers of TREC text against each other: mangled files, cut into blocks of every size.

`python -m benchmarks readers` compares 100,000 of them; the tests some hundreds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.inputs import lines
from rankscope.inputs.formats import trec
from rankscope.inputs.lines import LineLayout
from rankscope.inputs.problems import Problems
from rankscope.inputs.run_rows import line_numbers

FILES = 100_000
WORDS = ["1", "q1", "q2", "doc-00017", "é", "漢字", "#", "#1", '"', "x,y", "a\x1fb", "http://a.b/c?d=e-and-more", "0"]
NUMBERS = ["1", "2.5", "-1", "17.283899307250977", "0.000123", "-0.0", ".5", "3.", "1e-5", "+2", "inf", "nan", "1_0"]
NUMBERS += ["9007199254740993", "123456789012345678901", "0.1e3", "-", ".", "1.2.3", "12a", "00012", "4" * 30]
BLANKS = [" ", " ", " ", "  ", "\t", "\v", "\f", "\r", " \t "]
LINE_ENDS = ["\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n# a comment\n", "\n \n"]


@dataclass(frozen=True)
class Read:
    """All that a reader makes of a text: rows with the bits of their numbers, and problems."""

    rows: list[tuple[Any, ...]]
    problems: list[str]
    count: int


def mangled_text(seed: int) -> bytes:
    """Lines of a run or of judgements; mostly tidy, some with a wound of one kind or another."""
    luck = random.Random(seed)
    tidy = luck.random() < 0.5
    odd = luck.choice([0.0, 0.0, 0.05, 0.4])
    lines = []
    for _ in range(luck.randrange(12)):
        kinds = [WORDS, WORDS, WORDS, NUMBERS, NUMBERS, WORDS][: luck.choice([6, 6, 6, 4])]
        words = [luck.choice(kind if luck.random() < odd else kind[:4]) for kind in kinds]
        if len(kinds) == 4:
            words = [words[0], "0", *words[2:]]
        if luck.random() < odd:
            words = words[: luck.randrange(8)] + [luck.choice(WORDS)] * luck.randrange(3)
        blanks, ends = ([" "], ["\n"]) if tidy else (BLANKS, LINE_ENDS)
        lines.append("".join(word + luck.choice(blanks) for word in words)[:-1] + luck.choice(ends))
    text = bytearray("".join(lines).encode())
    for _ in range(luck.choice([0, 0, 0, 0, 1, 3]) if text else 0):
        text[luck.randrange(len(text))] = luck.randrange(256)
    return bytes(text[: luck.randrange(len(text) + 1)] if luck.random() < 0.2 else text)


def cut_at_lines(text: bytes, lines: int) -> list[bytes]:
    """Blocks of so many lines."""
    *whole, rest = text.split(b"\n")
    every = [line + b"\n" for line in whole] + ([rest] if rest else [])
    return [b"".join(every[first : first + lines]) for first in range(0, len(every), lines)]


def read_blocks(blocks: list[bytes], layout: LineLayout, comments: bool, simple: bool) -> Read:
    """What comes out of blocks; `simple` says whether the reader that looks at blanks alone is asked first."""
    problems = Problems("file")
    reader = lines.LineReader(layout, problems, comments, simple)
    rows: list[tuple[Any, ...]] = []
    for part in _parts(reader, blocks):
        texts = [part.texts[name].to_list() for name in part.texts]
        bits = [part.numbers[name].view(np.int64).tolist() for name in part.numbers]
        rows += zip(*texts, *bits, line_numbers(part.line).tolist(), strict=True)
    return Read(rows, [str(problem) for problem in problems.report().problems], problems.count)


def _parts(reader: lines.LineReader, blocks: list[bytes]) -> Iterator[Any]:
    for block in blocks:
        yield from reader.read(block)
    yield from reader.finish()


LAYOUTS = (trec.RUN_LINE, trec.RUN_LINE.want("rank"), trec.QRELS_LINE)


def first_difference(seed: int) -> str:
    """How the two readers differ on one file, read and cut as the seed says; empty if they agree."""
    text, luck = mangled_text(seed), random.Random(-seed)
    layout, comments = luck.choice(LAYOUTS), luck.random() < 0.7
    lines = 1 + luck.randrange(text.count(b"\n") + 1)
    expected = read_blocks([text] if text else [], layout, comments, simple=False)
    found = read_blocks(cut_at_lines(text, lines), layout, comments, simple=True)
    if found == expected:
        return ""
    return f"seed {seed}, {layout.kind}, {lines} lines a block: {text!r}: {found} instead of {expected}"


def agreement() -> str:
    """A sentence for the page; a difference stops the benchmark."""
    read_simply = 0
    for seed in range(FILES):
        difference = first_difference(seed)
        if difference:
            raise AssertionError(difference)
        read_simply += lines.simple_rows(mangled_text(seed), trec.RUN_LINE, True, 1) is not None
    return (
        f"{FILES:,} mangled files, read as runs, as runs with ranks and as judgements, with comments and without, in "
        "blocks of 1, 2, 3, ... lines: the reader that looks at blanks alone and the one that cleans and explains gave "
        f"the same rows, bits, line numbers and problems every time ({read_simply:,} of the files were simple enough "
        "to be read whole by the first).\n"
    )
