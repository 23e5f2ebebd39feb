"""What every part of one reduction needs to know: judgements, settings, the files, and how much memory there is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.inputs.checks import Problems
from rankscope.inputs.judged_items import JudgedItems
from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.reading import Reading
from rankscope.ranks.found import Found
from rankscope.ranks.provenance import FIXED_BY_REDUCTION, JudgementsInShort
from rankscope.version import __version__


@dataclass(frozen=True)
class ReductionPlan:
    """The same for all parts; it travels to wherever they are worked on."""

    files: PartFiles
    name: str  # of the system
    reading: Reading
    nothing: Found  # a reduction that has not begun: what is judged, and the settings
    qrels: JudgementsInShort
    rows_in_memory: int  # so many may be gathered at once
    with_digest: bool = True
    folder: Path = Path()  # where buckets lie
    buckets: int = 0

    def found(self) -> Found:
        """A reduction that has not begun, for one part."""
        return self.nothing.fresh()

    @property
    def judged(self) -> JudgedItems:
        """What is judged."""
        assert isinstance(self.nothing.judged, JudgedItems)
        return self.nothing.judged

    @property
    def place(self) -> str:
        """What messages call the run."""
        return self.files.name

    def about(self, work: str) -> dict[str, Any]:
        """What the result of any part depends on in addition to its own rows."""
        found = self.nothing
        junk = "" if found.junk is None else digest_of_judged(found.junk)
        return {
            "work": work,
            "version": __version__,
            "judged": digest_of_judged(self.judged),
            "junk": junk,
            "settings": {name: getattr(found.settings, name) for name in (*FIXED_BY_REDUCTION, "collection_size")},
            "reading": [self.reading.format, self.reading.encoding, self.reading.comments, self.reading.scores],
            "keep_scores": found.keep_scores,
            "digest": self.with_digest,
            "buckets": self.buckets,
        }

    def in_buckets(self, folder: Path, count: int) -> ReductionPlan:
        """The same with the rows shared out to so many buckets."""
        return replace(self, folder=folder, buckets=count)


def digest_of_judged(judged: JudgedItems) -> str:
    """A name for judgements, from the ids and grades in them."""
    sha = hashlib.sha256("\n".join(judged.queries).encode("utf-8", "surrogatepass"))
    item = judged.item.kept()
    for column in (item.buffer, item.length, judged.offsets, judged.grade):
        sha.update(np.ascontiguousarray(column).data)
    return sha.hexdigest()


def problems_of(plan: ReductionPlan) -> Problems:
    """Problems of the run, none so far."""
    return Problems(plan.place)
