"""Flat JSON for trackers of experiments: each mean with its interval and its number of queries, under a plain name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankscope.errors import SettingError

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """One object of numbers, which `mlflow.log_metrics` and `wandb.log` take as it is."""
    from rankscope.adapters.metrics import to_metrics

    if per_query:
        raise SettingError("metrics are means: leave out --per-query, or choose csv or json")
    return json.dumps(to_metrics(scores), indent=2, allow_nan=False) + "\n"
