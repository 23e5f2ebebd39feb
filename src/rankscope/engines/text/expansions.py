"""Words of documents for a query: RM3 and Rocchio, from the first documents or from judged ones, and more like this."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import MatchNothing, Node, Term, any_weighted, check_time, simplify
from rankscope.engines.text.searching import Searcher, bag_of_words

# What an expansion is: from the words of a query and of documents to words with weights.

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


def largest_weights(weights: NDArray[np.float64], count: int) -> Numbers:
    """The places of the largest weights in each row, those above 0 alone marked; of equal ones the first.

    >>> largest_weights(np.array([[1.0, 3.0, 0.0, 3.0, 1.0], [0.0, 0.0, 0.0, 0.0, 2.0]]), 3).tolist()
    [[True, True, False, True, False], [False, False, False, False, True]]
    """
    order = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    chosen = np.zeros(weights.shape, dtype=bool)
    np.put_along_axis(chosen, order, values=True, axis=1)
    return chosen & (weights > 0)


def weights_by_term(vectors: TermVectors, weights: NDArray[np.float64]) -> Weights:
    """Weights of terms that are not 0."""
    return {term: weight for term, weight in zip(vectors.terms, weights.tolist(), strict=True) if weight}


def mixed_weights(*parts: tuple[float, Mapping[str, float]]) -> Weights:
    """Sums of weights, each part times its factor; what does not weigh more than 0 is left out.

    >>> mixed_weights((0.5, {"fox": 1.0}), (0.25, {"fox": 1.0, "dog": 2.0}), (-1.0, {"cat": 1.0}))
    {'fox': 0.75, 'dog': 0.5}
    """
    total: Weights = {}
    for factor, part in parts:
        for term, weight in part.items():
            total[term] = total.get(term, 0.0) + factor * weight
    return {term: weight for term, weight in total.items() if weight > 0}


def _scaled(weights: Mapping[str, float], size: float) -> Weights:
    return {term: weight / size for term, weight in weights.items()}


@dataclass(frozen=True)
class RM3Expansion(Expansion):
    """The query, scaled to sum 1, times `weight`, plus (1 - weight) times the words of the best documents.

    Of each document the `terms` most frequent words, as shares of their sum, count as much as its score; the `terms`
    heaviest in all are scaled to sum 1. Only words of the letters a to z and digits join. As Anserini has it.
    """

    weight: float = 0.5
    name: ClassVar[str] = "rm3"
    source: ClassVar[str] = "Abdul-Jaleel et al. 2004, UMass at TREC 2004: novelty and HARD"
    pattern: ClassVar[str] = "^[a-z0-9]+$"
    least: ClassVar[dict[str, float]] = {"weight": 0}
    most: ClassVar[dict[str, float]] = {"weight": 1}

    def expand(
        self, query: Mapping[str, float], liked: FeedbackDocuments, disliked: FeedbackDocuments | None = None
    ) -> Weights:
        found = self.model(liked)
        asked, model = _scaled(query, sum(query.values())), _scaled(found, sum(found.values()))
        return mixed_weights((self.weight, asked), (1 - self.weight, model)) if model else asked

    def model(self, liked: FeedbackDocuments) -> Weights:
        """The heaviest words of documents; where all scores are 0 each document counts alike."""
        counts = liked.vectors.counts
        kept = np.where(largest_weights(counts, self.terms), counts, 0.0)
        shares = kept / np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
        scores = liked.scores if liked.scores.any() else np.ones(len(counts))
        weights = scores @ shares
        return weights_by_term(liked.vectors, np.where(largest_weights(weights[None, :], self.terms)[0], weights, 0.0))


@dataclass(frozen=True)
class RocchioExpansion(Expansion):
    """alpha query + beta mean of the best documents - gamma mean of the last ones, every vector of length 1.

    Of each mean the `terms` heaviest words are kept and scaled to length 1; words that do not weigh more than 0 in the
    end are left out. As Anserini has it.
    """

    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.0
    name: ClassVar[str] = "rocchio"
    source: ClassVar[str] = "Rocchio 1971, Relevance feedback in information retrieval"
    least: ClassVar[dict[str, float]] = {"alpha": 0, "beta": 0, "gamma": 0}

    @property
    def uses_disliked(self) -> bool:
        return self.gamma > 0

    def expand(
        self, query: Mapping[str, float], liked: FeedbackDocuments, disliked: FeedbackDocuments | None = None
    ) -> Weights:
        away = self.mean_words(disliked) if disliked is not None and self.uses_disliked else {}
        asked = _scaled(query, math.hypot(*query.values()))
        return mixed_weights((self.alpha, asked), (self.beta, self.mean_words(liked)), (-self.gamma, away))

    def mean_words(self, feedback: FeedbackDocuments) -> Weights:
        """The heaviest words of the mean of documents, scaled to length 1."""
        counts = feedback.vectors.counts
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        mean = (counts / np.where(lengths > 0, lengths, 1.0)).sum(axis=0, keepdims=True) / max(len(counts), 1)
        found = weights_by_term(feedback.vectors, np.where(largest_weights(mean, self.terms), mean, 0.0)[0])
        return _scaled(found, math.hypot(*found.values()))


ALL: dict[str, type[Expansion]] = {each.name: each for each in (RM3Expansion, RocchioExpansion)}
GROUP = "rankscope.expansions"  # entry points of other packages
EXPANSIONS: NamedCatalogue[Expansion] = NamedCatalogue("expansion", ALL, "rm3(terms=20)", GROUP)


def expand_query(searcher: Searcher, query: Node, field: str, expansion: Expansion) -> Node:
    """The query with the words of its own first documents; what finds nothing stays as it is.

    Where documents that are not wanted count, the last of the ranking pass for them.
    """
    words = words_of(query, field)
    whole = None if expansion.uses_disliked else expansion.documents
    hits = searcher.search(query, whole)
    if not words or not len(hits):
        return query
    last = hits.docs[expansion.documents :][-expansion.documents :]
    best = hits.docs[: expansion.documents]
    liked = expansion.feedback(searcher.reader, field, best, hits.scores[: len(best)])
    disliked: FeedbackDocuments | None = None
    if expansion.uses_disliked and len(last):
        disliked = expansion.feedback(searcher.reader, field, last, hits.scores[-len(last) :])
    return weighted_words(expansion.expand(words, liked, disliked), field)


def weighted_words(weights: Mapping[str, float], field: str) -> Node:
    """The query that asks for any of some words of a field, each with its weight."""
    return any_weighted({Term(field, word): weight for word, weight in weights.items()})


def words_of(query: Node, field: str) -> dict[str, float]:
    """The words of a query with their weights; a query of anything else than words of one field is an error."""
    if isinstance(query, MatchNothing):
        return {}
    bag = bag_of_words(simplify(query))
    if bag is None or any(term.field != field for term in bag):
        raise SettingError(
            f"only words of one field can be expanded, and '{query}' is more than words of {field}: leave out phrases,"
            " patterns, + and -, or search without expansion"
        )
    return {term.text: weight for term, weight in bag.items()}


@dataclass(frozen=True, eq=False)
class TermVectors:
    """One row for each document, one column for each term; terms stand in the order of code points."""

    terms: tuple[str, ...]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, reader: IndexReader, field: str, docs: Numbers, allowed: Numbers) -> TermVectors:
        """The vectors of some documents, of the terms of the field's vocabulary that are allowed.

        >>> from rankscope.engines.text import Index
        >>> reader = Index.build([{"id": "a", "body": "fox fox dog"}, {"id": "b", "body": "cat"}]).reader
        >>> found = TermVectors.of(reader, "body", np.array([1, 0]), np.array([True, True, True]))
        >>> found.terms, found.counts.tolist()
        (('cat', 'dog', 'fox'), [[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
        """
        row, code, count = reader.document_terms(field, docs)
        kept = allowed[code]
        present, column = np.unique(code[kept], return_inverse=True)
        counts = np.zeros((len(docs), len(present)))
        counts[row[kept], column] = count[kept]
        return cls(tuple(reader.vocabulary(field).terms.gather(present).to_list()), counts)


@dataclass(frozen=True)
class MoreLikeThis:
    """Which words of texts join the query: those that occur often enough, in neither too few nor too many documents.

    Of these the `most_terms` with the highest tf x idf, idf = ln((N + 1)/(n + 1)) + 1. With `boost` each counts as much
    as its weight next to the highest.
    """

    least_occurrences: int = 2
    least_documents: int = 5
    most_documents: int | None = None
    most_terms: int = 25
    shortest: int = 0
    longest: int = 0  # 0: any length
    boost: bool = False

    def query(self, reader: IndexReader, texts: Iterable[tuple[str, str]]) -> Node:
        """The query that texts, each with its field, give.

        >>> from rankscope.engines.text import Index
        >>> reader = Index.build([{"id": "a", "body": "fox fox den"}, {"id": "b", "body": "a fox, a dog"}]).reader
        >>> print(MoreLikeThis(least_documents=1).query(reader, [("body", "foxes, a fox and a dog")]))
        body:fox
        """
        counts: Counter[Term] = Counter()
        for field, text in texts:
            counts.update(Term(field, word) for word, _ in reader.analysers[field].analyse(text))
        weights = self._weights(reader, counts)
        best = sorted(weights, key=lambda term: (-weights[term], term.field, term.text))[: self.most_terms]
        return any_weighted({term: weights[term] / weights[best[0]] if self.boost else 1.0 for term in best})

    def _weights(self, reader: IndexReader, counts: Counter[Term]) -> dict[Term, float]:
        found = {}
        for term, count in counts.items():
            check_time()
            there = reader.term(term.field, term.text).documents
            fits = len(term.text) >= self.shortest and (not self.longest or len(term.text) <= self.longest)
            rare = self.most_documents is None or there <= self.most_documents
            if count >= self.least_occurrences and fits and rare and there >= max(self.least_documents, 1):
                found[term] = count * (float(np.log((reader.count + 1) / (there + 1))) + 1)
        return found
