"""The value in the middle: at which ranks the judged items of each query stand, and which subtopics they serve.

Everything below reads only this. Provenance says where its numbers come from: files, digests, settings and versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.caching import once
from rankscope.core.display import Display, Displayed, LongTable
from rankscope.core.rendering import Cell
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many
from rankscope.inputs.mix_ups import FIRST_ITEMS, UnlikeIds
from rankscope.ranks.ragged import Ragged, changes
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.inputs.subtopics import Subtopics


@dataclass(frozen=True)
class UnmetItems:
    """A run of which hardly any item is judged: `found` of its `returned` items, of so many `judged` ones.

    `occur`: whether any of its items is judged for some other query at least.
    """

    found: int
    returned: int
    judged: int
    occur: bool
    ids: UnlikeIds

    @property
    def what(self) -> str:
        """What is wrong.

        >>> UnmetItems(found=0, returned=3000, judged=240, occur=False, ids=UnlikeIds((), ())).what
        'none of its 3,000 items occurs anywhere in the judgements'
        """
        if not self.occur:
            return f"none of its {self.returned:,} items occurs anywhere in the judgements"
        if not self.found:
            return f"none of its {self.returned:,} items is judged for its query, only for other queries"
        if is_rare(self.found, self.returned, self.judged):
            return f"only {self.found:,} of its {self.returned:,} items are judged, of {self.judged:,} judged ones"
        return f"none of the first {FIRST_ITEMS} items of any query is judged"

    @property
    def caution(self) -> str:
        """The same with ids of both sides, and what would make them meet."""
        if self.occur and not self.found:
            return f"{self.what}: do query ids name the same queries in both files?"
        return f"{self.what}: do item ids differ? {self.ids.advice('item')}"


def is_rare(found: int, returned: int, judged: int) -> bool:
    """Whether fewer than 1 % of the items are judged, and fewer than 1 % of what is judged was found.

    Where few items are judged, as with one for each query, deep rankings hold few of them, but most of those judged.
    """
    return 100 * found < min(returned, judged)


KINDS = "kinds of queries"  # what provenance says of classes that were given explicitly
UNKNOWN = -1
MOST_RANKS = 6  # of relevant items, in a cell
KEPT_DISTRACTORS = 256  # the best of each query, where scores are kept
LISTS = ("judged", "pooled", "levels", "ties")
COLUMNS = ("depth", "answered", "collection")


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks(Displayed):
    """One row per judged query in byte order of the ids, all queries of one system.

    `queries.at(rel=2)` is the same with another lowest relevant grade. A missing query has depth 0.
    >>> queries = RelevantRanks.from_ranks([[1, 3, 6], [2]], relevant=[10, 1])
    >>> queries.hits(3), queries.relevant
    (array([2, 1]), array([10,  1]))
    """

    queries: tuple[str, ...]
    judged: Ragged  # rank and grade of every judged item found, grade 0 included, ascending; score where kept
    pooled: Ragged  # rank and (negative) grade of items found that are in the pool but not judged
    levels: Ragged  # grade and count: how many items were judged at each grade, found or not, ascending
    depth: IntArray  # how many items were returned
    answered: BoolArray  # whether the run has the query at all
    collection: IntArray  # size of the collection, UNKNOWN where it is
    ties: Ragged  # start and size of each group of equal scores that holds a judged or pooled item
    system: str = "run"
    tag: str = ""
    rel: float = 1.0
    top_grade: float = 1.0  # highest grade of all judgements
    classes: tuple[str, ...] | None = None
    distractors: Ragged | None = None  # the best items not relevant at grade 1, best first: score, where kept, and lot
    not_judged: tuple[str, ...] = ()  # queries of the run that have no judgements
    unmet: UnmetItems | None = None  # where hardly any item is judged: the ids of both sides
    left_out: IntArray | None = None  # items that are not in the collection for this query: junk, or the query itself
    provenance: Mapping[str, Any] = field(default_factory=dict)
    unchecked: bool = False  # read from a file without a digest, as those of a time before digests are
    subtopics: Ragged | None = None  # item, subtopic and grade, where subtopics were judged; `judged` has items then

    def __len__(self) -> int:
        return len(self.queries)

    @classmethod
    def assemble(
        cls,
        queries: Sequence[str],
        items: Ragged,
        *,
        depth: IntArray,
        relevant: IntArray | None = None,
        levels: Ragged | None = None,
        pooled: Ragged | None = None,
        answered: BoolArray | None = None,
        collection: IntArray | None = None,
        ties: Ragged | None = None,
        classes: Sequence[str] | None = None,
        **more: Any,
    ) -> RelevantRanks:
        """The one place where reductions are put together, whatever made the ranks.

        `items` are those found: rank, ascending, grade (1 unless there) and score where kept; those of negative grade
        are pooled unless `pooled` holds them already. `levels`, or `relevant` where all judged items have grade 1,
        count what was judged, found or not. Without a word every query was answered, the collection is unknown and no
        scores are equal.
        """
        count = items.offsets.size - 1
        graded = items if "grade" in items.columns else items.with_columns(grade=np.ones(items.size))
        unjudged = graded.columns["grade"] < 0
        if levels is None:
            judged = items.lengths if relevant is None else relevant
            some = np.flatnonzero(judged)
            levels = Ragged.from_rows(some, judged.size, grade=np.ones(some.size), count=judged[some].astype(np.int64))
        return cls(
            queries=tuple(queries),
            judged=graded if pooled is not None else graded.where(~unjudged),
            pooled=graded.where(unjudged) if pooled is None else pooled,
            levels=levels,
            depth=np.asarray(depth, dtype=np.int64),
            answered=np.ones(count, dtype=np.bool_) if answered is None else answered,
            collection=np.full(count, UNKNOWN) if collection is None else np.asarray(collection, dtype=np.int64),
            ties=Ragged.empty(count, "start", "size") if ties is None else ties,
            classes=None if classes is None else tuple(classes),
            **more,
        )

    @classmethod
    def join(cls, parts: Sequence[RelevantRanks]) -> RelevantRanks:
        """The queries of several reductions of one system behind each other, in the order given; the first tells the
        rest.

        >>> both = [RelevantRanks.from_ranks([[1]], queries=["a"]), RelevantRanks.from_ranks([[3, 4]], queries=["b"])]
        >>> RelevantRanks.join(both).queries, RelevantRanks.join(both).ranks
        (('a', 'b'), array([1, 3, 4]))
        """
        first = parts[0]
        if len(parts) == 1:
            return first

        def out_of(name: str) -> list[Any]:
            return [getattr(each, name) for each in parts]

        lists: dict[str, Any] = {name: Ragged.join(out_of(name)) for name in LISTS}
        columns: dict[str, Any] = {name: np.concatenate(out_of(name)) for name in COLUMNS}
        kept, out = (all(each is not None for each in out_of(name)) for name in ("distractors", "left_out"))
        return replace(
            first,
            **lists,
            **columns,
            queries=tuple(query for each in parts for query in each.queries),
            classes=None if first.classes is None else tuple(kind for each in parts for kind in each.classes or ()),
            distractors=Ragged.join(out_of("distractors")) if kept else None,
            left_out=np.concatenate(out_of("left_out")) if out else None,
            subtopics=None,
        )

    @classmethod
    def from_ranks(
        cls,
        ranks: Sequence[ArrayLike],
        relevant: ArrayLike | None = None,
        depth: ArrayLike | None = None,
        collection: ArrayLike | None = None,
        grades: Sequence[ArrayLike] | None = None,
        queries: Sequence[str] | None = None,
        **more: Any,
    ) -> RelevantRanks:
        """From ranks and grades (1 unless given), for examples and tests; items not found are in `relevant` only.

        `relevant` counts all items of grade 1 or more; those not found have grade 1. None: all were found.
        """
        rank = Ragged.of(ranks, "rank")
        grade = Ragged.of(grades, "grade", np.float64)["grade"] if grades is not None else np.ones(rank.size)
        items = rank.with_columns(grade=grade).sorted_by(rank["rank"])
        count = len(rank)
        given_relevant = items.count(items["grade"] >= 1)
        wanted = given_relevant if relevant is None else np.asarray(relevant, dtype=np.int64)
        deepest = np.zeros(count, dtype=np.int64)
        np.maximum.at(deepest, items.row, items["rank"])
        known = np.full(count, UNKNOWN) if collection is None else np.broadcast_to(collection, count)
        numbered = [f"q{row + 1:0{len(str(count))}}" for row in range(count)]
        return cls.assemble(
            numbered if queries is None else queries,
            items,
            depth=deepest if depth is None else np.broadcast_to(depth, count),
            levels=_levels_of(items, wanted),
            collection=known,
            top_grade=max(1.0, float(grade.max(initial=1.0))),
            **more,
        )

    # what a measure's formula reads

    @once
    def _found(self) -> Ragged:
        return self.judged.where(self.judged.columns["grade"] >= self.rel)

    @once
    def gaining(self) -> Ragged:
        """Items found that are judged above 0, whatever counts as relevant."""
        positive = self.judged["grade"] > 0
        if self.rel > 0 and np.count_nonzero(positive) == self._found.size:
            return self._found
        return self.judged.where(positive)

    @property
    def ranks(self) -> IntArray:
        """Ranks of the relevant items found, query after query, ascending in each."""
        return self._found["rank"]

    @property
    def grades(self) -> FloatArray:
        """Grades of the relevant items found."""
        return self._found["grade"]

    @property
    def position(self) -> IntArray:
        """1 for the first relevant item found of a query, 2 for the second, ..."""
        return self._found.position

    @property
    def row(self) -> IntArray:
        """The query of each relevant item found."""
        return self._found.row

    @property
    def found(self) -> IntArray:
        """How many relevant items were found."""
        return self._found.lengths

    @once
    def relevant(self) -> IntArray:
        """How many relevant items there are (c), found or not."""
        return self.count_judged(least=self.rel)

    @once
    def nonrelevant(self) -> IntArray:
        """How many items were judged and are not relevant, found or not."""
        return self.count_judged(least=0, below=self.rel)

    @once
    def lists_only_relevant(self) -> bool:
        """Whether every item of the judgements has a grade above 0: files that leave out whatever else was judged."""
        return bool(self.levels.size and (self.levels["grade"] > 0).all() and not self.pooled.size)

    @once
    def nonrelevant_above(self) -> IntArray:
        """For each relevant item found, how many judged items that are not relevant stand above it."""
        wrong = (self.judged["grade"] < self.rel).astype(np.int64)
        return self.judged.running(wrong)[self.judged["grade"] >= self.rel]

    @once
    def pooled_above(self) -> IntArray:
        """For each relevant item found, how many items in the pool but not judged stand above it."""
        return rank_counts(self.pooled, self.row, self.ranks - 1)

    def count_judged(self, least: float = 0, below: float = np.inf) -> IntArray:
        """How many items of each query were judged with least <= grade < below."""
        columns = self.levels.columns
        chosen = columns["grade"] >= least
        if below < np.inf:
            chosen &= columns["grade"] < below
        return self.levels.total(columns["count"] * chosen).astype(np.int64)

    def total(self, values: ArrayLike) -> FloatArray:
        """Sum over the relevant items found of each query, added in rank order."""
        return self._found.total(values)

    def hits(self, scope: ArrayLike) -> IntArray:
        """How many relevant items stand within the scope (v), one number or one per query."""
        return self._found.count(self.ranks <= _limits(scope, self._found))

    def judged_within(self, scope: ArrayLike) -> IntArray:
        """How many judged items stand within the scope."""
        return self.judged.count(self.judged["rank"] <= _limits(scope, self.judged))

    # other views of the same rankings

    def at(self, rel: float) -> RelevantRanks:
        """The same with another lowest relevant grade; the view is made once."""
        if rel == self.rel:
            return self
        views: dict[float, RelevantRanks] = self.__dict__.setdefault("_views", {})
        if rel not in views:
            views[rel] = replace(self, rel=rel)
        return views[rel]

    def seen(self, settings: Settings) -> RelevantRanks:
        """The rankings as far as they count: cut at the depth, then without what is not judged."""
        cut = self if settings.depth is None else self.cut(settings.depth)
        if not settings.judged_only:
            return cut
        return replace(cut.condensed(), provenance={**cut.provenance, "condensed": True})

    def cut(self, depth: int | None) -> RelevantRanks:
        """Only the first `depth` items of each ranking."""
        if depth is None or not bool((self.depth > depth).any()):
            return self
        return replace(
            self,
            judged=self.judged.where(self.judged["rank"] <= depth),
            pooled=self.pooled.where(self.pooled["rank"] <= depth),
            depth=np.minimum(self.depth, depth),
            ties=_groups(self.ties, self.ties["start"], np.minimum(self.ties["size"], depth + 1 - self.ties["start"])),
        )

    def condensed(self) -> RelevantRanks:
        """The rankings without the items that were not judged; ranks close up."""
        nothing = np.zeros(self.pooled.size, dtype=np.bool_)
        row, start = self.ties.row, self.ties["start"]
        above = rank_counts(self.judged, row, start - 1)
        inside = rank_counts(self.judged, row, start + self.ties["size"] - 1) - above
        return replace(
            self,
            judged=self.judged.with_columns(rank=self.judged.position),
            pooled=self.pooled.where(nothing),
            depth=self.judged.lengths,
            ties=_groups(self.ties, above + 1, inside),
        )

    def take(self, rows: IntArray) -> RelevantRanks:
        """Some queries, in the order given."""
        return replace(
            self,
            queries=tuple(self.queries[row] for row in rows.tolist()),
            judged=self.judged.take(rows),
            pooled=self.pooled.take(rows),
            levels=self.levels.take(rows),
            depth=self.depth[rows],
            answered=self.answered[rows],
            collection=self.collection[rows],
            ties=self.ties.take(rows),
            classes=None if self.classes is None else tuple(self.classes[row] for row in rows.tolist()),
            distractors=None if self.distractors is None else self.distractors.take(rows),
            left_out=None if self.left_out is None else self.left_out[rows],
            subtopics=None if self.subtopics is None else self.subtopics.take(rows),
        )

    def with_collection(self, size: int | None) -> RelevantRanks:
        """The same in a collection of known size, which for a query lacks its junk and, where removed, itself."""
        if size is None:
            return self
        left_out = np.zeros(len(self), dtype=np.int64) if self.left_out is None else self.left_out
        return replace(self, collection=size - left_out)

    def with_classes(self, class_of: Mapping[str, str]) -> RelevantRanks:
        """The same with the kind of each query as its class; a query that is not named has the empty class.

        Kinds part the queries; unlike the labels of a collection they do not say what a query looks for.
        """
        named = tuple(class_of.get(query, "") for query in self.queries)
        return replace(self, classes=named, provenance={**self.provenance, "classes": KINDS})

    @property
    def classes_are_kinds(self) -> bool:
        """Whether classes were given to part the queries by, so that they are no targets."""
        return self.provenance.get("classes") == KINDS

    # what the warning block says

    def straddling_pairs(self) -> int:
        """Pairs of equal score of which one item is relevant and the other is not."""
        inside = Ragged(self.ties.offsets, {})
        first = self.ties["start"]
        last = first + self.ties["size"] - 1
        relevant = rank_counts(self._found, inside.row, last) - rank_counts(self._found, inside.row, first - 1)
        return int((relevant * (self.ties["size"] - relevant)).sum())

    def unjudged_share(self, depth: int | None = None) -> float:
        """Share of the returned items (of the first `depth`, if given) without a judgement; NaN if none came back."""
        cut = self.cut(depth)
        returned = int(cut.depth.sum())
        return 1.0 - cut.judged.size / returned if returned else float("nan")

    def display(self) -> Display:
        labels = ("class",) if self.classes is not None else ()
        answered, sizes = int(self.answered.sum()), self.collection[self.collection != UNKNOWN]
        among = f", among {how_many(int(sizes.max()), 'items')}" if sizes.size else ""
        title = (
            f"Ranks of {self.system}: {how_many(len(self))} judged, {answered:,} answered{among}; "
            f"relevant from grade {self.rel:g} on"
        )
        header = ("query", *labels, "relevant", "found", "at ranks", "ranked")
        return Display(title, LongTable(header, len(self), self._cells))

    def _cells(self, row: int) -> list[Cell]:
        """One query as a row of a table: the ranks of its first relevant items."""
        start, stop = self.judged.offsets[row : row + 2].tolist()
        relevant = self.judged["grade"][start:stop] >= self.rel
        places = self.judged["rank"][start:stop][relevant].tolist()
        shown = ", ".join(f"{place:,}" for place in places[:MOST_RANKS]) + (", ..." if len(places) > MOST_RANKS else "")
        label = [] if self.classes is None else [Cell(self.classes[row], number=False)]
        counts = [Cell(f"{int(self.relevant[row]):,}"), Cell(f"{len(places):,}")]
        last = [Cell(shown or "-", number=False), Cell(f"{int(self.depth[row]):,}")]
        return [Cell(self.queries[row], number=False), *label, *counts, *last]


def _limits(scope: ArrayLike, items: Ragged) -> NDArray[Any]:
    """The scope of each item's query, where it is not the same for all."""
    limit = np.asarray(scope)
    return limit if limit.ndim == 0 else limit[items.row]


def rank_counts(lists: Ragged, row: IntArray, limit: NDArray[Any]) -> IntArray:
    """For each (row, limit): how many ranks of that list are at most the limit."""
    if lists.size == 0 or row.size == 0:
        return np.zeros(row.size, dtype=np.int64)
    rank = lists["rank"]
    span = int(max(rank.max(), limit.max())) + 2
    keys = lists.row * span + rank
    return np.searchsorted(keys, row * span + np.maximum(limit, 0), side="right") - lists.offsets[row]


def _groups(ties: Ragged, start: IntArray, size: IntArray) -> Ragged:
    """Groups of equal scores with other starts and sizes; what is no group of two any more goes."""
    return ties.with_columns(start=start, size=size).where(size >= 2)


def _levels_of(judged: Ragged, relevant: IntArray) -> Ragged:
    """Counts per grade when everything judged was found but for items of grade 1."""
    missing = relevant - judged.count(judged["grade"] >= 1)
    if (missing < 0).any():
        raise ValueError("fewer relevant items than relevant ranks")
    row = np.concatenate([judged.row, np.arange(len(judged))])
    grade = np.concatenate([judged["grade"], np.ones(len(judged))])
    weight = np.concatenate([np.ones(judged.size, dtype=np.int64), missing])
    return count_levels(row, grade, weight, len(judged))


def count_levels(row: IntArray, grade: FloatArray, weight: IntArray, lists: int) -> Ragged:
    """How many items there are at each grade of each query, ascending; grades that nothing has are left out."""
    order = np.lexsort((grade, row))
    row, grade, weight = row[order], grade[order], weight[order]
    if row.size == 0:
        return Ragged.from_rows(row, lists, grade=grade, count=weight)
    new = changes(row, grade)
    total = np.bincount(np.cumsum(new) - 1, weights=weight).astype(np.int64)
    keep = total > 0
    return Ragged.from_rows(row[new][keep], lists, grade=grade[new][keep], count=total[keep])


def with_subtopics(found: RelevantRanks, judged: Subtopics) -> RelevantRanks:
    """Ranks of the numbered items (`Subtopics.numbered`) with their own grades, and what each subtopic says of them.

    Items that the reduction left out (junk, the query itself) leave the judgements of subtopics too. The grade of an
    item is its highest for any subtopic.
    >>> from rankscope.inputs.subtopics import Subtopics
    >>> from rankscope.ranks.reduction import reduce
    >>> judged = Subtopics.of({"q": {"s1": {"b": 1, "a": 1}, "s2": {"b": 2}}})
    >>> ranks = with_subtopics(reduce(judged.numbered(), {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}), judged)
    >>> ranks.judged["rank"].tolist(), ranks.judged["item"].tolist(), ranks.judged["grade"].tolist()
    ([1, 3], [1, 0], [2.0, 1.0])
    """
    row_of = {query: row for row, query in enumerate(judged.queries)}
    pairs = Ragged.from_rows(
        judged.query_row,
        len(judged.queries),
        item=judged.item_number,
        subtopic=judged.subtopic,
        grade=judged.grade,
    ).take(np.array([row_of[query] for query in found.queries], dtype=np.int64))
    numbers = found.levels["grade"].astype(np.int64)
    span = int(max(pairs["item"].max(initial=0), numbers.max(initial=0))) + 1
    kept = pairs.where(np.isin(pairs.row * span + pairs["item"], found.levels.row * span + numbers))
    first = np.flatnonzero(changes(kept.row, kept["item"]))
    grade = np.maximum.reduceat(kept["grade"], first) if first.size else kept["grade"]
    of_items = Ragged.from_rows(kept.row[first], len(kept), item=kept["item"][first], grade=grade)
    number = found.judged["grade"].astype(np.int64)
    span = int(max(of_items["item"].max(initial=0), number.max(initial=0))) + 1
    places = np.searchsorted(of_items.row * span + of_items["item"], found.judged.row * span + number)
    own = of_items["grade"][places]
    items = found.judged.with_columns(item=number, grade=own)
    return replace(
        found,
        judged=items.where(own >= 0),
        pooled=items.where(own < 0),
        levels=count_levels(of_items.row, grade, np.ones(grade.size, dtype=np.int64), len(kept)),
        top_grade=float(grade.max(initial=0.0)),
        subtopics=kept,
    )


def ranks_of_pairs(queries: RelevantRanks) -> FloatArray:
    """The rank of the item of each judgement of a subtopic; infinite where it was not found."""
    pairs, judged = queries.subtopics, queries.judged
    assert pairs is not None
    span = int(max(pairs["item"].max(initial=0), judged["item"].max(initial=0))) + 1
    keys = judged.row * span + judged["item"]
    order = np.argsort(keys, kind="stable")
    asked = pairs.row * span + pairs["item"]
    place = np.minimum(np.searchsorted(keys[order], asked), max(keys.size - 1, 0))
    if not keys.size:
        return np.full(asked.size, np.inf)
    return np.where(keys[order][place] == asked, judged["rank"][order][place], np.inf)


# Where the numbers of a reduction come from: files, digests, settings and versions.

FIXED_BY_REDUCTION = ("ties", "scores", "duplicates", "judged_only", "score_width", "query_item", "comments", "seed")

CONTRADICTION = "ranks_against_scores"  # what is said of a run so


class RunFacts(Protocol):
    """What a reduction says of the run it was made from; a `Run` that has been read knows it."""

    name: str
    tag: str
    gives_scores: bool

    @property
    def place(self) -> str: ...
    @property
    def digest(self) -> str: ...


class JudgementFacts(Protocol):
    """What a reduction says of the judgements; `Qrels` know it."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def top_grade(self) -> float: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class JudgementsInShort:
    """The same without the judgements.

    >>> from rankscope.inputs.qrels import Qrels
    >>> short = JudgementsInShort.of(Qrels.of({"q": {"a": 2, "b": 0}}))
    >>> len(short), short.top_grade
    (2, 2.0)
    """

    name: str
    digest: str
    top_grade: float
    rows: int

    @classmethod
    def of(cls, qrels: JudgementFacts) -> JudgementsInShort:
        return cls(qrels.name, qrels.digest, qrels.top_grade, len(qrels))

    def __len__(self) -> int:
        return self.rows


def reduction_provenance(run: RunFacts, qrels: JudgementFacts, settings: Settings, returned: int) -> dict[str, Any]:
    """Where the numbers come from: digests and choices, but no time, host or path, so equal inputs give equal bytes."""
    return {
        "run": {"file": run.place, "sha256": run.digest, "tag": run.tag, "rows": returned, "scores": run.gives_scores},
        "judgements": {"file": qrels.name, "sha256": qrels.digest, "rows": len(qrels)},
        "settings": {name: getattr(settings, name) for name in FIXED_BY_REDUCTION},
        "versions": versions(),
    }


def chosen_distractors(provenance: Mapping[str, Any]) -> str:
    """The distractors among which each class was ranked, as `rank --distractors` has them; empty: the collection.

    >>> chosen_distractors({"settings": {"distractors": "nearest(20)"}}), chosen_distractors({})
    ('nearest(20)', '')
    """
    return str(provenance.get("settings", {}).get("distractors", ""))


def versions() -> dict[str, str]:
    """The versions that numbers depend on: what reads a file changes none of them."""
    return {"rankscope": __version__, "numpy": np.__version__}
