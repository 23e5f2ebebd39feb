"""Python calls and the everyday command: dictionaries in a loop, and one small evaluation from the command line.

Processor time, ours and the peer's in turn in one process, the best of several rounds of each.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.measuring import PYTHON, run

QUERIES, ROUNDS = 50, 25
JUDGED = (10, 50)  # items of each query; reading them is part of evaluate(dict, dict), not of the peer's evaluation
LOOPS = {1_000: 2, 100: 10, 10: 50}  # calls in one round, by depth
OURS = ("AP", "nDCG@10", "P@10", "RR", "Rprec")
THEIRS = {"map", "ndcg_cut.10", "P.10", "recip_rank", "Rprec"}

Nested = dict[str, dict[str, Any]]


def dictionaries(depth: int, judged: int, seed: int = 0) -> tuple[Nested, Nested]:
    """Judgements and a run of so many items a query, in no order of scores; up to half of the judged are in it."""
    luck = random.Random(seed)
    qrels, ranking = {}, {}
    for number in range(QUERIES):
        items = [f"doc{item}" for item in luck.sample(range(10_000_000), depth)]
        found = luck.sample(items, min(depth, judged // 2))
        missing = [f"x{item}" for item in range(judged - len(found))]
        ranking[f"q{number}"] = {item: 10 * luck.random() for item in items}
        qrels[f"q{number}"] = {item: int(luck.random() < 0.3) for item in (*found, *missing)}
    return qrels, ranking


def best_in_turn(calls: Sequence[Callable[[], object]], loops: int) -> list[float]:
    """Milliseconds of processor time of each call, in the best of several rounds that go through all of them."""
    best = [float("inf")] * len(calls)
    for call in calls:
        call()
    for _ in range(ROUNDS):
        for number, call in enumerate(calls):
            begin = time.process_time()
            for _ in range(loops):
                call()
            best[number] = min(best[number], (time.process_time() - begin) / loops * 1e3)
    return best


def loops() -> str:
    """evaluate(dict, dict), with prepared judgements, and RelevanceEvaluator, against pytrec_eval at three depths."""
    import pytrec_eval

    from rankscope import Qrels, RelevanceEvaluator, evaluate

    lines = [
        f"{QUERIES} queries, five measures; milliseconds of processor time, in brackets how many times pytrec_eval's, "
        "whose evaluator is made beforehand.\n",
        "| depth | judged | pytrec_eval | `evaluate(dict, dict)` | `evaluate(prepared, dict)` | `RelevanceEvaluator` |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for judged, (depth, times) in product(JUDGED, LOOPS.items()):
        qrels, ranking = dictionaries(depth, judged)
        peer, same = pytrec_eval.RelevanceEvaluator(qrels, THEIRS), RelevanceEvaluator(qrels, THEIRS)
        prepared = Qrels.of(qrels).prepare()
        calls: list[Callable[[], object]] = [
            partial(peer.evaluate, ranking),
            partial(evaluate, qrels, ranking, OURS),
            partial(evaluate, prepared, ranking, OURS),
            partial(same.evaluate, ranking),
        ]
        theirs, *ours = best_in_turn(calls, times)
        cells = " | ".join(f"{each:.2f} ({each / theirs:.2f})" for each in ours)
        lines.append(f"| {depth:,} | {judged} | {theirs:.2f} | {cells} |")
    return "\n".join(lines) + "\n"


def start(folder: Path) -> str:
    """The command line at 50 queries of 1,000 lines: processor time of the whole process, against ir_measures'."""
    qrels, ranking = _small_files(folder)
    ours = [PYTHON, "-m", "rankscope", "evaluate", str(qrels), str(ranking)]
    rows = [("rankscope evaluate", [*ours, *(part for name in OURS for part in ("-m", name))])]
    command = shutil.which("ir_measures", path=str(Path(sys.executable).parent))
    if command:
        rows.append(("ir_measures", [command, str(qrels), str(ranking), *OURS]))
    else:
        print("ir_measures is not installed: the comparison with it is skipped", file=sys.stderr)
    rows += [("python -c 'import numpy'", [PYTHON, "-c", "import numpy"]), ("python -c pass", [PYTHON, "-c", "pass"])]
    lines = ["| command | processor, ms | wall, ms |", "|---|---:|---:|"]
    for name, words in rows:
        run(words)  # compiles modules
        got = run(words, repeat=5)
        lines.append(f"| `{name}` | {1e3 * got.processor:.0f} | {1e3 * got.seconds:.0f} |")
    return "\n".join(lines) + "\n"


def _small_files(folder: Path) -> tuple[Path, Path]:
    """TREC text of the deepest dictionaries, best items first."""
    qrels, ranking = dictionaries(max(LOOPS), JUDGED[0])
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "small_qrels.txt", folder / "small_run.txt"
    judged = (f"{query} 0 {item} {grade}\n" for query, items in qrels.items() for item, grade in items.items())
    paths[0].write_text("".join(judged))
    ranked = {query: sorted(items.items(), key=lambda pair: -pair[1]) for query, items in ranking.items()}
    paths[1].write_text(
        "".join(
            f"{query} Q0 {item} {rank} {score:.4f} small\n"
            for query, items in ranked.items()
            for rank, (item, score) in enumerate(items, 1)
        )
    )
    return paths
