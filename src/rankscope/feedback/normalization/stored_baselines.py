"""Baselines in one file that can be shared and cited, with the results that were divided by them: JSON, one topic a
line, checked when it is read.

Results keep the curve that a method reached, so that the next study can divide it by a better baseline.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.core.files import atomic
from rankscope.feedback.examples.examples import Folds
from rankscope.feedback.normalization.baselines import Baseline, family_of, stored_under
from rankscope.feedback.normalization.efficiency import SCOPES, Efficiency, mean_curve, places
from rankscope.feedback.normalization.feasibility import Feasibility
from rankscope.feedback.normalization.losses import BaselineTrial, Loss
from rankscope.ranks.relevant_ranks import RelevantRanks, versions

T = TypeVar("T")
SCHEMA = 2
READABLE = (1, SCHEMA)  # the first one has no results
KIND = "rankscope baselines"
AGREES = 1e-9


@dataclass(frozen=True, eq=False)
class BaselineStore:
    """Baselines of topics (one for each method in approach I), and efficiencies that were divided by them."""

    baselines: tuple[Baseline, ...] = ()
    results: tuple[Efficiency, ...] = ()


def save_baselines(
    baselines: Mapping[str, Baseline] | Iterable[Baseline], path: str | Path, results: Iterable[Efficiency] = ()
) -> None:
    """Write baselines whole or not at all: rankings, curves, losses, folds, feasibility, digests and versions.

    Equal baselines give equal bytes.
    """
    listed = baselines.values() if isinstance(baselines, Mapping) else baselines
    once = sorted(stored_under(listed).values(), key=lambda one: (one.topic.encode(), one.winner.encode()))
    reached = sorted(results, key=lambda one: (one.topic.encode(), one.method.encode()))
    topics = [json.dumps(_as_json(each), allow_nan=False) for each in once]
    lines = [json.dumps(result_json(each), allow_nan=False) for each in reached]
    head = json.dumps({"kind": KIND, "schema": SCHEMA, "versions": versions()})
    body = f', "topics": [\n{_lines(topics)}], "results": [\n{_lines(lines)}]}}\n'
    with atomic(path) as file:
        file.write(head[:-1] + body)


def _lines(texts: Sequence[str]) -> str:
    return ",\n".join(texts) + ("\n" if texts else "")


def load_baselines(path: str | Path) -> dict[str, Baseline]:
    """The baselines by topic; of approach I there may be several, and then `load_store` is the one to ask."""
    store = load_store(path)
    by_topic = {each.topic: each for each in store.baselines}
    if len(by_topic) < len(store.baselines):
        raise InputError.of(Path(path).name, ["holds several baselines of a topic, one for each method"])
    return by_topic


def load_store(path: str | Path) -> BaselineStore:
    """Read and check what `save_baselines` wrote; all that is wrong is one `InputError`."""
    source = Path(path).name
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is no JSON: {error}"
        raise InputError.of(source, [f"cannot be read: {reason}"]) from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        advice = "`rankscope feedback FEATURES efficiency -o NAME.json` writes one."
        raise InputError.of(source, ["this is no file of baselines"], advice)
    if content.get("schema") not in READABLE:
        newer = f"its schema is {content.get('schema')}, this version of rankscope reads {SCHEMA}"
        raise InputError.of(source, [newer], "Make the baselines anew, or use the version that wrote them.")
    known: set[tuple[str, str]] = set()

    def read_once(stored: Mapping[str, Any]) -> Baseline:
        baseline = _from_json(stored)
        key = (baseline.topic, family_of(baseline))
        if key in known:
            raise ValueError("it is there twice")
        known.add(key)
        return baseline

    baselines = _read_each(source, content.get("topics", ()), read_once)
    return BaselineStore(baselines, _read_each(source, content.get("results", ()), result_from_json))


def _read_each(source: str, stored: Iterable[Any], read: Callable[[Mapping[str, Any]], T]) -> tuple[T, ...]:
    """What is stored, read one by one; all that is wrong is one error."""
    found: list[T] = []
    problems = []
    for number, each in enumerate(stored, start=1):
        place = f"topic {each.get('topic', number)}" if isinstance(each, dict) else f"topic {number}"
        try:
            found.append(read(each))
        except (KeyError, TypeError, ValueError, AttributeError, SettingError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            problems.append(Problem(place, what))
    if problems:
        raise InputError.of(source, problems)
    return tuple(found)


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
    """The same read back; the curve that people read must be the one that the rankings give."""
    rankings, folds = stored["rankings"], stored["folds"]
    verdict = {**_with_nan(stored["feasibility"]), "reasons": tuple(stored["feasibility"]["reasons"])}
    chosen = None if folds is None else Folds(np.array(folds["fold"]), max(folds["fold"]) + 1, folds["seed"])
    if chosen is not None and len(chosen) != stored["items"]:
        raise ValueError(f"{stored['items']} items, but folds of {len(chosen)}")
    baseline = Baseline(
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
    curve = mean_curve(baseline.ranks, "recall", places("recall"))
    told = np.array(_numbers(stored["curves"]["precision at recall"]), dtype=np.float64)
    if told.shape != curve.shape or not np.allclose(told, curve, rtol=0, atol=AGREES, equal_nan=True):
        raise ValueError("its curve is not the one its rankings give")
    return baseline


def result_json(one: Efficiency) -> dict[str, Any]:
    """What a method reached of one topic, and the baseline it was divided by."""
    plain = {name: getattr(one, name) for name in ("topic", "method", "over", "winner", "feasible", "runs", "failed")}
    curves = {name: _listed(getattr(one, name)) for name in ("at", "reached", "baseline", "chance")}
    return {**plain, **curves, "generality": _listed(one.generality), "thinned": one.thinned}


def result_from_json(stored: Mapping[str, Any]) -> Efficiency:
    curves = {name: _numbers(stored[name]) for name in ("at", "reached", "baseline", "chance")}
    first, second = _numbers(stored["generality"])
    plain = {name: stored[name] for name in ("topic", "method", "over", "winner", "feasible", "runs", "failed")}
    return Efficiency.of(
        curves["reached"],
        curves["baseline"],
        curves["chance"],
        at=curves["at"],
        generality=(first, second),
        thinned=stored["thinned"],
        **plain,
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
