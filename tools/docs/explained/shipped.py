"""What the pictures are made of: the icons that ship with rankscope, described by their edges."""

from __future__ import annotations

from functools import cache

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import LabelledImages, icons
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.saving import render_graph

EVERY = 8  # of the classes one in eight is asked for, so that a page is made in a second; the others are distractors
WIDTH = 120.0  # mm


@cache
def shipped_icons() -> LabelledImages:
    """The icons."""
    return icons()


def asked_labels() -> list[str]:
    """The class of each icon that is a query; nothing for the others."""
    sample = shipped_icons()
    asked = set(sorted({each for each in sample.class_of_item if each})[::EVERY])
    return [each if each in asked else "" for each in sample.class_of_item]


@cache
def edges() -> RelevantRanks:
    """Every icon of one class in eight as a query, all icons ranked by the cosine of their edges."""
    sample = shipped_icons()
    return nearest_ranks(sample.features("edges"), asked_labels(), "cosine", sample.items, system="edges")


@cache
def edges_in_a_part(share: int) -> RelevantRanks:
    """The same queries where only one in so many of the other icons is there, with scores."""
    sample, labels = shipped_icons(), asked_labels()
    others = np.random.default_rng(0).permutation([row for row, label in enumerate(labels) if not label])
    kept = np.sort([*(row for row, label in enumerate(labels) if label), *others[: len(others) // share]])
    chosen = [labels[row] for row in kept.tolist()]
    names = [sample.items[row] for row in kept.tolist()]
    return nearest_ranks(sample.features("edges")[kept], chosen, "cosine", names, keep_scores=True, system="edges")


def svg_of(graph: Graph) -> str:
    """The picture of a page."""
    return render_graph(graph, "svg", width=WIDTH, flat=True).decode()


def said(value: float) -> str:
    """A number of a sentence.

    >>> said(0.8776), said(12.0)
    ('.878', '12.000')
    """
    return f"{value:.3f}".removeprefix("0")
