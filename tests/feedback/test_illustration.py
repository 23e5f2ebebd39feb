"""The illustration of method.md, section 6: the best method with users who are right is the worst under noise."""

from __future__ import annotations

from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Protocol
from rankscope.feedback.study.sensitivity import resilience
from tests.feedback.cases import digits

NAMES = ("nearest-neighbour", "rocchio(alpha=0, beta=1, gamma=0.25, unit_sum=False)", "query-point")


def test_the_best_clean_method_is_the_worst_under_noise() -> None:
    items, topics = digits(3, 5, 8)
    resiliences = resilience(
        [METHODS.parse(name) for name in NAMES],
        items,
        topics,
        rates=[0.2],
        protocol=Protocol(scored="full"),
        starts=6,
    )
    clean, noisy = ({name: each.means[at] for name, each in zip(NAMES, resiliences, strict=True)} for at in (0, 1))
    nearest, rocchio, point = NAMES
    assert clean[nearest] > clean[rocchio] > clean[point]
    assert noisy[nearest] < noisy[rocchio] < noisy[point]
    printed = {nearest: (0.910, 0.550), rocchio: (0.841, 0.735), point: (0.826, 0.782)}
    for name, (right, wrong) in printed.items():
        assert abs(clean[name] - right) < 0.05
        assert abs(noisy[name] - wrong) < 0.05
    assert resiliences[0].ratios[1] < 0.7 < resiliences[2].ratios[1]
