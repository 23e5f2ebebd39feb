"""What a similarity is, the score of a document for a term from counts alone, and the similarities by name: BM25,
BM25F, classic tf-idf, language models, DFR, information-based, DFI, axiomatic, boolean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.notation import Named, NamedCatalogue, Written, short
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


# The similarities by name: BM25, BM25F, classic tf-idf, language models, DFR, information-based, DFI, axiomatic,
# boolean.


@dataclass(frozen=True)
class BM25(Similarity):
    """Probabilistic: rare terms count more, repetitions ever less (k1), and long documents less (b).

    As Lucene has it since version 8, without the factor k1 + 1. A phrase takes the sum of its terms' idf.
    """

    k1: float = 1.2
    b: float = 0.75
    name: ClassVar[str] = "bm25"
    formula: ClassVar[str] = "b ln(1 + (N - n + 0.5)/(n + 0.5)) tf/(tf + k1 (1 - b + b dl/avg))"
    source: ClassVar[str] = "Robertson and Walker 1994, Some simple effective approximations to the 2-Poisson model"
    least: ClassVar[dict[str, float]] = {"k1": 0, "b": 0}
    most: ClassVar[dict[str, float]] = {"b": 1}

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """In 32 bits, in Lucene's order of operations."""
        weight = np.float32(boost) * self.idf(terms, field)
        with np.errstate(divide="ignore"):
            inverse = np.float32(1) / self._norm(dl, field)
            return (weight - weight / (np.float32(1) + tf.astype(np.float32) * inverse)).astype(np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        return self.score(tf, dl, [term], field, boost)

    def idf(self, terms: Sequence[TermStatistics], field: FieldStatistics) -> np.float32:
        """How rare terms are, in all."""
        return np.float32(sum(float(_bm25_idf(term, field)) for term in terms))

    def _norm(self, dl: Values, field: FieldStatistics) -> Values:
        """k1 (1 - b + b dl/avg)."""
        k1, b, average = np.float32(self.k1), np.float32(self.b), np.float32(field.average)
        return k1 * ((np.float32(1) - b) + b * dl.astype(np.float32) / average)

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        frequency, length = np.array([tf], dtype=np.float32), np.array([dl], dtype=np.float32)
        value = self.score(frequency, length, terms, field, boost)[0]
        saturated = float(frequency[0] / (frequency[0] + self._norm(length, field)[0])) if tf else 0.0
        numbers = (
            Explanation(float(frequency[0]), "tf, frequency in the document"),
            Explanation(self.k1, "k1, how soon repetitions count less"),
            Explanation(self.b, "b, how much length counts"),
            Explanation(dl, "dl, length of the field"),
            Explanation(float(np.float32(field.average)), "avg, mean length of the field"),
        )
        idf = "idf = ln(1 + (N - n + 0.5)/(n + 0.5))"
        parts = (
            *boost_of(boost),
            explain_idf(_bm25_idf, idf, terms, field, self.idf(terms, field)),
            Explanation(saturated, "tf/(tf + k1 (1 - b + b dl/avg))", numbers),
        )
        return Explanation(float(value), f"{self}: b idf tf/(tf + k1 (1 - b + b dl/avg))", parts)


def _bm25_idf(term: TermStatistics, field: FieldStatistics) -> np.float32:
    return np.float32(np.log(1 + (field.documents - term.documents + 0.5) / (term.documents + 0.5)))


BM25F_OPTIONS = ("k1", "b")


@dataclass(frozen=True)
class BM25F(Similarity):
    """BM25 with frequencies, lengths and terms added up over fields with weights, as if they were one field.

    Written with the weight of each field: `bm25f(title=2,body=1)`. Words that name no field look into all of them.
    """

    weights: tuple[tuple[str, float], ...]
    k1: float = 1.2
    b: float = 0.75
    name: ClassVar[str] = "bm25f"
    formula: ClassVar[str] = BM25.formula
    source: ClassVar[str] = "Robertson, Zaragoza and Taylor 2004, Simple BM25 extension to multiple weighted fields"
    least: ClassVar[dict[str, float]] = {"k1": 0, "b": 0}
    most: ClassVar[dict[str, float]] = {"b": 1}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.weights:
            raise self.error("bm25f: name each field with its weight, as in bm25f(title=2,body=1)")
        for field, weight in self.weights:
            if not weight > 0:
                raise self.error(f"bm25f: the weight of {field} must be above 0, got {short(weight)}")

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """From weights by the names of fields; k1 and b keep their meaning."""
        numbers: dict[str, float] = {}
        for name, text in written.given:
            try:
                numbers[name] = float(text)
            except ValueError:
                raise cls.error(f"'{written.text}': {name or 'a field'} must be a number, got '{text}'") from None
        if "" in numbers:
            raise cls.error(f"'{written.text}': name each field with its weight, as in bm25f(title=2,body=1)")
        weights = tuple((name, value) for name, value in numbers.items() if name not in BM25F_OPTIONS)
        return cls(weights, **{name: numbers[name] for name in BM25F_OPTIONS if name in numbers})

    def _write(self) -> str:
        usual = {"k1": BM25.k1, "b": BM25.b}
        options = [
            f"{name}={short(getattr(self, name))}" for name in BM25F_OPTIONS if getattr(self, name) != usual[name]
        ]
        return f"{self.name}({','.join([*(f'{name}={short(value)}' for name, value in self.weights), *options])})"

    @cached_property
    def combined(self) -> BM25:
        """BM25 on the one field that all are made into."""
        return BM25(self.k1, self.b)

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """As BM25, of frequencies and lengths that are added up already."""
        return self.combined.score(tf, dl, terms, field, boost)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        return self.score(tf, dl, [term], field, boost)

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        return self.combined.explain(tf, dl, terms, field, boost)


@dataclass(frozen=True)
class Classic(Similarity):
    """tf-idf: the root of the frequency, how rare the term is, and the root of the length. A phrase adds up idf."""

    name: ClassVar[str] = "classic"
    formula: ClassVar[str] = "sqrt(tf) b (ln((N + 1)/(n + 1)) + 1)/sqrt(dl)"
    source: ClassVar[str] = "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval"

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        weight = np.float32(boost) * self.idf(terms, field)
        raw = np.sqrt(tf.astype(np.float64)).astype(np.float32) * weight
        return (raw * _classic_norm(dl)).astype(np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        return self.score(tf, dl, [term], field, boost)

    def idf(self, terms: Sequence[TermStatistics], field: FieldStatistics) -> np.float32:
        return np.float32(sum(float(_classic_idf(term, field)) for term in terms))

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        frequency, length = np.array([tf], dtype=np.float32), np.array([dl], dtype=np.float32)
        idf = "idf = ln((N + 1)/(n + 1)) + 1"
        parts = (
            *boost_of(boost),
            explain_idf(_classic_idf, idf, terms, field, self.idf(terms, field)),
            Explanation(
                float(np.float32(np.sqrt(tf))), "sqrt(tf)", (Explanation(float(frequency[0]), "tf, frequency"),)
            ),
            Explanation(float(_classic_norm(length)[0]), "1/sqrt(dl)", (Explanation(dl, "dl, length of the field"),)),
        )
        value = self.score(frequency, length, terms, field, boost)[0]
        return Explanation(float(value), f"{self}: b idf sqrt(tf)/sqrt(dl)", parts)


def _classic_idf(term: TermStatistics, field: FieldStatistics) -> np.float32:
    return np.float32(np.log((field.documents + 1) / (term.documents + 1)) + 1)


def _classic_norm(dl: Values) -> Values:
    return (1 / np.sqrt(np.maximum(dl, 1).astype(np.float64))).astype(np.float32)


# Language models: how likely a document's language gives the term, smoothed by that of all documents.

LANGUAGE_MODELS_SOURCE = "Zhai and Lafferty 2001, A study of smoothing methods for language models"


def collection_probability(term: TermStatistics, field: FieldStatistics) -> float:
    """p: the share of a term in all documents, never 0."""
    return (term.occurrences + 1) / (field.tokens + 1)


@dataclass(frozen=True)
class LMDirichlet(Similarity):
    """Smoothed as if every document had `mu` terms more, drawn from all documents; a match may score 0."""

    mu: float = 2000.0
    name: ClassVar[str] = "lm-dirichlet"
    formula: ClassVar[str] = "max(0, b (ln(1 + tf/(mu p)) + ln(mu/(dl + mu))))"
    source: ClassVar[str] = LANGUAGE_MODELS_SOURCE
    above: ClassVar[dict[str, float]] = {"mu": 0}

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        weight = np.log(1 + tf.astype(np.float64) / (self.mu * collection_probability(term, field)))
        return np.maximum(0, boost * (weight + np.log(self.mu / (dl + self.mu))))

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """Both logarithms, mu and p."""
        share = collection_probability(term, field)
        weight = float(np.float32(np.log(1 + tf / (self.mu * share))))
        return (
            Explanation(weight, "ln(1 + tf/(mu p))"),
            Explanation(float(np.float32(np.log(self.mu / (dl + self.mu)))), "ln(mu/(dl + mu))"),
            Explanation(self.mu, "mu"),
            Explanation(float(np.float32(share)), "p = (F + 1)/(T + 1)"),
        )


@dataclass(frozen=True)
class LMJelinekMercer(Similarity):
    """A mixture: `lambda` is the share of the language of all documents."""

    lambda_: float = 0.1
    name: ClassVar[str] = "lm-jelinek-mercer"
    formula: ClassVar[str] = "b ln(1 + (1 - lambda) tf/dl/(lambda p))"
    source: ClassVar[str] = LANGUAGE_MODELS_SOURCE
    above: ClassVar[dict[str, float]] = {"lambda_": 0}
    most: ClassVar[dict[str, float]] = {"lambda_": 1}

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs, unless lambda is 1."""
        share = self.lambda_ * collection_probability(term, field)
        return boost * np.log(1 + (1 - self.lambda_) * tf.astype(np.float64) / dl / share)


# Term frequencies made comparable between short and long documents, for the models of divergence and information.

Normalization = Literal["H1", "H2", "H3", "Z"]
SMOOTHING: Final = 800.0
ZIPF: Final = 0.3
NORMALIZATION_FORMULAS: Final[dict[str, str]] = {
    "H1": "t = tf avg/dl",
    "H2": "t = tf log2(1 + avg/dl)",
    "H3": "t = 800 (tf + 800 p)/(dl + 800)",
    "Z": "t = tf (avg/dl)^0.3",
}


def normalised_frequency(
    kind: Normalization, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics
) -> Values:
    """t, the frequency that a document of mean length would have."""
    frequency, ratio = tf.astype(np.float64), field.average / dl
    if kind == "H1":
        return frequency * ratio
    if kind == "H2":
        return frequency * np.log2(1 + ratio)
    if kind == "H3":
        return (frequency + SMOOTHING * collection_probability(term, field)) / (dl + SMOOTHING) * SMOOTHING
    return frequency * ratio**ZIPF


@dataclass(frozen=True)
class DFR(Similarity):
    """How far a frequency is from chance (`model`), what one more occurrence adds (`after`), and lengths (`norm`)."""

    model: Literal["In", "I(ne)", "I(F)", "G"] = "In"
    after: Literal["L", "B"] = "L"
    norm: Normalization = "H2"
    name: ClassVar[str] = "dfr"
    unnamed: ClassVar[tuple[str, ...]] = ("model", "after", "norm")
    formula: ClassVar[str] = "b model(t) after(t)"
    source: ClassVar[str] = "Amati and van Rijsbergen 2002, Probabilistic models of information retrieval"

    def _write(self) -> str:
        return f"{self.name}({self.model},{self.after},{self.norm})"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Information of the frequency times the gain of one more occurrence."""
        t = normalised_frequency(self.norm, tf, dl, term, field)
        return boost * self._information(t, term, field) * self._gain(t, term)

    def _information(self, t: Values, term: TermStatistics, field: FieldStatistics) -> Values:
        if self.model == "G":
            r = (term.occurrences + 1) / (field.documents + term.occurrences + 1)
            return np.log2(1 + r) + t * np.log2((1 + r) / r)
        return t * self._rarity(term, field)

    def _rarity(self, term: TermStatistics, field: FieldStatistics) -> float:
        """Bits that an occurrence of the term tells."""
        n, count = float(term.documents), field.documents
        if self.model == "I(F)":
            return float(np.log2(1 + (count + 1) / (term.occurrences + 0.5)))
        if self.model == "I(ne)":
            n = count * (1 - ((count - 1) / count) ** term.occurrences)
        return float(np.log2((count + 1) / (n + 0.5)))

    def _gain(self, t: Values, term: TermStatistics) -> Values:
        if self.after == "L":
            return 1 / (t + 1)
        return (term.occurrences + 2) / ((term.documents + 1) * (t + 1))

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """t, the information and the gain."""
        t = normalised_frequency(self.norm, np.array([tf]), np.array([dl]), term, field)
        return (
            Explanation(float(t[0]), NORMALIZATION_FORMULAS[self.norm]),
            Explanation(float(self._information(t, term, field)[0]), f"model {self.model} of t"),
            Explanation(float(self._gain(t, term)[0]), f"after effect {self.after} of t"),
        )


@dataclass(frozen=True)
class InformationBased(Similarity):
    """How surprising a frequency is under a log-logistic (LL) or a smoothed power law (SPL) distribution.

    `lambda` is the share of documents with the term (df), or its occurrences for each document (ttf).
    """

    distribution: Literal["LL", "SPL"] = "LL"
    lambda_: Literal["df", "ttf"] = "df"
    norm: Normalization = "H2"
    name: ClassVar[str] = "ib"
    unnamed: ClassVar[tuple[str, ...]] = ("distribution", "lambda_", "norm")
    formula: ClassVar[str] = "LL: -b ln(r/(t + r)); SPL: -b ln((r^(t/(t + 1)) - r)/(1 - r))"
    source: ClassVar[str] = "Clinchant and Gaussier 2010, Information-based models for ad hoc IR"

    def _write(self) -> str:
        return f"{self.name}({self.distribution},{self.lambda_},{self.norm})"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Minus the logarithm of the probability of such a frequency or a higher one."""
        t, r = normalised_frequency(self.norm, tf, dl, term, field), self._rate(term, field)
        if self.distribution == "LL":
            return -boost * np.log(r / (t + r))
        return -boost * np.log((r ** (t / (t + 1)) - r) / (1 - r))

    def _rate(self, term: TermStatistics, field: FieldStatistics) -> float:
        """r, which Lucene keeps off 1, where the power law has no value."""
        rate = ((term.documents if self.lambda_ == "df" else term.occurrences) + 1) / (field.documents + 1)
        return float(np.nextafter(1.0, 0.0)) if rate == 1 and self.distribution == "SPL" else rate

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        t = normalised_frequency(self.norm, np.array([tf]), np.array([dl]), term, field)
        rate = f"r = ({'n' if self.lambda_ == 'df' else 'F'} + 1)/(N + 1)"
        return Explanation(float(t[0]), NORMALIZATION_FORMULAS[self.norm]), Explanation(self._rate(term, field), rate)


@dataclass(frozen=True)
class DFI(Similarity):
    """How much more often a term occurs than if it did not depend on the document; as often or less: 0."""

    measure: Literal["standardized", "saturated", "chi-squared"] = "standardized"
    name: ClassVar[str] = "dfi"
    unnamed: ClassVar[tuple[str, ...]] = ("measure",)
    formula: ClassVar[str] = "0 if tf <= e, else b log2(x + 1); x = (tf - e)/sqrt(e), (tf - e)/e or (tf - e)^2/e"
    source: ClassVar[str] = "Kocabas, Dincer and Karaoglan 2014, A nonparametric term weighting method"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """The logarithm of how far the frequency is above what is expected."""
        expected = _dfi_expected(dl, term, field)
        excess = np.maximum(tf.astype(np.float64) - expected, 0)
        if self.measure == "standardized":
            return boost * np.log2(excess / np.sqrt(expected) + 1)
        return boost * np.log2((excess if self.measure == "saturated" else excess**2) / expected + 1)

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        return (Explanation(float(_dfi_expected(np.array([dl]), term, field)[0]), "e = (F + 1) dl/(T + 1)"),)


def _dfi_expected(dl: Values, term: TermStatistics, field: FieldStatistics) -> Values:
    return (term.occurrences + 1) * dl.astype(np.float64) / (field.tokens + 1)


AXIOMATIC_SOURCE = "Fang and Zhai 2005, An exploration of axiomatic approaches to information retrieval"


def saturated_frequency(tf: Values, dl: Values, field: FieldStatistics) -> Values:
    """tf/(tf + 0.25 + 0.25 dl/avg)."""
    frequency = tf.astype(np.float64)
    return frequency / (frequency + 0.25 + 0.25 * dl / field.average)


@dataclass(frozen=True)
class AxiomaticF2Exp(Similarity):
    """What follows from axioms of retrieval, with a power of how rare the term is."""

    name: ClassVar[str] = "axiomatic-f2exp"
    formula: ClassVar[str] = "b tf/(tf + 0.25 + 0.25 dl/avg) ((N + 1)/n)^0.35"
    source: ClassVar[str] = AXIOMATIC_SOURCE

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs."""
        return boost * saturated_frequency(tf, dl, field) * ((field.documents + 1) / term.documents) ** 0.35


@dataclass(frozen=True)
class AxiomaticF2Log(Similarity):
    """What follows from axioms of retrieval, with the logarithm of how rare the term is."""

    name: ClassVar[str] = "axiomatic-f2log"
    formula: ClassVar[str] = "b tf/(tf + 0.25 + 0.25 dl/avg) ln((N + 1)/n)"
    source: ClassVar[str] = AXIOMATIC_SOURCE

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs."""
        return boost * saturated_frequency(tf, dl, field) * float(np.log((field.documents + 1) / term.documents))


@dataclass(frozen=True)
class Coordination(Similarity):
    """The boost of each term or phrase that matches, and nothing else: a level of coordination."""

    name: ClassVar[str] = "boolean"
    formula: ClassVar[str] = "b"
    source: ClassVar[str] = "van Rijsbergen 1979, Information retrieval, section 5"

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        return np.full(len(tf), boost, dtype=np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        return self.score(tf, dl, [term], field, boost)


# The similarities by name, in the order people read them.

ALL: dict[str, type[Similarity]] = {
    each.name: each
    for each in (  # a new similarity adds its line here
        BM25,
        BM25F,
        Classic,
        LMDirichlet,
        LMJelinekMercer,
        DFR,
        InformationBased,
        DFI,
        AxiomaticF2Exp,
        AxiomaticF2Log,
        Coordination,
    )
}
GROUP = "rankscope.similarities"  # entry points of other packages
EXAMPLE = "bm25(k1=0.9, b=0.4)"
SIMILARITIES: NamedCatalogue[Similarity] = NamedCatalogue("similarity", ALL, EXAMPLE, GROUP)
