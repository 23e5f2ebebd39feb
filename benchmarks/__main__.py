"""`make bench`: everything timed in one run, written to docs/performance.md with the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import class_errors, coverage, descriptors, error_rates, forecast, fuzz, shapes, speed, thinning
from benchmarks.measuring import machine

FOLDER = Path(".bench")
PAGE = Path("docs/performance.md")
FUZZED = 100_000

PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "evaluation": (
        "From files to printed means: 6,980 queries x 1,000 items, 246 MB of text, five measures",
        lambda: speed.evaluation(FOLDER),
    ),
    "small": ("Small speeds", lambda: speed.small_speeds(FOLDER)),
    "fuzz": (f"Fuzz: {FUZZED:,} mangled files", lambda: fuzz.report(FUZZED)),
    "thinning": ("Smaller collections: exact means against Monte Carlo", thinning.report),
    "forecast": ("Growth forecast: the whole collection foretold from a part of it", forecast.report),
    "coverage": ("Bands and intervals: how often they hold the truth", coverage.report),
    "error-rates": ("Tests and the gate: how often they err, and how fast they are", error_rates.report),
    "class-errors": ("Verdicts on classes of queries: how often they err", class_errors.report),
    "shapes": ("Shapes: every descriptor and height matching on CE-Shape-1, known figures in brackets", shapes.report),
    "descriptors": ("Image descriptors: what they find, beside the specification", descriptors.report),
}


def main(wanted: list[str]) -> None:
    sections = FOLDER / "sections"
    sections.mkdir(parents=True, exist_ok=True)
    for name, (title, make) in PARTS.items():
        if not wanted or name in wanted:
            print(f"... {title}", file=sys.stderr, flush=True)
            text = make()
            print(text, flush=True)
            (sections / f"{name}.md").write_text(f"## {title}\n\n{text}\nMachine: {machine()}.\n")
    made = [sections / f"{name}.md" for name in PARTS if (sections / f"{name}.md").exists()]
    head = "# Performance\n\nMade by `make bench`; the ratios of one table are from one run on one machine.\n\n"
    PAGE.write_text(head + "\n".join(path.read_text() for path in made))


if __name__ == "__main__":
    main(sys.argv[1:])
