"""Examples as users give them: some on the wrong side, of some nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.study.marking import Marker
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.draws import uniform
from rankscope.ranks.ragged import Ragged


def erring_examples(examples: Examples, rates: Mapping[str, float], purpose: str = "errors") -> Examples:
    """The same items, of which a user rejects or picks some by error, or says nothing.

    `rates`: `miss` of the positives and `alarm` of the negatives change sides, of those of which something is said;
    `silent_relevant` and `silent_irrelevant` are left out. An item errs in the same way whatever method learns from it.
    >>> given = Examples.of([[0, 1, 2]], [[5, 6]])
    >>> told = erring_examples(given, {"miss": 1.0, "alarm": 0.0})
    >>> told.positives.lists("item"), told.negatives.lists("item")
    ([[]], [[0, 1, 2, 5, 6]])
    """
    own, other = examples.positives, examples.negatives
    row, item = np.concatenate([own.row, other.row]), np.concatenate([own["item"], other["item"]])
    relevant = np.arange(row.size) < own.row.size
    grade = np.concatenate([own["grade"], other["grade"]])
    wrong = _drawn(examples, row, item, f"{purpose} side") < _rate(relevant, rates, "miss", "alarm")
    said = _drawn(examples, row, item, f"{purpose} silence") >= _rate(
        relevant, rates, "silent_relevant", "silent_irrelevant"
    )
    positive = relevant ^ wrong
    worth = np.where(wrong, np.where(positive, 1.0, -1.0), grade)
    sides = [_side(row, item, worth, said & each, len(examples)) for each in (positive, ~positive)]
    return replace(examples, positives=sides[0], negatives=sides[1])


def marked_examples(examples: Examples, marker: Marker, topic: int) -> Examples:
    """The same items as the users of a study mark them who look for a topic (its row): each set is shown once.

    What they pick is positive, with the worth they see in it; of what they say nothing no method learns.
    """
    count = len(examples)
    sides = (examples.positives, examples.negatives)
    places = np.concatenate([sides[0].position - 1, sides[1].position - 1 + sides[0].lengths[sides[1].row]])
    row, item = (np.concatenate(both) for both in zip(*((each.row, each["item"]) for each in sides), strict=True))
    shown = np.full((count, int(places.max(initial=-1)) + 1), -1, np.int64)
    shown[row, places] = item
    marked = marker.marked(Sessions.of_topic(topic, examples.seeds), shown)
    found = [np.nonzero(marked.said == sign) for sign in (1, -1)]
    positives, negatives = (
        _side(own[0], shown[own], marked.grades[own], np.ones(own[0].size, np.bool_), count) for own in found
    )
    return replace(examples, positives=positives, negatives=negatives)


def _drawn(examples: Examples, row: IntArray, item: IntArray, purpose: str) -> FloatArray:
    return uniform(examples.seeds[row], item, purpose)


def _rate(relevant: np.ndarray, rates: Mapping[str, float], first: str, second: str) -> FloatArray:
    return np.where(relevant, rates.get(first, 0.0), rates.get(second, 0.0))


def _side(row: IntArray, item: IntArray, worth: FloatArray, chosen: np.ndarray, sessions: int) -> Ragged:
    place = np.flatnonzero(chosen)
    place = place[np.lexsort((item[place], row[place]))]
    return Ragged.from_rows(row[place], sessions, item=item[place], grade=worth[place])
