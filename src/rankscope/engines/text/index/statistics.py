"""What similarities know of a field and of a term in it."""

from __future__ import annotations

from dataclasses import dataclass


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
