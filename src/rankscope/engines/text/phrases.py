"""Where the words of a phrase stand near enough to each other, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import IndexReader, Postings
from rankscope.engines.text.queries import Phrase, check_time

ROOM = 1 << 31  # more than any position


def phrase_frequencies(reader: IndexReader, node: Phrase) -> tuple[Numbers, NDArray[np.float32]]:
    """Documents with the phrase, ascending, and its frequency in each."""
    found = {term: reader.postings(node.field, term, positions=True) for term in dict.fromkeys(node.terms)}
    lists = [found[term] for term in node.terms]
    if not node.slop:
        return _exact(lists, node.positions)
    first, *others = found.values()
    docs = first.docs
    for each in others:
        docs = np.intersect1d(docs, each.docs, assume_unique=True)
    docs = docs.astype(np.intp)
    frequencies = _sloppy(lists, node, docs)
    kept = frequencies > 0
    return docs[kept], frequencies[kept]


def _exact(lists: Sequence[Postings], offsets: Sequence[int]) -> tuple[Numbers, NDArray[np.float32]]:
    """Every place where all terms stand at their offsets counts 1."""
    keys = [_keys(each, offset - offsets[0]) for each, offset in zip(lists, offsets, strict=True)]
    keys.sort(key=len)
    common = keys[0]
    for key in keys[1:]:
        common = np.intersect1d(common, key, assume_unique=True)
    docs, counts = np.unique(common // ROOM, return_counts=True)
    return docs.astype(np.intp), counts.astype(np.float32)


def _keys(postings: Postings, offset: int) -> Numbers:
    """One number for each document and place where the phrase would begin."""
    places = postings.positions.astype(np.int64) - offset
    return postings.owners.astype(np.int64)[places >= 0] * ROOM + places[places >= 0]


def _sloppy(lists: Sequence[Postings], node: Phrase, docs: Numbers) -> NDArray[np.float32]:
    """The frequency in each of these documents; where every term stands once, they are worked out together."""
    begins, counts = _bounds(lists, docs)
    once = (counts == 1).all(axis=0)
    frequencies = np.zeros(len(docs), dtype=np.float32)
    if len(set(node.terms)) == len(node.terms):
        first = [each.positions[begin[once]].astype(np.int64) for each, begin in zip(lists, begins, strict=True)]
        values = np.stack(first) - np.array(node.positions)[:, None]
        length = values.max(axis=0) - values.min(axis=0)
        frequencies[once] = np.where(length <= node.slop, 1 / (1 + length), 0)
    for place in np.flatnonzero(~once).tolist():
        check_time()
        positions = [
            each.positions[begin : begin + count].tolist()
            for each, begin, count in zip(lists, begins[:, place], counts[:, place], strict=True)
        ]
        frequencies[place] = sloppy_frequency(positions, node)
    return frequencies


def _bounds(lists: Sequence[Postings], docs: Numbers) -> tuple[Numbers, Numbers]:
    """Where the positions of each term begin in each of these documents, and how many there are."""
    begins, counts = [], []
    for each in lists:
        place = np.searchsorted(each.docs, docs)
        counts.append(each.counts[place].astype(np.int64))
        begins.append((np.cumsum(each.counts, dtype=np.int64) - each.counts)[place])
    return np.stack(begins), np.stack(counts)


def sloppy_frequency(positions: Sequence[list[int]], node: Phrase) -> float:
    """How often a phrase stands in one document, given where each of its terms stands.

    >>> round(sloppy_frequency([[0, 5], [2]], Phrase("body", ("quick", "fox"), (0, 1), slop=2)), 4)
    0.5
    """
    repeats = [node.terms[:place].count(term) for place, term in enumerate(node.terms)]
    pointers = [
        Pointer(positions=places, offset=offset, order=order, term=term, repeat=repeat)
        for order, (places, offset, term, repeat) in enumerate(
            zip(positions, node.positions, node.terms, repeats, strict=True)
        )
    ]
    return SloppyMatcher(pointers, node.slop).frequency()


@dataclass(eq=False)
class Pointer:
    """One term of a phrase in a document: the positions minus its offset in the phrase, and which is looked at."""

    positions: list[int]
    offset: int
    order: int
    term: str
    repeat: int  # how many times the term stands before this place in the phrase
    place: int = 0

    @property
    def value(self) -> int:
        """Where the phrase would begin."""
        return self.positions[self.place] - self.offset

    @property
    def key(self) -> tuple[int, int, int]:
        """What decides which pointer is the first."""
        return self.value, self.offset, self.order

    def advance(self) -> bool:
        """Look at the next position; False at the end."""
        self.place += 1
        return self.place < len(self.positions)


class SloppyMatcher:
    """Finds places where all terms stand near their offsets, as Lucene does: the first pointer moves on each time."""

    def __init__(self, pointers: list[Pointer], slop: int) -> None:
        self.pointers, self.slop, self.end = pointers, slop, 0
        names = [pointer.term for pointer in pointers]
        several = {name for name in names if names.count(name) > 1}  # terms that stand in the phrase more than once
        self.groups = {name: tuple(each for each in pointers if each.term == name) for name in several}

    def frequency(self) -> float:
        """The sum of 1/(1 + length) over matches."""
        if not all(pointer.advance() for pointer in self.pointers for _ in range(pointer.repeat)):
            return 0.0
        self.end = max(pointer.value for pointer in self.pointers)
        found = 0.0
        first, following, length = self._next_start()
        while self._advance(first):
            if not self._part_repeats(first):
                break
            if first.value > following:
                found += self._gain(length)
                first, following, length = self._next_start()
            else:
                length = min(length, self.end - first.value)
        return found + self._gain(length)

    def _next_start(self) -> tuple[Pointer, int, int]:
        """The first pointer, where the one after it stands, and how far the last one is from the first."""
        check_time()
        first, second = sorted(self.pointers, key=lambda pointer: pointer.key)[:2]
        return first, second.value, self.end - first.value

    def _gain(self, length: int) -> float:
        return 1 / (1 + length) if length <= self.slop else 0.0

    def _advance(self, pointer: Pointer) -> bool:
        if not pointer.advance():
            return False
        self.end = max(self.end, pointer.value)
        return True

    def _part_repeats(self, pointer: Pointer) -> bool:
        """Move pointers of the same term off each other's positions; False where one comes to its end."""
        group = self.groups.get(pointer.term, ())
        while (other := _collision(pointer, group)) is not None:
            pointer = min(pointer, other, key=lambda each: (each.value, each.offset))
            if not self._advance(pointer):
                return False
        return True


def _collision(pointer: Pointer, group: Sequence[Pointer]) -> Pointer | None:
    here = pointer.positions[pointer.place]
    return next((each for each in group if each is not pointer and each.positions[each.place] == here), None)
