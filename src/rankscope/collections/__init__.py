"""Named test collections, one file each, with the rule by which each is judged; `icons` ships inside the package.

>>> load("icons").queries[0]
'material-symbols-light:lock-open-rounded'
"""

from __future__ import annotations

from pathlib import Path

from rankscope.catalogue import Catalogue, Later, later
from rankscope.collections.collection import Collection, Truth
from rankscope.collections.icons import icons
from rankscope.collections.kind import CollectionKind
from rankscope.collections.labelled_images import LabelledImages

ALL: dict[str, Later] = later(  # a new collection adds its line here
    "rankscope.collections",
    {
        "icons": "shipped_icons:KIND",
        "folder": "folder:KIND",
        "corel1k": "corel1k:KIND",
        "mpeg7": "mpeg7:KIND",
        "oxford5k": "oxford5k:KIND",
        "paris6k": "paris6k:KIND",
        "holidays": "holidays:KIND",
        "ukbench": "ukbench:KIND",
        "icons20k": "icons20k:KIND",
        "digits": "digits:KIND",
        "letter": "letter:KIND",
        "cranfield": "classic_texts:CRANFIELD",
        "cisi": "classic_texts:CISI",
        "medline": "classic_texts:MEDLINE",
        "cacm": "classic_texts:CACM",
        "npl": "classic_texts:NPL",
        "adi": "classic_texts:ADI",
    },
)
COLLECTIONS: Catalogue[CollectionKind] = Catalogue("collection", ALL, "rankscope.collections")


def load(name: str, folder: str | Path | None = None) -> Collection:
    """A collection by its name, from the folder it lies in; nothing is fetched from anywhere.

    >>> len(load("icons"))
    5346
    """
    return COLLECTIONS.find(name).load(folder)


__all__ = ["ALL", "COLLECTIONS", "Collection", "CollectionKind", "LabelledImages", "Truth", "icons", "load"]
