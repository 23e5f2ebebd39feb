"""Every feedback method on the same sessions: what it finds, whether feedback helps, and how long a step takes."""

from __future__ import annotations

import os
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from rankscope import collections
from rankscope.arrays import FloatArray
from rankscope.feedback import Examples, Items
from rankscope.feedback.methods import ALL, CONTROLS, METHODS, Method
from rankscope.feedback.study.loop import rounds
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.study.study import Plan, study
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Noisy
from rankscope.inputs.features import Features

PHOTOS = Path(os.environ.get("RANKSCOPE_DATA", "../shared/data")) / "corel1k"
LOGGED, STARTS, ROUNDS = 10, 5, 5  # earlier sessions of each topic, sessions of each topic, rounds
ERRORS = 0.1  # of the users of the log
ITEMS, FEATURES, GOOD, BAD, SESSIONS = 20_000, 64, 40, 60, 100
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


def _topics(matrix: FloatArray, labels: object) -> Topics:
    return Topics.from_labels(Features.of(matrix, labels))


def simulated_log(items: Items, topics: Topics) -> Items:
    """The items with a log: other users, who look for the same topics and err, helped by an SVM."""
    setting = Experiment.of(items, topics, Noisy(ERRORS, ERRORS), protocol=Protocol(rounds=ROUNDS))
    sessions = setting.sessions(LOGGED, seed=1)
    log = np.zeros((len(sessions), len(items)), np.int8)
    for each in rounds(METHODS.parse("svm"), setting, sessions):
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


def report() -> str:
    """The table."""
    name, items, topics = collection()
    logged = simulated_log(items, topics)
    methods = [METHODS.parse(each) for each in ALL if each not in CONTROLS]
    methods = [each for each in methods if not set(each.needs) & set(LEFT_OUT)]
    plan = Plan.of(
        Experiment.of(logged, topics, protocol=Protocol(rounds=ROUNDS)), methods, starts=STARTS, measures=["AP"]
    )
    frame = study(plan).frame
    table = frame.group_by("method", "round").agg(pl.col("AP").mean()).pivot("round", index="method", values="AP")
    before = table.filter(pl.col("method") == "no-feedback")[str(ROUNDS)].item()
    large, examples = large_problem()
    lines = [
        f"{name}: {len(items):,} items, {len(topics.names)} topics, {STARTS} sessions each of one query, {ROUNDS} "
        "rounds of 20 items, all marked. AP of the frozen list by round; settings are the usual ones. Methods marked * "
        f"learn from a log too: {len(logged.earlier)} earlier sessions of other users, who looked for the same topics "
        "and erred in one mark of ten. Step: processor time of one ranking of "
        f"{ITEMS:,} items of {FEATURES} features after {GOOD} + {BAD} marks and {SESSIONS} earlier sessions, without "
        "what is made once for a collection.",
        "",
        f"| method | {' | '.join(f'round {each}' for each in range(ROUNDS + 1))} | above no feedback | step, ms |",
        f"|---|{'---:|' * (ROUNDS + 3)}",
    ]
    for row in table.sort(str(ROUNDS), descending=True).iter_rows(named=True):
        method = METHODS.parse(row["method"])
        step = "" if method.name in CONTROLS else f"{milliseconds_a_step(method, large, examples):.0f}"
        star = "*" if "log" in method.needs else ""
        values = " | ".join(f"{row[str(each)]:.3f}" for each in range(ROUNDS + 1))
        lines.append(f"| {row['method']}{star} | {values} | {row[str(ROUNDS)] - before:+.3f} | {step} |")
    return "\n".join(lines) + "\n"
