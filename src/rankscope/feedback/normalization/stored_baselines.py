"""Baselines in one file that can be shared and cited: JSON, one topic a line, checked when it is read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import InputError, Problem
from rankscope.feedback.examples.folds import Folds
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency_curves import SCOPES, mean_curve, places
from rankscope.feedback.normalization.feasibility import Feasibility
from rankscope.feedback.normalization.losses import Loss
from rankscope.feedback.normalization.trials import BaselineTrial
from rankscope.files import atomic
from rankscope.ranks.provenance import versions
from rankscope.ranks.relevant_ranks import RelevantRanks

SCHEMA = 1
KIND = "rankscope baselines"
AGREES = 1e-9


def save_baselines(result: Mapping[str, Baseline] | Iterable[Baseline], path: str | Path) -> None:
    """Write baselines whole or not at all: rankings, curves, losses, folds, feasibility, digests and versions.

    Equal baselines give equal bytes.
    """
    listed = result.values() if isinstance(result, Mapping) else result
    topics = [
        json.dumps(_as_json(each), allow_nan=False) for each in sorted(listed, key=lambda each: each.topic.encode())
    ]
    head = json.dumps({"kind": KIND, "schema": SCHEMA, "versions": versions()})
    with atomic(path) as file:
        file.write(head[:-1] + ', "topics": [\n' + ",\n".join(topics) + "\n]}\n")


def load_baselines(path: str | Path) -> dict[str, Baseline]:
    """Read and check what `save_baselines` wrote; all that is wrong is one `InputError`."""
    source = Path(path).name
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is no JSON: {error}"
        raise InputError.of(source, [f"cannot be read: {reason}"]) from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InputError.of(source, ["this is no file of baselines"], "Write one with save_baselines.")
    if content.get("schema") != SCHEMA:
        newer = f"its schema is {content.get('schema')}, this version of rankscope reads {SCHEMA}"
        raise InputError.of(source, [newer], "Make the baselines anew, or use the version that wrote them.")
    return _topics(source, content)


def _topics(source: str, content: Mapping[str, Any]) -> dict[str, Baseline]:
    result, problems = {}, []
    for number, each in enumerate(content.get("topics", ()), start=1):
        place = f"topic {each.get('topic', number)}" if isinstance(each, dict) else f"topic {number}"
        try:
            baseline = _from_json(each)
            _check_curve(baseline, each)
            if baseline.topic in result:
                raise ValueError("it is there twice")
            result[baseline.topic] = baseline
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            problems.append(Problem(place, what))
    if problems:
        raise InputError.of(source, problems)
    return result


def _check_curve(baseline: Baseline, stored: Mapping[str, Any]) -> None:
    """The curve people read must be the one the rankings give."""
    curve = mean_curve(baseline.ranks, "recall", places("recall"))
    told = np.array(_numbers(stored["curves"]["precision at recall"]), dtype=np.float64)
    if told.shape != curve.shape or not np.allclose(told, curve, rtol=0, atol=AGREES, equal_nan=True):
        raise ValueError("its curve is not the one its rankings give")


def _as_json(baseline: Baseline) -> dict[str, Any]:
    recall, scopes = places("recall"), places("precision-scope")
    return {
        "topic": baseline.topic,
        "relevant": baseline.relevant,
        "items": baseline.items,
        "features": baseline.features,
        "target": baseline.target,
        "approach": baseline.approach,
        "winner": baseline.winner,
        "loss": asdict(baseline.loss),
        "form": baseline.form,
        "losses": [_without_nan(asdict(each)) for each in baseline.trials],
        "references": baseline.references,
        "feasibility": _without_nan(asdict(baseline.feasibility)),
        "seed": baseline.seed,
        "folds": None
        if baseline.folds is None
        else {"seed": baseline.folds.seed, "fold": baseline.folds.fold.tolist()},
        "curves": {
            "precision at recall": _listed(mean_curve(baseline.ranks, "recall", recall)),
            "relevant scopes": list(SCOPES),
            "precision at scope": _listed(mean_curve(baseline.ranks, "precision-scope", scopes)),
            "recall at scope": _listed(mean_curve(baseline.ranks, "recall-scope", scopes)),
        },
        "rankings": {
            "items": baseline.ranks.collection.tolist(),
            "hits": baseline.ranks.judged.lists("rank"),
            "folds": list(baseline.ranks.classes or ()),
        },
    }


def _from_json(stored: Mapping[str, Any]) -> Baseline:
    rankings, folds = stored["rankings"], stored["folds"]
    verdict = {**_with_nan(stored["feasibility"]), "reasons": tuple(stored["feasibility"]["reasons"])}
    chosen = None if folds is None else Folds(np.array(folds["fold"]), max(folds["fold"]) + 1, folds["seed"])
    if chosen is not None and len(chosen) != stored["items"]:
        raise ValueError(f"{stored['items']} items, but folds of {len(chosen)}")
    return Baseline(
        topic=stored["topic"],
        approach=stored["approach"],
        winner=stored["winner"],
        trials=tuple(BaselineTrial(**_with_nan(each)) for each in stored["losses"]),
        form=stored["form"],
        loss=Loss(**stored["loss"]),
        ranks=_ranks(stored["winner"], rankings),
        folds=chosen,
        relevant=stored["relevant"],
        items=stored["items"],
        feasibility=Feasibility(**verdict),
        features=stored["features"],
        target=stored["target"],
        seed=stored["seed"],
    )


def _ranks(winner: str, rankings: Mapping[str, Any]) -> RelevantRanks:
    sizes = np.array(rankings["items"], dtype=np.int64)
    names = [f"fold {number + 1:0{len(str(sizes.size))}}" for number in range(sizes.size)]
    ranks = RelevantRanks.from_ranks(
        rankings["hits"], depth=sizes, collection=sizes, queries=names, system=winner, classes=tuple(rankings["folds"])
    )
    if (ranks.judged["rank"] < 1).any() or (ranks.judged["rank"] > sizes[ranks.judged.row]).any():
        raise ValueError("a hit stands outside its list")
    return ranks


def _listed(values: Iterable[float]) -> list[float | None]:
    return [None if math.isnan(each) else float(each) for each in values]


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [math.nan if each is None else each for each in values]


def _without_nan(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(each, float) and math.isnan(each) else each for name, each in values.items()}


def _with_nan(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if each is None else each for name, each in values.items()}
