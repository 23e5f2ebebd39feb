"""UKBench: objects seen four times each; the score is how many of the four are among the first four."""

from __future__ import annotations

import re
from pathlib import Path

from rankscope.collections.collection import KEPT, Collection
from rankscope.collections.kind import CollectionKind, NotThereError, first_folder
from rankscope.ranks.relevant_ranks import RelevantRanks

VIEWS = 4
PHOTOS = 10_200
NUMBER = re.compile(r"ukbench(\d+)")


def read(folder: Path) -> Collection:
    """Photos ukbench00000 and on; four in a row show one object. The query stays in its ranking and counts."""
    candidates = first_folder([folder / "full", folder, folder / "images"])
    numbered = [(int(match[1]), path) for path in candidates if (match := NUMBER.fullmatch(path.stem))]
    if not numbered:
        raise NotThereError("holds no photos called ukbench00000.jpg, ukbench00001.jpg, ...")
    numbered.sort()
    return Collection(
        name="ukbench",
        ids=tuple(path.stem for _, path in numbered),
        labels=tuple(str(number // VIEWS) for number, _ in numbered),
        paths=tuple(path for _, path in numbered),
        query_item=KEPT,
        measures=("P@4", "AP"),
        notes=() if len(numbered) == PHOTOS else (f"{len(numbered)} of {PHOTOS} photos",),
    )


def four_score(ranks: RelevantRanks) -> float:
    """The score of UKBench: the mean number of right photos among the first four, the query counted; 4 is perfect.

    The ranks must have the query in: see `put_query_back` of `rankscope.engines.query_item`.
    >>> four_score(RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 3, 9, 10]]))
    3.0
    """
    return float(ranks.hits(VIEWS).mean())


KIND = CollectionKind(
    name="ukbench",
    about="10200 photos of 2550 objects, four each; mean number of right ones among the first four, query included",
    read=read,
    layout="It should hold the photos ukbench00000.jpg to ukbench10199.jpg, in itself, in full or in images.",
    source="Nister and Stewenius 2006",
)
