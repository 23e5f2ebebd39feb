"""A bandit: the run with the best record goes on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankscope.sampling.pools.pool import AdaptivePool

if TYPE_CHECKING:
    from rankscope.sampling.pools.rankings import Lists


@dataclass(frozen=True)
class Bandit(AdaptivePool):
    """The next item of the run with the highest (1 + rel)/(2 + ret), the first on ties (max-mean, Losada et al. 2016).

    rel and ret count all judged items that the run holds within k, whichever run brought them.
    >>> lists = (tuple("abcde"), tuple("axfbg"), tuple("hijka"))
    >>> "".join(Bandit(5).order(lists, "abcf"))
    'abcdxehfgijk'
    """

    name: ClassVar[str] = "bandit"

    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """From the marks alone, regardless of their order."""
        best, chosen = -1.0, None
        for items in lists:
            known = [judged[item] for item in items if item in judged]
            mean = (1 + sum(known)) / (2 + len(known))
            if mean > best:
                item = next((each for each in items if each not in judged and each not in passed), None)
                best, chosen = (mean, item) if item is not None else (best, chosen)
        return chosen
