"""How good is a ranked retrieval system, really?

>>> import rankscope
>>> scores = rankscope.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}, ["AP", "nDCG@10"])
>>> round(scores["AP"], 4), round(scores["nDCG@10"], 4)
(0.5, 0.6309)

Names load when they are used, so that importing rankscope costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope import (
        collections,
        curves,
        engines,
        evaluation,
        feedback,
        forecast,
        graphs,
        inputs,
        measures,
        ranks,
        reports,
        sampling,
        statistics,
    )
    from rankscope.engines.nearest import nearest_ranks
    from rankscope.errors import InputError, MeasureError, RankscopeError, SettingError
    from rankscope.evaluation.evaluate import evaluate, evaluate_ranks
    from rankscope.evaluation.relevance_evaluator import RelevanceEvaluator
    from rankscope.evaluation.scores import Scores
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.measures.notation import parse_measure, parse_measures
    from rankscope.ranks.reduce import reduce
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.ranks.storage import load_ranks, save_ranks
    from rankscope.settings import Settings
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.verdicts.compare import compare

_PLACES: dict[str, str] = {  # public names in the order of the flow
    "Qrels": "inputs.qrels",
    "Run": "inputs.run",
    "nearest_ranks": "engines.nearest",
    "reduce": "ranks.reduce",
    "RelevantRanks": "ranks.relevant_ranks",
    "save_ranks": "ranks.storage",
    "load_ranks": "ranks.storage",
    "evaluate": "evaluation.evaluate",
    "evaluate_ranks": "evaluation.evaluate",
    "parse_measure": "measures.notation",
    "parse_measures": "measures.notation",
    "Scores": "evaluation.scores",
    "RelevanceEvaluator": "evaluation.relevance_evaluator",
    "ScoreTable": "statistics.table.score_table",
    "compare": "statistics.verdicts.compare",
    "Settings": "settings",
    "RankscopeError": "errors",
    "InputError": "errors",
    "MeasureError": "errors",
    "SettingError": "errors",
}
_FOLDERS = (
    "inputs",
    "ranks",
    "collections",
    "engines",
    "measures",
    "evaluation",
    "curves",
    "statistics",
    "forecast",
    "sampling",
    "feedback",
    "graphs",
    "reports",
)

__all__ = [
    "InputError",
    "MeasureError",
    "Qrels",
    "RankscopeError",
    "RelevanceEvaluator",
    "RelevantRanks",
    "Run",
    "ScoreTable",
    "Scores",
    "SettingError",
    "Settings",
    "__version__",
    "collections",
    "compare",
    "curves",
    "engines",
    "evaluate",
    "evaluate_ranks",
    "evaluation",
    "feedback",
    "forecast",
    "graphs",
    "inputs",
    "load_ranks",
    "measures",
    "nearest_ranks",
    "parse_measure",
    "parse_measures",
    "ranks",
    "reduce",
    "reports",
    "sampling",
    "save_ranks",
    "statistics",
]


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return importlib.import_module(f"rankscope.{name}")
    if name in _PLACES:
        return getattr(importlib.import_module(f"rankscope.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'rankscope' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
