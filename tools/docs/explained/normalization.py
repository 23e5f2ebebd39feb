"""The beginning of docs/explanation/normalization.md: a curve, and what could have been learnt from the features."""

from __future__ import annotations

from functools import cache

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.feedback import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.example_sets import convergence
from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import said, shipped_icons

FEW = 2000  # of the icons: all take a minute more
TOPIC, METHOD, EXAMPLES = "crop", "query-point", 4
COMPARED = ("query-point", "nearest-neighbour", "parzen")
TEXT = """
Is a precision of {half} good? That depends on what the features allow. So every curve is divided by the best
that can be learnt from the same features.

![Precision over recall of the query point after eight examples, and of the best classifier that knows every
label](normalization.svg)

**In numbers.** The topic is `{topic}`, {relevant} of {items:,} shipped icons, described by their edges. After
{examples} examples of each kind the query point has precision {half} at recall .5, and {mean} in the mean over
recall. The best of {count} methods that learn from every label but those tested, {winner}, has {best_half} and
{best}: the most that any of them gets out of these features. The quotient at recall .5 is {efficiency}; its
mean over recall, the mean efficiency (MAE), is {mae}. So much of what can be learnt was learnt; what the upper
line lacks to 1 is a matter of features, not of feedback.
""".strip()


@cache
def learnt() -> tuple[Efficiency, int]:
    """The efficiency of the method on the topic, and how many items are relevant."""
    sample = shipped_icons()
    items = Items.of(sample.features("edges")[:FEW], scaling="l2")
    target = np.array([each == TOPIC for each in sample.class_of_item[:FEW]])
    best = baseline(items, target, [METHODS.parse(name) for name in COMPARED], topic=TOPIC)
    (found,) = convergence(METHODS.parse(METHOD), items, target, best, sizes=[EXAMPLES], repeats=3).efficiencies
    return found, int(target.sum())


def numbers() -> dict[str, float | str]:
    """What the text says."""
    found, relevant = learnt()
    half = int(np.flatnonzero(np.isclose(found.at, 0.5))[0])
    return {
        "topic": TOPIC,
        "relevant": relevant,
        "items": FEW,
        "examples": EXAMPLES,
        "count": len(COMPARED),
        "winner": found.winner.replace("-", " "),
        "half": said(found.reached[half]),
        "best_half": said(found.baseline[half]),
        "mean": said(float(found.reached.mean())),
        "best": said(float(found.baseline.mean())),
        "efficiency": said(found.values[half]),
        "mae": said(found.mae),
    }


def block() -> str:
    """The part of the page that is made."""
    return flowed(TEXT, **numbers())


def graph() -> Graph:
    """The method and the baseline over recall."""
    found, _ = learnt()
    drawn = Graph(
        f"What was learnt of {TOPIC}, and what can be learnt",
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{EXAMPLES} examples of each kind; efficiency is the lower line divided by the upper one",
        ratio=0.7,
        summary=f"Mean precision {found.reached.mean():.3f} of {found.baseline.mean():.3f} that can be learnt.",
    )
    drawn = drawn.curve(Curve(found.at, found.baseline), f"every label known ({found.winner})", markers=found.at.size)
    return drawn.curve(Curve(found.at, found.reached), METHOD, markers=found.at.size)
