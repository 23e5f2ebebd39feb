"""Methods that rank by what earlier sessions tell about the examples, and by nearness to the positives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.earlier_sessions import EarlierSessions
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.methods.nearness import nearness_to_positives
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class LogAndContent(Method):
    """mix times what the log tells, as a share of the largest, plus (1 - mix) times nearness to the mean of P.

    A subclass writes `told`. Nearness is 1 / (1 + d² / t²), t the typical distance of two items. Without a log, or
    where it tells nothing about the examples, nearness alone ranks.
    """

    mix: float = field(default=0.5, kw_only=True)
    needs: ClassVar[tuple[str, ...]] = ("log",)
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"mix": 0}
    most: ClassVar[Mapping[str, float]] = {"mix": 1}

    @abstractmethod
    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Sessions x items: what the log tells, 0 where it tells nothing."""

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Both parts."""
        told = np.zeros((len(examples), len(items)))
        for sessions, log in logs_of(items, examples):
            if len(log):
                told[sessions] = self.told(items, log, examples.take(sessions))
        largest = np.abs(told).max(axis=1, keepdims=True)
        told /= np.where(largest > 0, largest, 1.0)
        return self.mix * told + (1 - self.mix) * nearness_to_positives(items, examples)


def logs_of(items: Items, examples: Examples) -> Iterator[tuple[IntArray, EarlierSessions]]:
    """Sessions, and what each may see of the log: all, or the rows named for it."""
    if examples.log_rows is None:
        yield np.arange(len(examples)), items.earlier
        return
    for number, session in enumerate(examples):
        yield np.array([number]), items.earlier.visible(session.log_rows)


def means_of(table: FloatArray, lists: Ragged) -> FloatArray:
    """The mean of the rows of a table that are each session's items; zeros where it has none.

    >>> means_of(np.array([[1.0], [3.0]]), Ragged.of([[0, 1], []], "item")).tolist()
    [[2.0], [0.0]]
    """
    from rankscope.feedback.examples.segments import item_sums

    return item_sums(table, lists) / np.maximum(lists.lengths, 1)[:, None]
