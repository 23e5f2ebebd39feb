"""Which feedback method learns fastest? 27 methods on Corel-1k in two feature sets, and on handwritten digits.

Ten classes, ten starts each, five rounds of 20 items, users who are right and users who err in a tenth of their marks.
Needs Corel-1k in $RANKSCOPE_DATA/corel1k (else in ../shared/data); without it the digits are studied alone. Writes one
Parquet file for each case into the folder named, and prints the tables of feedback.md. A run that was stopped goes on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from rankscope.core.rendering import markdown_table
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment
from rankscope.feedback.study.findings import further_findings, study_verdicts, study_warnings
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.study.summary import SEEN, Summary, compared_methods
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Consistent, Noisy, User
from rankscope.inputs import collections
from rankscope.reports.graphs.feedback import rounds_graph

USERS: dict[str, User] = {"right": Consistent(), "err": Noisy(0.1)}
NEEDS = ("log", "counts", "words")  # methods that need more than features and marks are left out
LATER = frozenset(  # methods that came after the study: docs/performance.md has them next to all others
    {
        "active-aspects",
        "biased-discriminant",
        "ciocca-schettini",
        "decision-tree",
        "mean-version-space",
        "multi-class",
        "picsom",
        "semantic-manifold",
        "semi-supervised-em",
        "viper",
    }
)
SHOWN = (
    "svm",
    "gaussian-process",
    "diffusion",
    "nearest-neighbour",
    "logistic-regression",
    "query-point",
    "no-feedback",
)


def cases() -> dict[str, tuple[Items, Topics]]:
    """Features by name, each with its classes as topics."""
    made = {}
    photos = Path(os.environ.get("RANKSCOPE_DATA", "../shared/data")) / "corel1k"
    if photos.is_dir():
        corel = collections.load("corel1k", photos)
        topics = _topics(corel.labels)
        assert corel.paths is not None
        for each in describe(corel.paths, DESCRIPTORS.parse_list("cedd,gist")).described:
            made[f"corel1k-{each.descriptor}"] = (Items.of(each.features, scaling="l2"), topics)
    digits = collections.load("digits")
    assert digits.features is not None
    made["digits"] = (Items.of(digits.features, scaling="l2"), _topics(digits.labels))
    return made


def _topics(labels: tuple[str, ...]) -> Topics:
    return Topics.of({name: np.array(labels) == name for name in sorted(set(labels))})


def run(name: str, items: Items, topics: Topics, folder: Path, starts: int = 10) -> dict[str, Results]:
    """The study of one case for both kinds of user."""
    methods = [kind() for kind in METHODS.own() if not set(kind.needs) & set(NEEDS) and kind.name not in LATER]
    made = {}
    for who, user in USERS.items():
        setting = Experiment.of(items, topics, user)
        made[who] = study(StudyPlan.of(setting, methods, starts=starts), result=folder / f"{name}-{who}.parquet")
    return made


def table(made: dict[str, Results]) -> str:
    """One row for each method: AP and recall of the last round with users who are right, and what errors leave."""
    right, err = (Summary(made[who], "AP") for who in ("right", "err"))
    seen = Summary(made["right"], SEEN)
    rows = []
    compared = set(compared_methods(made["right"]))
    for name in [*(each for each in right.ordered if each in compared), *right.controls]:
        mean, low, high = right.means(name)
        noisy = err.means(name)[0][-1]
        rows.append(
            {
                "method": name,
                "AP round 0": float(mean[0]),
                "round 1": float(mean[1]),
                "round 5": float(mean[-1]),
                "low": float(low[-1]),
                "high": float(high[-1]),
                "recall seen": float(seen.means(name)[0][-1]),
                "AP with errors": float(noisy),
                "left": float(noisy / mean[-1]),
            }
        )
    return markdown_table(rows, places=3)


def main(arguments: list[str]) -> None:
    """Run every case and print what the page says."""
    folder = Path(arguments[0] if arguments else "feedback-study")
    folder.mkdir(parents=True, exist_ok=True)
    for name, (items, topics) in cases().items():
        made = run(name, items, topics, folder)
        rounds_graph(made["right"], "AP", SHOWN).save(folder / f"feedback-{name}.svg")
        print(f"## {name}\n\n{table(made)}\n")
        for who, results in made.items():
            lines = [*study_verdicts(results), *further_findings(results), *study_warnings(results)]
            print(*(f"- users {who}: {line}" for line in lines), sep="\n")
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
