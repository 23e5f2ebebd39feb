"""What a benchmark has done so far, in its folder: a stopped one goes on, and a second run is quick."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rankscope.digests import digest_of
from rankscope.engines.images.contender import Contender
from rankscope.engines.images.describing import Described
from rankscope.engines.images.feature_files import PACKAGES, save_features
from rankscope.engines.images.picture_set import PictureSet
from rankscope.errors import InputError
from rankscope.files import atomic, made_folder
from rankscope.inputs.arrays_in_files import Archive
from rankscope.names import visible
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import SUFFIX, load_ranks, save_ranks
from rankscope.version import __version__

FEATURES = "features"
RECORD = "record.json"  # times, and pictures that cannot be read


@dataclass(frozen=True)
class Store:
    """The folder of a benchmark, for one set of pictures. Everything in it is known by a digest of what made it."""

    folder: Path
    pictures: PictureSet

    @classmethod
    def at(cls, folder: str | Path, pictures: PictureSet) -> Store:
        """The folder is made if it is not there."""
        made_folder(Path(folder) / FEATURES)
        return cls(Path(folder), pictures)

    def key(self, contender: Contender) -> str:
        """Tells whether features made before are those wanted: same pictures, descriptor and packages."""
        results = {"contender": str(contender), "pictures": self.pictures.digest, "versions": _versions()}
        return digest_of(results)[:16]

    # vectors

    def features_path(self, contender: Contender) -> Path:
        """Where the vectors of a contender lie."""
        return self.folder / FEATURES / f"{plain(str(contender))}-{self.key(contender)}.npz"

    def has(self, contender: Contender) -> bool:
        """Whether they are there, and the record of the pictures too."""
        return self.problems() is not None and self.features_path(contender).is_file()

    def matrix(self, contender: Contender) -> NDArray[Any]:
        """The vectors of the readable pictures."""
        path = self.features_path(contender)
        try:
            return Archive.of(path).array("features")
        except InputError as error:
            raise InputError.of(visible(str(path)), error.reports[0].problems, "Remove it: it is made again.") from None

    def keep(self, contender: Contender, described: Described, kept: PictureSet, milliseconds: float) -> None:
        """Write the vectors, then the time they took."""
        settings = {"benchmark": self.key(contender), "collection": self.pictures.name}
        save_features(described, self.features_path(contender), kept.ids, kept.labels, settings)
        self._note(contender, describe=milliseconds)

    # ranks

    def ranks_path(self, contender: Contender) -> Path:
        """Where its ranks lie, for every other command."""
        return self.folder / f"{plain(str(contender))}{SUFFIX}"

    def ranks(self, contender: Contender, queries: Sequence[str]) -> RelevantRanks | None:
        """Ranks made before from the same vectors and for the same queries."""
        path = self.ranks_path(contender)
        if not path.is_file():
            return None
        try:
            found = load_ranks(path)
        except InputError:
            return None
        return found if found.provenance.get("benchmark") == self._ranks_key(contender, queries) else None

    def keep_ranks(
        self, contender: Contender, ranks: RelevantRanks, queries: Sequence[str], milliseconds: float
    ) -> RelevantRanks:
        """Write the ranks with the key they are known by, then the time of one query."""
        marked = replace(ranks, provenance={**ranks.provenance, "benchmark": self._ranks_key(contender, queries)})
        save_ranks(marked, self.ranks_path(contender))
        self._note(contender, query=milliseconds)
        return marked

    def _ranks_key(self, contender: Contender, queries: Sequence[str]) -> dict[str, str]:
        asked = hashlib.sha256("\n".join(queries).encode()).hexdigest()[:16]
        return {"collection": self.pictures.name, "features": self.key(contender), "queries": asked}

    # what is no array

    def problems(self) -> tuple[tuple[str, str], ...] | None:
        """Which pictures cannot be read and why; None if that is not known yet."""
        found = self._record().get("pictures", {}).get(self.pictures.digest)
        return None if found is None else tuple((name, what) for name, what in found)

    def note_problems(self, problems: Sequence[tuple[str, str]]) -> None:
        """Remember them."""
        record = self._record()
        record.setdefault("pictures", {})[self.pictures.digest] = [list(each) for each in problems]
        self._write(record)

    def milliseconds(self, contender: Contender, what: str) -> float:
        """Processor time of one picture (`describe`) or one query (`query`); NaN if it was not noted."""
        return float(self._record().get("times", {}).get(self.key(contender), {}).get(what, math.nan))

    def _note(self, contender: Contender, **milliseconds: float) -> None:
        record = self._record()
        record.setdefault("times", {}).setdefault(self.key(contender), {}).update(milliseconds)
        self._write(record)

    def _record(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / FEATURES / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, record: dict[str, Any]) -> None:
        with atomic(self.folder / FEATURES / RECORD) as file:
            file.write(json.dumps(record, indent=1, sort_keys=True) + "\n")


def plain(text: str) -> str:
    """A name without signs that a shell or a file system reads.

    >>> plain("lbp(grid=4)")
    'lbp-grid-4'
    """
    return re.sub(r"[^\w.-]+", "-", text).strip("-")


def _versions() -> dict[str, str]:
    found = {"rankscope": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
