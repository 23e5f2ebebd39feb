"""Named test collections, one file each, with the rule by which each is judged; `icons` ships inside the package.

>>> load("icons").queries[0]
'material-symbols-light:lock-open-rounded'
"""

from __future__ import annotations

from pathlib import Path

from rankscope.catalogue import Catalogue, Later
from rankscope.collections.collection import Collection, Truth
from rankscope.collections.icon_sample import icons
from rankscope.collections.kind import CollectionKind
from rankscope.collections.labelled_images import LabelledImages

ALL: dict[str, Later] = {  # a new collection adds its line here
    "icons": Later("rankscope.collections.shipped_icons:KIND"),
    "folder": Later("rankscope.collections.folder:KIND"),
    "corel1k": Later("rankscope.collections.corel1k:KIND"),
    "mpeg7": Later("rankscope.collections.mpeg7:KIND"),
    "oxford5k": Later("rankscope.collections.oxford5k:KIND"),
    "paris6k": Later("rankscope.collections.paris6k:KIND"),
    "holidays": Later("rankscope.collections.holidays:KIND"),
    "ukbench": Later("rankscope.collections.ukbench:KIND"),
    "icons20k": Later("rankscope.collections.icons20k:KIND"),
    "digits": Later("rankscope.collections.digits:KIND"),
    "letter": Later("rankscope.collections.letter:KIND"),
    "cranfield": Later("rankscope.collections.classic_texts:CRANFIELD"),
    "cisi": Later("rankscope.collections.classic_texts:CISI"),
    "medline": Later("rankscope.collections.classic_texts:MEDLINE"),
    "cacm": Later("rankscope.collections.classic_texts:CACM"),
    "npl": Later("rankscope.collections.classic_texts:NPL"),
    "adi": Later("rankscope.collections.classic_texts:ADI"),
}
COLLECTIONS: Catalogue[CollectionKind] = Catalogue("collection", ALL, "rankscope.collections")


def load(name: str, folder: str | Path | None = None) -> Collection:
    """A collection by its name, from the folder it lies in; nothing is fetched from anywhere.

    >>> len(load("icons"))
    5346
    """
    return COLLECTIONS.find(name).load(folder)


__all__ = ["ALL", "COLLECTIONS", "Collection", "CollectionKind", "LabelledImages", "Truth", "icons", "load"]
