"""Viper: quantised features as the words of an item, weighted by how often they occur, as in text retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class Viper(Method):
    """Sum over an item's terms of (alpha share in P - beta share in N) ln²(1/cf), cf a term's share of the collection.

    Our reading. A term is one of the `bins` equal parts of a feature's range, or a yes-no property where such are given
    with the items; an item has it or not. The two sides are weighted apart, so that many negatives do not drown the
    positives.
    """

    bins: int = 8
    alpha: float = 0.65
    beta: float = 0.35
    name: ClassVar[str] = "viper"
    source: ClassVar[str] = (
        "Squire, Mueller, Mueller & Pun 2000, Content-based query of image databases; Mueller et al. 2000"
    )
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"bins": 2, "beta": 0}
    above: ClassVar[Mapping[str, float]] = {"alpha": 0}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Weights of the terms times which item has them."""
        terms = items.remember(("terms", self.bins), lambda: term_table(items, self.bins))
        worth = np.zeros((len(examples), terms.shape[1]))
        for lists, share in ((examples.positives, self.alpha), (examples.negatives, -self.beta)):
            size = share / np.maximum(lists.lengths, 1)[lists.row]
            worth += (_spread(lists.row, lists["item"], size, (len(examples), len(items))) @ terms).toarray()
        values: FloatArray = np.asarray(terms @ (worth * rarity(items, terms)).T).T
        return values


def term_table(items: Items, bins: int) -> Any:
    """Items x terms, a sparse table of ones: the part of each feature's range an item is in, or what it was given."""
    from scipy.sparse import csr_array

    if items.given_aspects is not None:
        return csr_array(items.given_aspects.astype(np.float64))
    codes = equal_parts(items.matrix, bins) + bins * np.arange(items.features)
    starts = np.arange(0, codes.size + 1, items.features)
    return csr_array((np.ones(codes.size), codes.ravel(), starts), shape=(len(items), bins * items.features))


def equal_parts(matrix: NDArray[Any], bins: int) -> IntArray:
    """In which of so many equal parts of its feature's range each entry is, from 0; the largest is in the last.

    >>> equal_parts(np.array([[0.0], [1.0], [2.0], [4.0]]), 4).ravel()
    array([0, 1, 2, 3])
    """
    low = matrix.min(axis=0)
    width = (matrix.max(axis=0) - low).astype(np.float64)
    place = (matrix - low) / np.where(width > 0, width, 1.0)
    return np.minimum((place * bins).astype(np.int64), bins - 1)


def rarity(items: Items, terms: Any) -> FloatArray:
    """ln²(1/cf) of each term; 0 of one that no item has."""
    share = np.asarray(terms.sum(axis=0)).ravel() / len(items)
    return np.square(np.log(np.where(share > 0, share, 1.0)))


def _spread(row: IntArray, item: IntArray, size: FloatArray, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((size, (row, item)), shape=shape)
