"""Shrinkage LDA: the direction between the two means, in a space where the spread is round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.segments import join_examples, means, pad_rows
from rankscope.feedback.methods.learners import sklearn_part
from rankscope.feedback.methods.method import TwoSided, refuse


@dataclass(frozen=True)
class ShrinkageLDA(TwoSided):
    """w.(x - middle), w = S^-1 (mean P - mean N), S = (1 - a) S_w + a tr(S_w)/m I, a the shrinkage (0 < a <= 1).

    `covariance`: S_w of the whole collection (the default: few examples tell little about spread), or within the
    examples' two classes, over l. `shrinkage` None is Ledoit & Wolf's, of the collection.
    """

    shrinkage: float | None = 0.2
    covariance: Literal["collection", "examples"] = "collection"
    name: ClassVar[str] = "shrinkage-lda"
    source: ClassVar[str] = "Friedman 1989, Regularized discriminant analysis; Hariharan, Malik & Ramanan 2012"
    above: ClassVar[Mapping[str, float]] = {"shrinkage": 0}
    most: ClassVar[Mapping[str, float]] = {"shrinkage": 1}

    def directions(self, items: Items, examples: Examples) -> FloatArray:
        """w of each session."""
        a = items.remember("ledoit-wolf", lambda: _ledoit_wolf(items)) if self.shrinkage is None else self.shrinkage
        apart = means(items, examples.positives) - means(items, examples.negatives)
        if self.covariance == "examples":
            return _within(items, examples, apart, a)
        return apart @ inverse_covariance(items, a)

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """One product for all sessions; 0 half-way between the two means."""
        w = self.directions(items, examples)
        middle = (means(items, examples.positives) + means(items, examples.negatives)) / 2
        values: FloatArray = w.astype(items.matrix.dtype) @ items.matrix.T
        values -= np.einsum("ij,ij->i", w, middle).astype(values.dtype)[:, None]
        return values


def _ledoit_wolf(items: Items) -> float:
    result = float(sklearn_part("covariance").ledoit_wolf_shrinkage(items.matrix.astype(np.float64)))
    return max(result, 1e-6)


def inverse_covariance(items: Items, a: float) -> FloatArray:
    """S^-1 of the whole collection, made once; the identity, over a, where all items are alike."""

    def make() -> FloatArray:
        return np.linalg.inv(_shrunk(items, a)).astype(np.float64, copy=False)

    return items.remember(("lda", a), make)


def _shrunk(items: Items, a: float) -> FloatArray:
    away = items.matrix.astype(np.float64) - items.mean
    spread = away.T @ away / len(items)
    size = np.trace(spread) / items.features
    return (1 - a) * spread + a * (size if size > 0 else 1.0) * np.eye(items.features)


def _within(items: Items, examples: Examples, apart: FloatArray, a: float) -> FloatArray:
    """S^-1 apart with S_w of the examples: S = c I + (1 - a)/l Z'Z with few rows Z, inverted by Woodbury's identity."""
    lists = join_examples(examples.positives, examples.negatives)
    centre = np.where(
        lists["label"][:, None] > 0,
        means(items, examples.positives)[lists.row],
        means(items, examples.negatives)[lists.row],
    )
    place, there = pad_rows(lists.with_columns(place=np.arange(lists.size)), "place")
    rows = (items.matrix[lists["item"]] - centre)[place] * there[:, :, None]
    count = lists.lengths
    size = a * np.einsum("sij,sij->s", rows, rows) / count / items.features
    refuse(size <= 0, "the examples have no spread within their classes; choose covariance=collection")
    if a == 1:
        return apart / size[:, None]
    inner = rows @ np.swapaxes(rows, 1, 2) + (size * count / (1 - a))[:, None, None] * np.eye(rows.shape[1])
    pulled = np.linalg.solve(inner, rows @ apart[:, :, None])
    return (apart - (np.swapaxes(rows, 1, 2) @ pulled)[:, :, 0]) / size[:, None]
