"""Documents of a text index as items: the words of the topics, the engine's own rankings, and vectors next to them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.text.expansion.expansion import Expansion
from rankscope.engines.text.expansion.pseudo_feedback import words_of
from rankscope.engines.text.lsi import USUAL, lsi_vectors, most_dimensions
from rankscope.engines.text.query.nodes import Term
from rankscope.engines.text.similarities.similarity import Similarity
from rankscope.engines.text.text_index import Index
from rankscope.errors import InputError, SettingError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scaling import ScalingName

Words = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class WordRanker:
    """Ranks the documents of an index by words with weights; deleted documents are no items."""

    index: Index
    field: str
    similarity: Similarity
    words: Mapping[str, Words]  # of each topic, by its name

    @cached_property
    def docs(self) -> IntArray:
        """The number in the index of each item."""
        deleted = self.index.reader.deleted
        return np.arange(self.index.reader.count) if deleted is None else np.flatnonzero(~deleted)

    @property
    def ids(self) -> list[str]:
        """The id of each item."""
        return self.index.reader.live_ids.to_list()

    def row(self, words: Words) -> FloatArray:
        """The score of each item; 0 where it matches nothing."""
        weights = {Term(self.field, word): weight for word, weight in words.items()}
        scores, matched = self.index.searcher(self.similarity, self.field).weighted_scores(weights)
        return np.where(matched, scores, np.float32(0))[self.docs].astype(np.float64)

    def expanded_row(self, topic: str, expansion: Expansion, liked: IntArray, disliked: IntArray) -> FloatArray:
        """The scores for a topic's words after some items were liked, and others not."""
        words = self.words[topic]
        first, reader = self.row(words), self.index.reader
        told = expansion.feedback(reader, self.field, self.docs[liked], first[liked])
        untold = expansion.feedback(reader, self.field, self.docs[disliked], first[disliked]) if disliked.size else None
        return self.row(expansion.expand(words, told, untold))


@dataclass(frozen=True, eq=False)
class TextItems(Items):
    """Documents: `texts` for methods that know words, and a matrix for all others, by default LSI of 100 dimensions.

    >>> index = Index.build([{"id": str(row), "body": text} for row, text in enumerate(["red fox", "red dog", "cat"])])
    >>> items = TextItems.in_index(index, {"1": "a fox"})
    >>> len(items), items.texts.row(items.texts.words["1"]).round(3)
    (3, array([0.412, 0.   , 0.   ]))
    """

    texts: WordRanker = field(kw_only=True)

    @classmethod
    def in_index(
        cls,
        index: Index,
        topics: Mapping[str, str],
        *,
        field: str | None = None,
        similarity: str | Similarity | None = None,
        vectors: ArrayLike | None = None,
        scaling: ScalingName = "none",
    ) -> TextItems:
        """The documents of an index, and topics as plain texts by their names; `vectors` in the order of the documents.

        Without vectors those of LSI are made, as many dimensions as there can be up to 100.
        """
        name = field or index.default_field
        index.reader.need_field(name)
        words = {topic: words_of(index.parse(text, name, syntax="words"), name) for topic, text in topics.items()}
        searcher = index.searcher(similarity, name)
        ranker = WordRanker(index, name, searcher.matcher.similarity, words)
        if vectors is None:
            vectors = lsi_vectors(index.reader, name, min(USUAL, most_dimensions(index.reader, name)))
        plain = Items.of(vectors, scaling=scaling)
        if len(plain) != len(ranker.docs):
            raise InputError.of("items", [f"{len(ranker.docs)} documents, but {len(plain)} rows of vectors"])
        return cls(matrix=plain.matrix, scaling=plain.scaling, groups=plain.groups, texts=ranker)

    @property
    def ids(self) -> list[str]:
        """The id of each document."""
        return self.texts.ids

    def fingerprint(self) -> str:
        """That of the vectors, and of all that decides the scores of words: counts, words, field and similarity."""
        texts = self.texts
        result = hashlib.sha256(f"{super().fingerprint()} {texts.field} {texts.similarity}\n".encode())
        result.update(repr([(topic, sorted(words.items())) for topic, words in texts.words.items()]).encode())
        for array in texts.index.reader.document_terms(texts.field, texts.docs):
            result.update(np.ascontiguousarray(array, dtype=np.int64).data)
        result.update("\n".join(texts.index.reader.vocabulary(texts.field).terms).encode())
        return result.hexdigest()

    def first_rows(self, topics: Sequence[str]) -> FloatArray:
        """The engine's own scores, one row for each topic; a topic whose words are not known is an error."""
        lacking = sorted({name for name in topics if name not in self.texts.words})
        if lacking:
            raise SettingError(f"the words of these topics are not known: {', '.join(lacking[:10])}")
        return np.array([self.texts.row(self.texts.words[name]) for name in topics])
