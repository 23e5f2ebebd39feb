"""One grade from several: the rules by which the judgements of several assessors become one set of judgements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError

RULES: Final = {
    "majority": "the grade that most assessors give; a tie stays open",
    "median": "the grade in the middle; open where two different grades share it",
    "any": "the highest grade that anybody gives: the most lenient",
    "all": "the lowest grade that anybody gives: the strictest",
    "equal": "the grade that all give; open where they differ",
    "weighted": "the grade with the most votes, weighted as weighted(ann=2, bob=1); others have 1; a tie stays open",
}
ALIASES: Final = {"lenient": "any", "strictest": "all"}
OPEN: Final = ("lower", "higher", "leave-out")
WEIGHTED: Final = re.compile(r"weighted\((.*)\)", re.DOTALL)


class Merged(NamedTuple):
    """What a rule gives: a grade, or None where the pair stays open between the grades of `between`."""

    grade: float | None
    between: tuple[float, ...] = ()


@dataclass(frozen=True)
class MergeRule:
    """How the grades of several assessors become one.

    >>> MergeRule.parse("majority").merge({"ann": 1, "bob": 0, "eve": 1})
    Merged(grade=1, between=())
    >>> MergeRule.parse("majority").merge({"ann": 1, "bob": 0})
    Merged(grade=None, between=(0, 1))
    >>> MergeRule.parse("weighted(ann=2)").merge({"ann": 1, "bob": 0}).grade
    1
    """

    name: str
    weights: Mapping[str, float]

    @classmethod
    def parse(cls, text: str) -> MergeRule:
        """From how it is written; a `SettingError` says what can be written."""
        wanted = ALIASES.get(text.strip(), text.strip())
        if found := WEIGHTED.fullmatch(wanted):
            return cls("weighted", _weights(found[1]))
        if wanted == "weighted":
            raise SettingError("merge=weighted: say how much whose grades weigh, as 'weighted(ann=2, bob=1)'")
        if wanted not in RULES:
            raise SettingError(
                f"no rule '{text}' to merge grades by{did_you_mean(wanted, RULES)} There are: {', '.join(RULES)}"
            )
        return cls(wanted, {})

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={weight:g}" for name, weight in self.weights.items())
        return f"weighted({inside})" if self.name == "weighted" else self.name

    def merge(self, grades: Mapping[str, float]) -> Merged:
        """One grade from those of each assessor, of whom there is one at least."""
        found = sorted(grades.values())
        if found[0] == found[-1]:
            return Merged(found[0])
        if self.name in ("any", "all"):
            return Merged(found[-1] if self.name == "any" else found[0])
        if self.name == "equal":
            return Merged(None, tuple(sorted(set(found))))
        candidates = _middle(found) if self.name == "median" else self._most_votes(grades)
        return Merged(candidates[0]) if len(candidates) == 1 else Merged(None, candidates)

    def _most_votes(self, grades: Mapping[str, float]) -> tuple[float, ...]:
        votes: dict[float, float] = {}
        for name, grade in grades.items():
            votes[grade] = votes.get(grade, 0.0) + self.weights.get(name, 1.0)
        most = max(votes.values())
        return tuple(sorted(grade for grade, count in votes.items() if count >= most - 1e-9))


def decide_open(merged: Merged, open_pairs: str | None) -> float | None:
    """The grade where a pair stays open: the lower or the higher one in question; None leaves it out."""
    if merged.grade is not None or open_pairs not in ("lower", "higher"):
        return merged.grade
    return merged.between[0] if open_pairs == "lower" else merged.between[-1]


def _middle(grades: list[float]) -> tuple[float, ...]:
    two = grades[(len(grades) - 1) // 2], grades[len(grades) // 2]
    return tuple(sorted(set(two)))


def _weights(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    problems = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, number = (each.strip() for each in part.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not sign or not name or name in found or not 0 < weight < float("inf"):
            problems.append(f"merge: '{part}' must read NAME=WEIGHT, with a weight above 0 and each name once")
        found[name] = weight
    if problems or not found:
        raise SettingError.of(problems or ["merge: weighted(...) names nobody; write it as 'weighted(ann=2, bob=1)'"])
    return found
