"""`make bench`: everything timed in one run, written to docs/performance.md with the machine.

`python -m benchmarks explore` is no part of it, since it times nothing: property tests with fresh seeds, ten minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    agreement,
    class_errors,
    comparing,
    coverage,
    descriptors,
    error_rates,
    estimate,
    explore,
    families,
    feedback,
    feedback_methods,
    forecast,
    fuzz,
    gpu_nearest,
    judging_plan,
    ledger,
    many_systems,
    nearest,
    objects,
    pages,
    power,
    preferences,
    readers,
    scale,
    scale_vectors,
    sequential,
    serve,
    shapes,
    skewed_errors,
    small_samples,
    speed,
    tables,
    text,
    thinning,
    user_scores,
    workbench,
)
from benchmarks.lengths import IS_SHORT
from benchmarks.measuring import machine

FOLDER = Path(".bench")
PAGE = Path("docs/performance.md")
HEAD = "# Performance\n\nMade by `make bench`; the ratios of one table are from one run on one machine.\n\n"

PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "evaluation": (
        "From files to printed means: 6,980 queries x 1,000 items, 246 MB of text, five measures",
        lambda: speed.evaluation(FOLDER),
    ),
    "objects": ("Python calls: dictionaries in a loop, against pytrec_eval", objects.loops),
    "start": (
        f"The everyday command: {objects.QUERIES} queries x 1,000 lines, against ir_measures",
        lambda: objects.start(FOLDER),
    ),
    "tables": ("Parquet: 20 and 80 million rows", lambda: tables.report(FOLDER)),
    "scale": ("Beyond memory: 24 and 96 million rows in 16 files", lambda: scale.report(FOLDER)),
    "scale-vectors": ("Vectors by shards: 20,000 x 256, 1, 4 and 16 shards", scale_vectors.report),
    "small": ("Small speeds", lambda: speed.small_speeds(FOLDER)),
    "readers": ("The two readers of TREC text against each other", readers.agreement),
    "fuzz": ("Fuzz: hostile files, texts, options and damage", fuzz.report),
    "thinning": ("Smaller collections: exact means against Monte Carlo", thinning.report),
    "forecast": ("Growth forecast: the whole collection forecast from a part of it", forecast.report),
    "coverage": ("Bands and intervals: how often they hold the truth", coverage.report),
    "small-samples": ("Intervals of means of 2 to 50 queries: how often they hold the truth", small_samples.report),
    "estimate": ("Few judgements: how often estimates from samples and machine judges hold the truth", estimate.report),
    "error-rates": ("Tests and the gate: how often they err, and how fast they are", error_rates.report),
    "skewed-errors": ("Skewed differences: how often verdicts err, and what it costs", skewed_errors.report),
    "power": ("Power: how often the difference that is said to be shown is shown", power.report),
    "families": ("Large leaderboards: is each pair decided as by its exact p-value", families.report),
    "sequential": ("The sequential gate: how often it errs at any look, and how soon it decides", sequential.report),
    "user-scores": ("Error rates of users: how often their intervals hold the truth", user_scores.report),
    "compare": ("Comparing 25 systems", comparing.report),
    "ledger": ("Where recall goes: icons20k through faiss's index, a filter and a re-ranker", ledger.report),
    "pages": ("The demo, and a report of two runs", pages.report),
    "many-systems": ("A report of 100 systems on 2,000 queries", many_systems.report),
    "class-errors": ("Verdicts on classes of queries: how often they err", class_errors.report),
    "nearest": ("Exact ranks from vectors: against bare products, faiss and scipy", nearest.report),
    "gpu": ("Exact ranks on a graphics card", gpu_nearest.report),
    "shapes": ("Shapes: every descriptor and height matching on CE-Shape-1, known figures in brackets", shapes.report),
    "descriptors": ("Image descriptors: what they find, next to the specification", descriptors.report),
    "text": ("Text: generated texts of 55 words, next to tantivy, bm25s and SQLite FTS5", text.report),
    "workbench": ("The workbench: speeds, fifty judges, kill -9, attacks", lambda: workbench.report(FOLDER)),
    "serve": ("Searching over HTTP: 50 clients at once, next to SQLite FTS5 behind the same server", serve.report),
    "agreement": ("Agreement of assessors: how often limits hold the truth", agreement.report),
    "plan": ("Plans of judging: predicted and observed widths; top sets of leaderboards", judging_plan.report),
    "preferences": ("Preferences: how often verdicts and limits err, biases found again", preferences.report),
    "feedback": ("Feedback loop: many sessions at once against one after the other", feedback.report),
    "feedback-methods": ("Feedback methods: what each finds, and how long a step takes", feedback_methods.report),
}


def main(wanted: list[str]) -> None:
    """Run all parts, or those named; the other sections of the page stay as they are."""
    if wanted[:1] == ["explore"]:
        sys.exit(explore.main(wanted[1:]))
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}. There are: {', '.join(PARTS)}, explore")
    FOLDER.mkdir(exist_ok=True)
    for name, (title, make) in PARTS.items():
        if not wanted or name in wanted:
            print(f"... {title}", file=sys.stderr, flush=True)
            text = make()
            print(text, flush=True)
            if text and not IS_SHORT:
                _put(title, f"{text.rstrip()}\n\nMachine: {machine()}.\n")


def _put(title: str, text: str) -> None:
    """Write one section of the page, in its place."""
    sections = _sections() | {title: text}
    known = [each for each, _ in PARTS.values()]
    body = [f"## {each}\n\n{sections[each].strip()}\n" for each in known if each in sections]
    PAGE.write_text(HEAD + "\n".join(body))


def _sections() -> dict[str, str]:
    """What the page says now, by the headings of its sections."""
    parts = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


if __name__ == "__main__":
    main(sys.argv[1:])
