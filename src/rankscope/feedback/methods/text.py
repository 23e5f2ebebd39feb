"""Documents of a text index as items, and the methods that know their words: text-rm3, text-rocchio."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.text.expansions import Expansion, RM3Expansion, RocchioExpansion, words_of
from rankscope.engines.text.lsi import USUAL, lsi_vectors, most_dimensions
from rankscope.engines.text.queries import Term, any_weighted
from rankscope.engines.text.similarities import Similarity
from rankscope.engines.text.text_index import Index
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items, ScalingName
from rankscope.feedback.methods.method import CannotScore, Method, refuse

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

    def row(self, words: Words) -> FloatArray:
        """The score of each item; 0 where it matches nothing."""
        query = any_weighted({Term(self.field, word): weight for word, weight in words.items()})
        scores, matched = self.index.searcher(self.similarity, self.field).all_scores(query)
        return np.where(matched, scores, np.float32(0))[self.docs].astype(np.float64)


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
        return self.texts.index.reader.live_ids.to_list()

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


NO_TEXTS = "needs the words of documents and topics: the items must be TextItems"
NO_WORDS = "the words of the topic are not known"


@dataclass(frozen=True)
class TextMethod(Method):
    """Expands the words of a topic by those of its examples; every document has a score, 0 where it matches nothing."""

    expands: ClassVar[type[Expansion]]  # what joins words; it has the same parameters
    needs: ClassVar[tuple[str, ...]] = ("words",)
    pointwise: ClassVar[bool] = False  # documents with equal vectors may have other words

    @property
    def expansion(self) -> Expansion:
        """How words join, with these parameters."""
        return self.expands(**asdict(self))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Session by session: each has words of its own."""
        if not isinstance(items, TextItems) or examples.asked is None:
            raise CannotScore(f"{self.name} {NO_TEXTS}", np.arange(len(examples)))
        refuse(np.array([topic not in items.texts.words for topic in examples.asked.tolist()]), NO_WORDS)
        texts, expansion, reader = items.texts, self.expansion, items.texts.index.reader
        sides = (examples.positives.lists("item"), examples.negatives.lists("item"))
        rows = []
        for topic, *lists in zip(examples.asked.tolist(), *sides, strict=True):
            words, (liked, disliked) = texts.words[topic], (np.array(each, np.int64) for each in lists)
            first = texts.row(words)
            told = expansion.feedback(reader, texts.field, texts.docs[liked], first[liked])
            untold = None
            if disliked.size:
                untold = expansion.feedback(reader, texts.field, texts.docs[disliked], first[disliked])
            rows.append(texts.row(expansion.expand(words, told, untold)))
        return np.stack(rows)


@dataclass(frozen=True)
class TextRM3(TextMethod):
    """The topic's words mixed with the words of the positives, each document as much as its score for the topic.

    As `rm3` of the text engine, with what users marked in place of the first documents; negatives change nothing.
    """

    terms: int = 10
    weight: float = 0.5
    name: ClassVar[str] = "text-rm3"
    source: ClassVar[str] = RM3Expansion.source
    expands: ClassVar[type[Expansion]] = RM3Expansion
    least: ClassVar[Mapping[str, float]] = {"terms": 1, "weight": 0}
    most: ClassVar[Mapping[str, float]] = {"weight": 1}


@dataclass(frozen=True)
class TextRocchio(TextMethod):
    """alpha topic + beta mean of the positives - gamma mean of the negatives, in words, every vector of length 1.

    As `rocchio` of the text engine, with what users marked in place of the first and the last documents.
    """

    terms: int = 10
    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.0
    name: ClassVar[str] = "text-rocchio"
    source: ClassVar[str] = RocchioExpansion.source
    expands: ClassVar[type[Expansion]] = RocchioExpansion
    least: ClassVar[Mapping[str, float]] = {"terms": 1, "alpha": 0, "beta": 0, "gamma": 0}
