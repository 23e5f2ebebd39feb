"""What is to be known of a round next to its measures: a fingerprint of its rankings, and how much of them is tied."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import IntArray
from rankscope.feedback.users.draws import Numbers, mix_bits
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts


def fingerprints(displayed: IntArray, ranks: Ragged) -> Numbers:
    """One number per session: the same where the same items are shown and relevant items have the same ranks.

    >>> one, two, three = fingerprints(np.array([[4, 7], [4, 7], [7, 4]]), Ragged.of([[1, 5]] * 3, "rank"))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    places = np.arange(displayed.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        total: Numbers = mix_bits(mix_bits((displayed + 1).astype(np.uint64)) + places).sum(axis=1, dtype=np.uint64)
        np.add.at(total, ranks.row, mix_bits(ranks["rank"].astype(np.uint64)))
    return total


def tied_pairs(ranks: RelevantRanks) -> IntArray:
    """Of each session: pairs of a relevant and an irrelevant item with equal scores; the order of items decides them.

    >>> from rankscope.ranks.from_scores import ranks_from_scores
    >>> tied_pairs(ranks_from_scores([[0.5, 0.5, 0.5, 0.2], [4, 3, 2, 1]], [True, False, False, True]))
    array([2, 0])
    """
    first, size, row = ranks.ties["start"], ranks.ties["size"], ranks.ties.row
    found = Ragged(ranks.judged.offsets, {"rank": ranks.judged["rank"]})
    hits = rank_counts(found, row, first + size - 1) - rank_counts(found, row, first - 1)
    return np.bincount(row, hits * (size - hits), minlength=len(ranks)).astype(np.int64)
