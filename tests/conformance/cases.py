"""Small evaluations full of traps: ties, scores equal in 32 bits, odd ids, negative grades, missing queries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TypeVar

import polars as pl
from hypothesis import strategies as st

ITEMS = ("9", "10", "100", "2", "02", "a", "A", "b", "Z", "_x", "é", "ü2", "d-1", "d1")  # bytes sort unlike numbers
SCORES = (1.0, 1.0, 0.5, 1.00000001, 16777216.0, 16777217.0, 0.1, 0.1 + 1e-12, 0.0, -0.0, -1.0, 2.0, 3e-46, 2.5)
GRADES = (1, 0, 2, 1, 3, 0, 4)
WITH_NEGATIVE = (*GRADES, -1, -2)  # these make pytrec_eval write outside its arrays: it hangs or dies
LONGEST = 12  # ranx sorts longer lists in an order of its own

Number = TypeVar("Number", int, float)
Grades = dict[str, int]
Scores = dict[str, float]


@dataclass(frozen=True)
class Case:
    """Judgements and one run; at least one query is judged and answered."""

    qrels: dict[str, Grades]
    run: dict[str, Scores]

    def only(self, queries: list[str]) -> Case:
        """Some of the queries."""
        return Case(
            {query: self.qrels[query] for query in queries if query in self.qrels},
            {query: self.run[query] for query in queries if query in self.run},
        )


def _dictionary(values: tuple[Number, ...], least: int, most: int) -> st.SearchStrategy[dict[str, Number]]:
    pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(values))
    return st.lists(pairs, min_size=least, max_size=most, unique_by=lambda pair: pair[0]).map(dict)


@st.composite
def cases(draw: st.DrawFn, most: int = 5, grades: tuple[int, ...] = GRADES) -> Case:
    """Query 1 is judged and answered; of the others either may be missing."""
    qrels: dict[str, Grades] = {}
    run: dict[str, Scores] = {}
    for number in range(1, draw(st.integers(1, most)) + 1):
        there = "both" if number == 1 else draw(st.sampled_from(("both", "both", "both", "judged", "answered")))
        if there != "answered":
            qrels[str(number)] = draw(_dictionary(grades, 1, 8))
        if there != "judged":
            run[str(number)] = draw(_dictionary(SCORES, 1, LONGEST))
    return Case(qrels, run)


def seeded_case(seed: int, queries: int, grades: tuple[int, ...] = GRADES) -> Case:
    """The same from a plain seed, for pages and for peers that are slow to call: many queries in one case."""
    chance = random.Random(seed)
    qrels: dict[str, Grades] = {}
    run: dict[str, Scores] = {}
    for number in range(1, queries + 1):
        judged = chance.sample(ITEMS, chance.randint(1, 8))
        listed = chance.sample(ITEMS, chance.randint(1, LONGEST))
        there = "both" if number == 1 else chance.choice(("both", "both", "both", "judged", "answered"))
        if there != "answered":
            qrels[str(number)] = {item: chance.choice(grades) for item in judged}
        if there != "judged":
            run[str(number)] = {item: chance.choice(SCORES) for item in listed}
    return Case(qrels, run)


def plain_case(seed: int, queries: int) -> Case:
    """A case without traps: distinct scores, and every query judged and answered, with items of both kinds."""
    chance = random.Random(seed)
    qrels: dict[str, Grades] = {}
    run: dict[str, Scores] = {}
    for number in map(str, range(1, queries + 1)):
        judged = chance.sample(ITEMS, 8)
        qrels[number] = {item: chance.choice(GRADES) for item in judged} | {judged[0]: 2, judged[1]: 0}
        listed = chance.sample(ITEMS, LONGEST)
        run[number] = {item: float(score) for item, score in zip(listed, range(LONGEST, 0, -1), strict=True)}
    return Case(qrels, run)


Row = tuple[str, str, float]


@st.composite
def rows_with_repeats(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows of judgements and of a run in which an item may come twice; scores all differ, so that no order is open."""
    items = st.sampled_from(ITEMS[:6])
    judged = [("1", draw(items), float(draw(st.sampled_from(GRADES)))) for _ in range(draw(st.integers(1, 8)))]
    listed = [("1", draw(items), float(score)) for score in draw(st.permutations(range(1, 9)))]
    return judged, listed


def frame(rows: list[Row], value: str) -> pl.DataFrame:
    """Rows as a table."""
    return pl.DataFrame(rows, schema={"query": pl.String, "item": pl.String, value: pl.Float64}, orient="row")
