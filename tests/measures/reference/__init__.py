"""Every measure once more, in plain Python on one ranking at a time: slow, obvious, and sharing no code with src.

A ranking is a `Topic`: the grade of each item returned (None: not judged) and of each judged item that was not found.
Each function takes the measure (for its parameters), the topic, and all topics (for what the query set decides).
"""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.measures import Measure
from tests.measures.reference import averages, blended, class_sizes, cut_offs, diversity, gains, sets, users
from tests.measures.reference.words import Reference
from tests.strategies import Topic

REFERENCE: dict[type[Measure], Reference] = {
    kind: reference
    for part in (cut_offs, averages, gains, class_sizes, sets, blended, users, diversity)
    for kind, reference in part.REFERENCE.items()
}


def value_of(measure: Measure, topic: Topic, topics: Sequence[Topic]) -> float:
    """The measure's value for one topic among all."""
    return REFERENCE[type(measure)](measure, topic, topics)
