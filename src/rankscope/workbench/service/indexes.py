"""The indexes that a service answers for, and a question to them: read, checked, answered in its turn, words marked."""

from __future__ import annotations

import asyncio
import html
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import numpy as np

from rankscope.core.caching import Recent
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError
from rankscope.engines.text.explanations import explain_score
from rankscope.engines.text.highlighting import Fragment, Highlighter
from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import map_texts
from rankscope.engines.text.queries import (
    REQUIRED,
    BestOf,
    Boolean,
    Boost,
    Clause,
    InField,
    MatchAll,
    MatchNothing,
    Node,
    check_time,
    time_limit,
)
from rankscope.engines.text.segments import ID
from rankscope.engines.text.similarities import Explanation
from rankscope.engines.text.text_index import Index
from rankscope.workbench.service.application import Refusal, ServiceLimits, is_pattern, matching_names

if TYPE_CHECKING:
    from rankscope.engines.text.searching import Searcher


INDEX_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
INDEX_SUFFIX: Final = ".index"
ALL_INDEXES: Final = frozenset({"_all", "*", ""})
KEPT_TOGETHER: Final = 2  # ways to put several indexes together that stay open


@dataclass(frozen=True, eq=False)
class Served:
    """An index that is served, or several as one; `names` are those of the parts, in their order."""

    names: tuple[str, ...]
    index: Index
    similarity: str
    begins: tuple[int, ...]  # the number of each part's first document

    def searcher(self, field: str | None = None) -> Searcher:
        """What searches it for words that name no field in this one."""
        return self.index.searcher(self.similarity, field)

    @cached_property
    def orders(self) -> dict[str, Numbers]:
        """By field, the place of each document's text among those of all; filled when it is asked for."""
        return {}

    def number_of(self, name: str) -> int | None:
        reader = self.index.reader
        found, deleted = reader.postings(ID, name).docs.tolist(), reader.deleted
        live = [each for each in found if deleted is None or not deleted[each]]
        return live[0] if live else None

    def owner(self, number: int) -> str:
        return self.names[int(np.searchsorted(self.begins, number, side="right")) - 1]

    def fields_named(self, name: str) -> list[str]:
        """The fields that a name or a pattern means; a name that no field has is refused."""
        found = matching_names(name, self.index.fields)
        if not found and not is_pattern(name):
            self.index.reader.need_field(name)
        return found

    def order(self, field: str) -> Numbers:
        """The place of each document among all, by its text in a field; those without a text share the last one."""
        if field not in self.orders:
            import polars as pl

            texts = self.index.reader.stored_column(field)
            ranks = texts.rank("dense").fill_null(len(texts) + 1).cast(pl.Int64)
            self.orders[field] = ranks.to_numpy()
        return self.orders[field]


class ServedIndexes:
    def __init__(self, indexes: Mapping[str, Index], similarity: str = "bm25") -> None:
        if not indexes:
            raise SettingError("name an index to serve: rankscope serve --index INDEX")
        wrong = [name for name in indexes if INDEX_NAME.fullmatch(name) is None]
        if wrong:
            raise SettingError.of([f"'{name}' cannot stand in an address: give it as NAME=FOLDER" for name in wrong])
        self.indexes, self.similarity = dict(indexes), similarity
        for index in indexes.values():
            index.searcher(similarity)  # a similarity that is not there is an error now
        self._together = Recent[Served](KEPT_TOGETHER + len(indexes), lambda each: 1)
        self._lock = Lock()

    @classmethod
    def of(cls, given: Mapping[str, Index] | Sequence[str | Path], similarity: str = "bm25") -> ServedIndexes:
        """Indexes by name, or folders; a folder is called as its last part without `.index`, unless NAME=FOLDER says.

        >>> ServedIndexes.of({"docs": Index.build([{"id": "a", "body": "a fox"}])}).find("docs").names
        ('docs',)
        """
        if isinstance(given, Mapping):
            return cls(given, similarity)
        named = [_named(str(each)) for each in given]
        twice = {name for name, _ in named if [other for other, _ in named].count(name) > 1}
        if twice:
            advice = "give one of them another name, as NAME=FOLDER"
            raise SettingError.of([f"two indexes are called '{name}': {advice}" for name in sorted(twice)])
        opened = {name: Index.open(folder) for name, folder in named}
        quick = {name: Index(map_texts(each.reader), each.folders) for name, each in opened.items()}
        return cls(quick, similarity)

    def find(self, asked: str) -> Served:
        """The index of a name; several with commas between or by a pattern, or all, as one."""
        names = self.names_of(asked)
        with self._lock:
            return self._together.get(names, lambda: self._opened(names))

    def names_of(self, asked: str) -> tuple[str, ...]:
        """The names that are meant, each once, in the order in which they are served; an unknown one is refused."""
        wanted: set[str] = set()
        for word in asked.split(","):
            here = set(self.indexes) if word in ALL_INDEXES else set(matching_names(word, list(self.indexes)))
            if not here:
                near, there = did_you_mean(word[:100], self.indexes), ", ".join(self.indexes)
                message = f"no index '{word[:100]}'{near} There is: {there}"
                raise Refusal(404, message, "index_not_found_exception")
            wanted |= here
        return tuple(name for name in self.indexes if name in wanted)

    def _opened(self, names: tuple[str, ...]) -> Served:
        parts = {name: self.indexes[name] for name in names}
        index = parts[names[0]] if len(names) == 1 else Index.join(parts)
        counts = [part.reader.count for part in parts.values()]
        begins = tuple(np.cumsum([0, *counts[:-1]]).tolist())
        return Served(names, index, self.similarity, begins)


def _named(given: str) -> tuple[str, str]:
    """The name and the folder of an index.

    >>> _named("data/docs.index"), _named("news=data/docs.index")
    (('docs', 'data/docs.index'), ('news', 'data/docs.index'))
    """
    name, sign, folder = given.partition("=")
    if sign and INDEX_NAME.fullmatch(name) and not Path(given).exists():
        return name, folder
    return Path(given).resolve().name.removesuffix(INDEX_SUFFIX), given


# A question to an index and its answer, whichever way in it came by.

SCORE: Final = "\0score"  # no field has this name
POSITION: Final = "\0position"  # in the index
Operator = Literal["OR", "AND"]


@dataclass(frozen=True)
class SortKey:
    """What documents are sorted by: their score, their place in the index, or the text of a field."""

    by: str
    descending: bool


@dataclass(frozen=True, eq=False)
class AnswerPage:
    """Some documents of an answer, in their order; `total` match in all, and `best` is the highest score of all."""

    docs: list[int]
    scores: list[float]
    total: int
    best: float | None


def read_query(served: Served, text: str, field: str, operator: Operator, limits: ServiceLimits) -> Node:
    """What a query means; one that is too long or speaks of a field that is not there is refused.

    Where all of it is prohibited, all other documents are meant, as in Solr and OpenSearch.
    """
    check_length(text, limits)
    if not text.strip():
        return MatchNothing()
    node = served.index.parse(text, field, operator, leading=True)
    check_fields(served, node)
    return all_but(node)


def all_but(node: Node) -> Node:
    """A query that is nothing but prohibitions as one of all other documents; all else as it is.

    >>> from rankscope.engines.text.queries import PROHIBITED, Term
    >>> print(all_but(Boolean((Clause(Term("body", "fox"), PROHIBITED),))))
    -body:fox *:*
    """
    if isinstance(node, Boolean) and node.prohibited and not node.required and not node.optional:
        return Boolean((*node.clauses, Clause(MatchAll())))
    return node


def check_length(text: str, limits: ServiceLimits) -> None:
    if len(text.encode()) > limits.query_bytes:
        raise Refusal(400, f"the query has {len(text.encode()):,} bytes, and at most {limits.query_bytes:,} are read")


def check_fields(served: Served, node: Node) -> None:
    """Refuse a query of a field that no document has: it would only ever find nothing."""
    known = {*served.index.fields, ID}
    if isinstance(node, InField) and node.field not in known:
        served.index.reader.need_field(node.field)
    for child in node.children:
        check_fields(served, child)


def check_size(node: Node, limits: ServiceLimits) -> None:
    """Refuse a query of too many clauses, or of groups in groups without end."""
    clauses, levels = _size(node)
    if clauses > limits.clauses:
        raise Refusal(400, f"the query has {clauses:,} clauses, and at most {limits.clauses:,} are searched for")
    if levels > limits.levels:
        raise Refusal(400, f"groups stand in each other {levels} deep, and at most {limits.levels} are searched for")


def _size(node: Node) -> tuple[int, int]:
    """How many parts without parts there are, and how deep groups stand in each other."""
    if not node.children:
        return 1, 0
    below = [_size(child) for child in node.children]
    return sum(clauses for clauses, _ in below), max(level for _, level in below) + int(not isinstance(node, Boost))


def filtered(query: Node, filters: Iterable[Node]) -> Node:
    """A query that must match too what adds nothing to its scores.

    >>> from rankscope.engines.text.queries import Term
    >>> print(filtered(Term("body", "fox"), [Term("title", "den")]))
    +body:fox +(title:den)^0.0
    """
    clauses = [Clause(Boost(each, 0.0), REQUIRED) for each in filters]
    return Boolean((Clause(query, REQUIRED), *clauses)) if clauses else query


def find_page(
    served: Served, query: Node, start: int, rows: int, sort: Sequence[SortKey] = (), field: str | None = None
) -> AnswerPage:
    """The documents from `start` on, the best first, or in the order of `sort`."""
    by_score = not sort or (sort[0] == SortKey(SCORE, True) and all(each.by == POSITION for each in sort[1:]))
    limit = start + rows if by_score else None
    hits = served.searcher(field).search(query, None if limit is None else max(limit, 1))
    order: Numbers = np.arange(len(hits))
    if not by_score:  # what is equal in all stays in the order of scores
        order = np.lexsort([order, *(_column(served, hits.docs, hits.scores, key) for key in reversed(sort))])
    shown = order[start : start + rows]
    return AnswerPage(
        docs=hits.docs[shown].tolist(),
        scores=hits.scores[shown].tolist(),
        total=hits.total,
        best=float(hits.scores[0]) if len(hits) else None,
    )


def _column(served: Served, docs: Numbers, scores: Numbers, key: SortKey) -> Numbers:
    if key.by == SCORE:
        return -scores if key.descending else scores
    if key.by == POSITION:
        return -docs if key.descending else docs
    places = served.order(key.by)[docs]
    missing = places > served.index.reader.count
    return np.where(missing, places, -places) if key.descending else places


def explain_document(served: Served, query: Node, number: int, field: str | None = None) -> Explanation:
    return explain_score(served.searcher(field), query, number)


# The query's words marked in the texts of documents that were found.


@dataclass(frozen=True)
class Marking:
    """How pieces of texts are shown: how many, how long (0: the whole text), and what stands around a word.

    `own_field` marks only what was searched in the field itself; without it words searched elsewhere are marked too.
    """

    fragments: int = 1
    size: int = 100
    before: str = "<em>"
    after: str = "</em>"
    own_field: bool = True
    escape: bool = False  # whether the text is made safe to stand in HTML
    otherwise: int = 0  # signs of the beginning that are shown where no word of the query stands


def mark_fields(
    served: Served, query: Node, row: Mapping[str, str | None], marking: Mapping[str, Marking]
) -> dict[str, list[str]]:
    """The pieces of each of some fields of a document that have words of the query; fields without any are left out."""
    found = {}
    for field, how in marking.items():
        check_time()
        text = row.get(field) or ""
        highlighter = Highlighter(served.index.reader, query if how.own_field else in_field(query, field), field)
        fragments = highlighter.fragments(text, how.fragments, how.size) if how.size else [highlighter.whole(text)]
        if pieces := [piece for piece in fragments if piece.marks]:
            found[field] = [_shown(piece, how) for piece in pieces]
        elif how.otherwise and text:
            found[field] = [text[: how.otherwise]]
    return found


def _shown(piece: Fragment, how: Marking) -> str:
    parts = [(html.escape(part) if how.escape else part, marked) for part, marked in piece]
    return "".join(f"{how.before}{part}{how.after}" if marked else part for part, marked in parts)


def in_field(query: Node, field: str) -> Node:
    """The same query of one field.

    >>> from rankscope.engines.text.queries import Term
    >>> print(in_field(Boost(Term("title", "fox"), 2.0), "body"))
    (body:fox)^2.0
    """
    if isinstance(query, InField):
        return replace(query, field=field)
    if isinstance(query, Boost):
        return replace(query, query=in_field(query.query, field))
    if isinstance(query, Boolean):
        return replace(query, clauses=tuple(replace(each, query=in_field(each.query, field)) for each in query.clauses))
    if isinstance(query, BestOf):
        return replace(query, queries=tuple(in_field(each, field) for each in query.queries))
    return query


# Searches take turns: a few run at once, some wait, and who would wait too long is asked to come again.

Found = TypeVar("Found")


class Turns:
    """Runs work in threads, at most so much at once as the limits say; each has a limit of time of its own."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits, self.waiting = limits, 0
        self._free = asyncio.Semaphore(limits.running)
        self._threads = ThreadPoolExecutor(limits.running, thread_name_prefix="search")

    async def run(self, work: Callable[[], Found]) -> Found:
        await self._take_turn()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._timed, work)
        finally:
            self._free.release()

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _timed(self, work: Callable[[], Found]) -> Found:
        with time_limit(self.limits.seconds):
            return work()

    async def _take_turn(self) -> None:
        if self._free.locked() and self.waiting >= self.limits.waiting:
            raise self._busy()
        self.waiting += 1
        try:
            async with asyncio.timeout(self.limits.wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self.waiting -= 1

    def _busy(self) -> Refusal:
        after = math.ceil(self.limits.retry_seconds)
        words = f"too many searches at once: ask again in {after} second{'' if after == 1 else 's'}"
        return Refusal(503, words, headers={"retry-after": str(after)})
