"""Where the numbers of a reduction come from: files, digests, settings and versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rankscope.core.settings import Settings
from rankscope.version import __version__

FIXED_BY_REDUCTION = ("ties", "scores", "duplicates", "judged_only", "score_width", "query_item", "comments", "seed")

CONTRADICTION = "ranks_against_scores"  # what is said of a run so


class RunFacts(Protocol):
    """What a reduction says of the run it was made from; a `Run` that has been read knows it."""

    name: str
    tag: str
    gives_scores: bool

    @property
    def place(self) -> str: ...
    @property
    def digest(self) -> str: ...


class JudgementFacts(Protocol):
    """What a reduction says of the judgements; `Qrels` know it."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def top_grade(self) -> float: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class JudgementsInShort:
    """The same without the judgements.

    >>> from rankscope.inputs.qrels import Qrels
    >>> short = JudgementsInShort.of(Qrels.of({"q": {"a": 2, "b": 0}}))
    >>> len(short), short.top_grade
    (2, 2.0)
    """

    name: str
    digest: str
    top_grade: float
    rows: int

    @classmethod
    def of(cls, qrels: JudgementFacts) -> JudgementsInShort:
        return cls(qrels.name, qrels.digest, qrels.top_grade, len(qrels))

    def __len__(self) -> int:
        return self.rows


def reduction_provenance(run: RunFacts, qrels: JudgementFacts, settings: Settings, returned: int) -> dict[str, Any]:
    """Where the numbers come from: digests and choices, but no time, host or path, so equal inputs give equal bytes."""
    return {
        "run": {"file": run.place, "sha256": run.digest, "tag": run.tag, "rows": returned, "scores": run.gives_scores},
        "judgements": {"file": qrels.name, "sha256": qrels.digest, "rows": len(qrels)},
        "settings": {name: getattr(settings, name) for name in FIXED_BY_REDUCTION},
        "versions": versions(),
    }


def chosen_distractors(provenance: Mapping[str, Any]) -> str:
    """The distractors among which each class was ranked, as `rank --distractors` has them; empty: the collection.

    >>> chosen_distractors({"settings": {"distractors": "nearest(20)"}}), chosen_distractors({})
    ('nearest(20)', '')
    """
    return str(provenance.get("settings", {}).get("distractors", ""))


def versions() -> dict[str, str]:
    """The versions that numbers depend on: what reads a file changes none of them."""
    return {"rankscope": __version__, "numpy": np.__version__}
