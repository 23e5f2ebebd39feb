"""One result of every function that `import rankscope` offers, as small as they come, by the name of the function."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import rankscope
from rankscope.commands.suite import suite

QUERIES = [f"q{number}" for number in range(16)]
QRELS = {query: {"a": 1, "b": 2 * (row % 2), "c": 0} for row, query in enumerate(QUERIES)}
GOOD = {query: {"a": 3.0, "b": 2.0, "x": 1.0 + row % 3} for row, query in enumerate(QUERIES)}
BAD = {query: {"x": 3.0, "a": 1.0 + row % 3, "b": 1.5} for row, query in enumerate(QUERIES)}
RUNS = {"old": BAD, "new": GOOD}
VECTORS = np.random.default_rng(0).normal(size=(40, 4)) + np.repeat(np.eye(4), 10, axis=0) * 3
LABELS = np.repeat(["p", "q", "r", "s"], 10).tolist()
DOCUMENTS = [{"id": str(number), "title": f"wing {number}", "contents": "flow of air"} for number in range(30)]
ANSWERS = [("ann", "old", "new", "right"), ("bob", "new", "old", "left"), ("ann", "old", "new", "equal")]


def preferred() -> Any:
    from rankscope.analysis.assessors.preferences import Preference

    said = [Preference(query, who, left, right, choice) for query in QUERIES for who, left, right, choice in ANSWERS]  # type: ignore[arg-type]
    return rankscope.prefer(said, systems=["old", "new"])


def uneven_ranks() -> Any:
    """Classes of different sizes."""
    sizes, random = [2] * 6 + [4] * 6 + [8] * 4 + [16] * 2, np.random.default_rng(0)
    centres = np.repeat(random.normal(size=(len(sizes), 4)) * 2, sizes, axis=0)
    labels = np.repeat([f"c{number}" for number in range(len(sizes))], sizes)
    return rankscope.rank(random.normal(size=centres.shape) + centres, labels.tolist())


def looked(function: Any) -> Any:
    with TemporaryDirectory() as folder:
        return function(QRELS, RUNS, sequential=str(Path(folder) / "looks.json"))


def suited() -> Any:
    from rankscope.inputs.formats.registry import write_file

    with TemporaryDirectory() as folder:
        runs = {name: str(Path(folder) / f"{name}.run") for name in RUNS}
        for name, path in runs.items():
            write_file(rankscope.Run.of(RUNS[name], name=name), path)
        qrels = Path(folder) / "qrels.txt"
        qrels.write_text("".join(f"{q} 0 {item} {grade}\n" for q, row in QRELS.items() for item, grade in row.items()))
        tasks = [{"name": name, "qrels": str(qrels), "runs": runs} for name in ("web", "mail")]
        return suite({"task": tasks, "measures": ["AP"]}, resamples=200)


def standings() -> Any:
    from tests.needs import needed_module

    image = needed_module("PIL.Image", "images")
    with TemporaryDirectory() as folder:
        for label, light in (("dark", 0), ("light", 120)):
            (Path(folder) / "pictures" / label).mkdir(parents=True)
            for number in range(4):
                pixels = np.random.default_rng(number).integers(0, 120, (24, 24, 3), dtype=np.uint8) + np.uint8(light)
                image.fromarray(pixels).save(Path(folder) / "pictures" / label / f"{number}.png")
        pictures, tried = Path(folder) / "pictures", Path(folder) / "tried"
        return rankscope.benchmark(pictures, tried, descriptors=["rgb-histogram", "hsv-histogram"], show=1)


def gathered() -> Any:
    from rankscope.engines.crawler.state import Gathered

    left_out = tuple((f"https://example.org/{number}", "robots.txt forbids it") for number in range(40))
    return Gathered(path="docs.parquet", documents=90, copies=2, asked=132, waiting=0, outside=7, left_out=left_out)


def machine_judged() -> Any:
    labels = {query: {"a": number % 2, "b": 1} for number, query in enumerate(f"q{each}" for each in range(40))}
    runs = {"one": {query: ["a", "b"] for query in labels}, "other": {query: ["b", "a"] for query in labels}}
    return rankscope.estimate_with_machine({query: labels[query] for query in [*labels][:12]}, labels, runs, "P@1")


@cache
def of(function: str) -> Any:
    """What the function gives."""
    return RESULTS[function]()


STUDY: dict[str, Any] = {"methods": "rocchio", "starts": 1, "rounds": 1, "scope": 5, "on": "home"}
FEATURES = rankscope.Features.of(VECTORS, LABELS)
RESULTS: dict[str, Callable[[], Any]] = {
    "evaluate": lambda: rankscope.evaluate(QRELS, RUNS),
    "explain_query": lambda: rankscope.explain_query(QRELS, GOOD, "q1", collection_size=100),
    "compare": lambda: rankscope.compare(QRELS, RUNS, ["AP", "nDCG@10"]),
    "gate": lambda: rankscope.gate(QRELS, RUNS, ["AP", "P@1"]),
    "explain_by": lambda: rankscope.explain_by(of("evaluate"), {"size": {q: n for n, q in enumerate(QUERIES)}}),
    "report": lambda: rankscope.report(QRELS, RUNS),
    "graph": lambda: rankscope.graph("precision-recall", QRELS, RUNS),
    "forecast_growth": lambda: rankscope.forecast_growth(of("rank"), to="4x", force=True),
    "homogeneity": lambda: rankscope.homogeneity(uneven_ranks()),
    "estimate": lambda: rankscope.estimate(collection_size=20000, scope=100, hits=6, judged=500, found=3),
    "estimate_runs": lambda: rankscope.estimate_runs(
        {q: {"a": 1, "b": row % 2, "c": -1, "d": 0} for row, q in enumerate(QUERIES)}, RUNS, resamples=20
    ),
    "estimate_with_machine": machine_judged,
    "needed_sample": lambda: rankscope.needed_sample(20000, 64, 0.2),
    "pool_reuse": lambda: rankscope.pool_reuse(QRELS, RUNS, pool_depth=2),
    "check_labels": lambda: rankscope.check_labels(VECTORS, [*LABELS[1:], "p"]),
    "agreement": lambda: rankscope.agreement(
        {who: {q: {"a": 1, "b": (row + n) % 2} for row, q in enumerate(QUERIES)} for n, who in enumerate("abc")}, RUNS
    ),
    "prefer": preferred,
    "interleave_runs": lambda: rankscope.interleave_runs(GOOD, BAD),
    "rank": lambda: rankscope.rank(VECTORS, LABELS),
    "benchmark": standings,
    "simulate_feedback": lambda: rankscope.simulate_feedback(VECTORS, LABELS, **STUDY),
    "score_user": lambda: rankscope.score_user(QRELS, "noisy(0.2)"),
    "ask_feedback": lambda: rankscope.ask_feedback("stability", FEATURES, methods="rocchio", starts=4, rounds=1),
    "index": lambda: rankscope.index(DOCUMENTS),
    "search": lambda: rankscope.search(of("index"), "wing air"),
    "gather": gathered,
    "fuse": lambda: rankscope.fuse([GOOD, BAD]),
    "reduce": lambda: rankscope.reduce(QRELS, GOOD),
    "evaluate_ranks": lambda: rankscope.evaluate_ranks([of("reduce")], "AP", rankscope.Settings()),
    "suite": suited,
    "gate_sequentially": lambda: looked(rankscope.gate_sequentially),
    "compare_sequentially": lambda: looked(rankscope.compare_sequentially),
    "ledger": lambda: rankscope.ledger(QRELS, {"first": BAD, "second": GOOD}, resamples=200),
    "variance_components": lambda: rankscope.variance_components(QRELS, RUNS)[0],
    "plan_judging": lambda: rankscope.plan_judging(QRELS, RUNS, budget=40),
    "stability": lambda: rankscope.stability(QRELS, RUNS, draws=2, resamples=200),
    "Qrels": lambda: rankscope.Qrels.of(QRELS),
    "Run": lambda: rankscope.Run.of(GOOD, name="good"),
    "Features": lambda: FEATURES,
    "ScoreTable": lambda: rankscope.ScoreTable.of(of("evaluate")),
}
