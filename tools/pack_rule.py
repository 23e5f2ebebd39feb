"""The rule by which a pack's topics were chosen, so that anybody can see that nobody picked them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.feedback.examples.items import Items
from rankscope.feedback.normalization.baselines import COMMON_FAMILY, Baseline, BaselineRules, baselines_of
from rankscope.feedback.users.topics import Properties, Topics, parse_expression

FEWEST, MOST_OF_CLASS, MOST = 15, 0.7, 10
STRICTEST = 10


@dataclass(frozen=True)
class TopicRule:
    """Which topics a pack has: classes of at least so many items, and classes with a property, all of them feasible."""

    fewest: int = FEWEST  # relevant items of the assessor in the middle
    strictest: int = STRICTEST  # of every other one
    most_of_class: float = MOST_OF_CLASS  # a property that nearly all of a class have makes no other topic
    most: int = MOST  # topics of each kind

    def __str__(self) -> str:
        return (
            f"Elementary topics: the {self.most} largest classes (equal ones by name), if feasible. Composite topics: "
            f"every class and property of which the assessor in the middle holds at least {self.fewest} items to be "
            f"relevant, and at most {self.most_of_class:.0%} of the class, and every other assessor at least "
            f"{self.strictest}; the {self.most} with the most relevant items (equal ones by name), if feasible. "
            "Feasible: approach III, by the three conditions of Huiskes & Lew's guideline 2 as rankscope reads it."
        )

    def candidates(
        self, have: dict[str, Properties], classes: Sequence[str], middle: str
    ) -> tuple[list[str], list[str]]:
        """Elementary and composite topics before anything is learnt."""
        sizes = {name: int(have[middle][name].sum()) for name in classes}
        large = sorted((name for name in classes if sizes[name] >= self.fewest), key=lambda each: (-sizes[each], each))
        others = [name for name in have[middle] if name not in sizes]
        found: dict[str, int] = {}
        for name in (f"{_quoted(one)} and {other}" for one in large for other in others):
            counts = {who: int(parse_expression(name).of(own).sum()) for who, own in have.items()}
            whole = int(have[middle][parse_expression(name).labels[0]].sum())
            if self.fewest <= counts[middle] <= self.most_of_class * whole and min(counts.values()) >= self.strictest:
                found[name] = counts[middle]
        composite = sorted(found, key=lambda each: (-found[each], each))
        return [_quoted(name) for name in large[: self.most]], composite[: self.most]


def _quoted(name: str) -> str:
    return name if name.replace("-", "").isalnum() else f'"{name}"'


def feasible_baselines(items: Items, topics: Topics, seed: int = 0) -> dict[str, Baseline]:
    """The topics that can be learnt from the features, each with its baseline."""
    rules = BaselineRules(seed=seed)
    found = {
        topics.names[row]: baselines_of(items, topics.targets[row], label, [], rules)[COMMON_FAMILY]
        for row, label in enumerate(topics.labels)
    }
    return {name: best for name, best in found.items() if best.feasibility.feasible}
