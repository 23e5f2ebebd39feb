"""The ground truth of Oxford 5k and Paris 6k: for each query a box, and lists of good, ok and junk pictures.

Good and ok pictures are positive, junk is skipped as if it were not there, all others are negative. The query is a part
of one of the positive pictures, which stays in the ranking. AP is the trapezoid area that starts from precision 1.
"""

from __future__ import annotations

from pathlib import Path

from rankscope.collections.collection import KEPT, Collection, Truth
from rankscope.collections.kind import NotThereError, pictures
from rankscope.collections.tables import lines_of

GOOD, OK = 2, 1
MEASURES = ("AP(area=oxford)", "P@10")


def read_landmarks(name: str, folder: Path, size: int, prefix: str, image_folders: tuple[str, ...]) -> Collection:
    """The collection from its truth files; pictures are optional, and where they lack only judged items are named."""
    truth = read_truth(folder, prefix)
    places = [folder, *(folder / each for each in image_folders)]
    found = {path.stem: path for place in places for inner in _with_inner(place) for path in pictures(inner)}
    named = {item for each in truth for item in (each.item, *each.relevant, *each.junk)}
    ids = tuple(sorted(found or named))
    notes = () if found else (f"no pictures here: only the {len(ids)} items named in the truth are known",)
    return Collection(
        name=name,
        ids=ids,
        paths=tuple(found[each] for each in ids) if found else None,
        truth=truth,
        query_item=KEPT,
        measures=MEASURES,
        size=None if found else size,
        notes=notes,
    )


def read_truth(folder: Path, prefix: str = "") -> tuple[Truth, ...]:
    """One truth for each NAME_query.txt in the folder, or in its folder `gt`, by name.

    `prefix` is cut off the name of the query's picture.
    """
    found = sorted(folder.glob("*_query.txt")) or sorted((folder / "gt").glob("*_query.txt"))
    if not found:
        raise NotThereError("holds no NAME_query.txt")
    return tuple(_truth(path, prefix) for path in found)


def _truth(path: Path, prefix: str) -> Truth:
    name = path.name.removesuffix("_query.txt")
    item, *box = " ".join(lines_of(path)).split()
    if len(box) != 4:
        raise NotThereError(f"has a {path.name} that does not read NAME LEFT TOP RIGHT BOTTOM")
    lists = {}
    for kind in ("good", "ok", "junk"):
        beside = path.with_name(f"{name}_{kind}.txt")
        if not beside.is_file():
            raise NotThereError(f"lacks {beside.name}")
        lists[kind] = lines_of(beside)
    left, top, right, bottom = map(float, box)
    grades = {**dict.fromkeys(lists["ok"], OK), **dict.fromkeys(lists["good"], GOOD)}
    return Truth(
        query=name,
        item=item.removeprefix(prefix),
        relevant=grades,
        junk=tuple(lists["junk"]),
        box=(left, top, right, bottom),
    )


def _with_inner(folder: Path) -> list[Path]:
    """A folder and the folders in it: Paris keeps its pictures by landmark."""
    return [folder, *sorted(each for each in folder.iterdir() if each.is_dir())] if folder.is_dir() else []


def layout(example: str, image_folder: str) -> str:
    """What the folder of such a collection should hold."""
    files = ", ".join(f"{example}_{kind}.txt" for kind in ("query", "good", "ok", "junk"))
    return f"It should hold, in itself or in gt, {files} and so on for each query; pictures, if any, in {image_folder}."
