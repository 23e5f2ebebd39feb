"""The feedback loop, many sessions at once, against a plain loop of one session after the other."""

from __future__ import annotations

from time import perf_counter, process_time

import numpy as np

from benchmarks import plain_feedback
from rankscope.core.arrays import FloatArray
from rankscope.core.threads import in_threads_of_one_core
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import SessionBlock, block_size
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Sessions
from rankscope.measures import AP

ITEMS, FEATURES, CLASSES, STARTS = 20_000, 256, 100, 100
NAMES = ("rocchio", "nearest-neighbour", "logistic-regression")
PLAIN, OURS = 100, {"rocchio": 10_000, "nearest-neighbour": 10_000, "logistic-regression": 10_000}


def collection(items: int, features: int, classes: int, seed: int = 0) -> tuple[Items, Topics]:
    """Clouds of two parts each, so that there is something to learn beyond the mean."""
    chance = np.random.default_rng(seed)
    label = chance.integers(0, classes, items)
    centre = chance.normal(size=(2, classes, features))
    matrix = centre[chance.integers(0, 2, items), label] + 2.5 * chance.normal(size=(items, features))
    return Items.of(matrix), Topics.of({f"{each:03}": label == each for each in range(classes)})


def report(sessions: dict[str, int] | None = None, plain: int = PLAIN) -> str:
    items, topics = collection(ITEMS, FEATURES, CLASSES)
    setting = Experiment.of(items, topics, protocol=Protocol(scored="residual"))
    every = setting.sessions(STARTS)
    some = every.take(np.linspace(0, len(every) - 1, plain).astype(np.int64))
    lines = [
        f"{ITEMS:,} items of {FEATURES} features, {CLASSES} topics, 5 rounds of 20 items, AP of the complete residual "
        "ranking after each. Plain: numpy and scikit-learn, one product and one sort a round.",
        "",
        "| method | plain, sessions/s | rankscope, sessions/s | ratio | processor ms a session | by it, sessions/s "
        "on two cores | largest difference of AP |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    total = np.zeros(2)
    for name in NAMES:
        count = (sessions or OURS)[name]
        chosen = every.take(np.linspace(0, len(every) - 1, count).astype(np.int64))
        slow, theirs = _plain(items, topics, some.topic.tolist(), some.query.tolist(), name)
        fast, spent = _ours(name, setting, chosen)
        block = SessionBlock(METHODS.parse(name), setting, some)
        ours = np.stack([AP().of(each.ranks) for each in block.rounds()], axis=1)
        apart = float(np.nanmax(np.abs(ours - theirs)))
        each = f"{1000 * spent:.2f} | {2 / spent:.0f}"
        lines.append(f"| {name} | {slow:.1f} | {fast:.1f} | {fast / slow:.1f} | {each} | {apart:.1e} |")
        total += (1 / slow, 1 / fast)
    together = total[0] / total[1]
    lines.append(f"| all three | {1 / total[0]:.1f} | {1 / total[1]:.1f} | {together:.1f} | | | |")
    return "\n".join(lines) + "\n"


def _plain(items: Items, topics: Topics, topic: list[int], query: list[int], name: str) -> tuple[float, FloatArray]:
    ranker = plain_feedback.METHODS[name]
    squares = (items.matrix**2).sum(axis=1)
    began = perf_counter()
    results = [
        plain_feedback.session(items.matrix, squares, topics.targets[row], item, ranker)
        for row, item in zip(topic, query, strict=True)
    ]
    return len(results) / (perf_counter() - began), np.array(results)


def _ours(name: str, setting: Experiment, sessions: Sessions) -> tuple[float, float]:
    """Sessions a second by the wall, and seconds of a processor a session."""

    def scored(block: Sessions) -> list[FloatArray]:
        return [AP().of(each.ranks) for each in SessionBlock(METHODS.parse(name), setting, block).rounds()]

    began, spent = perf_counter(), process_time()
    in_threads_of_one_core(scored, list(sessions.blocks(block_size(setting.items, len(sessions)))))
    return len(sessions) / (perf_counter() - began), (process_time() - spent) / len(sessions)
