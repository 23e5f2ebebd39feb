"""Many sessions at once against one after the other in float64: the same items shown, the same ranks of the rest."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples import items as items_module
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.users.topics import Topics

ITEMS, SCOPE, ROUNDS = 900, 10, 3
Seen = tuple[list[int], list[int]]  # items shown and ranks of the relevant items not seen yet


def distances_to(x: FloatArray, point: FloatArray) -> FloatArray:
    """By the differences themselves, rounded as scores are: what formulas leave in the last digits decides nothing."""
    return np.array([float(f"{value:.11e}") for value in ((x - point) ** 2).sum(axis=1).tolist()])


def moved(x: FloatArray, query: int, positive: IntArray, negative: IntArray) -> FloatArray:
    """Rocchio's point, one sum after the other."""
    point = x[query] + 0.75 * sum(x[each] for each in positive.tolist()) / positive.size
    if not negative.size:
        return np.asarray(point / 1.75)
    return np.asarray((point - 0.15 * sum(x[each] for each in negative.tolist()) / negative.size) / 1.6)


def plain_session(x: FloatArray, target: BoolArray, query: int) -> list[Seen]:
    seen, shown, result = np.zeros(len(x), np.bool_), np.empty(0, np.int64), []
    seen[query] = True
    for number in range(ROUNDS + 1):
        positive = np.union1d(shown[target[shown]], [query])
        negative = np.sort(shown[~target[shown]])
        point = moved(x, query, positive, negative) if number else x[query]
        order = np.argsort(distances_to(x, point), kind="stable")
        order = order[~seen[order]]
        result.append((order[:SCOPE].tolist(), (np.flatnonzero(target[order]) + 1).tolist()))
        shown = np.concatenate([shown, order[:SCOPE]])
        seen[order[:SCOPE]] = True
    return result


@pytest.mark.parametrize("copies", [0, 300], ids=["all different", "with copies"])
def test_rocchio_ranks_as_a_plain_loop_does(copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(copies)
    label = chance.integers(0, 6, ITEMS)
    x = chance.normal(size=(6, 24))[label] + 1.5 * chance.normal(size=(ITEMS, 24))
    x[ITEMS - copies :] = x[chance.integers(0, ITEMS - copies, copies)]
    topics = Topics.of({f"{each}": label == each for each in range(6)})
    protocol = Protocol(scored="residual", rounds=ROUNDS, scope=SCOPE)
    setting = Experiment.of(Items.of(x), topics, protocol=protocol)
    sessions = setting.sessions(4)
    monkeypatch.setattr(items_module, "SCORES_AT_ONCE", 5 * ITEMS)  # several blocks
    found = simulate_rounds(METHODS.parse("rocchio"), setting, sessions)
    for row, (topic, query) in enumerate(zip(sessions.topic.tolist(), sessions.query.tolist(), strict=True)):
        for number, (shown, ranks) in enumerate(plain_session(x, topics.targets[topic], query)):
            assert found.rounds[number].displayed[row].tolist() == shown
            assert found.rounds[number].ranks.judged.lists("rank")[row] == ranks
