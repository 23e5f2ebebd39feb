"""What a similarity is: the score of a document for a term, from counts alone, and how that score is explained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.notation import Named, Written
from rankscope.core.wording import short_number

Scores: TypeAlias = NDArray[np.float32]
Values: TypeAlias = NDArray[Any]
RESERVED_OPTION = re.compile(r"\blambda\s*=")  # the field's own name of an option, which Python keeps for itself


@dataclass(frozen=True)
class Similarity(Named):
    """The score of documents for a term or a phrase: tf its frequency there, dl their lengths, in terms.

    Letters of formulas: N documents with the field, T terms in it, avg = T/N; n documents with the term, F its
    occurrences; p = (F + 1)/(T + 1); b the boost.
    """

    formula: ClassVar[str]

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """The similarity that a text means; `lambda` is an option that Python spells `lambda_`."""
        inner = None if written.inner is None else RESERVED_OPTION.sub("lambda_=", written.inner)
        return super().from_written(replace(written, inner=inner))

    def _write(self) -> str:
        return super()._write().replace("lambda_=", "lambda=")

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """The scores of documents for one term; a similarity defines this, or `score`, or both."""
        return self.score(tf, dl, [term], field, boost)

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """The scores for a term or, of several terms, for the phrase of them: the sum of what each would score."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [self.score_term(tf, dl, term, field, boost).astype(np.float32) for term in terms]
        return parts[0] if len(parts) == 1 else np.sum(parts, axis=0, dtype=np.float32)

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        """How the score of one document is made: the formula, and every number in it."""
        frequency, length, parts = np.array([tf], dtype=np.float32), np.array([dl]), []
        for term in terms:
            value = self.score(frequency, length, [term], field, boost)
            numbers = (*self.parts_of(tf, dl, term, field), *numbers_of(tf, dl, term, field, boost))
            parts.append(Explanation(float(value[0]), f"{self}: {self.formula}", numbers))
        if len(parts) == 1:
            return parts[0]
        whole = self.score(frequency, length, terms, field, boost)
        return Explanation(float(whole[0]), f"{self}, sum over the terms of the phrase", tuple(parts))

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """Parts of the formula that have a name, with their values."""
        return ()


def numbers_of(
    tf: float, dl: float, term: TermStatistics, field: FieldStatistics, boost: float
) -> tuple[Explanation, ...]:
    """The numbers of a formula: those of the document, the term and the field; a boost where there is one."""
    return (
        *boost_of(boost),
        Explanation(float(np.float32(tf)), "tf, frequency in the document"),
        Explanation(dl, "dl, length of the field"),
        *numbers_of_term(term, field),
        Explanation(term.occurrences, "F, occurrences of the term"),
        Explanation(field.tokens, "T, terms in the field of all documents"),
        Explanation(float(np.float32(field.average)), "avg, mean length of the field"),
    )


def numbers_of_term(term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
    """In how many documents a term is, of how many."""
    return (
        Explanation(term.documents, "n, documents with the term"),
        Explanation(field.documents, "N, documents with the field"),
    )


def boost_of(boost: float) -> tuple[Explanation, ...]:
    """The boost, where it changes something."""
    return () if boost == 1 else (Explanation(boost, "b, boost"),)


def explain_idf(
    idf: Callable[[TermStatistics, FieldStatistics], np.float32],
    formula: str,
    terms: Sequence[TermStatistics],
    field: FieldStatistics,
    total: np.float32,
) -> Explanation:
    """How rare a term is, or all terms of a phrase in total."""
    each = [Explanation(float(idf(term, field)), formula, numbers_of_term(term, field)) for term in terms]
    return each[0] if len(each) == 1 else Explanation(float(total), "sum of idf", tuple(each))


# How a score is made: a tree of values, each with what it is.


@dataclass(frozen=True)
class Explanation:
    """A value, what it is, and the values that it is made of.

    >>> print(Explanation(3.5, "sum of", (Explanation(2.0, "body:fox"), Explanation(1.5, "body:dog"))))
    3.5  sum of
      2  body:fox
      1.5  body:dog
    """

    value: float
    text: str
    parts: tuple[Explanation, ...] = ()

    def walk(self) -> Iterator[Explanation]:
        """This value, then all those below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, level: int) -> Iterator[str]:
        yield f"{'  ' * level}{short_number(float(f'{self.value:.8g}'))}  {self.text}"
        for part in self.parts:
            yield from part._lines(level + 1)


# What similarities know of a field and of a term in it.


@dataclass(frozen=True)
class FieldStatistics:
    """Of a field in all documents: how many documents have a term in it (N), and how many terms there are (T)."""

    documents: int
    tokens: int

    @property
    def average(self) -> float:
        """The mean length of a document; 1 where there is none, so that nothing is divided by 0."""
        return self.tokens / self.documents if self.documents else 1.0


@dataclass(frozen=True)
class TermStatistics:
    """Of a term in a field: how many documents have it (n), and how often it occurs in all (F)."""

    documents: int
    occurrences: int
