"""Python objects that need no repair and no table: dictionaries, lists and small frames, taken as they are.

Most dictionaries are so: no copy of their ids, a look or two at each. Any doubt (ids that are not all text or all
whole numbers, gaps, masks, NaN, an item twice in a list) gives None: then the object becomes a table, and every
value that is wrong is told.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.caching import LazyModule
from rankscope.core.columns import GRADE, ITEM, QUERY, RANK, SCORE, plain_name
from rankscope.inputs.values import is_unicode


def plain_of(data: Any, value: str, keep: bool = True) -> PlainNested | None:
    """What a Python object holds where it needs no repair and no table; None for any other."""
    if type(data) in DICTIONARIES and not has_columns(data):
        return plain_nested(data, value, keep)
    return plain_columns(data, value)


def has_columns(data: Mapping[Any, Any]) -> bool:
    """Whether a dictionary is a table, {"query": [...], "item": [...], ...}, and not {query: [item, ...]}."""
    if any(isinstance(value, dict | Mapping) for value in data.values()):
        return False
    names = {plain_name(name) for name in data if isinstance(name, str)}
    return bool(names & set(QUERY) and names & set(ITEM))


# {query: {item: number}} that needs no repair, taken as it is: no copy of its ids, no table, a look or two at each.

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
    lengths: IntArray = field(init=False, repr=False)  # how many items each query has

    def __post_init__(self) -> None:
        self.__dict__["lengths"] = np.fromiter(map(len, self.lists), np.int64, len(self.lists))

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
    queries, lists = _plain_ids(list(data)), _plain_lists(answers, ordered, value, keep)
    if queries is None or lists is None:
        return None
    values = plain_numbers(list(chain.from_iterable([each.values() for each in lists])), value)
    return None if values is None else PlainNested(tuple(queries), tuple(lists), values, ordered)


def plain_from_columns(query: Any, item: Any, values: list[Any] | NDArray[Any], value: str) -> PlainNested | None:
    """The same from three columns, in which the rows of a query stand together.

    >>> plain_from_columns(["q1", "q1", "q2"], [7, 8, 7], np.array([2.0, 1.0, 3.0]), "score").lists
    ({'7': 2.0, '8': 1.0}, {'7': 3.0})
    """
    queries, items, numbers = _plain_ids(query), _plain_ids(item), plain_numbers(values, value)
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


def _plain_lists(answers: list[Any], ordered: bool, value: str, keep: bool) -> list[Answer] | None:
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
    texts = _plain_ids(ids)
    if texts is ids:
        return lists
    written = iter(texts or ())
    return (
        None if texts is None else [dict(zip(islice(written, len(each)), each.values(), strict=True)) for each in lists]
    )


def _numbered(answer: object) -> dict[Any, int] | None:
    """The items of a list with numbers that fall from 0; None where one stands there twice."""
    items: Any = None
    if isinstance(answer, list | tuple):
        items = list(answer)
    elif type(answer) is np.ndarray and answer.ndim == 1 and answer.dtype.kind in "iuUO":
        items = answer.tolist()
    if items is None or not {str, int}.issuperset(map(type, items)):
        return None
    numbered = dict(zip(items, range(0, -len(items), -1), strict=True))
    return numbered if len(numbered) == len(items) else None


def _plain_ids(ids: list[Any]) -> list[str] | None:
    """Ids that are all text, or all whole numbers, which become text; None for others."""
    kinds = set(map(type, ids))
    if kinds == {int} and max(map(int.bit_length, ids)) < 64:
        return list(map(str, ids))
    if not kinds <= {str} or not all(ids):
        return None
    together = "".join(ids)
    return ids if (together.isascii() or is_unicode(together)) and "\0" not in together else None


def plain_numbers(values: list[Any] | NDArray[Any], value: str) -> FloatArray | None:
    """All numbers as float64; None where one is none, is NaN, or is not finite as a grade must be."""
    if isinstance(values, list):
        allowed = NUMBERS | TRUTHS if value == "grade" else NUMBERS
        if not allowed.issuperset(map(type, values)):
            return None
        try:
            plain = np.fromiter(values, np.float64, len(values))
        except OverflowError:
            return None
    elif values.dtype.kind in ("fiub" if value == "grade" else "fiu"):
        plain = values.astype(np.float64, copy=False)
    else:
        return None
    sound = np.isfinite(plain) if value == "grade" else ~np.isnan(plain)
    return plain if sound.all() else None


# Small tables of Python objects that need no repair, by query and item as dictionaries have them.

MOST_ROWS = 1 << 15  # of larger tables whole columns are quicker
WORDS_OF_VALUES = {"score": SCORE, "grade": GRADE}


def plain_columns(data: Any, value: str) -> PlainNested | None:
    """The rows of a frame, a dictionary of columns, or three arrays or lists; None where anything is not plain.

    >>> plain_columns((["q", "q"], ["a", "b"], [2.0, 1.0]), "score").lists
    ({'a': 2.0, 'b': 1.0},)
    """
    columns = _columns_of(data, value)
    if columns is None or not all(hasattr(each, "__len__") and len(each) <= MOST_ROWS for each in columns):
        return None
    query, item, values = (_plain_column(each) for each in columns)
    if query is None or item is None or values is None or not len(query) == len(item) == len(values):
        return None
    numbers = values if isinstance(values, list) else values.copy()
    return plain_from_columns(_ids_as_list(query), _ids_as_list(item), numbers, value)


def _columns_of(data: Any, value: str) -> tuple[Any, Any, Any] | None:
    """Query, item and value; None where they are not all there, where two could be meant, or where there are ranks."""
    if type(data) is tuple:
        return data if len(data) == 3 else None
    package = type(data).__module__.partition(".")[0]
    is_frame = package in ("pandas", "polars") and type(data).__name__ == "DataFrame"
    if not is_frame and not isinstance(data, Mapping):
        return None
    names = list(data.columns if is_frame else data)
    by_name = {plain_name(name): name for name in names if isinstance(name, str)}
    wanted = [
        next((by_name[word] for word in words if word in by_name), None)
        for words in (QUERY, ITEM, WORDS_OF_VALUES[value])
    ]
    ranked = value == "score" and any(word in by_name for word in RANK)
    if len(by_name) < len(names) or None in wanted or ranked:
        return None
    query, item, number = (data[name] for name in wanted)
    return query, item, number


def _plain_column(column: Any) -> Any:
    """A column as a list or an array; None where it is neither, nor a column of a frame."""
    package = type(column).__module__.partition(".")[0]
    if package == "pandas":
        column = column.to_numpy() if isinstance(column.dtype, np.dtype) else column.tolist()
    if type(column) is np.ndarray and column.ndim == 1:
        return column.tolist() if column.dtype == object else column
    if type(column) is list:
        return column
    if package == "polars" and not column.null_count():
        import polars as pl

        if column.dtype.is_(pl.String):
            return column.to_list()
        if column.dtype.is_integer() or column.dtype.is_float():
            return column.to_numpy()
    return None


def _ids_as_list(ids: Any) -> list[Any]:
    return ids if isinstance(ids, list) else ids.tolist()
