"""Sessions that begin in several ways: each as if its way were the only one, and all of them in one study."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import SessionBlock
from rankscope.feedback.users.starts import STARTS, GivenExamples, MixedStart, OneQuery
from rankscope.feedback.users.topics import Topics
from tests.feedback.problems import drawn

ITEMS, TARGET = drawn(20, 60)
TOPICS = Topics.of({"a": TARGET, "b": ~TARGET})
MIXED = MixedStart("one_query, random_display, examples(2,1)")


def test_sessions_take_turns() -> None:
    made = MIXED.drawn(TOPICS, 7)
    assert made.start.tolist() == [1, 2, 3, 4, 5, 6, 7] * 2
    assert (made.query >= 0).tolist() == [True, False, False, True, False, False, True] * 2
    assert made.given.lengths.tolist() == [0, 0, 3, 0, 0, 3, 0] * 2
    assert np.unique(made.seed).size == 14
    assert TOPICS.targets[made.topic, made.query][made.query >= 0].all()


def test_queries_and_examples_are_those_of_each_way_alone() -> None:
    made = MIXED.drawn(TOPICS, 6)
    assert made.query[made.query >= 0].tolist() == OneQuery().drawn(TOPICS, 2).query.tolist()
    alone = GivenExamples(2, 1).drawn(TOPICS, 2).given.lists("item")
    assert [own for own in made.given.lists("item") if own] == alone


@pytest.mark.parametrize("method", ["rocchio", "nearest-neighbour", "no-feedback"])
def test_each_session_goes_as_it_would_alone(method: str) -> None:
    """Displays and ranks of the sessions of one way are those of a study in which all begin in that way."""
    protocol, sessions = Protocol(scope=5, rounds=2), MIXED.drawn(TOPICS, 3)
    both = Experiment.of(ITEMS, TOPICS, start=MIXED, protocol=protocol)
    together = list(SessionBlock(METHODS.parse(method), both, sessions).rounds())
    for way, start in enumerate(MIXED.starts):
        own = np.flatnonzero(MIXED.way(sessions) == way)
        alone = Experiment.of(ITEMS, TOPICS, start=start, protocol=protocol)
        block = SessionBlock(METHODS.parse(method), alone, sessions.take(own))
        for one, other in zip(together, block.rounds(), strict=True):
            assert np.array_equal(one.displayed[own], other.displayed)


def test_it_is_written_and_read() -> None:
    assert STARTS.parse(str(MIXED)) == MIXED
    with pytest.raises(SettingError, match="two ways"):
        STARTS.parse("mixed(one_query)")
    with pytest.raises(SettingError, match="no start 'one_quiz'"):
        STARTS.parse("mixed(one_quiz, random_display)")
