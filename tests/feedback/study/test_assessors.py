from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.study.sensitivity import adaptation, mean_overlap
from rankscope.feedback.users.topics import Topics
from rankscope.measures import AP

CHANCE = np.random.default_rng(0)
WHERE = CHANCE.random((200, 2))
OPINIONS = {"ann": WHERE[:, 0] < 0.3, "ben": WHERE[:, 1] < 0.3, "cec": WHERE.sum(axis=1) < 0.7}
TOPICS = Topics.judged_by({"near": OPINIONS})
SETTING = Experiment.of(Items.of(WHERE), TOPICS, protocol=Protocol(rounds=2, scope=10))


def test_the_diagonal_is_what_a_session_of_its_own_gives() -> None:
    result = adaptation(METHODS.parse("svm"), SETTING, "near", starts=4)
    sessions = SETTING.sessions(4)
    values = AP().of(simulate_rounds(METHODS.parse("svm"), SETTING, sessions).rounds[-1].ranks)
    assert np.diag(result.matrix) == pytest.approx([values[sessions.topic == row].mean() for row in range(3)])


def test_a_method_that_learns_adapts_and_one_that_does_not_listens_to_nobody() -> None:
    assert adaptation(METHODS.parse("svm"), SETTING, "near", starts=4).value > 0.1
    random = adaptation(METHODS.parse("random"), SETTING, "near", starts=4)
    assert abs(random.value) < 0.1
    assert random.assessors == ("ann", "ben", "cec")


def test_overlap_is_the_mean_over_pairs() -> None:
    sets = [set(np.flatnonzero(row).tolist()) for row in TOPICS.targets]
    pairs = [(0, 1), (0, 2), (1, 2)]
    wanted = np.mean([len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in pairs])
    assert mean_overlap(TOPICS) == pytest.approx(wanted)


def test_one_assessor_cannot_be_adapted_to() -> None:
    with pytest.raises(SettingError, match="two assessors"):
        adaptation(METHODS.parse("svm"), SETTING, "far")
