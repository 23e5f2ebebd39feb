"""How good is a ranked retrieval system, really?

>>> import rankscope
>>> scores = rankscope.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}, ["AP", "nDCG@10"])
>>> round(scores["AP"], 4), round(scores["nDCG@10"], 4)
(0.5, 0.6309)

Names load when they are used, so that importing rankscope costs nothing. The packages behind them are reached as
`rankscope.graphs`, `rankscope.statistics`, ...; `from rankscope import *` leaves them out, because some of them, such
as `collections` and `statistics`, are called as packages of the standard library are.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope import adapters as adapters
    from rankscope import collections as collections
    from rankscope import curves as curves
    from rankscope import engines as engines
    from rankscope import evaluation as evaluation
    from rankscope import feedback as feedback
    from rankscope import forecast as forecast
    from rankscope import gathering as gathering
    from rankscope import graphs as graphs
    from rankscope import inputs as inputs
    from rankscope import measures as measures
    from rankscope import pipeline as pipeline
    from rankscope import ranks as ranks
    from rankscope import reports as reports
    from rankscope import running as running
    from rankscope import sampling as sampling
    from rankscope import statistics as statistics
    from rankscope import workbench as workbench
    from rankscope.engines.nearest import nearest_ranks
    from rankscope.engines.text.text_index import Index
    from rankscope.errors import InputError, MeasureError, RankscopeError, SettingError
    from rankscope.evaluation.evaluate import evaluate_ranks
    from rankscope.evaluation.relevance_evaluator import RelevanceEvaluator
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.agreeing import agreement
    from rankscope.facade.asking import ask_feedback
    from rankscope.facade.comparing import compare, explain_by, gate
    from rankscope.facade.estimating import estimate_runs, estimate_with_machine
    from rankscope.facade.evaluating import evaluate
    from rankscope.facade.explaining import explain_query
    from rankscope.facade.following import ledger
    from rankscope.facade.fusing import fuse
    from rankscope.facade.gathering import gather
    from rankscope.facade.growing import estimate, forecast_growth, homogeneity
    from rankscope.facade.interleaving import interleave_runs
    from rankscope.facade.leaderboards import stability
    from rankscope.facade.looking_often import compare_sequentially, gate_sequentially
    from rankscope.facade.planning import plan_judging, variance_components
    from rankscope.facade.preferring import prefer
    from rankscope.facade.ranking import benchmark, describe, rank
    from rankscope.facade.reusing import check_labels, pool_reuse
    from rankscope.facade.scoring_users import score_user
    from rankscope.facade.searching import index, search
    from rankscope.facade.showing import graph, report
    from rankscope.facade.simulating import simulate_feedback
    from rankscope.inputs.features import Features
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.measures.notation import parse_measure, parse_measures
    from rankscope.ranks.reduce import reduce
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.ranks.storage import load_ranks, save_ranks
    from rankscope.sampling.sample_size import needed_sample
    from rankscope.settings import Settings
    from rankscope.statistics.table.score_table import ScoreTable

_PLACES: dict[str, str] = {  # what each question is asked with, then what it takes and gives, in the order of the flow
    "evaluate": "facade.evaluating",
    "explain_query": "facade.explaining",
    "compare": "facade.comparing",
    "gate": "facade.comparing",
    "compare_sequentially": "facade.looking_often",
    "gate_sequentially": "facade.looking_often",
    "explain_by": "facade.comparing",
    "ledger": "facade.following",
    "report": "facade.showing",
    "graph": "facade.showing",
    "forecast_growth": "facade.growing",
    "homogeneity": "facade.growing",
    "estimate": "facade.growing",
    "estimate_runs": "facade.estimating",
    "estimate_with_machine": "facade.estimating",
    "needed_sample": "sampling.sample_size",
    "pool_reuse": "facade.reusing",
    "check_labels": "facade.reusing",
    "agreement": "facade.agreeing",
    "stability": "facade.leaderboards",
    "variance_components": "facade.planning",
    "plan_judging": "facade.planning",
    "prefer": "facade.preferring",
    "interleave_runs": "facade.interleaving",
    "describe": "facade.ranking",
    "rank": "facade.ranking",
    "benchmark": "facade.ranking",
    "simulate_feedback": "facade.simulating",
    "score_user": "facade.scoring_users",
    "ask_feedback": "facade.asking",
    "index": "facade.searching",
    "search": "facade.searching",
    "gather": "facade.gathering",
    "fuse": "facade.fusing",
    "Qrels": "inputs.qrels",
    "Run": "inputs.run",
    "Features": "inputs.features",
    "reduce": "ranks.reduce",
    "RelevantRanks": "ranks.relevant_ranks",
    "save_ranks": "ranks.storage",
    "load_ranks": "ranks.storage",
    "nearest_ranks": "engines.nearest",
    "Index": "engines.text.text_index",
    "parse_measure": "measures.notation",
    "parse_measures": "measures.notation",
    "evaluate_ranks": "evaluation.evaluate",
    "Scores": "evaluation.scores",
    "RelevanceEvaluator": "evaluation.relevance_evaluator",
    "ScoreTable": "statistics.table.score_table",
    "Settings": "settings",
    "RankscopeError": "errors",
    "InputError": "errors",
    "MeasureError": "errors",
    "SettingError": "errors",
}
FLOW = (  # the order of the folders: each imports only from itself and from those before it
    "inputs",
    "gathering",
    "ranks",
    "running",
    "scale",
    "collections",
    "engines",
    "measures",
    "evaluation",
    "fusion",
    "curves",
    "statistics",
    "adapters",
    "pipeline",
    "forecast",
    "sampling",
    "feedback",
    "graphs",
    "reports",
    "workbench",
    "facade",
    "cli",
)

__all__ = [
    "Features",
    "Index",
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
    "agreement",
    "ask_feedback",
    "benchmark",
    "check_labels",
    "compare",
    "compare_sequentially",
    "describe",
    "estimate",
    "estimate_runs",
    "estimate_with_machine",
    "evaluate",
    "evaluate_ranks",
    "explain_by",
    "explain_query",
    "forecast_growth",
    "fuse",
    "gate",
    "gate_sequentially",
    "gather",
    "graph",
    "homogeneity",
    "index",
    "interleave_runs",
    "ledger",
    "load_ranks",
    "nearest_ranks",
    "needed_sample",
    "parse_measure",
    "parse_measures",
    "plan_judging",
    "pool_reuse",
    "prefer",
    "rank",
    "reduce",
    "report",
    "save_ranks",
    "score_user",
    "search",
    "simulate_feedback",
    "stability",
    "variance_components",
]


def __getattr__(name: str) -> Any:
    if name in FLOW:
        return importlib.import_module(f"rankscope.{name}")
    if name in _PLACES:
        return getattr(importlib.import_module(f"rankscope.{_PLACES[name]}"), name)
    from rankscope.catalogue import did_you_mean

    raise AttributeError(f"module 'rankscope' has no attribute '{name}'{did_you_mean(name, __dir__())}")


def __dir__() -> list[str]:
    return [*__all__, *FLOW]
