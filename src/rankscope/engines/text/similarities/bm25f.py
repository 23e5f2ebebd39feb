"""BM25 over several fields at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.bm25 import BM25
from rankscope.engines.text.similarities.similarity import Scores, Similarity, Values
from rankscope.notation import Written, short

OPTIONS = ("k1", "b")


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
        weights = tuple((name, value) for name, value in numbers.items() if name not in OPTIONS)
        return cls(weights, **{name: numbers[name] for name in OPTIONS if name in numbers})

    def _write(self) -> str:
        usual = {"k1": BM25.k1, "b": BM25.b}
        options = [f"{name}={short(getattr(self, name))}" for name in OPTIONS if getattr(self, name) != usual[name]]
        return f"{self.name}({','.join([*(f'{name}={short(value)}' for name, value in self.weights), *options])})"

    @cached_property
    def by_field(self) -> Mapping[str, float]:
        """The weight of each field."""
        return dict(self.weights)

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
        """As for a phrase of one term."""
        return self.score(tf, dl, [term], field, boost)

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        """As BM25."""
        return self.combined.explain(tf, dl, terms, field, boost)
