"""Long-term grouping: earlier sessions that agree are one group, and a group that fits the examples ranks its items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.earlier_sessions import EarlierSessions
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.log_and_content import LogAndContent, means_of


@dataclass(frozen=True)
class LongTermGrouping(LogAndContent):
    """The log part is the sum over groups of fit times membership, fit = max(0, mean over P - mean over N).

    Our reading. Sessions are joined, nearest first by the mean of their cosines, while that is above `agree`. The
    membership of an item is the mean of its marks in the sessions of the group, balanced so that the irrelevant items
    of a session weigh no more than the relevant. `mix` is the share of the log part.
    """

    agree: float = 0.1
    name: ClassVar[str] = "long-term-grouping"
    source: ClassVar[str] = "Yoshizawa & Schweitzer 2004, Long-term learning of semantic grouping"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"agree": 0}
    most: ClassVar[Mapping[str, float]] = {"agree": 1}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Fits times memberships."""
        members = log.remember(("groups", self.agree), lambda: memberships(log, self.agree))
        fit = means_of(members, examples.positives) - means_of(members, examples.negatives)
        return np.maximum(fit, 0.0) @ members.T


def memberships(log: EarlierSessions, agree: float) -> FloatArray:
    """Items x groups: the mean of an item's balanced marks in the sessions of each group."""
    from scipy.sparse import csr_array

    group = session_groups(log, agree)
    size = np.bincount(group)
    share = csr_array((1.0 / size[group], (group, np.arange(group.size))), shape=(size.size, group.size))
    return np.ascontiguousarray((share @ log.balanced).toarray().T)


def session_groups(log: EarlierSessions, agree: float) -> IntArray:
    """The number of each session's group, from 0, by mean linkage of the cosines between sessions.

    >>> log = EarlierSessions(np.array([[1, 1, 0, -1], [1, 0, 1, -1], [-1, 0, 0, 1]]))
    >>> session_groups(log, 0.1)
    array([0, 0, 1])
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(log) < 2:
        return np.zeros(len(log), np.int64)
    apart = 1.0 - log.agreement
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average")
    labels = fcluster(tree, 1.0 - agree, "distance")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
