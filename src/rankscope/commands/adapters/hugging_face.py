"""Hugging Face `evaluate`: an object with add, add_batch and compute, as its metrics have them, without the library.

A prediction and a reference belong to one query each:

    {item: score} or [item, ...] best first      with      {item: grade} or [relevant item, ...]
    [score, ...]                                  with      [grade, ...] of the same items, in the same order
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from rankscope.core.errors import InputError
from rankscope.core.settings import Choices
from rankscope.inputs.problems import Problems
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.notation import Asked, parse_measures

FORMS = (
    "A prediction is {item: score}, [item, ...] as texts, or [score, ...] with a point; its reference is {item: grade},"
    " [relevant item, ...], or [grade, ...] of the items that have the scores."
)
FEATURES = ("predictions", "references")


class RankingMetric:
    """Measures of rankings as a metric of `evaluate`: gather with `add` or `add_batch`, then `compute`, or compute all.

    What was gathered is forgotten after `compute`. Settings are those of `rankscope.evaluate`.
    >>> metric = RankingMetric(["AP", "nDCG@10"])
    >>> metric.compute(predictions=[{"a": 0.9, "b": 0.8}, ["x", "y"]], references=[{"b": 1}, ["x"]])["AP"]
    0.75
    >>> metric.add(prediction=[0.9, 0.8], reference=[0, 1])
    >>> metric.compute()["AP"]
    0.5
    """

    name = "rankscope"

    def __init__(
        self, measures: Asked = ("AP", "nDCG@10"), *, compat: str | None = None, **settings: Unpack[Choices]
    ) -> None:
        parse_measures(measures)
        self.measures, self._compat, self._settings = measures, compat, settings
        self._pairs: list[tuple[Any, Any]] = []

    def add(self, *, prediction: Any = None, reference: Any = None, **given: Any) -> None:
        """One query more. `predictions` and `references` are understood too: combined metrics of `evaluate` say so."""
        pair = (given.pop("predictions", prediction), given.pop("references", reference))
        _refuse_others(given)
        _refuse_missing(*pair)
        self._pairs.append(pair)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **given: Any) -> None:
        _refuse_others(given)
        _refuse_missing(predictions, references)
        if len(predictions) != len(references):
            what = f"{len(predictions)} predictions, but {len(references)} references"
            raise InputError.of("predictions", [what], "Each query has one of both.")
        self._pairs += zip(predictions, references, strict=True)

    def compute(self, *, predictions: Any = None, references: Any = None, **given: Any) -> dict[str, float]:
        """The mean of each measure over all queries, those given here included."""
        _refuse_others(given)
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        if not self._pairs:
            raise InputError.of("predictions", ["there are none"], "Give them to compute, or to add_batch before.")
        pairs, self._pairs = self._pairs, []
        qrels, run = _as_inputs(pairs)
        scores = evaluate(qrels, run, self.measures, compat=self._compat, **self._settings)
        return {column.asked: column.summary for column in scores.systems[0].columns}

    def _feature_names(self) -> list[str]:
        """What `evaluate.combine` asks each of its metrics."""
        return list(FEATURES)


def _refuse_others(given: Mapping[str, Any]) -> None:
    if given:
        raise InputError.of(
            "predictions", [f"what is {', '.join(given)}?"], "Only predictions and references are read."
        )


def _refuse_missing(predictions: Any, references: Any) -> None:
    missing = [name for name, given in zip(FEATURES, (predictions, references), strict=True) if given is None]
    if missing:
        raise InputError.of("predictions", [f"{' and '.join(missing)} not given"], "Each query has one of both.")


def _as_inputs(pairs: Sequence[tuple[Any, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgements and a run; queries are called 0, 1, 2 and so on."""
    problems = Problems("predictions")
    qrels: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for number, pair in enumerate(pairs):
        understood = _understood(*map(_plain, pair))
        if understood is None:
            shapes = " with ".join(_shape(each) for each in pair)
            problems.add(f"query {number}", f"cannot be read: {shapes}", FORMS, order=number)
        else:
            run[str(number)], qrels[str(number)] = understood
    problems.raise_if_any()
    return qrels, run


def _understood(prediction: Any, reference: Any) -> tuple[Any, dict[Any, Any]] | None:
    """A ranking and its judgements; None where the two do not fit together."""
    if _is_list_of(prediction, float) and isinstance(reference, list) and len(reference) == len(prediction):
        return dict(enumerate(prediction)), dict(enumerate(reference))
    if not isinstance(prediction, dict) and not _is_list_of(prediction, str):
        return None
    if isinstance(reference, dict):
        return prediction, reference
    return (prediction, dict.fromkeys(reference, 1)) if _is_list_of(reference, str) else None


def _plain(value: Any) -> Any:
    """Dictionaries and lists; arrays and tensors as lists, sets in any order."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return np.asarray(value).tolist() if hasattr(value, "__array__") else value


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _shape(value: Any) -> str:
    value = _plain(value)
    return (
        f"a list of {len(value)} {type(value[0]).__name__}" if isinstance(value, list) and value else repr(value)[:60]
    )
