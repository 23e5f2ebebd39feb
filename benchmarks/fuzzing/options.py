"""Options and measures as people mistype them: a number within its range, or a clear error."""

from __future__ import annotations

import json
import math
import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzzing.rankings import check_scores
from benchmarks.fuzzing.trial import Trial
from rankscope.analysis.sampling.estimate import Estimated, estimate, needed_sample
from rankscope.core.settings import SETTINGS
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.scores import Scores

WHOLE = (0, 1, 2, 5, 10, 100, 10**9, -1, 1 << 31, 1 << 53, 1 << 64, 10**400)
REAL = (0.0, 0.5, 0.95, 1.0, 2.0, -1.0, 1e-300, 1e300, math.nan, math.inf, 1e-9)
ODD: tuple[Any, ...] = (None, "", "x", "nan", 1.5, True, "é", "a\nb", "[/x]", "\ud800")
MEASURES = (
    "AP",
    "P@5",
    "nDCG",
    "nDCG@10",
    "RBP(p=0.8)",
    "ERR@5",
    "R@10",
    "bpref",
    "RR",
    "F@5",
    "E(alpha=0.5)@5",
    "IPrec@0.1",
    "P(rel=2)@5",
    "RBP",
    "Rprec",
    "infAP",
    "NMRR",
    "nDCG(gain=exp)@3",
)
PARTS = "@()=,.-0123456789 einfXyrelp"
QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 3.0, "x": 2.0, "c": 2.0, "b": 1.0}, "2": {"x": 2.0, "a": 1.0}}


def option_trial(chance: random.Random, folder: Path) -> Trial:
    """Measures, settings, or the numbers of an estimate."""
    return chance.choice((_measures, _settings, _estimate, _needed))(chance, _files(folder))


def _files(folder: Path) -> tuple[str, ...]:
    """The judgements and the run as files, for the command."""
    for name, data in (("qrels", QRELS), ("run", RUN)):
        (folder / name).write_text(json.dumps(data))
    return "evaluate", str(folder / "qrels"), str(folder / "run")


def _measures(chance: random.Random, command: tuple[str, ...]) -> Trial:
    text = chance.choice(MEASURES)
    for _ in range(chance.choice((0, 1, 1, 2))):
        place = chance.randrange(len(text) + 1)
        text = (
            text[:place]
            + chance.choice((*PARTS, "999999999999999999999", "1e999", ""))
            + text[place + chance.randrange(2) :]
        )
    return Trial(partial(evaluate, QRELS, RUN, [text]), _finite, (*command, f"--measure={text}"), agrees=False)


def _finite(scores: Scores) -> None:
    """Values that are numbers, or none at all."""
    assert not any(np.isinf(column.values).any() for column in scores.systems[0].columns)


def _settings(chance: random.Random, command: tuple[str, ...]) -> Trial:
    setting = chance.choice(SETTINGS)
    value = chance.choice((*setting.choices, *WHOLE, *REAL, *ODD))
    more = {setting.name: value}
    if chance.random() < 0.3:
        more[chance.choice(("encoding", "format", "max_ratio", "compat"))] = chance.choice((*ODD[1:], "utf-8", "trec"))
    attempt = partial(evaluate, QRELS, RUN, ["AP", "nDCG"], **more)
    written = repr(value).strip("'") if isinstance(value, str) else str(value)
    return Trial(attempt, _within, (*command, f"{setting.option}={written}"), agrees=False)


def _within(scores: Scores) -> None:
    check_scores(scores, None, "error")


def _estimate(chance: random.Random, _: tuple[str, ...]) -> Trial:
    numbers = [chance.choice(WHOLE) for _ in range(5)]
    if chance.random() < 0.7:  # numbers that go together
        collection = chance.choice((10, 1000, 10**9, 1 << 53))
        scope = chance.randrange(min(collection, 200))
        hits, judged = chance.randrange(scope + 1), chance.randrange(min(collection - scope, 500) + 1)
        numbers = [collection, scope, hits, judged, chance.randrange(judged + 1)]
    collection, scope, hits, judged, found = numbers
    level = chance.choice((0.95, 0.95, *REAL))
    method = chance.choice(("hypergeometric", "hypergeometric", "clopper-pearson", "wilson", "x"))
    names = ("--collection-size", "--scope", "--hits", "--judged", "--found")
    command = ["estimate", *(f"{name}={number}" for name, number in zip(names, numbers, strict=True))]
    return Trial(
        lambda: estimate(collection, scope, hits, judged, found, level, method),
        _ordered,
        (*command, f"--level={level}", f"--method={method}"),
        agrees=False,
    )


def _ordered(said: Estimated) -> None:
    for each in (said.relevant, said.recall, said.generality):
        if said.level < 0.5:  # next to no level leaves one whole number, next to which the estimate may lie
            break
        if not math.isnan(each.low + each.high + each.value):
            assert each.low <= each.value * (1 + 1e-9) <= each.high * (1 + 2e-9), each
    assert math.isnan(said.generality.high) or -1e-12 <= said.generality.low <= said.generality.high <= 1 + 1e-12


def _needed(chance: random.Random, _: tuple[str, ...]) -> Trial:
    collection, relevant, error = chance.choice(WHOLE), chance.choice(WHOLE), chance.choice(REAL)

    def confirm(said: Any) -> None:
        assert 1 <= said.judged <= collection

    level = chance.choice((0.95, *REAL))
    command = ("estimate", f"--collection-size={collection}", f"--relevant={relevant}", f"--needed={error}")
    attempt = partial(needed_sample, collection, relevant, error, level)
    return Trial(attempt, confirm, (*command, f"--level={level}"), agrees=False)
