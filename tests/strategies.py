"""Random data shared by the property tests: plain Python descriptions first, what rankscope makes of them second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from rankscope.ranks import Ragged, RelevantRanks
from rankscope.ranks.relevant_ranks import count_levels

Grade = float | None  # None: never judged; below 0: in the pool, not judged


@dataclass(frozen=True)
class Topic:
    """One query in plain words: the grade of every item returned, best first, and of every judged item that was not."""

    listed: tuple[Grade, ...] = ()
    missing: tuple[float, ...] = ()
    answered: bool = True
    beyond: int = 0  # items of the collection that were neither returned nor judged

    @property
    def judgements(self) -> list[float]:
        """The grades of all items in the pool, found or not."""
        return [grade for grade in self.listed if grade is not None] + list(self.missing)

    @property
    def collection(self) -> int:
        """Items in all."""
        return len(self.listed) + len(self.missing) + self.beyond

    def swapped(self, place: int) -> Topic:
        """The same with the items at `place` and behind it exchanged."""
        listed = list(self.listed)
        listed[place], listed[place + 1] = listed[place + 1], listed[place]
        return replace(self, listed=tuple(listed))


SERVED = {1.0: (0,), 2.0: (1,), 3.0: (0, 1), 4.0: (2,)}  # the subtopics that an item of each grade serves


def numbers_of(topic: Topic) -> list[int]:
    """A number for each judgement, found or not, that depends on its grade alone but among equals."""
    order = sorted(range(len(topic.judgements)), key=lambda place: topic.judgements[place])
    return [order.index(place) for place in range(len(order))]


def subtopics_of(topics: Sequence[Topic]) -> Ragged:
    """Judgements of subtopics: each item has its own grade for the subtopics that it serves."""
    rows = sorted(
        (row, number, subtopic, grade)
        for row, topic in enumerate(topics)
        for number, grade in zip(numbers_of(topic), topic.judgements, strict=True)
        for subtopic in SERVED.get(grade, ())
    )
    row, item, subtopic = (np.array([each[part] for each in rows], dtype=np.int64) for part in range(3))
    grade = np.array([each[3] for each in rows], dtype=np.float64)
    return Ragged.from_rows(row, len(topics), item=item, subtopic=subtopic, grade=grade)


def ranks_of(topics: Sequence[Topic], collection: bool = True) -> RelevantRanks:
    """What the reduction makes of them, built without it; queries are named q00, q01, ..."""
    places = [
        (row, rank, grade)
        for row, topic in enumerate(topics)
        for rank, grade in enumerate(topic.listed, start=1)
        if grade is not None
    ]
    row = np.array([place[0] for place in places], dtype=np.int64)
    rank = np.array([place[1] for place in places], dtype=np.int64)
    grade = np.array([place[2] for place in places], dtype=np.float64)
    numbers = [number for topic in topics for number in numbers_of(topic)[: len(topic.judgements) - len(topic.missing)]]
    items = Ragged.from_rows(row, len(topics), rank=rank, grade=grade, item=np.array(numbers, dtype=np.int64))
    levels = [(at, each) for at, topic in enumerate(topics) for each in topic.judgements]
    nothing = np.empty(0, dtype=np.int64)
    return RelevantRanks(
        queries=tuple(f"q{number:02}" for number in range(len(topics))),
        judged=items.where(grade >= 0),
        pooled=items.where(grade < 0),
        levels=count_levels(
            np.array([at for at, _ in levels], dtype=np.int64),
            np.array([each for _, each in levels], dtype=np.float64),
            np.ones(len(levels), dtype=np.int64),
            len(topics),
        ),
        depth=np.array([len(topic.listed) for topic in topics], dtype=np.int64),
        answered=np.array([topic.answered for topic in topics], dtype=np.bool_),
        collection=np.array([topic.collection if collection else -1 for topic in topics], dtype=np.int64),
        ties=Ragged(np.zeros(len(topics) + 1, dtype=np.int64), {"start": nothing, "size": nothing}),
        top_grade=max([0.0, *(each for _, each in levels)]),
        subtopics=subtopics_of(topics),
    )


def grades(least: int = -2, most: int = 4) -> st.SearchStrategy[float]:
    """Whole grades as judges give them."""
    return st.integers(least, most).map(float)


@st.composite
def topics(draw: st.DrawFn, longest: int = 12, empty: bool = True) -> Topic:
    """A query: any grades, unjudged items among them, judged items not found; sometimes missing from the run."""
    if empty and draw(st.integers(0, 11)) == 0:
        return Topic((), tuple(draw(st.lists(grades(), max_size=4))), answered=False, beyond=draw(st.integers(1, 4)))
    listed = draw(st.lists(st.one_of(st.none(), grades(), grades(0, 2)), max_size=longest))
    missing = draw(st.lists(grades(), max_size=4))
    return Topic(tuple(listed), tuple(missing), beyond=draw(st.integers(1, 30)))


def topic_lists(least: int = 1, most: int = 4) -> st.SearchStrategy[list[Topic]]:
    """Some queries of one system."""
    return st.lists(topics(), min_size=least, max_size=most)


def relevant_ranks() -> st.SearchStrategy[RelevantRanks]:
    """Ranks of judged items, all queries of one system."""
    return topic_lists().map(ranks_of)


# runs and judgements as rows, for the reduction

QUERIES = ("q1", "q2", "10", "9", "é")
ITEMS = ("a", "b", "B", "aa", "10", "9", "é", "z", "q1", "10 ")
SCORES = (1.0, 1.00000001, 2.0, 0.0, -0.0, -1.5, 16777216.0, 16777217.0, 1e39, 2e39, float("inf"), float("-inf"))
RunRow = tuple[str, str, float]
QrelsRow = tuple[str, str, float]


@st.composite
def run_rows(draw: st.DrawFn, scattered: bool = True, repeated: bool = False) -> list[RunRow]:
    """Rows of a run: few different scores, so that many are equal; ids that sort differently as text and as numbers."""
    rows: list[RunRow] = []
    for query in draw(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4, unique=True)):
        chosen = draw(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=9, unique=not repeated))
        rows += [(query, item, draw(st.sampled_from(SCORES))) for item in chosen]
    return draw(st.permutations(rows)) if scattered else rows


@st.composite
def qrels_rows(draw: st.DrawFn) -> list[QrelsRow]:
    """Judgements, each pair once."""
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(ITEMS)), min_size=1, max_size=25, unique=True)
    )
    return [(query, item, draw(grades())) for query, item in pairs]


# equal scores

Group = tuple[Grade, ...]  # items of equal score, one item stands alone


@st.composite
def tied_topics(
    draw: st.DrawFn, largest: int = 4, most: int = 3, grade: st.SearchStrategy[Grade] | None = None
) -> tuple[list[Group], tuple[float, ...]]:
    """A ranking as groups of equal scores, and the grades of judged items that were not found; few orders in all."""
    item = st.one_of(st.none(), grades(-1, 2)) if grade is None else grade
    groups = draw(st.lists(st.lists(item, min_size=1, max_size=largest).map(tuple), min_size=1, max_size=most))
    return groups, tuple(draw(st.lists(grades(-1, 2), max_size=2)))


def tied_ranks(queries: Sequence[tuple[Sequence[Group], tuple[float, ...]]]) -> RelevantRanks:
    """Ranks with their groups of equal scores; only groups that hold an item of the pool are told."""
    ranks = ranks_of([Topic(tuple(item for group in groups for item in group), lost) for groups, lost in queries])
    ties = []
    for row, (groups, _) in enumerate(queries):
        start = 1
        for group in groups:
            if len(group) > 1 and any(item is not None for item in group):
                ties.append((row, start, len(group)))
            start += len(group)
    columns = [np.array([each[place] for each in ties], dtype=np.int64) for place in range(3)]
    return replace(ranks, ties=Ragged.from_rows(columns[0], len(queries), start=columns[1], size=columns[2]))
