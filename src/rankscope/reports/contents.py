"""What stands in a report, before anything decides how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.measures.scores import Scores
from rankscope.reports.estimates import Estimates, estimates_of
from rankscope.reports.figures import Figure, Progress, figures_of
from rankscope.reports.helper import Helper
from rankscope.reports.verdict import Verdict, verdict_of
from rankscope.settings import SETTINGS


@dataclass(frozen=True, eq=False)
class Report:
    """Scores with their intervals, a verdict in words, and the graphs."""

    title: str
    scores: Scores
    estimates: Estimates
    verdict: Verdict
    figures: tuple[Figure, ...]

    @classmethod
    def of(
        cls, scores: Scores, title: str = "", progress: Progress | None = None, helper: Helper | None = None
    ) -> Report:
        """Everything that can be told from these scores and the ranks behind them."""
        estimates = estimates_of(scores)
        names = tuple(system.name for system in scores.systems)
        main = estimates.main
        ranks = [system.ranks for system in scores.systems]
        figures = figures_of(ranks, main.asked if main else "AP", progress, helper)
        return cls(title or _listed(names), scores, estimates, verdict_of(names, estimates), figures)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(system.name for system in self.scores.systems)

    @property
    def settings(self) -> list[dict[str, str]]:
        """Every choice that changes numbers: value, meaning, and whether it was given by hand."""
        chosen = self.scores.settings
        rows = [
            {
                "name": setting.name,
                "value": str(getattr(chosen, setting.name)),
                "meaning": setting.meaning,
                "given": "by hand" if setting.name in chosen.given else "",
            }
            for setting in SETTINGS
        ]
        peer = {"name": "compat", "value": str(chosen.compat), "meaning": "Count as a peer does", "given": ""}
        return [*rows, peer]

    @property
    def provenance(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Per system: where its numbers come from, as lines of a name and a value; no time, host or path."""
        return [(each.name, _flat(dict(each.ranks.provenance))) for each in self.scores.systems]


def _listed(names: tuple[str, ...]) -> str:
    """Names as a sentence has them.

    >>> _listed(("bm25", "dense", "both")), _listed(("a", "b", "c", "d", "e"))
    ('bm25, dense and both', 'a, b, c and 2 more')
    """
    if len(names) > 4:
        names = (*names[:3], f"{len(names) - 3} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _flat(facts: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for name, value in facts.items():
        words = f"{lead}{name}"
        if isinstance(value, dict):
            lines += _flat(value, f"{words} ")
        elif value not in ("", None):
            lines.append((words.replace("_", " "), str(value)))
    return lines
