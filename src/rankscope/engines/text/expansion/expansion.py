"""What an expansion is: from the words of a query and of documents to words with weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.term_vectors import TermVectors
from rankscope.notation import Named

Weights: TypeAlias = dict[str, float]
SHORTEST, LONGEST = 2, 20  # letters of a term that may join a query
COMMONEST: Final = 0.1  # share of the documents that may have it


@dataclass(frozen=True)
class FeedbackDocuments:
    """Documents that tell what is wanted: their term vectors, and the score that each had."""

    vectors: TermVectors
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Expansion(Named):
    """Words of the first `documents` of a ranking join the query; the `terms` that weigh most.

    Only terms of 2 to 20 letters that at most a tenth of the documents have may join.
    """

    documents: int = 10
    terms: int = 10
    source: ClassVar[str]
    pattern: ClassVar[str] = ""  # that terms must match to join
    least: ClassVar[dict[str, float]] = {"documents": 1, "terms": 1}

    @abstractmethod
    def expand(
        self, query: Mapping[str, float], liked: FeedbackDocuments, disliked: FeedbackDocuments | None = None
    ) -> Weights:
        """The words of the new query with their weights, from those of the old one and from documents."""

    @property
    def uses_disliked(self) -> bool:
        """Whether documents that are not wanted change anything."""
        return False

    def feedback(
        self, reader: IndexReader, field: str, docs: Numbers, scores: NDArray[np.floating]
    ) -> FeedbackDocuments:
        """What some documents with these scores tell."""
        kept = reader.vocabulary(field)
        allowed = kept.remember(("may join", self.pattern), lambda: allowed_terms(reader, field, self.pattern))
        return FeedbackDocuments(TermVectors.of(reader, field, docs, allowed), np.asarray(scores, dtype=np.float64))


def allowed_terms(reader: IndexReader, field: str, pattern: str = "") -> Numbers:
    """Whether each term of the vocabulary may join a query.

    >>> from rankscope.engines.text import Index
    >>> texts = ["a1 naïve", *["common"] * 15]
    >>> reader = Index.build([{"id": str(row), "body": text} for row, text in enumerate(texts)]).reader
    >>> reader.vocabulary("body").terms.to_list(), allowed_terms(reader, "body").tolist()
    (['a1', 'common', 'naïv'], [True, False, True])
    """
    vocabulary = reader.vocabulary(field)
    allowed = vocabulary.terms.str.len_chars().is_between(SHORTEST, LONGEST)
    if pattern:
        allowed &= vocabulary.terms.str.contains(pattern)
    return np.asarray(allowed) & (vocabulary.documents <= COMMONEST * reader.field(field).documents)


def largest(weights: NDArray[np.float64], count: int) -> Numbers:
    """The places of the largest weights in each row, those above 0 alone marked; of equal ones the first.

    >>> largest(np.array([[1.0, 3.0, 0.0, 3.0, 1.0], [0.0, 0.0, 0.0, 0.0, 2.0]]), 3).tolist()
    [[True, True, False, True, False], [False, False, False, False, True]]
    """
    order = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    chosen = np.zeros(weights.shape, dtype=bool)
    np.put_along_axis(chosen, order, values=True, axis=1)
    return chosen & (weights > 0)


def by_term(vectors: TermVectors, weights: NDArray[np.float64]) -> Weights:
    """Weights of terms that are not 0."""
    return {term: weight for term, weight in zip(vectors.terms, weights.tolist(), strict=True) if weight}


def mixed(*parts: tuple[float, Mapping[str, float]]) -> Weights:
    """Sums of weights, each part times its factor; what does not weigh more than 0 is left out.

    >>> mixed((0.5, {"fox": 1.0}), (0.25, {"fox": 1.0, "dog": 2.0}), (-1.0, {"cat": 1.0}))
    {'fox': 0.75, 'dog': 0.5}
    """
    total: Weights = {}
    for factor, part in parts:
        for term, weight in part.items():
            total[term] = total.get(term, 0.0) + factor * weight
    return {term: weight for term, weight in total.items() if weight > 0}
