"""Semantic network: earlier sessions are keywords, linked to the items that were relevant in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.earlier_sessions import EarlierSessions
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.log_and_content import LogAndContent
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class SemanticNetwork(LogAndContent):
    """The log part is the sum over an item's keywords of max(0, share in P - beta share in N) ln(n/n_k).

    Our reading. Every earlier session is a keyword of the items that were relevant in it, n_k of all n; what it is
    called is not known, and is not needed. `mix` is the share of the log part, the rest is nearness to the positives:
    keywords and features are integrated in one score.
    """

    beta: float = 1.0
    name: ClassVar[str] = "semantic-network"
    source: ClassVar[str] = "Zhang, Zheng, Li & Su 2003, Relevance feedback and learning in content-based image search"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"beta": 0}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Worth of the keywords times which item has them."""
        from scipy.sparse import csr_array

        words = log.remember("keywords", lambda: csr_array((log.marks > 0).T.astype(np.float64)))
        many = np.asarray(words.sum(axis=0)).ravel()
        rare = np.log(len(items) / np.maximum(many, 1.0))
        share, other = (_shares(words, each, len(items)) for each in (examples.positives, examples.negatives))
        worth = np.maximum(share - self.beta * other, 0.0) * rare
        return np.asarray(words @ worth.T).T


def _shares(words: object, lists: Ragged, items: int) -> FloatArray:
    """Sessions x keywords: the share of each session's items that have a keyword."""
    from scipy.sparse import csr_array

    size = 1.0 / np.maximum(lists.lengths, 1)[lists.row]
    return np.asarray((csr_array((size, (lists.row, lists["item"])), shape=(len(lists), items)) @ words).toarray())
