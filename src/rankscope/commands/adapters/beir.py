"""BEIR: its dictionaries into ours and back, and its `EvaluateRetrieval.evaluate` with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankscope.core.errors import SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate as evaluate_run

K_VALUES = (1, 3, 5, 10, 100, 1000)
MEASURES = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}  # in the order of the four dictionaries
CUSTOM = {"mrr": ("MRR", "RR"), "recall_cap": ("R_cap", "CappedRecall"), "accuracy": ("Accuracy", "success")}
PLACES = 5  # BEIR rounds to so many
FourDictionaries = tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]


def from_folder(folder: str | Path, split: str = "test") -> Qrels:
    """The judgements of a split of a dataset's folder."""
    return Qrels.of(f"{folder}#{split}")


def from_qrels(qrels: Any) -> Qrels:
    return Qrels.of(qrels)


def from_results(results: Any, name: str = "") -> Run:
    """A run from the dictionary that `EvaluateRetrieval.retrieve` gives."""
    return Run.of(results, name=name)


def to_qrels(qrels: Any) -> dict[str, dict[str, int]]:
    """Judgements as BEIR's dictionary; grades are whole numbers, fractions are refused.

    >>> to_qrels((["q1", "q1"], ["a", "b"], [1.0, 0.0]))
    {'q1': {'a': 1, 'b': 0}}
    """
    given = Qrels.of(qrels)
    given.need_whole_grades("BEIR")
    return {query: {item: int(grade) for item, grade in items.items()} for query, items in given.to_dict().items()}


def to_results(run: Any) -> dict[str, dict[str, float]]:
    """A run as BEIR's dictionary of results.

    >>> to_results({"q1": ["a", "b"]})
    {'q1': {'a': 0.0, 'b': -1.0}}
    """
    return Run.of(run).to_dict()


def evaluate(
    qrels: Any, results: Any, k_values: Sequence[int] = K_VALUES, ignore_identical_ids: bool = True
) -> FourDictionaries:
    """What BEIR's `EvaluateRetrieval.evaluate` returns, rounded as there: NDCG, MAP, Recall and P at each k.

    Other than there, `results` stay as they are: identical ids are left out of the evaluation, not of your dictionary.
    >>> ndcg, average, recall, precision = evaluate({"q": {"a": 1}}, {"q": {"q": 3.0, "x": 2.0, "a": 1.0}}, [2])
    >>> ndcg, recall
    ({'NDCG@2': 0.63093}, {'Recall@2': 1.0})
    """
    wanted = [f"{ours}@{k}" for ours in MEASURES.values() for k in k_values]
    run = _without_identical_ids(results) if ignore_identical_ids else results
    scores = evaluate_run(qrels, run, wanted, compat="beir", query_item="kept")
    ndcg, average, recall, precision = (
        {f"{theirs}@{k}": round(scores[f"{ours}@{k}"], PLACES) for k in k_values} for theirs, ours in MEASURES.items()
    )
    return ndcg, average, recall, precision


def evaluate_custom(qrels: Any, results: Any, k_values: Sequence[int] = K_VALUES, metric: str = "mrr") -> Any:
    """What BEIR's `evaluate_custom` returns for mrr, recall_cap and accuracy.

    Its hole@k takes an item as judged if any query judged it; ours, `Judged@k`, asks this query, so it is not here.
    >>> evaluate_custom({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, [1, 10], "mrr")
    {'MRR@1': 0.0, 'MRR@10': 0.5}
    """
    if metric not in CUSTOM:
        raise SettingError(f"metric={metric!r}: there are {', '.join(CUSTOM)}")
    theirs, ours = CUSTOM[metric]
    wanted = [f"{ours}@{k}" for k in k_values]
    scores = evaluate_run(qrels, results, wanted, compat="beir", query_item="kept")
    return {f"{theirs}@{k}": round(scores[f"{ours}@{k}"], PLACES) for k in k_values}


def _without_identical_ids(results: Any) -> Run:
    """The run without items that are called as their query; judgements of such items stay, as in BEIR."""
    run = Run.of(results, keep=False)
    table = run.table()
    return Run.from_frame(table.filter(table["query"] != table["item"]), run.name)
