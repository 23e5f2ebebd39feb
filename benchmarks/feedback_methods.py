"""Every feedback method on the same sessions: what it finds, whether feedback helps, and how long a step takes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.arrays import FloatArray
from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.items import slices_of
from rankscope.feedback.methods import ALL, CONTROLS, METHODS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import SessionBlock
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Noisy
from rankscope.inputs import collections
from rankscope.inputs.features import Features

PHOTOS = Path(os.environ.get("RANKSCOPE_DATA", "../shared/data")) / "corel1k"
LOGS = (1, 3, 10)  # earlier sessions of each topic
STARTS, ROUNDS = 5, 5  # sessions of each topic
ERRORS = 0.1  # of the users of the log
ITEMS, FEATURES, GOOD, BAD, SESSIONS = 20_000, 64, 40, 60, 100
LOG_HEAD = "AP in the last round by how many earlier sessions the log has:"
OTHER_HEAD = (
    "AP in the last round with other settings; the display the method asks for has 10 items, and all are scored:"
)
SETTINGS = (
    "ciocca-schettini",
    "ciocca-schettini(eps=0.1)",
    "multi-class",
    "multi-class(c=0)",
    "picsom",
    "picsom(spread=4)",
)
ASKING = ("svm", "active-svm", "mean-version-space")
CEDD_GROUPS = (24,) * 6
LEFT_OUT = ("counts", "words")  # methods that need more than features, marks and a log


def collection() -> tuple[str, Items, Topics]:
    """CEDD of Corel-1k, else the digits."""
    if PHOTOS.is_dir():
        from rankscope.engines.images.describing import describe
        from rankscope.engines.images.descriptors import DESCRIPTORS

        corel = collections.load("corel1k", PHOTOS)
        assert corel.paths is not None
        matrix = describe(corel.paths, DESCRIPTORS.parse_list("cedd")).described[0].features
        return "Corel-1k, CEDD", Items.of(matrix, scaling="l2"), _topics(matrix, corel.labels)
    digits = collections.load("digits")
    assert digits.features is not None
    return "digits", Items.of(digits.features, scaling="l2"), _topics(digits.features, digits.labels)


def _topics(matrix: FloatArray, labels: Any) -> Topics:
    return Topics.from_labels(Features.of(matrix, labels))


def simulated_log(items: Items, topics: Topics, logged: int) -> Items:
    """The items with a log: so many other users for each topic, who err, helped by an SVM."""
    setting = Experiment.of(items, topics, Noisy(ERRORS, ERRORS), protocol=Protocol(rounds=ROUNDS))
    sessions = setting.sessions(logged, seed=1)
    log = np.zeros((len(sessions), len(items)), np.int8)
    for each in SessionBlock(METHODS.parse("svm"), setting, sessions).rounds():
        said = setting.marker.marked(sessions, each.displayed).said
        row, place = np.nonzero(each.displayed >= 0)
        log[row, each.displayed[row, place]] = said[row, place]
    return items.with_log(log)


def milliseconds_a_step(method: Method, items: Items, examples: Examples) -> float:
    """Of processor time for the scores of one session, after what depends on the collection alone was made."""
    method.scores(items, examples)
    began = process_time()
    method.scores(items, examples)
    return 1000 * (process_time() - began)


def large_problem() -> tuple[Items, Examples]:
    """Clouds of points with a log, and a session late enough to have many examples."""
    chance = np.random.default_rng(0)
    label = chance.integers(0, 50, ITEMS)
    matrix = 0.6 * chance.normal(size=(50, FEATURES))[label] + chance.normal(size=(ITEMS, FEATURES))
    wanted = chance.integers(0, 50, SESSIONS)[:, None]
    shown = (chance.random((SESSIONS, ITEMS)) < np.where(label == wanted, 0.1, 0.003)).astype(np.int8)
    items = Items.of(matrix, log=shown * np.where(label == wanted, 1, -1))
    good, bad = np.flatnonzero(label == 0)[:GOOD], np.flatnonzero(label != 0)[:BAD]
    return items, Examples.single(good, bad, query=matrix[good[0]])


def precision_by_round(items: Items, topics: Topics, methods: list[Method], **how: Any) -> pl.DataFrame:
    """Mean AP of the scored list: a row for each method, a column for each round, the best first."""
    setting = Experiment.of(items, topics, protocol=Protocol(rounds=ROUNDS, **how))
    frame = study(StudyPlan.of(setting, methods, starts=STARTS, measures=["AP"])).frame
    table = frame.group_by("method", "round").agg(pl.col("AP").mean()).pivot("round", index="method", values="AP")
    return table.sort(str(ROUNDS), "method", descending=[True, False])


def report() -> str:
    """Both tables."""
    name, items, topics = collection()
    methods = [METHODS.parse(each) for each in ALL if each not in CONTROLS]
    methods = [each for each in methods if not set(each.needs) & set(LEFT_OUT)]
    logged = simulated_log(items, topics, LOGS[-1])
    table = precision_by_round(logged, topics, methods)
    head = (
        f"{name}: {len(items):,} items, {len(topics.names)} topics, {STARTS} sessions each of one query, {ROUNDS} "
        "rounds of 20 items, all marked. AP of the frozen list by round; settings are the usual ones. Methods marked * "
        f"learn from a log too: {len(logged.earlier)} earlier sessions of other users, who looked for the same topics "
        f"and erred in one mark of ten; with {np.count_nonzero(logged.earlier.marks) / len(items):.0f} marks an item "
        "it holds most of the answer. Step: processor time of one ranking of "
        f"{ITEMS:,} items of {FEATURES} features after {GOOD} + {BAD} marks and {SESSIONS} earlier sessions, without "
        "what is made once for a collection."
    )
    return (
        "\n\n".join(
            [
                head,
                _all_methods(table),
                LOG_HEAD,
                _by_log(items, topics, methods),
                OTHER_HEAD,
                _otherwise(items, topics),
            ]
        )
        + "\n"
    )


def _all_methods(table: pl.DataFrame) -> str:
    last, (large, examples) = str(ROUNDS), large_problem()
    before = table.filter(pl.col("method") == "no-feedback")[last].item()
    lines = [
        f"| method | {' | '.join(f'round {each}' for each in range(ROUNDS + 1))} | above no feedback | step, ms |",
        f"|---|{'---:|' * (ROUNDS + 3)}",
    ]
    for row in table.iter_rows(named=True):
        method = METHODS.parse(row["method"])
        step = "" if method.name in CONTROLS else f"{milliseconds_a_step(method, large, examples):.0f}"
        star = "*" if "log" in method.needs else ""
        values = " | ".join(f"{row[str(each)]:.3f}" for each in range(ROUNDS + 1))
        lines.append(f"| {row['method']}{star} | {values} | {row[last] - before:+.3f} | {step} |")
    return "\n".join(lines)


def _by_log(items: Items, topics: Topics, methods: list[Method]) -> str:
    """AP in the last round without a log, and with logs of several lengths."""
    learning = [each for each in methods if "log" in each.needs]
    cases = [items, *(simulated_log(items, topics, each) for each in LOGS)]
    found = [
        dict(precision_by_round(each, topics, learning).select("method", str(ROUNDS)).iter_rows()) for each in cases
    ]
    lines = [
        f"| method | no log | {' | '.join(f'{len(each.earlier)} sessions' for each in cases[1:])} |",
        f"|---|{'---:|' * len(cases)}",
    ]
    for method in learning:
        lines.append(f"| {method} | {' | '.join(f'{each[str(method)]:.3f}' for each in found)} |")
    return "\n".join(lines)


def _otherwise(items: Items, topics: Topics) -> str:
    """Settings, features in groups, and displays that methods ask for."""
    rows: list[tuple[str, float]] = []
    cases: list[tuple[str, Items, tuple[str, ...], dict[str, Any]]] = [("", items, SETTINGS, {})]
    if items.features == sum(CEDD_GROUPS):
        grouped = replace(items, groups=slices_of(CEDD_GROUPS), _made={})
        cases.append((", six groups", grouped, ("ciocca-schettini", "picsom"), {}))
    asked: dict[str, Any] = {"display": "informative", "scored": "full", "scope": 10}
    cases.append((", own display", items, ASKING, asked))
    for label, some, names, how in cases:
        table = precision_by_round(some, topics, [METHODS.parse(each) for each in names], **how)
        found = dict(table.select("method", str(ROUNDS)).iter_rows())
        rows += [(f"{each}{label}", found[str(METHODS.parse(each))]) for each in names]
    return "\n".join(["| method | AP |", "|---|---:|", *(f"| {name} | {value:.3f} |" for name, value in rows)])
