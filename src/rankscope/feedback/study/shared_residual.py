"""The residual list of two methods: what either of them has shown is taken out for both.

Each method's own residual list lacks what that method has found: the more it found, the less is left to find. So two
methods are compared on the items that neither has shown, and where none of them is relevant not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.loop import Round, SessionBlock, block_size
from rankscope.feedback.study.rounds import in_byte_order
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.ranks.relevant_ranks import RelevantRanks

Pair = tuple[Method, Method]


def shared_rounds(pair: Pair, setting: Experiment, sessions: Sessions) -> Iterator[tuple[Round, RelevantRanks]]:
    """All rounds of the first method, each with its ranking of what neither method has shown before."""
    first, second = (SessionBlock(each, setting, sessions) for each in pair)
    for own, _ in zip(first.rounds(), second.rounds(), strict=True):
        yield own, first.listed("residual", first.seen | second.seen)


def shared_ranks(pair: Pair, setting: Experiment, sessions: Sessions) -> RelevantRanks:
    """The ranking by the first method, in the last round, of what neither has shown; queries in byte order."""
    blocks = sessions.blocks(block_size(setting.items))
    return in_byte_order(RelevantRanks.join([list(shared_rounds(pair, setting, each))[-1][1] for each in blocks]))
