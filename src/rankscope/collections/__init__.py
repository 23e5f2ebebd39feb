"""Named test collections, one file each, with the rule by which each is judged; `icons` ships inside the package.

>>> load("icons").queries[0]
'material-symbols-light:lock-open-rounded'
"""

from __future__ import annotations

from pathlib import Path

from rankscope.catalogue import additions, did_you_mean
from rankscope.collections import (
    corel1k,
    digits,
    folder,
    holidays,
    icons20k,
    letter,
    mpeg7,
    oxford5k,
    paris6k,
    shipped_icons,
    ukbench,
)
from rankscope.collections.collection import Collection, Truth
from rankscope.collections.icons import icons
from rankscope.collections.kind import Kind
from rankscope.collections.labelled_images import LabelledImages
from rankscope.errors import SettingError

ALL: tuple[Kind, ...] = (  # a new collection adds its import and its name here
    shipped_icons.KIND,
    folder.KIND,
    corel1k.KIND,
    mpeg7.KIND,
    oxford5k.KIND,
    paris6k.KIND,
    holidays.KIND,
    ukbench.KIND,
    icons20k.KIND,
    digits.KIND,
    letter.KIND,
)


def by_name(name: str) -> Kind:
    """A kind of collection by its name, ours or one that another package adds.

    >>> by_name("mpeg7").source
    'Latecki, Lakaemper and Eckhardt 2000 (CE-Shape-1 part B)'
    """
    ours = {each.name: each for each in ALL}
    if name in ours:
        return ours[name]
    known = {**{each.name: each for each in additions("rankscope.collections")}, **ours}
    if name not in known:
        raise SettingError(f"no collection '{name}'{did_you_mean(name, known)} There are: {', '.join(known)}")
    return known[name]


def load(name: str, folder: str | Path | None = None) -> Collection:
    """A collection by its name, from the folder it lies in; nothing is fetched from anywhere.

    >>> len(load("icons"))
    5346
    """
    return by_name(name).load(folder)


__all__ = ["ALL", "Collection", "Kind", "LabelledImages", "Truth", "by_name", "icons", "load"]
