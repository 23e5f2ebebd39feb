"""Random collections and sessions for the property tests: copies among the items, unequal sessions, missing queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.engines.text import Index
from rankscope.feedback import Examples, Items, Method
from rankscope.feedback.methods import METHODS as CATALOGUE
from rankscope.feedback.methods import RM3
from rankscope.feedback.methods.text import TextItems

COPIES = 3
WORDS = [f"w{number}" for number in range(60)]
TOPICS = {"first": "w0 w1 w2", "second": "w3 w4 w3", "nothing": "the"}


@dataclass(frozen=True)
class Drawn:
    """A collection and some sessions, as plain lists too."""

    items: Items
    positives: list[list[int]]
    negatives: list[list[int]]
    queries: FloatArray

    @property
    def examples(self) -> Examples:
        """The sessions."""
        return self.of(self.positives, self.negatives)

    def of(self, positives: list[list[int]], negatives: list[list[int]]) -> Examples:
        """The sessions with other lists of examples."""
        truth = [sorted({*each, 0, 1, 2}) for each in positives]
        start = np.linspace(1, 0, len(self.items))
        names = [list(TOPICS)[place % len(TOPICS)] for place in range(len(positives))]
        return Examples.of(positives, negatives, queries=self.queries, truth=truth, start=start, seeds=7, asked=names)


def collection(chance: np.random.Generator, items: int, features: int, counts: bool = False) -> Items:
    """Random items in two clouds, the last few copies of the first few; a log and two groups of features come along."""
    rows = chance.normal(size=(items, features)) + 2.0 * chance.integers(0, 2, (items, 1))
    if counts:
        rows = chance.poisson(1.0, (items, features)) + 1.0 * (np.arange(features) == 0)
    rows[-COPIES:] = rows[:COPIES]
    log = chance.integers(-1, 2, (6, items))
    groups = [slice(0, features // 2), slice(features // 2, features)]
    return Items.of(rows, log=log, groups=groups)


def texts_of(items: Items, chance: np.random.Generator) -> TextItems:
    """The same items as documents of random words; copies have the same words."""
    texts = [" ".join(chance.choice(WORDS, chance.integers(3, 12))) for _ in range(len(items))]
    texts[-COPIES:] = texts[:COPIES]
    index = Index.build([{"id": str(place), "body": text} for place, text in enumerate(texts)])
    return TextItems.in_index(index, TOPICS, vectors=items.matrix)


def drawn_from(
    seed: int, sessions: int, items: int = 40, features: int = 6, counts: bool = False, plain: bool = False
) -> Drawn:
    """Sessions of 1 to 8 positives and 0 to 6 negatives; one in four has no query. `plain`: none lacks anything."""
    chance = np.random.default_rng(seed)
    result = collection(chance, items, features, counts)
    positives, negatives = [], []
    for _ in range(sessions):
        order = chance.permutation(items).tolist()
        cut = int(chance.integers(1, 9))
        positives.append(order[:cut])
        negatives.append(order[cut : cut + int(chance.integers(1 if plain else 0, 7))])
    queries = np.abs(chance.normal(size=(sessions, features)))
    if not plain:
        queries[chance.random(sessions) < 0.25] = np.nan
    return Drawn(result, positives, negatives, queries)


def seeds() -> st.SearchStrategy[int]:
    """Seeds of random collections."""
    return st.integers(0, 2**31)


def of_default(kind: type[Method]) -> Method:
    """A method with its defaults."""
    return kind()


def drawn_for(method: Method, seed: int, sessions: int, plain: bool = False) -> Drawn:
    """Sessions a method can be used on: term counts for RM3, documents for methods on words."""
    drawn = drawn_from(seed, sessions, counts=isinstance(method, RM3), plain=plain)
    if "words" not in method.needs:
        return drawn
    return replace(drawn, items=texts_of(drawn.items, np.random.default_rng(seed)))


METHODS: list[Method] = [of_default(kind) for kind in CATALOGUE.own()]


def shuffled(lists: list[list[int]], seed: int) -> list[list[int]]:
    """Each list in another order."""
    chance = np.random.default_rng(seed)
    return [[int(each) for each in chance.permutation(np.array(one, dtype=np.int64))] for one in lists]


def numbers(*values: int) -> IntArray:
    """Whole numbers as an array."""
    return np.array(values, dtype=np.int64)
