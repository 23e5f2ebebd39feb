from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.users.starts import STARTS, ExternalRanking, GivenExamples, OneQuery, RandomDisplay
from tests.feedback.cases import clusters

_, TOPICS = clusters()


def test_queries_are_different_relevant_items() -> None:
    result = OneQuery().drawn(TOPICS, 10)
    assert TOPICS.targets[result.topic, result.query].all()
    assert len({*zip(result.topic.tolist(), result.query.tolist(), strict=True)}) == len(result) == 40


def test_more_starts_leave_the_first_ones_as_they_were() -> None:
    few, many = (OneQuery().drawn(TOPICS, count) for count in (3, 8))
    assert few.query.tolist() == many.query[many.start <= 3].tolist()
    assert few.seed.tolist() == many.seed[many.start <= 3].tolist()


def test_a_topic_begins_alike_whatever_other_topics_there_are() -> None:
    alone = OneQuery().drawn(TOPICS.take([2]), 5)
    among = OneQuery().drawn(TOPICS, 5)
    assert alone.query.tolist() == among.query[among.topic == 2].tolist()


def test_no_topic_has_more_queries_than_relevant_items() -> None:
    assert len(OneQuery().drawn(TOPICS, 1000)) == int(TOPICS.relevant.sum())


def test_another_seed_draws_others() -> None:
    one, other = (OneQuery().drawn(TOPICS, 5, seed) for seed in (0, 1))
    assert one.query.tolist() != other.query.tolist()


def test_examples_come_from_both_sides() -> None:
    result = GivenExamples(3, 2).drawn(TOPICS, 4)
    row, item = result.topic[result.given.row], result.given["item"]
    assert np.array_equal(TOPICS.targets[row, item], result.given["mark"] > 0)
    assert result.given.lengths.tolist() == [5] * 16


def test_random_displays_are_a_session_s_own() -> None:
    result = RandomDisplay().drawn(TOPICS, 2)
    scores = RandomDisplay().scores(result, 240)
    assert scores is not None
    assert len({tuple(row) for row in scores.tolist()}) == len(result)
    assert abs(scores.mean() - 0.5) < 0.05


@pytest.mark.parametrize("text", ["one_query", "random_display", "examples(3,2)", "examples(3)"])
def test_a_start_prints_as_it_is_written(text: str) -> None:
    assert str(STARTS.parse(text)) == text


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(SettingError, match="too few items"):
        GivenExamples(60, 0).drawn(TOPICS, 1)
    with pytest.raises(SettingError, match="positives must be a whole number of at least 1"):
        STARTS.parse("examples(0, 3)")
    with pytest.raises(SettingError, match="do not fit"):
        ExternalRanking(np.zeros(3)).drawn(TOPICS, 1)
    with pytest.raises(SettingError, match="finite"):
        ExternalRanking(np.array([np.nan]))
