"""The rankings that a method makes of many sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.ranks.from_scores import numbered_names, ranks_from_scores
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.threads import in_threads


def rank_sessions(
    method: Method,
    items: Items,
    examples: Examples,
    target: BoolArray,
    counted: BoolArray,
    *,
    topic: str = "",
    classes: Sequence[str] | None = None,
    system: str = "",
) -> RelevantRanks:
    """The rankings a method makes of all sessions of one topic, so many at a time that memory suffices.

    `counted` is sessions x items. Queries are named after the topic; `classes` are topics unless given.
    """
    if topic and examples.asked is None:
        examples = replace(examples, asked=np.full(len(examples), topic))  # methods on words know its words by its name
    names = numbered_names(f"{topic}/" if topic else "", len(examples))
    kinds = [topic] * len(examples) if classes is None else classes
    step, parts = items.sessions_at_once, []
    for start, part in zip(range(0, len(examples), step), examples.batches(step), strict=True):
        rows = slice(start, start + len(part))
        scored = method.scores(items, part).values
        parts.append(
            ranks_from_scores(
                scored,
                target,
                counted[rows],
                queries=names[rows],
                classes=kinds[rows],
                system=system or str(method),
                each=in_threads,
            )
        )
    return RelevantRanks.join(parts)


def name_with_size(method: Method, size: tuple[int, int]) -> str:
    """A method at one size of example sets, as its rankings are called: `svm, 4 + 4`."""
    return f"{method}, {size[0]} + {size[1]}"


def list_ranks(values: FloatArray, inside: BoolArray) -> IntArray:
    """The rank of every item of each list, from 1; items that are not in it stand behind.

    >>> list_ranks(np.array([[0.1, 0.9, 0.9]]), np.array([[True, True, True]]))
    array([[3, 1, 2]])
    """
    order = np.argsort(np.where(inside, -values, np.inf), axis=1, kind="stable")
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return rank
