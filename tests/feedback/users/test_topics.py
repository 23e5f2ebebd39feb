from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.users.topics import Topics
from rankscope.inputs.features import Features

LABELLED = Features.of(np.eye(6), ["flower+red", "flower+red+sky", "flower", "red", "sky", ""], separator="+")


def test_every_label_is_a_topic_unless_told() -> None:
    topics = Topics.from_labels(LABELLED)
    assert topics.names == ("flower", "red", "sky")
    assert topics.relevant.tolist() == [3, 3, 2]
    assert topics.generality == pytest.approx([0.5, 0.5, 1 / 3])


def test_class_size_and_generality_come_from_the_expression() -> None:
    topics = Topics.from_labels(LABELLED, ["flower and red", "flower and not sky", "red"])
    assert topics.relevant.tolist() == [2, 2, 3]
    assert topics.members.lists("item") == [[0, 1], [0, 2], [0, 1, 3]]
    assert topics.gains(np.array([0, 0, 0]), np.array([0, 2, 5])).tolist() == [1.0, 0.5, 0.0]


def test_a_label_that_reads_as_an_expression_is_a_label() -> None:
    features = Features.of(np.eye(3), ["rock and roll", "rock and roll", "jazz"])
    assert Topics.from_labels(features, ["rock and roll"]).relevant.tolist() == [2]


def test_a_topic_nothing_is_relevant_to_is_refused() -> None:
    with pytest.raises(SettingError, match="flower and not red and sky"):
        Topics.from_labels(LABELLED, ["flower and not red and sky"])


def test_two_assessors_of_a_topic_have_a_row_each() -> None:
    topics = Topics.judged_by({"fun": {"ann": [1, 1, 0], "ben": [0, 1, 0]}})
    assert topics.labels == ("fun by ann", "fun by ben")
    with pytest.raises(SettingError, match="same length"):
        Topics.judged_by({"fun": {"ann": [1, 1, 0], "ben": [0, 1]}})


def test_full_relevance_is_a_gain_of_one() -> None:
    topics = Topics.graded({"sunset": [1.0, 0.7, 0.0]})
    assert topics.targets.tolist() == [[True, False, False]]
    with pytest.raises(SettingError, match="from 0 to 1"):
        Topics.graded({"sunset": [1.5, 0.7, 0.0]})


def test_other_targets_have_another_digest() -> None:
    one, other = (Topics.of({"a": each}) for each in ([1, 0, 0], [1, 1, 0]))
    assert one.digest != other.digest
