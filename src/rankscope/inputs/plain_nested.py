"""{query: {item: number}} that needs no repair, taken as it is: no copy of its ids, no table, a look or two at each.

Most dictionaries are so. Any doubt (ids that are not all text or all whole numbers, numbers of an odd kind, NaN, an
item twice in a list) gives None: then `nested` looks at every value and says what is wrong.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.inputs.ids import is_unicode
from rankscope.lazily import LazyModule, once

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")

Answer: TypeAlias = dict[str, float]
DICTIONARIES = frozenset({dict, defaultdict, OrderedDict})
NUMBERS = frozenset({float, int, *(np.dtype(code).type for code in "efdbhilqBHILQ")})
TRUTHS = frozenset({bool, np.bool_})


@dataclass(frozen=True, eq=False)
class PlainNested:
    """For each query, in the order given, its items with their numbers; `values` are all numbers one behind the other.

    `ordered` says that some numbers were made here, from the order of a list.
    >>> made = plain_nested({"q1": {"a": 2, "b": 1}, "q2": ["c", "d"]}, "score")
    >>> made.queries, made.lists[1], made.values
    (('q1', 'q2'), {'c': 0, 'd': -1}, array([ 2.,  1.,  0., -1.]))
    """

    queries: tuple[str, ...]
    lists: tuple[Answer, ...]
    values: FloatArray
    ordered: bool = False

    @once
    def lengths(self) -> IntArray:
        """How many items each query has."""
        return np.fromiter(map(len, self.lists), np.int64, len(self.lists))

    def take(self, queries: Sequence[int]) -> PlainNested:
        """Some queries by their numbers, in the order given."""
        if len(queries) == len(self.queries) and queries == list(range(len(queries))):
            return self
        chosen = np.array(queries, dtype=np.int64)
        length = self.lengths[chosen]
        end = length.cumsum()
        before = (self.lengths.cumsum() - self.lengths)[chosen] - (end - length)
        return PlainNested(
            tuple(map(self.queries.__getitem__, queries)),
            tuple(map(self.lists.__getitem__, queries)),
            self.values[np.arange(length.sum()) + before.repeat(length)],
            self.ordered,
        )

    def negated(self) -> PlainNested:
        """The same with all numbers negated."""
        lists = tuple({item: 0.0 - number for item, number in each.items()} for each in self.lists)
        return PlainNested(self.queries, lists, 0.0 - self.values, self.ordered)

    def answered(self) -> PlainNested:
        """The queries that have items at all."""
        return self if all(self.lists) else self.take([number for number, each in enumerate(self.lists) if each])

    def items(self) -> list[str]:
        """All items, one behind the other."""
        return list(chain.from_iterable(self.lists))

    def table(self, value: str) -> pl.DataFrame:
        """The rows as a table of query, item and number."""
        query = pl.Series("query", self.queries, dtype=pl.String)
        return pl.DataFrame(
            [
                query.gather(np.repeat(np.arange(len(self.lists)), self.lengths)),
                pl.Series("item", self.items(), dtype=pl.String),
                pl.Series(value, self.values, dtype=pl.Float64),
            ]
        )


def plain_nested(data: Mapping[Any, Any], value: str, keep: bool = True) -> PlainNested | None:
    """The numbers of a nested dictionary as they are now, None where anything is not plain; `value` names them.

    What is to be kept is copied, so that later changes of the dictionary change nothing here.
    >>> plain_nested({"q1": {"a": "2"}}, "score") is None
    True
    """
    if type(data) not in DICTIONARIES:
        return None
    answers = list(data.values())
    ordered = not DICTIONARIES.issuperset(map(type, answers))
    queries, lists = _ids(list(data)), _lists(answers, ordered, value, keep)
    if queries is None or lists is None:
        return None
    values = plain_numbers(list(chain.from_iterable([each.values() for each in lists])), value)
    return None if values is None else PlainNested(tuple(queries), tuple(lists), values, ordered)


def from_columns(query: Any, item: Any, values: NDArray[Any], value: str) -> PlainNested | None:
    """The same from three columns, in which the rows of a query stand together.

    >>> from_columns(["q1", "q1", "q2"], [7, 8, 7], np.array([2.0, 1.0, 3.0]), "score").lists
    ({'7': 2.0, '8': 1.0}, {'7': 3.0})
    """
    queries, items, numbers = _ids(query), _ids(item), _sound(values, value)
    if queries is None or items is None or numbers is None:
        return None
    new = np.ones(len(queries), dtype=np.bool_)
    new[1:] = np.array(queries[1:], dtype=object) != np.array(queries[:-1], dtype=object)
    borders = [*np.flatnonzero(new).tolist(), len(queries)]
    names = tuple(queries[start] for start in borders[:-1])
    listed = zip(items, numbers.tolist(), strict=True)
    lists = tuple(dict(islice(listed, end - start)) for start, end in pairwise(borders))
    if len(set(names)) < len(names) or sum(map(len, lists)) < len(items):
        return None
    return PlainNested(names, lists, numbers)


def _lists(answers: list[Any], ordered: bool, value: str, keep: bool) -> list[Answer] | None:
    """The items of each query with their numbers; None where any are not plain."""
    if not ordered:
        lists: list[Any] = list(map(dict, answers)) if keep else answers
    elif value == "score":
        lists = [dict(each) if type(each) in DICTIONARIES else _numbered(each) for each in answers]
        if None in lists:
            return None
    else:
        return None
    ids = list(chain.from_iterable(lists))
    texts = _ids(ids)
    if texts is ids:
        return lists
    written = iter(texts or ())
    return (
        None if texts is None else [dict(zip(islice(written, len(each)), each.values(), strict=True)) for each in lists]
    )


def _numbered(answer: object) -> dict[Any, int] | None:
    """The items of a list with numbers that fall from 0; None where one stands there twice."""
    items = _listed(answer)
    if items is None or not {str, int}.issuperset(map(type, items)):
        return None
    numbered = dict(zip(items, range(0, -len(items), -1), strict=True))
    return numbered if len(numbered) == len(items) else None


def _listed(answer: object) -> list[Any] | None:
    if isinstance(answer, np.ndarray):
        plain = type(answer) is np.ndarray and answer.ndim == 1 and answer.dtype.kind in "iuUO"
        return answer.tolist() if plain else None
    return list(answer) if isinstance(answer, list | tuple) else None


def _ids(ids: list[Any]) -> list[str] | None:
    """Ids that are all text, or all whole numbers, which become text; None for others."""
    kinds = set(map(type, ids))
    if kinds == {int} and max(map(int.bit_length, ids)) < 64:
        return list(map(str, ids))
    if not kinds <= {str} or not all(ids):
        return None
    together = "".join(ids)
    return ids if (together.isascii() or is_unicode(together)) and "\0" not in together else None


def plain_numbers(values: list[Any], value: str) -> FloatArray | None:
    """All numbers as float64; None where one is none."""
    allowed = NUMBERS | TRUTHS if value == "grade" else NUMBERS
    if not allowed.issuperset(map(type, values)):
        return None
    try:
        return _sound(np.fromiter(values, np.float64, len(values)), value)
    except OverflowError:
        return None


def _sound(numbers: NDArray[Any], value: str) -> FloatArray | None:
    """Numbers of any kind as float64; None where one is NaN, or not finite as a grade must be."""
    if numbers.dtype.kind not in ("fiub" if value == "grade" else "fiu"):
        return None
    plain = numbers.astype(np.float64, copy=False)
    sound = np.isfinite(plain) if value == "grade" else ~np.isnan(plain)
    return plain if sound.all() else None
