"""The columns of one field of one segment: terms in order, and for each its documents, counts and positions."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import SettingError

if TYPE_CHECKING:
    import polars as pl

    from rankscope.engines.text.index.transpose import DocumentTerms

Numbers: TypeAlias = NDArray[Any]  # whole numbers of the width that they need


@dataclass(frozen=True, eq=False)
class TermColumn:
    """Distinct terms in the order of code points: their bytes one after another, each with a line break behind it."""

    text: Numbers
    offsets: Numbers  # where each term begins, and where one more would begin

    @classmethod
    def of(cls, terms: pl.Series) -> TermColumn:
        """From terms in order, none of which holds a line break.

        >>> import polars as pl
        >>> column = TermColumn.of(pl.Series(["fox", "über"]))
        >>> len(column), column[1], column.find("fox"), column.find("foxes")
        (2, 'über', 0, -1)
        """
        lengths = terms.str.len_bytes().to_numpy().astype(np.int64) + 1
        whole = "".join([*terms.str.join("\n"), "\n"]) if len(terms) else ""
        if whole.count("\n") != len(terms):
            raise SettingError("an analyser gives a term with a line break in it, which no index can hold")
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.frombuffer(whole.encode(), dtype=np.uint8), offsets)

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "offsets": self.offsets}  # what is made of them does not travel

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        return self._bytes_at(place).decode()

    def find(self, term: str) -> int:
        """The place of a term, or -1."""
        key = term.encode()
        place = self.first_from(key)
        return place if place < len(self) and self._bytes_at(place) == key else -1

    def first_from(self, key: bytes) -> int:
        """How many terms stand before these bytes in the order."""
        return bisect.bisect_left(range(len(self)), key, key=self._bytes_at)

    @cached_property
    def series(self) -> pl.Series:
        """All terms as a column of polars."""
        return self.slice(0, len(self))

    def slice(self, start: int, stop: int) -> pl.Series:
        """Some terms as a column of polars."""
        import polars as pl

        text, offsets = self._views
        whole = text[offsets[start] : offsets[stop]].tobytes().decode()
        lines = pl.Series([whole.removesuffix("\n")], dtype=pl.String)
        return lines.str.split("\n").explode() if stop > start else lines.clear()

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        text: Any = self.text
        offsets: Any = self.offsets
        return memoryview(text), memoryview(offsets)

    def _bytes_at(self, place: int) -> bytes:
        text, offsets = self._views
        return text[offsets[place] : offsets[place + 1] - 1].tobytes()


@dataclass(frozen=True, eq=False)
class FieldColumns:
    """All of one field of one segment, as arrays that may lie in files.

    The postings of term i are those from starts[i] to starts[i + 1]; their positions begin at position_starts[i].
    """

    text: Numbers
    offsets: Numbers
    starts: Numbers
    docs: Numbers
    counts: Numbers
    position_starts: Numbers
    positions: Numbers
    lengths: Numbers  # of every document of the segment, in terms

    @cached_property
    def terms(self) -> TermColumn:
        """The terms."""
        return TermColumn(self.text, self.offsets)

    @cached_property
    def documents(self) -> int:
        """How many documents have a term in this field."""
        return int(np.count_nonzero(self.lengths))

    @cached_property
    def tokens(self) -> int:
        """How many terms there are in all documents."""
        return len(self.positions)

    @cached_property
    def by_document(self) -> DocumentTerms:
        """The terms of each document."""
        from rankscope.engines.text.index.transpose import DocumentTerms

        return DocumentTerms.of(self)


ARRAYS: tuple[str, ...] = tuple(each.name for each in fields(FieldColumns))


def narrow(numbers: Numbers, largest: int | None = None) -> Numbers:
    """The same whole numbers from 0 in as few bytes as the largest needs, but never 8 where 4 do.

    >>> narrow(np.array([1, 300])).dtype
    dtype('uint16')
    """
    top = largest if largest is not None else int(numbers.max(initial=0))
    return numbers.astype(width_of(top), copy=False)


def width_of(largest: int) -> np.dtype[Any]:
    """The type of whole numbers from 0 up to this one."""
    kinds = (np.uint8, np.uint16, np.int32, np.int64)
    return np.dtype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))
