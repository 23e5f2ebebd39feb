"""Make the sample collection that ships in the package, from the icons20k data set.

    python tools/make_icons_sample.py

reads icons20k below $RANKSCOPE_DATA (../shared/data where that is not set) and writes icons.npz and LICENSES.md into
src/rankscope/inputs/collections/data. Selection rule, without any random choice, so that equal inputs give equal bytes:

1. Only icons of sets under MIT, Apache-2.0, ISC or CC0-1.0.
2. Clusters that still have two members, in order of size (largest first, then by name): every third, whole.
   The sizes keep their distribution, from 2 to 264.
3. Icons without a cluster, in the (random) order of the data set: every third, as distractors.
4. Items stay in the order of the data set; classes are numbered in the order of their names.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "rankscope" / "collections" / "data"
PERMITTED = ("MIT", "Apache-2.0", "ISC", "CC0-1.0")
EVERY = 3


@dataclass(frozen=True)
class Icon:
    """One line of items.csv."""

    index: int
    cluster: str
    set: str
    icon: str

    @property
    def name(self) -> str:
        """The name that Iconify gives it."""
        return f"{self.set}:{self.icon}"


@dataclass(frozen=True)
class IconSet:
    """One line of sets.csv."""

    set: str
    name: str
    licence: str
    author: str


def data_folder() -> Path:
    """Where icons20k lies."""
    return Path(os.environ.get("RANKSCOPE_DATA", ROOT.parent / "shared" / "data")) / "icons20k"


def read_icons(folder: Path) -> list[Icon]:
    """All icons, in the order of the data set."""
    with (folder / "items.csv").open(encoding="utf-8", newline="") as file:
        return [Icon(int(row["index"]), row["cluster"], row["set"], row["icon"]) for row in csv.DictReader(file)]


def read_sets(folder: Path) -> dict[str, IconSet]:
    """The icon sets whose licence permits that we pass them on."""
    with (folder / "sets.csv").open(encoding="utf-8", newline="") as file:
        rows = [IconSet(row["set"], row["name"], row["licence"], row["author"]) for row in csv.DictReader(file)]
    return {each.set: each for each in rows if each.licence in PERMITTED}


def chosen(icons: Iterable[Icon], permitted: Mapping[str, IconSet]) -> list[Icon]:
    """The sample, by the rule above."""
    free = [icon for icon in icons if icon.set in permitted]
    sizes = Counter(icon.cluster for icon in free if icon.cluster)
    clusters = sorted((cluster for cluster, size in sizes.items() if size > 1), key=lambda each: (-sizes[each], each))
    kept = set(clusters[::EVERY])
    distractors = [icon.index for icon in free if not icon.cluster][::EVERY]
    wanted = {icon.index for icon in free if icon.cluster in kept}.union(distractors)
    return [icon for icon in free if icon.index in wanted]


def arrays(sample: list[Icon], images: NDArray[np.uint8]) -> dict[str, NDArray[np.generic]]:
    """What icons.npz holds: pictures, labels, and names as UTF-8 lines."""
    classes = sorted({icon.cluster for icon in sample if icon.cluster})
    number = {"": -1, **{name: place for place, name in enumerate(classes)}}
    return {
        "images": images[[icon.index for icon in sample]],
        "labels": np.array([number[icon.cluster] for icon in sample], dtype=np.int16),
        "classes": _lines(classes),
        "names": _lines(icon.name for icon in sample),
    }


def _lines(texts: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def licences(sample: list[Icon], sets: Mapping[str, IconSet]) -> str:
    """LICENSES.md: who made the icons, under which licence, and the notices the licences ask for."""
    count = Counter(icon.set for icon in sample)
    used = [sets[each] for each in sorted(count)]
    table = [_row(each, count[each.set]) for each in used]
    text = (Path(__file__).parent / "icons_licences.md").read_text(encoding="utf-8")
    return text.format(
        icons=len(sample),
        sets=len(used),
        table="\n".join(table),
        mit=_credits(used, "MIT", "Copyright (c) "),
        isc=_credits(used, "ISC", "Copyright (c) "),
        apache=_credits(used, "Apache-2.0", "Copyright "),
        cc0=_credits(used, "CC0-1.0", ""),
    )


def _row(each: IconSet, count: int) -> str:
    cells = (each.set, each.name, each.licence, each.author, str(count))
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _credits(used: list[IconSet], licence: str, notice: str) -> str:
    """One line for each author of sets under a licence."""
    sets: dict[str, list[str]] = {}
    for each in used:
        if each.licence == licence:
            sets.setdefault(each.author, []).append(each.name)
    return "\n".join(f"- {notice}{author} ({', '.join(names)})" for author, names in sorted(sets.items()))


def main() -> None:
    """Write both files and say what they hold."""
    folder = data_folder()
    sets = read_sets(folder)
    sample = chosen(read_icons(folder), sets)
    with np.load(folder / "icons.npz") as packed:
        result = arrays(sample, packed["images"])
    TARGET.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(TARGET / "icons.npz", allow_pickle=False, **result)
    (TARGET / "LICENSES.md").write_text(licences(sample, sets), encoding="utf-8")
    labels = np.array(result["labels"], dtype=np.int64)
    print(f"{len(sample)} icons, {labels.max() + 1} classes, {np.count_nonzero(labels < 0)} distractors")


if __name__ == "__main__":
    main()
