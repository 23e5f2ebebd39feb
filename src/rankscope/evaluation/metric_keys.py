"""Scores as a flat dictionary that trackers of experiments log as it is.

MLflow refuses `nDCG(gain=exp)@10` as a name, and W&B cannot sort by it, so names are letters, digits and underscores
that begin with no digit, with `SYSTEM/` in front where there are several systems.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Column, Scores, SystemScores

UNFIT = re.compile("[^A-Za-z0-9]+")
LONGEST = 100  # of a system's name, and of a measure's; MLflow takes 250 signs in all
ENDINGS = ("", "_queries", "_low", "_high")  # what a measure is logged under: its key with each of them


def metric_key(text: str) -> str:
    """A measure, or the name of a system, as a name that every tracker takes.

    >>> metric_key("nDCG(gain=exp)@10"), metric_key("RBP(p=0.5)"), metric_key("11pt_avg")
    ('nDCG_gain_exp_at_10', 'RBP_p_0_5', '_11pt_avg')
    """
    key = UNFIT.sub("_", text.replace(")@", "_at_").replace("@", "_at_")).strip("_")[:LONGEST]
    return key if key[:1].isalpha() else f"_{key}"


def metric_keys(texts: Sequence[str], endings: Sequence[str] = ("",)) -> list[str]:
    """The same for several, all different, with each of these endings too: one that is taken gets a number.

    A number never makes a key that another text has by itself.
    >>> metric_keys(["bm-25", "bm_25"]), metric_keys(["bm-25", "bm_25", "bm25", "bm_25_2"])
    (['bm_25', 'bm_25_2'], ['bm_25', 'bm_25_3', 'bm25', 'bm_25_2'])
    >>> metric_keys(["AP", "AP_low"], ENDINGS)
    ['AP', 'AP_low_2']
    """
    keys = [metric_key(text) for text in texts]
    own = {f"{key}{ending}" for key in keys for ending in endings}
    taken: set[str] = set()
    chosen = []
    for key in keys:
        for number in count(1):
            found = key if number == 1 else f"{key.rstrip('_')}_{number}"
            logged = {f"{found}{ending}" for ending in endings}
            if taken.isdisjoint(logged) and (number == 1 or own.isdisjoint(logged)):
                break
        taken |= logged
        chosen.append(found)
    return chosen


@dataclass(frozen=True, eq=False)
class Metric:
    """A measure of a system and the name it is logged under."""

    key: str
    column: Column

    @property
    def plain(self) -> dict[str, float]:
        """The summary, and how many queries it is of."""
        return {self.key: float(self.column.summary), f"{self.key}_queries": float(self.column.averaged)}


def metrics_by_column(scores: Scores) -> list[tuple[SystemScores, list[Metric]]]:
    """The metrics of each system; what is undefined or no number is left out."""
    several = len(scores.systems) > 1
    prefixes = [f"{key}/" if several else "" for key in metric_keys([each.name for each in scores.systems])]
    return [
        (system, [each for each in _metrics(system, prefix) if _is_number(each.column)])
        for prefix, system in zip(prefixes, scores.systems, strict=True)
    ]


def _metrics(system: SystemScores, prefix: str) -> list[Metric]:
    keys = metric_keys([column.asked for column in system.columns], ENDINGS)
    return [Metric(f"{prefix}{key}", column) for key, column in zip(keys, system.columns, strict=True)]


def _is_number(column: Column) -> bool:
    return column.measure.summary != "none" and math.isfinite(column.summary)
