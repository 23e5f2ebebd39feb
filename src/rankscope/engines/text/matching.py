"""Which documents match each part of a query, phrases included, and how they score, kept for the next query."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatchmethod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index_columns import Numbers, coarse_lengths
from rankscope.engines.text.index_reader import IndexReader, Postings
from rankscope.engines.text.queries import (
    BestOf,
    Boolean,
    Boost,
    Fuzzy,
    InField,
    MatchAll,
    MatchNothing,
    Node,
    Phrase,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
    check_time,
)
from rankscope.engines.text.regular_expressions import pattern_mask, similar_terms
from rankscope.engines.text.similarities import BM25F, FieldStatistics, Similarity, TermStatistics

# What a node gives: documents and their scores; and how those of many parts are put together.

DOUBLE: Final[np.dtype[Any]] = np.dtype(np.float64)
DENSE = 8  # a list that holds one of so many documents is also kept as a whole array of scores


@dataclass(frozen=True, eq=False)
class Matches:
    """Documents, ascending, and their scores; `count` is how many documents there are."""

    docs: Numbers
    scores: NDArray[np.float32]
    count: int

    @classmethod
    def nothing(cls, count: int) -> Matches:
        return cls(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32), count)

    @classmethod
    def constant(cls, mask: Numbers, score: float) -> Matches:
        """All documents of a mask, with one score."""
        docs = np.flatnonzero(mask)
        return cls(docs, np.full(len(docs), score, dtype=np.float32), len(mask))

    @cached_property
    def whole(self) -> NDArray[np.float32] | None:
        """The score of every document, 0 where it does not match; None where few match."""
        if len(self.docs) * DENSE < self.count:
            return None
        scores = np.zeros(self.count, dtype=np.float32)
        scores[self.docs] = self.scores
        return scores

    @cached_property
    def positive(self) -> bool:
        """Whether a score of 0 means that a document does not match."""
        return bool(self.scores.min(initial=1) > 0)

    @cached_property
    def highest(self) -> float:
        return float(self.scores.max(initial=0))

    @property
    def size(self) -> int:
        """Bytes that it takes in memory."""
        return self.docs.nbytes + self.scores.nbytes + (4 * self.count if len(self.docs) * DENSE >= self.count else 0)

    def mask(self) -> Numbers:
        mask = np.zeros(self.count, dtype=bool)
        mask[self.docs] = True
        return mask

    def at(self, docs: Numbers) -> Numbers:
        """The scores of some documents, 0 where they do not match."""
        if self.whole is not None:
            return self.whole[docs]
        places = np.minimum(np.searchsorted(self.docs, docs), max(len(self.docs) - 1, 0))
        if not len(self.docs):
            return np.zeros(len(docs), dtype=np.float32)
        return np.where(self.docs[places] == docs, self.scores[places], np.float32(0))


def total_scores(parts: Iterable[Matches], count: int, kind: np.dtype[Any] = DOUBLE) -> NDArray[Any]:
    """The sum of the scores of each document, in 64 bits unless another kind of number is asked for."""
    total = np.zeros(count, dtype=kind)
    for part in parts:
        if part.whole is not None:
            np.add(total, part.whole, out=total)
        else:
            total[part.docs] += part.scores
    return total


def any_matches(parts: Iterable[Matches], count: int, total: NDArray[np.float64]) -> Numbers:
    """Whether each document matches at least one part."""
    listed = list(parts)
    if all(part.positive for part in listed):
        return total > 0
    mask = np.zeros(count, dtype=bool)
    for part in listed:
        mask[part.docs] = True
    return mask


class Matcher:
    """Matches queries in an index under one similarity. Scores are rounded to 32 bits once for each node."""

    def __init__(
        self, reader: IndexReader, similarity: Similarity, default_field: str, cache: MatchCache | None = None
    ) -> None:
        self.reader, self.similarity, self.cache = reader, similarity, cache or MatchCache()
        combining = similarity if isinstance(similarity, BM25F) else None
        self.source = TermSource(reader, combining, default_field)

    @singledispatchmethod
    def matches(self, node: Node, boost: float = 1.0) -> Matches:
        """The documents that match a node, deleted ones among them."""
        raise TypeError(f"no way to match {type(node).__name__}")

    @matches.register
    def _(self, node: Term, boost: float = 1.0) -> Matches:
        return self.term_matches(node, boost)

    @matches.register
    def _(self, node: Boost, boost: float = 1.0) -> Matches:
        return self.matches(node.query, float(np.float32(boost) * np.float32(node.factor)))

    @matches.register
    def _(self, node: MatchAll, boost: float = 1.0) -> Matches:
        return Matches.constant(np.ones(self.reader.count, dtype=bool), boost)

    @matches.register
    def _(self, node: MatchNothing, boost: float = 1.0) -> Matches:
        return Matches.nothing(self.reader.count)

    @matches.register(Prefix)
    @matches.register(Wildcard)
    @matches.register(Regex)
    @matches.register(Range)
    def _(self, node: InField, boost: float = 1.0) -> Matches:
        check_time()
        return Matches.constant(pattern_mask(self.reader, node), boost)

    @matches.register
    def _(self, node: Fuzzy, boost: float = 1.0) -> Matches:
        check_time()
        terms = self.fuzzy_terms(node)
        shared = self.shared_statistics([term for term, _ in terms])
        parts = [self.term_matches(term, boost * similarity, shared) for term, similarity in terms]
        total = total_scores(parts, self.reader.count)
        docs = np.flatnonzero(any_matches(parts, self.reader.count, total))
        return Matches(docs, total[docs].astype(np.float32), self.reader.count)

    @matches.register
    def _(self, node: Phrase, boost: float = 1.0) -> Matches:
        check_time()
        docs, frequencies = phrase_frequencies(self.reader, node)
        terms = [self.reader.term(node.field, term) for term in node.terms]
        lengths = self.reader.lengths(node.field)[docs]
        scores = self.similarity.score(frequencies, lengths, terms, self.reader.field(node.field), boost)
        return Matches(docs, scores, self.reader.count)

    @matches.register
    def _(self, node: Boolean, boost: float = 1.0) -> Matches:
        required = [self.matches(each, boost) for each in node.required]
        optional = [self.matches(each, boost) for each in node.optional]
        if not required and not optional:
            return Matches.nothing(self.reader.count)
        total = total_scores([*required, *optional], self.reader.count)
        mask = required[0].mask() if required else any_matches(optional, self.reader.count, total)
        for part in required[1:]:
            mask &= part.mask()
        if node.minimum:
            found = np.zeros(self.reader.count, dtype=np.int32)
            for part in optional:
                found[part.docs] += 1
            mask &= found >= node.minimum
        for each in node.prohibited:
            mask[self.matches(each).docs] = False
        docs = np.flatnonzero(mask)
        return Matches(docs, total[docs].astype(np.float32), self.reader.count)

    @matches.register
    def _(self, node: BestOf, boost: float = 1.0) -> Matches:
        parts = [self.matches(each, boost) for each in node.queries]
        best = np.zeros(self.reader.count)
        mask = np.zeros(self.reader.count, dtype=bool)
        for part in parts:
            best[part.docs] = np.where(mask[part.docs], np.maximum(best[part.docs], part.scores), part.scores)
            mask[part.docs] = True
        docs = np.flatnonzero(mask)
        rest = total_scores(parts, self.reader.count)[docs] - best[docs]
        return Matches(docs, (best[docs] + rest * np.float32(node.others)).astype(np.float32), self.reader.count)

    def term_matches(self, node: Term, boost: float = 1.0, shared: TermStatistics | None = None) -> Matches:
        """The documents of a term; its statistics may be shared by several terms."""
        check_time()
        key = (self.similarity, node, boost, shared)
        return self.cache.get(key, lambda: self._term(node, boost, shared))

    def _term(self, node: Term, boost: float, shared: TermStatistics | None) -> Matches:
        found = self.source.find(node.field, node.text)
        if not len(found.docs):
            return Matches.nothing(self.reader.count)
        scores = self.similarity.score(found.frequencies, found.lengths, [shared or found.term], found.field, boost)
        return Matches(found.docs, scores, self.reader.count)

    def fuzzy_terms(self, node: Fuzzy) -> list[tuple[Term, float]]:
        """The terms that a fuzzy one stands for, with how similar they are."""
        return [(Term(node.field, term), similar) for term, similar in similar_terms(self.reader, node).items()]

    def shared_statistics(self, terms: list[Term]) -> TermStatistics | None:
        """What all terms of a fuzzy one score with: the largest n, and the sum of F."""
        each = [self.source.statistics(term.field, term.text) for term in terms]
        if not each:
            return None
        return TermStatistics(max(one.documents for one in each), sum(one.occurrences for one in each))


class Scorable(NamedTuple):
    """All that a similarity asks of a term: documents, frequencies, lengths, and statistics of term and field."""

    docs: Numbers
    frequencies: Numbers
    lengths: Numbers
    term: TermStatistics
    field: FieldStatistics


@dataclass(frozen=True, eq=False)
class TermSource:
    """Where terms are looked up: one field by itself, or all fields of BM25F for words without a field."""

    reader: IndexReader
    combining: BM25F | None
    default_field: str

    def find(self, field: str, term: str) -> Scorable:
        """A term with all that it takes to score it."""
        if self.combining is not None and field == self.default_field:
            return self._combined(self.combining, term)
        postings = self.reader.postings(field, term)
        docs = postings.docs.astype(np.intp)
        lengths = self.reader.lengths(field)[docs]
        statistics = self.reader.term(field, term), self.reader.field(field)
        return Scorable(docs, postings.counts.astype(np.float32), lengths, *statistics)

    def statistics(self, field: str, term: str) -> TermStatistics:
        """n and F of a term."""
        return self.find(field, term).term if self.combining is not None else self.reader.term(field, term)

    def _combined(self, similarity: BM25F, term: str) -> Scorable:
        """Frequencies, lengths and totals added up with the weights of fields; n and N are the largest."""
        reader, weights = self.reader, dict(similarity.weights)
        for field in weights:
            reader.need_field(field)
        parts = {field: reader.postings(field, term) for field in weights}
        docs = np.unique(np.concatenate([part.docs for part in parts.values()])).astype(np.intp)
        frequencies, lengths = np.zeros(len(docs)), np.zeros(len(docs))
        for field, part in parts.items():
            frequencies[np.searchsorted(docs, part.docs)] += weights[field] * part.counts
            lengths += weights[field] * reader.lengths(field)[docs]
        terms = {field: reader.term(field, term) for field in weights}
        fields = {field: reader.field(field) for field in weights}
        return Scorable(
            docs=docs,
            frequencies=frequencies.astype(np.float32),
            lengths=(lengths if reader.exact_lengths else coarse_lengths(lengths.astype(np.int64))).astype(np.float32),
            term=TermStatistics(
                max(each.documents for each in terms.values()),
                int(sum(weights[field] * each.occurrences for field, each in terms.items())),
            ),
            field=FieldStatistics(
                max(each.documents for each in fields.values()),
                int(sum(weights[field] * each.tokens for field, each in fields.items())),
            ),
        )


# Scores of terms that were asked for before, as long as there is room for them.

CACHE_ROOM: Final = 256 << 20  # bytes
CACHE_ENTRY: Final = 1 << 10  # bytes that one takes next to its arrays, at most


class MatchCache:
    """The matches of terms by what decides them; those that were not asked for the longest time go first.

    Several threads may ask at once.
    """

    def __init__(self, room: int = CACHE_ROOM) -> None:
        self.room, self.used = room, 0
        self._kept: OrderedDict[Hashable, Matches] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Matches]) -> Matches:
        """The matches of a key, made where they are not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if key not in self._kept:  # else another thread was quicker
                self._kept[key] = made
                self.used += made.size + CACHE_ENTRY
            while self.used > self.room and len(self._kept) > 1:
                self.used -= self._kept.popitem(last=False)[1].size + CACHE_ENTRY
        return made


# Where the words of a phrase stand near enough to each other, and how often.

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
    keys = []  # one number for each document and place where the phrase would begin
    for each, offset in zip(lists, offsets, strict=True):
        places = each.positions.astype(np.int64) - (offset - offsets[0])
        keys.append(each.owners.astype(np.int64)[places >= 0] * ROOM + places[places >= 0])
    keys.sort(key=len)
    common = keys[0]
    for key in keys[1:]:
        common = np.intersect1d(common, key, assume_unique=True)
    docs, counts = np.unique(common // ROOM, return_counts=True)
    return docs.astype(np.intp), counts.astype(np.float32)


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
        while True:
            here = pointer.positions[pointer.place]
            others = [each for each in group if each is not pointer and each.positions[each.place] == here]
            if not others:
                return True
            pointer = min(pointer, others[0], key=lambda each: (each.value, each.offset))
            if not self._advance(pointer):
                return False
