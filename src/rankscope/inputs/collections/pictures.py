"""Collections of pictures: any folder of class folders, Corel-1k, MPEG-7, Oxford 5k and Paris 6k, Holidays, UKBench,
and icons, those that ship with the package and 20,000 more.
"""

from __future__ import annotations

import csv
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rankscope.core.errors import InputError, Problem
from rankscope.core.names import visible
from rankscope.inputs.array_files import Archive
from rankscope.inputs.collections.collection import (
    KEPT,
    Collection,
    CollectionKind,
    NotThereError,
    Truth,
    first_folder,
    label_table,
    pictures,
    text_lines,
)
from rankscope.inputs.collections.sample import icons

if TYPE_CHECKING:
    from rankscope.inputs.run import Run


# A folder of class folders: the collection everybody has.


def read_class_folders(folder: Path) -> Collection:
    """Each folder in it is a class, its pictures the members; pictures next to the folders have no class.

    Items are called `class/file`. Every member of a class in turn is the query, removed from its own ranking.
    """
    alone = [(path, "") for path in pictures(folder)]
    inside = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    closed = [each.name for each in inside if not os.access(each, os.R_OK | os.X_OK)]
    if closed:
        raise NotThereError(f"has folders that cannot be read: {', '.join(closed)}")
    members = [(path, each.name) for each in inside for path in pictures(each)]
    if not members:
        raise NotThereError("has no folder with pictures in it")
    found = [*alone, *members]
    return Collection(
        name=visible(folder.resolve().name),
        ids=tuple(visible(path.relative_to(folder).as_posix()) for path, _ in found),
        labels=tuple(visible(label) for _, label in found),
        paths=tuple(path for path, _ in found),
    )


FOLDER = CollectionKind(
    name="folder",
    about="any folder of class folders; pictures next to them are distractors",
    read=read_class_folders,
    layout="It should hold one folder for each class with the pictures of the class in it: CLASS/PICTURE.jpg.",
)


# Corel-1k, the test set of SIMPLIcity: 1000 photos, 10 classes of 100.

COREL1K_CLASSES = (  # of the photos 0..99, 100..199, ... in the classic numbering
    "africa",
    "beaches",
    "monuments",
    "buses",
    "dinosaurs",
    "elephants",
    "flowers",
    "horses",
    "mountains",
    "food",
)
COREL1K_PHOTOS = 1000


def read_corel1k(folder: Path) -> Collection:
    """From a table of labels with a folder of images, from class folders, or from photos called 0.jpg to 999.jpg."""
    found = _with_table(folder) or _numbered(folder)
    if not found:
        whole = read_class_folders(folder)
        found = list(zip(whole.ids, whole.labels, whole.paths or (), strict=True))
    if not found:
        raise NotThereError("holds no photos with a class")
    notes = () if len(found) == COREL1K_PHOTOS else (f"{len(found)} of {COREL1K_PHOTOS} photos",)
    return Collection(
        name="corel1k",
        ids=tuple(item for item, _, _ in found),
        labels=tuple(label for _, label, _ in found),
        paths=tuple(path for _, _, path in found),
        notes=notes,
    )


def _with_table(folder: Path) -> list[tuple[str, str, Path]]:
    if not (folder / "labels.csv").is_file():
        return []
    rows = sorted(label_table(folder / "labels.csv"))
    missing = [file for file, _ in rows if not (folder / "images" / file).is_file()]
    if missing:
        raise NotThereError(f"lacks images/{missing[0]}, which labels.csv names ({len(missing)} missing)")
    return [(Path(file).stem, label, folder / "images" / file) for file, label in rows]


def _numbered(folder: Path) -> list[tuple[str, str, Path]]:
    photos = [path for path in first_folder([folder, folder / "images"]) if path.stem.isdecimal()]
    photos = sorted((path for path in photos if int(path.stem) < COREL1K_PHOTOS), key=lambda path: int(path.stem))
    return [(path.stem, COREL1K_CLASSES[int(path.stem) // 100], path) for path in photos]


COREL1K = CollectionKind(
    name="corel1k",
    about="1000 photos in 10 classes of 100; each is a query, removed from its own ranking",
    read=read_corel1k,
    layout=(
        "It should hold labels.csv (file,class) with images/FILE, or photos 0.jpg to 999.jpg (hundreds in the order "
        f"{', '.join(COREL1K_CLASSES)}), or a folder for each class."
    ),
    source="Wang, Li and Wiederhold 2001 (SIMPLIcity)",
)


# MPEG-7 CE-Shape-1, part B: 1400 silhouettes, 70 classes of 20, for the bull's-eye test.

MPEG7_SHAPES = 1400


def read_mpeg7(folder: Path) -> Collection:
    """Files are called CLASS-NUMBER; the query stays in its ranking and counts, as the bull's-eye test wants it."""
    shapes = [path for path in first_folder([folder / "partB", folder, folder / "original"]) if "-" in path.stem]
    if not shapes:
        raise NotThereError("holds no silhouettes called CLASS-NUMBER")
    return Collection(
        name="mpeg7",
        ids=tuple(path.stem for path in shapes),
        labels=tuple(path.stem.rpartition("-")[0] for path in shapes),
        paths=tuple(shapes),
        query_item=KEPT,
        measures=("Bullseye", "AP", "P@10", "ER", "NMRR"),
        notes=() if len(shapes) == MPEG7_SHAPES else (f"{len(shapes)} of {MPEG7_SHAPES} shapes",),
    )


MPEG7 = CollectionKind(
    name="mpeg7",
    about="1400 silhouettes in 70 classes of 20; bull's-eye: of the 20, how many among the first 40, query included",
    read=read_mpeg7,
    layout="It should hold silhouettes called CLASS-NUMBER.png (or .gif), in itself, in partB or in original.",
    source="Latecki, Lakaemper and Eckhardt 2000 (CE-Shape-1 part B)",
)


# The ground truth of Oxford 5k and Paris 6k: for each query a box, and lists of good, ok and junk pictures.

GOOD_GRADE, OK_GRADE = 2, 1
LANDMARK_MEASURES = ("AP(area=oxford)", "P@10")


def read_landmarks(name: str, folder: Path, size: int, prefix: str, image_folders: tuple[str, ...]) -> Collection:
    """The collection from its truth files; pictures are optional, and where they lack only judged items are named."""
    truth = read_landmark_truth(folder, prefix)
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
        measures=LANDMARK_MEASURES,
        size=None if found else size,
        notes=notes,
    )


def read_landmark_truth(folder: Path, prefix: str = "") -> tuple[Truth, ...]:
    """One truth for each NAME_query.txt in the folder, or in its folder `gt`, by name.

    `prefix` is cut off the name of the query's picture.
    """
    found = sorted(folder.glob("*_query.txt")) or sorted((folder / "gt").glob("*_query.txt"))
    if not found:
        raise NotThereError("holds no NAME_query.txt")
    return tuple(_landmark_truth(path, prefix) for path in found)


def _landmark_truth(path: Path, prefix: str) -> Truth:
    name = path.name.removesuffix("_query.txt")
    item, *box = " ".join(text_lines(path)).split()
    if len(box) != 4:
        raise NotThereError(f"has a {path.name} that does not read NAME LEFT TOP RIGHT BOTTOM")
    lists = {}
    for kind in ("good", "ok", "junk"):
        beside = path.with_name(f"{name}_{kind}.txt")
        if not beside.is_file():
            raise NotThereError(f"lacks {beside.name}")
        lists[kind] = text_lines(beside)
    left, top, right, bottom = map(float, box)
    grades = {**dict.fromkeys(lists["ok"], OK_GRADE), **dict.fromkeys(lists["good"], GOOD_GRADE)}
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


def _landmarks(name: str, size: int, prefix: str, folders: tuple[str, ...], layout: str, year: int) -> CollectionKind:
    """A collection of so many photos with 55 queries for 11 landmarks."""
    return CollectionKind(
        name=name,
        about=f"{size} photos, 55 queries with good, ok and junk pictures; trapezoid AP, junk skipped",
        read=partial(read_landmarks, name, size=size, prefix=prefix, image_folders=folders),
        layout=f"It should hold, in itself or in gt, {layout}",
        source=f"Philbin, Chum, Isard, Sivic and Zisserman {year}",
    )


OXFORD5K = _landmarks(
    "oxford5k",
    size=5062,
    prefix="oxc1_",
    folders=("images", "oxbuild_images", "jpg"),
    layout="all_souls_1_query.txt, all_souls_1_good.txt, all_souls_1_ok.txt, all_souls_1_junk.txt and so on for each "
    "query; pictures, if any, in images or oxbuild_images.",
    year=2007,
)
PARIS6K = _landmarks(
    "paris6k",
    size=6412,
    prefix="",
    folders=("images", "paris", "jpg"),
    layout="defense_1_query.txt, defense_1_good.txt, defense_1_ok.txt, defense_1_junk.txt and so on for each query; "
    "pictures, if any, in images or paris, by landmark or not.",
    year=2008,
)


# INRIA Holidays: 1491 photos in 500 groups; the first of each group is the query.

HOLIDAYS_MEMBERS = 100  # numbers of one group share all but the last two digits
HOLIDAYS_LIST = "holidays_images.dat"


def read_holidays(folder: Path) -> Collection:
    """Names come from the official list, or from the photos; a number divided by 100 is the group.

    The query is removed from its own ranking, and the other members of its group are relevant.
    """
    photos = {path.name: path for path in first_folder([folder, folder / "jpg", folder / "images"])}
    names = text_lines(folder / HOLIDAYS_LIST) if (folder / HOLIDAYS_LIST).is_file() else list(photos)
    names = sorted(name for name in names if Path(name).stem.isdecimal())
    if not names:
        raise NotThereError(f"holds neither {HOLIDAYS_LIST} nor photos called by six digits")
    complete = all(name in photos for name in names)
    return Collection(
        name="holidays",
        ids=tuple(names),
        paths=tuple(photos[name] for name in names) if complete else None,
        truth=holidays_truth(names),
        measures=("AP(area=oxford)",),
        notes=() if complete else ("no photos here: only their names are known",),
    )


def holidays_truth(names: list[str]) -> tuple[Truth, ...]:
    """The first of each group as the query, the others as relevant; a group of one asks nothing.

    >>> holidays_truth(["100000.jpg", "100001.jpg", "100100.jpg"])
    (Truth(query='100000.jpg', item='100000.jpg', relevant={'100001.jpg': 1}, junk=(), box=None),)
    """
    groups: dict[int, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(int(Path(name).stem) // HOLIDAYS_MEMBERS, []).append(name)
    return tuple(Truth(first, first, dict.fromkeys(rest, 1)) for first, *rest in groups.values() if rest)


def read_holidays_result(path: str | Path) -> Run:
    """A result in the format of the official evaluation: `query rank name rank name ...`, ranks from 0, one line each.

    The ranks decide, not the order in the line. A line that cannot be read is an `InputError` that names it.
    """
    from rankscope.inputs.run import Run

    file, problems = Path(path), []
    order: dict[str, list[str]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        query, *rest = line.split() or [""]
        if not query:
            continue
        if len(rest) % 2 or not all(rank.isdecimal() for rank in rest[::2]):
            problems.append(Problem(f"line {number}", "must read: query rank name rank name ..."))
        elif query in order:
            problems.append(Problem(f"line {number}", f"query {query} was answered before"))
        else:
            ranked = sorted(zip(map(int, rest[::2]), rest[1::2], strict=True), key=lambda pair: pair[0])
            order[query] = [name for _, name in ranked]
    if problems or not order:
        raise InputError.of(file.name, problems or ["holds no rankings"])
    return Run.of(order, name=file.stem)


HOLIDAYS = CollectionKind(
    name="holidays",
    about="1491 photos in 500 groups; the first of each group is the query; trapezoid AP",
    read=read_holidays,
    layout=f"It should hold {HOLIDAYS_LIST} (one name a line), or the photos 100000.jpg, 100001.jpg, ... in itself "
    "or in jpg.",
    source="Jegou, Douze and Schmid 2008",
)


# UKBench: objects seen four times each; the score is how many of the four are among the first four.

UKBENCH_VIEWS = 4
UKBENCH_PHOTOS = 10_200
UKBENCH_NAME = re.compile(r"ukbench(\d+)")


def read_ukbench(folder: Path) -> Collection:
    """Photos ukbench00000 and on; four in a row show one object. The query stays in its ranking and counts."""
    candidates = first_folder([folder / "full", folder, folder / "images"])
    numbered = [(int(match[1]), path) for path in candidates if (match := UKBENCH_NAME.fullmatch(path.stem))]
    if not numbered:
        raise NotThereError("holds no photos called ukbench00000.jpg, ukbench00001.jpg, ...")
    numbered.sort()
    return Collection(
        name="ukbench",
        ids=tuple(path.stem for _, path in numbered),
        labels=tuple(str(number // UKBENCH_VIEWS) for number, _ in numbered),
        paths=tuple(path for _, path in numbered),
        query_item=KEPT,
        measures=("P@4", "AP"),
        notes=() if len(numbered) == UKBENCH_PHOTOS else (f"{len(numbered)} of {UKBENCH_PHOTOS} photos",),
    )


UKBENCH = CollectionKind(
    name="ukbench",
    about="10200 photos of 2550 objects, four each; mean number of right ones among the first four, query included",
    read=read_ukbench,
    layout="It should hold the photos ukbench00000.jpg to ukbench10199.jpg, in itself, in full or in images.",
    source="Nister and Stewenius 2006",
)


# The icons inside the package, in the form all named collections have.


def read_icons(_: Path) -> Collection:
    """Pictures of 32x32 with the icon's name as its id; pixels are the features."""
    sample = icons()
    return Collection(
        name=sample.name,
        ids=sample.items,
        labels=sample.class_of_item,
        images=sample.images,
        features=sample.images.reshape(len(sample), -1),
        notes=("truth by name, not by eye: icons that many sets call the same",),
    )


ICONS = CollectionKind(
    name="icons",
    about="5346 logos and icons, 494 classes of 2 to 264 and 1367 distractors; ships with rankscope",
    read=read_icons,
    source="after Huijsmans and Sebe 2001 (logos)",
)


# 20,000 logos and icons in clusters of very different size; a sample of them ships as `icons`.

ICONS20K_FILES = ("icons.npz", "items.csv")


def read_icons20k(folder: Path) -> Collection:
    """Pictures of 32x32 and their clusters; items without a cluster are distractors. Pixels are the features."""
    for file in ICONS20K_FILES:
        if not (folder / file).is_file():
            raise NotThereError(f"holds no {file}")
    images = Archive.of(folder / ICONS20K_FILES[0]).array("images")
    with (folder / ICONS20K_FILES[1]).open(encoding="utf-8", newline="") as lines:
        labels = [row["cluster"] for row in csv.DictReader(lines)]
    if len(labels) != len(images):
        raise NotThereError(
            f"has {len(images)} pictures in {ICONS20K_FILES[0]} but {len(labels)} rows in {ICONS20K_FILES[1]}"
        )
    return Collection(
        name="icons20k",
        ids=tuple(f"{row:05}" for row in range(len(labels))),
        labels=tuple(labels),
        images=images,
        features=images.reshape(len(images), -1),
        notes=("truth by name, not by eye: icons that many sets call the same",),
    )


ICONS20K = CollectionKind(
    name="icons20k",
    about="20000 logos and icons, 1858 clusters of 2 to 308 and 5194 distractors",
    read=read_icons20k,
    layout="It should hold icons.npz (images, labels) and items.csv (index,cluster,set,icon).",
    source="after Huijsmans and Sebe 2001 (logos)",
)
