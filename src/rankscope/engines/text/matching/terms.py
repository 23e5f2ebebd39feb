"""Documents of a term, and their scores: in one field, or in several that a similarity makes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.lengths import coarse_lengths
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.bm25f import BM25F


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
        reader, weights = self.reader, similarity.by_field
        for field in weights:
            reader.need_field(field)
        parts = {field: reader.postings(field, term) for field in weights}
        docs = _union([part.docs for part in parts.values()])
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


def _union(lists: Sequence[Numbers]) -> Numbers:
    return np.unique(np.concatenate(lists)).astype(np.intp)
