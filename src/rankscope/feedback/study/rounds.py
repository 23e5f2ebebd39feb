"""All rounds of a method over all sessions, each as good as any other ranking for measures, curves and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.display_quality import DisplayQuality
from rankscope.feedback.study.loop import Round, block_size, rounds
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.cores import in_threads_of_one_core


@dataclass(frozen=True, eq=False)
class Simulated:
    """One method in all sessions: `rounds[t]` is round t."""

    method: str
    sessions: Sessions
    rounds: tuple[Round, ...]

    def ranks(self, number: int = -1) -> RelevantRanks:
        """The scored lists of a round, the last one unless told, as one system with queries in byte order."""
        return in_byte_order(self.rounds[number].ranks)


def in_byte_order(ranks: RelevantRanks) -> RelevantRanks:
    """The same rankings with queries in the order in which every other command has them."""
    order = sorted(range(len(ranks)), key=lambda row: ranks.queries[row].encode())
    return ranks.take(np.array(order, dtype=np.int64))


def simulate_rounds(method: Method, setting: Experiment, sessions: Sessions, block: int | None = None) -> Simulated:
    """Run the loop block by block on all cores and put the rounds together; the size of blocks changes no result."""
    blocks = list(sessions.blocks(block or block_size(setting.items, len(sessions))))
    parts = in_threads_of_one_core(lambda each: list(rounds(method, setting, each)), blocks)
    return Simulated(str(method), sessions, tuple(_joined(each) for each in zip(*parts, strict=True)))


def _joined(parts: Sequence[Round]) -> Round:
    if len(parts) == 1:
        return parts[0]
    counts = [each.name for each in fields(DisplayQuality) if each.name != "scope"]
    shown = [np.concatenate([getattr(each.shown, name) for each in parts]) for name in counts]
    arrays = ("displayed", "unjudged", "positives", "negatives", "seconds")
    return Round(
        number=parts[0].number,
        ranks=RelevantRanks.join([each.ranks for each in parts]),
        shown=DisplayQuality(parts[0].shown.scope, *shown),
        flags=tuple(flag for each in parts for flag in each.flags),
        failed=tuple(reason for each in parts for reason in each.failed),
        **{name: np.concatenate([getattr(each, name) for each in parts]) for name in arrays},
    )


def rounds_to_recall(recall: FloatArray, level: float) -> FloatArray:
    """The first round in which each session has seen so much; infinite if it never does. `recall` is sessions x rounds.

    >>> rounds_to_recall(np.array([[0.1, 0.5, 0.9], [0.0, 0.1, 0.2]]), 0.5)
    array([ 1., inf])
    """
    reached = recall >= level - 1e-9
    return np.where(reached.any(axis=1), reached.argmax(axis=1).astype(np.float64), np.inf)


def area_over_rounds(values: FloatArray) -> FloatArray:
    """The mean height of each session's curve over rounds, by trapezia; the value itself where there is one round.

    >>> area_over_rounds(np.array([[0.0, 1.0, 1.0]]))
    array([0.75])
    """
    if values.shape[1] == 1:
        return values[:, 0].astype(np.float64)
    return (values[:, 1:] + values[:, :-1]).sum(axis=1) / (2 * (values.shape[1] - 1))
