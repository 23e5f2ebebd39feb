"""Pieces of a marked text, safe to show: in HTML, on a terminal, or plain."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from rankscope.names import visible

SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n\s*")
SPACE: Final = re.compile(r"\s+")
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
AGAIN: Final = 0.1  # what a word counts that the piece has already


class MarkedWord(NamedTuple):
    """Where one of the query's words stands: first sign, the one behind its last, weight, and what it is found by.

    Weights tell which piece of a text says most.
    """

    start: int
    end: int
    weight: float
    found_by: str


@dataclass(frozen=True)
class Fragment:
    """A piece of a text with the words of a query; places of marks count from the beginning of the piece.

    >>> piece = Fragment("a <b> fox", (MarkedWord(6, 9, 1.0, "body:fox"),), start=20)
    >>> piece.html(), piece.plain("[", "]")
    ('a &lt;b&gt; <mark>fox</mark>', 'a <b> [fox]')
    """

    text: str
    marks: tuple[MarkedWord, ...]
    start: int  # where the piece begins in the whole text

    @property
    def weight(self) -> float:
        """The weights of the words in it; what comes again counts a tenth."""
        best = {mark.found_by: mark.weight for mark in self.marks}
        return sum(best.values()) + AGAIN * (sum(mark.weight for mark in self.marks) - sum(best.values()))

    def html(self, tag: str = "mark") -> str:
        """HTML in which nothing of the text is read as HTML."""
        return "".join(f"<{tag}>{html.escape(part)}</{tag}>" if marked else html.escape(part) for part, marked in self)

    def terminal(self) -> str:
        """One line with the words in bold; nothing of the text steers the terminal."""
        return "".join(f"{BOLD}{part}{PLAIN}" if marked else part for part, marked in self._one_line())

    def plain(self, before: str = "", after: str = "") -> str:
        """One line with something before and after each word."""
        return "".join(f"{before}{part}{after}" if marked else part for part, marked in self._one_line())

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        """The parts of the text, and whether each is one of the query's words."""
        end = 0
        for mark in self.marks:
            if mark.start > end:
                yield self.text[end : mark.start], False
            yield self.text[mark.start : mark.end], True
            end = mark.end
        if end < len(self.text):
            yield self.text[end:], False

    def _one_line(self) -> Iterator[tuple[str, bool]]:
        for part, marked in self:
            yield visible(SPACE.sub(" ", part)), marked


def best_fragments(text: str, marks: Sequence[MarkedWord], count: int, size: int) -> list[Fragment]:
    """The pieces that weigh most, in the order of the text; the first one where nothing is marked.

    >>> text = "A dog barked. A cat slept. A fox came. Nobody saw it."
    >>> [each.text for each in best_fragments(text, [MarkedWord(29, 32, 1.0, "fox")], count=1, size=20)]
    ['A fox came.']
    """
    pieces = [_piece(text, marks, start, end) for start, end in cut_text(text, marks, size)]
    best = sorted((each for each in pieces if each.marks), key=lambda each: -each.weight)[:count]
    return sorted(best, key=lambda each: each.start) or pieces[:1]


def cut_text(text: str, marks: Sequence[MarkedWord], size: int) -> Iterator[tuple[int, int]]:
    """Where pieces of at most about `size` signs begin and end: whole sentences, or words where one is too long.

    None of the query's words is cut.
    """
    begin = end = 0
    for start, stop in _sentences(text):
        if end > begin and stop - begin > size:
            yield from _shorter(text, marks, begin, end, size)
            begin = start
        end = stop
    if end > begin:
        yield from _shorter(text, marks, begin, end, size)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences and lines begin and end, without the space around them."""
    breaks = [(0, 0), *(found.span() for found in SENTENCE_END.finditer(text)), (len(text), len(text))]
    for (_, start), (stop, _) in pairwise(breaks):
        if text[start:stop].strip():
            yield start, stop


def _shorter(text: str, marks: Sequence[MarkedWord], begin: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """One piece, or several where it is too long, cut at spaces where there are any."""
    while end - begin > size:
        space = text.rfind(" ", begin + size // 2, begin + size)
        cut = space if space > begin else begin + size
        cut = next((mark.end for mark in marks if mark.start < cut < mark.end), cut)
        if cut >= end:
            break
        yield begin, cut
        begin = cut + (text[cut : cut + 1] == " ")
    if end > begin:
        yield begin, end


def _piece(text: str, marks: Sequence[MarkedWord], start: int, end: int) -> Fragment:
    inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
    moved = (mark._replace(start=mark.start - start, end=mark.end - start) for mark in inside)
    return Fragment(text[start:end], tuple(moved), start)
